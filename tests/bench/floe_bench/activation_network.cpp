// ActivationNetwork/cpu/<N>thread: everything that one evaluation of the shipped network costs, for
// a cube of a million particles all active: the speed of every cell, the network, and the states
// put into effect. percentOfFrame: of twenty steps of the same particles, just before.

#include "scene.hpp"
#include "tbb_executor.hpp"

#include "floe/sdk/network/cpu_network.hpp"
#include "floe/sdk/network/weights.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

using namespace floe;

namespace {

using Clock = std::chrono::steady_clock;

void evaluation(benchmark::State& state, std::size_t threads)
{
    constexpr int kCells = 50, kSteps = 20;
    mpm::TbbExecutor executor(threads);
    mpm::SolverSettings settings;
    settings.cellSize = 1.0 / kCells;
    mpm::Solver solver(settings, executor);
    solver.setMaterials({mpm::material("snow", 400)});
    mpm::Lattice cube({0, 0, 0}, {1, 1, 1}, settings.cellSize);
    for (std::size_t i = 0; i < cube.x.size(); i += 3) {
        cube.v[i] = 2 * cube.x[i + 1];
        cube.v[i + 1] = -2 * cube.x[i];
    }
    solver.addParticles(cube.particles());
    for (int i = 0; i < 3; ++i)
        solver.advance(1);
    const auto begin = Clock::now();
    for (int i = 0; i < kSteps; ++i)
        solver.advance(1);
    const double frame = std::chrono::duration<double>(Clock::now() - begin).count();

    const sdk::network::PreparedModel model(
        sdk::network::loadNetwork(FLOE_SOURCE_DIR "/plugins/activation/weights/network.json"));
    double seconds = 0;
    for (auto _ : state) {
        const auto start = Clock::now();
        mpm::ActivationRequest request = solver.activationRequest();
        const mpm::SpeedField field = solver.speedField();
        sdk::network::Question question;
        question.blockCount = static_cast<std::uint32_t>(request.state.size());
        question.block = request.block.data();
        question.maxSpeed = request.maxSpeed.data();
        question.liquidShare = request.liquidShare.data();
        question.soundSpeed = request.soundSpeed.data();
        question.restTime = request.restTime.data();
        question.fieldCount = static_cast<std::uint32_t>(field.block.size() / 3);
        question.fieldBlock = field.block.data();
        question.fieldSpeed = field.speed.data();
        question.cellSize = settings.cellSize;
        question.threshold = 1.0 / 400;
        question.horizon = 1.0 / 24;
        std::vector<float> logits(question.blockCount);
        evaluateOnCpu(model, question, executor, logits.data());
        benchmark::DoNotOptimize(logits.data());
        solver.applyActivation(request); // what is active stays active
        seconds += std::chrono::duration<double>(Clock::now() - start).count();
    }
    const double each = seconds / static_cast<double>(state.iterations());
    state.counters["blocks"] = static_cast<double>(solver.counts().blocks);
    state.counters["percentOfFrame"] = 100 * each / frame;
}

const int kRegistered = [] {
    for (const std::size_t threads : {std::size_t{1}, std::size_t{2}})
        benchmark::RegisterBenchmark(
            ("ActivationNetwork/cpu/" + std::to_string(threads) + "thread").c_str(), evaluation,
            threads)
            ->Unit(benchmark::kMillisecond);
    return 0;
}();

} // namespace
