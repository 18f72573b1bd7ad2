// Runs the cases of a test program.
//
//     test_tree                        all cases
//     test_tree noise_is_not_split     one case
//     test_hostile rounds=200000       all cases, with an option that this program reads
//
// The status is 0, 1 if a case failed, 2 for an unknown case, and 77 if all cases were skipped.
#include <cstring>
#include <exception>
#include <vector>

#include "checking.hpp"

namespace {

using checking::Case;

constexpr int all_skipped = 77;  // SKIP_RETURN_CODE of ctest

std::vector<const char*> options;

bool is_known(const char* name) {
    for (const Case* c = Case::first; c; c = c->next) {
        if (std::strcmp(c->name, name) == 0) return true;
    }
    return false;
}

void run(Case& c) {
    // Printed first, so that a crash can be attributed to its case.
    std::printf("%s\n", c.name);
    std::fflush(stdout);
    Case::current = &c;
    try {
        c.run();
    } catch (const std::exception& error) {
        ++c.failed;
        std::fprintf(stderr, "%s: unexpected exception: %s\n", c.name, error.what());
    } catch (...) {
        ++c.failed;
        std::fprintf(stderr, "%s: unexpected exception\n", c.name);
    }
}

}  // namespace

const char* checking::option(const char* name, const char* standard) {
    const std::size_t length = std::strlen(name);
    for (const char* const given : options) {
        if (std::strncmp(given, name, length) == 0 && given[length] == '=')
            return given + length + 1;
    }
    return standard;
}

int main(int argc, char** argv) {
    std::vector<const char*> chosen;
    for (int i = 1; i < argc; ++i)
        (std::strchr(argv[i], '=') ? options : chosen).push_back(argv[i]);
    for (const char* const name : chosen) {
        if (is_known(name)) continue;
        std::fprintf(stderr, "there is no case %s; the cases are\n", name);
        for (const Case* c = Case::first; c; c = c->next) std::fprintf(stderr, "    %s\n", c->name);
        return 2;
    }
    int n_run = 0, n_failed = 0, n_skipped = 0;
    for (Case* c = Case::first; c; c = c->next) {
        bool wanted = chosen.empty();
        for (const char* const name : chosen) wanted |= std::strcmp(c->name, name) == 0;
        if (!wanted) continue;
        run(*c);
        ++n_run;
        n_failed += c->failed > 0;
        n_skipped += c->skipped;
    }
    std::fflush(stdout);
    for (const Case* c = Case::first; c; c = c->next) {
        if (c->failed) std::fprintf(stderr, "FAILED %s: %d checks\n", c->name, c->failed);
    }
    if (n_failed) return 1;
    return n_run == n_skipped ? all_skipped : 0;
}
