#include "floe/render/renderer.hpp"

#include <array>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdint>

using namespace floe::render;

namespace {

/// Flat Gaussians on a ball's surface, as close as those of captures, with harmonics of degree 3.
struct Ball {
    std::vector<Float3> positions, scales;
    std::vector<std::array<float, 4>> rotations;
    std::vector<float> opacities, harmonics;

    explicit Ball(std::size_t count)
    {
        std::uint32_t state = 1;
        const auto uniform = [&state] {
            state = state * 1664525u + 1013904223u;
            return static_cast<float>(state >> 8) / 16777216.0f;
        };
        const float width = 0.8f * std::sqrt(12.566f / static_cast<float>(count));
        for (std::size_t i = 0; i < count; ++i) {
            const float y = 2 * uniform() - 1, angle = 6.2831853f * uniform();
            const float side = std::sqrt(1 - y * y);
            const Float3 n = {side * std::cos(angle), y, side * std::sin(angle)};
            positions.push_back(n);
            scales.push_back({width, 0.1f * width, width});
            // The shortest turn of y onto the normal.
            const float w = std::sqrt(0.5f * (1 + n[1])), half = 0.5f / std::max(w, 1e-3f);
            rotations.push_back({n[2] * half, 0, -n[0] * half, w});
            opacities.push_back(0.95f);
            for (int k = 0; k < 48; ++k)
                harmonics.push_back((k < 3 ? 1.0f : 0.2f) * (uniform() - 0.5f));
        }
    }
};

/// RenderGaussians/<Gaussians>/<samples a pixel>/<same set as before>: all of render() at 1280 x
/// 720.
void RenderGaussians(benchmark::State& state)
{
    static Renderer renderer;
    const Ball ball(static_cast<std::size_t>(state.range(0)));
    Scene scene;
    scene.samples = static_cast<int>(state.range(1));
    scene.camera = {.eye = {1.6f, 1.0f, 2.6f}, .target = {0, 0, 0}, .verticalFov = 40};
    scene.ground.height = -1;
    GaussianSet set;
    set.positions = ball.positions;
    set.scales = ball.scales;
    set.rotations = ball.rotations;
    set.opacities = ball.opacities;
    set.harmonics = ball.harmonics;
    set.degree = 3;
    set.revision = static_cast<std::uint64_t>(state.range(2));
    scene.gaussians = {set};
    renderer.render(scene);
    RenderTimes sum;
    for (auto _ : state) {
        benchmark::DoNotOptimize(renderer.render(scene));
        sum.upload += renderer.times().upload;
        sum.draw += renderer.times().draw;
    }
    const auto n = static_cast<double>(state.iterations());
    state.counters["upload_s"] = sum.upload / n;
    state.counters["draw_s"] = sum.draw / n;
    state.counters["gaussians_per_second"] = benchmark::Counter(
        static_cast<double>(ball.positions.size()), benchmark::Counter::kIsIterationInvariantRate);
    state.SetLabel(renderer.device().name);
}
BENCHMARK(RenderGaussians)
    ->Args({1000, 1, 1})
    ->Args({500'000, 1, 2})
    ->Args({500'000, 4, 2})
    ->Args({500'000, 1, 0})
    ->Args({1'000'000, 1, 3})
    ->Args({6'000'000, 1, 4})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
