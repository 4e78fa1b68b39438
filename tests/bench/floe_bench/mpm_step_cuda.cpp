// MpmStep/cuda/<material>: whole steps on the first CUDA device of the cube of MpmStep/cpu, with
// ten million particles. Variants: /1k, /1M, /8M, /64M, other sizes; /mixed, after particles have
// left the blocks they began in; /shuffled, given in random order ten steps ago. Without a device
// each says why and ends. floe_bench_emulated has them on the emulator: its times mean nothing,
// that it runs does.

#include "swirling_cube.hpp"

#include "cuda_stepper.hpp"
#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/plugin/cook_context.hpp"

#include <chrono>
#include <new>

using namespace floe;
using namespace floe::mpm;

namespace {

void step(benchmark::State& state, const char* law, int cells, Order order)
try {
    const compute::DevicePointer device = compute::selectDevice("cuda");
    SerialExecutor executor;
    SolverSettings settings;
    settings.cellSize = kEdge / cells;
    const auto solver = makeCudaStepper(settings, plugin::deviceInterface(*device), executor);
    solver->setMaterials({cubeMaterial(law)});
    const std::size_t particles = [&] {
        const Lattice cube = cubeOf(cells, order);
        solver->addParticles(cube.particles());
        return cube.count();
    }();
    for (int i = 0; i < stepsBefore(order); ++i)
        solver->advance(1);
    solver->takeStatistics();
    device->synchronise();
    const auto begin = std::chrono::steady_clock::now();
    for (auto _ : state)
        solver->advance(1);
    device->synchronise();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;

    count(state, solver->takeStatistics(), particles, elapsed.count(), solver->bytes());
    state.counters["peak_bytes_per_particle"] =
        static_cast<double>(device->peakBytes()) / static_cast<double>(particles);
    state.SetLabel(device->name());
} catch (const Error& error) { // no device, or not enough memory on it
    state.SkipWithError(error.what());
} catch (const std::bad_alloc&) {
    state.SkipWithError("the device has too little memory for so many particles");
}

const int registered = [] {
    struct Variant {
        const char* suffix;
        int cells;
        Order order;
    };
    for (const char* law : kLaws)
        for (const Variant& variant :
             {Variant{"", 108, Order::fresh}, Variant{"/1k", 5, Order::fresh},
              Variant{"/1M", 50, Order::fresh}, Variant{"/8M", 100, Order::fresh},
              Variant{"/64M", 200, Order::fresh}, Variant{"/mixed", 108, Order::mixed},
              Variant{"/shuffled", 108, Order::shuffled}})
            benchmark::RegisterBenchmark(
                (std::string("MpmStep/cuda/") + law + variant.suffix).c_str(),
                [=](benchmark::State& state) { step(state, law, variant.cells, variant.order); })
                ->Unit(benchmark::kMillisecond);
    return 0;
}();

} // namespace
