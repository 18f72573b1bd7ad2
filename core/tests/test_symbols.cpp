// Code for wider instructions must never run on a machine without them. Of two equal weak symbols
// the linker keeps any one, so the symbols of avx2.cpp and avx512.cpp must have their namespaces in
// their names.
#include <cstdio>
#include <string>

#include "checking.hpp"

namespace {

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Checks all symbols of an object file. Returns whether nm could read it.
bool all_bear(const std::string& nm, const std::string& object, const std::string& space) {
    const std::string command = "'" + nm + "' --defined-only -C '" + object + "' 2>/dev/null";
    FILE* const output = popen(command.c_str(), "r");
    if (!output) return false;
    char line[8192];
    int symbols = 0;
    while (std::fgets(line, sizeof line, output)) {
        // "address kind name"
        const std::string text(line);
        const std::size_t kind = text.find(' ');
        if (kind == std::string::npos || kind + 2 >= text.size()) continue;
        ++symbols;
        const bool shared = std::string("WwVvu").find(text[kind + 1]) != std::string::npos;
        const std::string name = text.substr(kind + 3, text.size() - kind - 4);
        if (shared && !CHECK(name.find(space) != std::string::npos)) {
            std::fprintf(stderr, "a shared symbol without the namespace: %s\n", name.c_str());
        }
        // It must not define other functions that could be called from outside either.
        if (text[kind + 1] == 'T' && !CHECK(name.find(space) != std::string::npos)) {
            std::fprintf(stderr, "a function without the namespace: %s\n", name.c_str());
        }
    }
    if (pclose(output) != 0 || symbols == 0) return false;
    std::printf("%s: %d symbols\n", space.c_str(), symbols);
    return true;
}

// The options are nm=, a program, and objects=, the object files of the library with colons
// between them.
CASE(shared_symbols_bear_the_namespace_of_their_instructions) {
    const std::string nm = checking::option("nm", "");
    const std::string list = std::string(checking::option("objects", "")) + ":";
    int inspected = 0;
    for (std::size_t from = 0, to; (to = list.find(':', from)) != std::string::npos;
         from = to + 1) {
        const std::string path = list.substr(from, to - from);
        for (const std::string space : {"avx2", "avx512"}) {
            if (ends_with(path, space + ".cpp.o")) inspected += all_bear(nm, path, space);
        }
    }
    if (inspected < 2) checking::skip("no nm, or no objects for wider instructions");
}

}  // namespace
