// No code made for AVX2 can reach a machine without it: of two equal weak symbols the
// linker keeps any one, so those of avx2.cpp must bear its namespace in their names.
#include <cstdio>
#include <string>

#include "checking.hpp"

namespace {

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    // nm, then the objects of the library, perhaps in one list.
    std::string object;
    for (int i = 2; i < argc; ++i) {
        const std::string list = std::string(argv[i]) + ";";
        for (std::size_t from = 0, to; (to = list.find(';', from)) != std::string::npos; from = to + 1) {
            const std::string path = list.substr(from, to - from);
            if (ends_with(path, "avx2.cpp.o")) object = path;
        }
    }
    const std::string nm = argc > 1 ? argv[1] : "";
    if (nm.empty() || object.empty()) {
        std::puts("no nm, or no object for AVX2");
        return checking::skipped;
    }
    const std::string command = "'" + nm + "' --defined-only -C '" + object + "' 2>/dev/null";
    FILE* const output = popen(command.c_str(), "r");
    if (!output) return checking::skipped;
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
        if (shared && !CHECK(name.find("avx2") != std::string::npos)) {
            std::fprintf(stderr, "a shared symbol without the namespace: %s\n", name.c_str());
        }
        // Neither may avx2.cpp define anything outside it that others could call.
        if (text[kind + 1] == 'T' && !CHECK(name.find("avx2") != std::string::npos)) {
            std::fprintf(stderr, "a function without the namespace: %s\n", name.c_str());
        }
    }
    if (pclose(output) != 0 || symbols == 0) {
        std::puts("nm did not work");
        return checking::skipped;
    }
    std::printf("%d symbols\n", symbols);
    return checking::failures();
}
