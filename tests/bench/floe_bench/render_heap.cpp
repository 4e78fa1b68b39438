#include "floe/render/renderer.hpp"

#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdint>

using namespace floe::render;

namespace {

/// A heap of about this many particles at their usual density.
std::vector<Float3> heap(std::size_t count)
{
    std::vector<Float3> points;
    points.reserve(count);
    std::uint32_t state = 1;
    const auto uniform = [&state] {
        state = state * 1664525u + 1013904223u;
        return static_cast<float>(state >> 8) / 16777216.0f;
    };
    while (points.size() < count) {
        const Float3 p = {2 * uniform() - 1, 0.7f * uniform(), 2 * uniform() - 1};
        if (p[1] < 0.7f * (1 - std::hypot(p[0], p[2])))
            points.push_back(p);
    }
    return points;
}

/// RenderHeap/<particles>/<samples a pixel>: the whole of render() at 1280 x 720.
void RenderHeap(benchmark::State& state)
{
    static Renderer renderer;
    const auto points = heap(static_cast<std::size_t>(state.range(0)));
    Scene scene;
    scene.samples = static_cast<int>(state.range(1));
    scene.camera = {.eye = {1.6f, 1.0f, 2.1f}, .target = {0, 0.25f, 0}, .verticalFov = 36};
    scene.particles.resize(1);
    scene.particles[0].positions = points;
    scene.particles[0].radius = 0.6f * std::cbrt(0.73f / static_cast<float>(points.size()));
    scene.particles[0].look = lookOf("snow");
    RenderTimes sum;
    for (auto _ : state) {
        benchmark::DoNotOptimize(renderer.render(scene));
        sum.upload += renderer.times().upload;
        sum.draw += renderer.times().draw;
    }
    const auto n = static_cast<double>(state.iterations());
    state.counters["upload_s"] = sum.upload / n;
    state.counters["draw_s"] = sum.draw / n;
    state.counters["particles_per_second"] = benchmark::Counter(
        static_cast<double>(points.size()), benchmark::Counter::kIsIterationInvariantRate);
    state.SetLabel(renderer.device().name);
}
BENCHMARK(RenderHeap)
    ->Args({1000, 1})
    ->Args({1000, 4})
    ->Args({1'000'000, 1})
    ->Args({1'000'000, 4})
    ->Args({10'000'000, 4})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
