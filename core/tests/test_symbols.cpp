// No code made for wider instructions can reach a machine without them: of two equal weak symbols
// the linker keeps any one, so those of avx2.cpp and avx512.cpp must bear their namespaces in their
// names.
#include <cstdio>
#include <string>

#include "checking.hpp"

namespace {

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Whether nm could tell.
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
        // Neither may it define anything outside that others could call.
        if (text[kind + 1] == 'T' && !CHECK(name.find(space) != std::string::npos)) {
            std::fprintf(stderr, "a function without the namespace: %s\n", name.c_str());
        }
    }
    if (pclose(output) != 0 || symbols == 0) return false;
    std::printf("%s: %d symbols\n", space.c_str(), symbols);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    // nm, then the objects of the library, perhaps in one list.
    const std::string nm = argc > 1 ? argv[1] : "";
    int looked = 0;
    for (int i = 2; i < argc && !nm.empty(); ++i) {
        const std::string list = std::string(argv[i]) + ";";
        for (std::size_t from = 0, to; (to = list.find(';', from)) != std::string::npos; from = to + 1) {
            const std::string path = list.substr(from, to - from);
            for (const std::string space : {"avx2", "avx512"}) {
                if (ends_with(path, space + ".cpp.o")) looked += all_bear(nm, path, space);
            }
        }
    }
    if (looked < 2) {
        std::puts("no nm, or no objects for wider instructions");
        return checking::failed ? 1 : checking::skipped;
    }
    return checking::failures();
}
