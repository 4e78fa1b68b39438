// libFuzzer's entry. FLOE_FUZZ_KIND names the kind of input; other options are libFuzzer's.
#include "inputs.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const floe::fuzz::Kind* chosen = nullptr;

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    const char* asked = std::getenv("FLOE_FUZZ_KIND");
    for (const floe::fuzz::Kind& kind : floe::fuzz::kinds())
        if (asked && std::strcmp(asked, kind.name) == 0)
            chosen = &kind;
    if (!chosen) {
        std::fprintf(stderr, "FLOE_FUZZ_KIND must be one of:");
        for (const floe::fuzz::Kind& kind : floe::fuzz::kinds())
            std::fprintf(stderr, " %s", kind.name);
        std::fprintf(stderr, "\n");
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    floe::fuzz::accepts(*chosen, {reinterpret_cast<const char*>(data), size});
    return 0;
}
