// The cases of a test program, and CHECK.
//
//     CASE(an_empty_leaf_predicts_like_its_parent) {
//         CHECK(tree.n_leaves() == 1);
//     }
//
// A CHECK that fails prints its case, file, line and expression; the case goes on, and so do the
// other cases. main.cpp runs all cases of a program, or those that its arguments name.
#pragma once

#include <cstdio>

namespace checking {

// Cases register themselves before main() in the order of the file. The list needs no memory of
// its own, because some programs replace operator new.
struct Case {
    Case(const char* case_name, void (*function)()) : name(case_name), run(function) {
        *end = this;
        end = &next;
    }

    const char* name;
    void (*run)();
    Case* next = nullptr;
    int failed = 0;        // CHECKs that did not hold
    bool skipped = false;  // this machine cannot run it

    static inline Case* first = nullptr;
    static inline Case** end = &first;
    static inline Case* current = nullptr;
};

inline constexpr int most_printed = 20;  // failed CHECKs of one case

// How many CHECKs of the running case have failed.
inline int failures() { return Case::current->failed; }

inline bool check(bool holds, const char* what, const char* file, int line) {
    if (holds) return true;
    Case& current = *Case::current;
    if (++current.failed <= most_printed) {
        std::fprintf(stderr, "%s:%d: %s: CHECK(%s) failed\n", file, line, current.name, what);
    }
    return false;
}

// Leaves the running case out; ctest reports a program as skipped if all of its cases were.
inline void skip(const char* why) {
    std::printf("%s: skipped: %s\n", Case::current->name, why);
    Case::current->skipped = true;
}

// An argument `name=value` of the program, or `standard` if it was not given.
const char* option(const char* name, const char* standard);

}  // namespace checking

#define CASE(name)                                   \
    void name();                                     \
    const ::checking::Case name##_case(#name, name); \
    void name()

#define CHECK(...) ::checking::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
