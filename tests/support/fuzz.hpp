#pragma once

/// The tests of tests/fuzz damage other things for every seed; packaging/trust.sh gives a new one
/// to each round, and adds up the inputs.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace floe::test {

/// @param own  the test's own number, from which it starts unless FLOE_FUZZ_SEED is set
inline std::uint32_t fuzzSeed(std::uint32_t own)
{
    const char* asked = std::getenv("FLOE_FUZZ_SEED");
    return asked ? own + 1000003u * static_cast<std::uint32_t>(std::strtoul(asked, nullptr, 10))
                 : own;
}

/// Counts what was tried, and says so at the program's end.
struct FuzzInputs {
    std::uint64_t count = 0;
    ~FuzzInputs() { std::printf("%llu inputs\n", static_cast<unsigned long long>(count)); }
};
inline FuzzInputs fuzzInputs;

} // namespace floe::test
