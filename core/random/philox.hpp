// Random numbers that anyone can draw again: by seed, stream and place.
#pragma once

#include <array>
#include <cstdint>

namespace riparian {

// Random numbers by counting [salmon2011]: Philox4x64-10. The key is the seed and the
// number of the stream, so each repetition has its own numbers, whoever asks and when.
// NumPy's Philox(key=[seed, stream]) gives the same ones.
class Philox {
public:
    // Numbers come in blocks of four; the first of them is that of `block`.
    Philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t block = 0) noexcept
        : key_{seed, stream}, counter_(block) {}

    [[nodiscard]] std::uint64_t bits() noexcept {
        if (used_ == block_.size()) refill();
        return block_[used_++];
    }

    // In [0, 1), a multiple of 2^-53.
    [[nodiscard]] double uniform() noexcept {
        return static_cast<double>(bits() >> 11) * 0x1p-53;
    }

private:
    __extension__ using Wide = unsigned __int128;

    void refill() noexcept {
        ++counter_;  // 2^64 blocks: no stream comes to their end
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
