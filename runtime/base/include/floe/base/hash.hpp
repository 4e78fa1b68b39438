#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace floe {

/// A 128-bit content hash (XXH3). Equal on every machine of the same byte order.
struct Hash {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    auto operator<=>(const Hash&) const = default;
    /// 32 hexadecimal digits.
    std::string text() const;
};

Hash hashBytes(const void* data, std::size_t bytes);
inline Hash hashBytes(std::string_view bytes)
{
    return hashBytes(bytes.data(), bytes.size());
}

/// Hashes bytes that arrive in pieces; equal to hashBytes of all of them.
class RunningHash {
public:
    RunningHash();
    void add(const void* data, std::size_t bytes);
    Hash value() const;

private:
    struct Release {
        void operator()(void* state) const;
    };
    std::unique_ptr<void, Release> state_;
};

/// Combines hashes; order matters: combine(a, b) != combine(b, a).
Hash combine(const Hash& a, const Hash& b);

} // namespace floe

template <>
struct std::hash<floe::Hash> {
    std::size_t operator()(const floe::Hash& value) const noexcept { return value.low; }
};
