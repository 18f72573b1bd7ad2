// The Arrow C data and C stream interfaces, as published in
// https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html.
#pragma once

#include <cstdint>

// The layout and the field names are fixed by the standard and never change. A structure whose
// `release` is null is empty: it was released or moved away.
//
// The include guards are those of the standard, because another header of the same process may
// define the same structures.
extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char* format;    // the type, as a short code
    const char* name;      // may be null
    const char* metadata;  // may be null
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;  // type of the values, if dictionary-encoded
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;  // -1 if not counted
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    // Both return 0 or an errno. A stream ends with an array that is already released.
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);  // may return null
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

#endif
}
