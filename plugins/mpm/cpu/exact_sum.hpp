/// A sum of doubles that does not depend on their order.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace floe::mpm {

/// Adds without rounding, in fixed point over the whole range of doubles (Kulisch's accumulator,
/// with room for carries): up to 2^30 numbers in any order, on any ranks, give the same sum.
class ExactSum {
public:
    void add(double a)
    {
        const auto bits = std::bit_cast<std::uint64_t>(a);
        const auto exponent = static_cast<std::uint32_t>(bits >> 52 & 0x7ff);
        std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
        if (exponent == 0x7ff) {
            limbs_[kLimbs] += 1; // infinite, or not a number
            return;
        }
        if (exponent > 0)
            mantissa |= std::uint64_t{1} << 52;
        const std::uint32_t place = exponent > 0 ? exponent - 1 : 0; // of its lowest bit
        const std::size_t limb = place / 32;
        const std::uint64_t low = (mantissa & kMask) << place % 32, high = (mantissa >> 32)
                                                                           << place % 32;
        const std::int64_t sign = bits >> 63 ? -1 : 1;
        limbs_[limb] += sign * static_cast<std::int64_t>(low & kMask);
        limbs_[limb + 1] += sign * static_cast<std::int64_t>((low >> 32) + (high & kMask));
        limbs_[limb + 2] += sign * static_cast<std::int64_t>(high >> 32);
    }
    /// Sums of several are added entry by entry.
    std::span<std::int64_t> entries() { return limbs_; }

    /// Returns the sum in double precision; NaN where a number was not finite.
    double value() const
    {
        if (limbs_[kLimbs] != 0)
            return std::numeric_limits<double>::quiet_NaN();
        std::array<std::int64_t, kLimbs> digits{};
        std::int64_t carry = 0;
        for (std::size_t i = 0; i < kLimbs; ++i) {
            const std::int64_t sum = limbs_[i] + carry;
            digits[i] = sum & static_cast<std::int64_t>(kMask);
            carry = (sum - digits[i]) / (std::int64_t{1} << 32);
        }
        // What is left is the sign: digits are those of the sum plus 2^(32 kLimbs) if it is -1.
        const bool negative = carry < 0;
        std::int64_t borrow = 1;
        for (std::size_t i = 0; negative && i < kLimbs; ++i) { // two's complement
            const std::int64_t flipped = static_cast<std::int64_t>(kMask) - digits[i] + borrow;
            digits[i] = flipped & static_cast<std::int64_t>(kMask);
            borrow = flipped >> 32;
        }
        double sum = 0;
        for (std::size_t i = kLimbs; i-- > 0;)
            sum += std::ldexp(static_cast<double>(digits[i]), 32 * static_cast<int>(i) - 1074);
        return negative ? -sum : sum;
    }

private:
    static constexpr std::uint64_t kMask = 0xffffffff;
    static constexpr std::size_t kLimbs = 68; ///< of 32 bits, the lowest worth 2^-1074
    std::array<std::int64_t, kLimbs + 1> limbs_{};
};

} // namespace floe::mpm
