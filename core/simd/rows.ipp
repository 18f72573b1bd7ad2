// Reads rows. Part of kernels.ipp, inside its namespace.

void settle(double* rows, std::size_t n, std::size_t stride, std::uint8_t* missing) {
    for (std::size_t i = 0; i < n; ++i, rows += stride) {
        Mask gap = {Mask::Vector{}};
        for (std::size_t f = 0; f < stride; f += width) {
            const Lanes x = Lanes::load(rows + f);
            gap = gap | unknown(x);
            max(min(x, largest), -largest).store(rows + f);
        }
        missing[i] = gap.any();
    }
}

void copy_rows(const void* matrix, std::ptrdiff_t step, std::size_t n_features, double* rows,
               std::size_t n, std::size_t stride, std::uint8_t* missing) {
    with_rest(
        n_features, RIPARIAN_LOOP(rest) {
            const char* from = static_cast<const char*>(matrix);
            for (std::size_t i = 0; i < n; ++i, rows += stride, from += step) {
                const auto* const x = reinterpret_cast<const double*>(from);
                Mask gap = {Mask::Vector{}};
                each_vector(
                    n_features, rest, RIPARIAN_BODY(f, lanes) {
                        const Lanes value = lanes.load(x + f);
                        gap = gap | unknown(value);
                        lanes.store(max(min(value, largest), -largest), rows + f);
                    });
                missing[i] |= gap.any();
            }
        });
}

bool one_or_two(const double* x, const double* one, const double* two, std::size_t n,
                std::int8_t* is_two) {
    typedef signed char Bytes __attribute__((vector_size(4)));
    Mask others = {Mask::Vector{}};
    for (std::size_t i = 0; i < n; i += width) {
        const Lanes value = Lanes::load(x + i);
        const Mask second = value == Lanes::load(two + i);
        others = others | Mask{~(second | (value == Lanes::load(one + i))).v};
        const Bytes bytes = __builtin_convertvector(second.v, Bytes);
        __builtin_memcpy(is_two + i, &bytes, sizeof bytes);
    }
    return !others.any();
}

bool any_infinite(const void* matrix, std::ptrdiff_t step, std::size_t n_features, std::size_t n) {
    constexpr double finite = 0x1.fffffffffffffp1023;
    if (step == static_cast<std::ptrdiff_t>(n_features * sizeof(double))) {  // one long row
        n_features *= n;
        n = n > 0 ? 1 : 0;
    }
    Mask found = {Mask::Vector{}};
    with_rest(
        n_features, RIPARIAN_LOOP(rest) {
            const char* from = static_cast<const char*>(matrix);
            for (std::size_t i = 0; i < n; ++i, from += step) {
                each_vector(
                    n_features, rest, RIPARIAN_BODY(f, lanes) {
                        const auto* const x = reinterpret_cast<const double*>(from);
                        found = found | (abs(lanes.load(x + f)) > finite);
                    });
            }
        });
    return found.any();
}
