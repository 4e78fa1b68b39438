// Runs the benchmarks of a CUDA device on the emulator: "cuda" is an emulated device.
#include "emulated_device.hpp"

#include <benchmark/benchmark.h>

int main(int count, char** arguments)
{
    const auto device = std::make_shared<floe::test::EmulatedDevice>("cuda");
    floe::compute::offerDevice(device);
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
