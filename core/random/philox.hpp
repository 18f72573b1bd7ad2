// Reproducible random numbers, by seed, stream and position.
#pragma once

#include <array>
#include <cstdint>

namespace riparian {

// Counter-based random numbers [salmon2011]: Philox4x64-10. The key is the seed and the number of
// the stream, so each stream has its own numbers, in any order of use. NumPy's Philox(key=[seed,
// stream]) gives the same numbers.
class Philox {
public:
    // Numbers come in blocks of four. The first one is that of `block`.
    Philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t block = 0) noexcept
        : key_{seed, stream}, counter_(block) {}

    [[nodiscard]] std::uint64_t bits() noexcept {
        if (used_ == block_.size()) refill();
        return block_[used_++];
    }

    // A multiple of 2^-53 in [0, 1).
    [[nodiscard]] double uniform() noexcept { return static_cast<double>(bits() >> 11) * 0x1p-53; }

private:
    __extension__ using Wide = unsigned __int128;

    void refill() noexcept {
        ++counter_;  // 2^64 blocks are more than any stream needs
        std::array<std::uint64_t, 4> x{counter_, 0, 0, 0};
        std::uint64_t k0 = key_[0], k1 = key_[1];
        for (int round = 0; round < 10; ++round) {
            const Wide a = static_cast<Wide>(0xD2E7470EE14C6C93ULL) * x[0];
            const Wide b = static_cast<Wide>(0xCA5A826395121157ULL) * x[2];
            x = {static_cast<std::uint64_t>(b >> 64) ^ x[1] ^ k0, static_cast<std::uint64_t>(b),
                 static_cast<std::uint64_t>(a >> 64) ^ x[3] ^ k1, static_cast<std::uint64_t>(a)};
            k0 += 0x9E3779B97F4A7C15ULL;
            k1 += 0xBB67AE8584CAA73BULL;
        }
        block_ = x;
        used_ = 0;
    }

    std::array<std::uint64_t, 2> key_;
    std::uint64_t counter_;
    std::array<std::uint64_t, 4> block_{};
    std::size_t used_ = 4;
};

}  // namespace riparian
