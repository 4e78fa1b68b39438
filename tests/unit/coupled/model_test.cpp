// Models of pressures: what they are told, and what becomes of their guesses.
#include "scene.hpp"

#include "model/pressure_maps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace floe::coupled {
namespace {

using namespace test;

/// A dam that breaks.
struct Dam {
    explicit Dam(double tolerance = 1e-6) : solver(settingsOf(0.05, tolerance))
    {
        fill(solver, {0.4, 0.5, 0.2}, everywhere);
    }
    CoupledStatistics run(int steps)
    {
        for (int i = 0; i < steps; ++i)
            solver.step(surroundings, 0, 0.01, serial);
        return solver.takeStatistics();
    }
    std::vector<float> places() const
    {
        std::vector<float> result;
        for (std::size_t b = 0; b < solver.fluid().size(); ++b)
            for (const auto& p : solver.fluid()[b].particles)
                result.insert(result.end(), {p.x.x, p.x.y, p.x.z});
        return result;
    }
    CoupledSolver solver;
    Surroundings surroundings = tank(1, 1, 0.2);
    sdk::parallel::SerialExecutor serial;
};

/// Answers with `answer` and keeps what it was told.
struct Probe {
    std::vector<double> answer;
    double factor = 1; ///< of cells other than walls
    int asked = 0, told = 0;
    std::uint64_t step = 0;
    std::uint32_t past = 0;
    std::vector<double> solution, start, residual;
    std::vector<float> newest; ///< of the past

    static floe_status guess(void* self, const floe_context*, const floe_pressure_request* request,
                             double* x)
    {
        auto& probe = *static_cast<Probe*>(self);
        ++probe.asked;
        for (std::uint32_t row = 0; row < request->rows; ++row)
            if (row < probe.answer.size())
                x[row] = probe.factor * probe.answer[row];
        return FLOE_OK;
    }
    static floe_status solved(void* self, const floe_context*, const floe_pressure_request* request,
                              const double* x)
    {
        auto& probe = *static_cast<Probe*>(self);
        ++probe.told;
        probe.step = request->step;
        probe.past = request->past_count;
        probe.solution.assign(x, x + request->rows);
        probe.start.assign(request->start, request->start + request->rows);
        probe.residual.assign(request->residual, request->residual + request->rows);
        probe.newest.clear();
        if (request->past_count > 0)
            probe.newest.assign(request->past[0].value,
                                request->past[0].value +
                                    request->past[0].block_count * FLOE_PRESSURE_FIELDS * 64);
        return FLOE_OK;
    }
};
constexpr floe_pressure_interface kListener = {sizeof(floe_pressure_interface), 3, nullptr,
                                               &Probe::solved};
constexpr floe_pressure_interface kGuesser = {sizeof(floe_pressure_interface), 0, &Probe::guess,
                                              &Probe::solved};
constexpr floe_pressure_interface kLater = {sizeof(floe_pressure_interface), 2, &Probe::guess,
                                            nullptr};

// A guess in the direction of the solution needs no iteration, however long it is, and no wall
// pressures of its own.
TEST(PressureModel, AGuessTowardsTheSolutionIsOne)
{
    Dam first;
    Probe probe;
    first.solver.setModels({{&kListener, &probe}}, nullptr);
    const CoupledStatistics cold = first.run(1);
    EXPECT_GT(cold.iterations, 3u);
    for (const double factor : {1.0, 0.1, 40.0}) {
        Dam second;
        Probe knows;
        knows.answer = probe.solution;
        const auto walls = first.solver.system().rows(Unknown::wallPressure);
        ASSERT_GT(walls.size(), 10u);
        for (std::size_t row = walls.first; row < walls.last; ++row)
            knows.answer[row] = 1e9;
        // The direction is that from the start, whose walls are not 0: scaled from there.
        for (std::size_t row = 0; row < walls.first; ++row)
            knows.answer[row] =
                probe.start[row] + factor * (probe.solution[row] - probe.start[row]);
        second.solver.setModels({{&kGuesser, &knows}}, nullptr);
        const CoupledStatistics warm = second.run(1);
        EXPECT_EQ(warm.guesses, 1u);
        EXPECT_EQ(warm.droppedGuesses, 0u);
        EXPECT_LE(warm.guessResidual, 2e-6);
        EXPECT_GT(warm.startResidual, 0.1);
        EXPECT_LE(warm.iterations, 1u) << factor; // its residual is that of another rounding
        EXPECT_LT(warm.residual, 1e-6);
    }
}

// What is no guess is dropped and counted, and nothing else changes: bit for bit.
TEST(PressureModel, AWorthlessGuessIsDropped)
{
    Dam without;
    without.run(4);
    for (const double worthless : {NAN, INFINITY}) {
        Dam with;
        Probe probe;
        probe.answer.assign(100000, worthless);
        with.solver.setModels({{&kGuesser, &probe}}, nullptr);
        const CoupledStatistics statistics = with.run(4);
        EXPECT_EQ(statistics.guesses, 4u);
        EXPECT_EQ(statistics.droppedGuesses, 4u);
        EXPECT_EQ(statistics.guessResidual, statistics.startResidual);
        EXPECT_EQ(with.places(), without.places());
    }
}

// A model that only listens changes nothing; it hears each step's system, and the last solutions.
TEST(PressureModel, ListensWithoutChangingAnything)
{
    Dam without, with;
    Probe probe;
    with.solver.setModels({{&kListener, &probe}}, nullptr);
    with.run(1);
    const std::vector<double> first = probe.solution;
    EXPECT_EQ(probe.past, 0u);
    EXPECT_EQ(with.run(1).guesses, 0u);
    EXPECT_EQ(probe.past, 1u);
    EXPECT_EQ(probe.step, 1u);
    double sum = 0, kept = 0;
    for (const double p : first)
        sum += std::abs(p);
    for (const float p : probe.newest)
        kept += std::isnan(p) ? 0 : std::abs(p);
    EXPECT_NEAR(kept / sum, 1, 1e-5);
    // Each wall pressure of the start is what the others ask for.
    const auto walls = with.solver.system().rows(Unknown::wallPressure);
    double wall = 0, other = 0;
    for (std::size_t row = 0; row < probe.residual.size(); ++row)
        (row < walls.first ? other : wall) += std::abs(probe.residual[row]);
    EXPECT_LT(wall, 1e-9 * other);
    with.run(3);
    EXPECT_EQ(probe.past, 3u); // as it asks
    EXPECT_EQ(probe.told, 5);
    without.run(5);
    EXPECT_EQ(with.places(), without.places());
}

// A model that needs two steps of the past is not asked before there are two.
TEST(PressureModel, IsAskedOnceThereIsEnoughOfAPast)
{
    Dam dam;
    Probe probe;
    dam.solver.setModels({{&kLater, &probe}}, nullptr);
    EXPECT_EQ(dam.run(2).guesses, 0u);
    EXPECT_EQ(dam.run(2).guesses, 2u);
    EXPECT_EQ(probe.asked, 2);
}

TEST(PressureModel, AFailureEndsTheStep)
{
    static constexpr floe_pressure_interface kFails = {
        sizeof(floe_pressure_interface), 0,
        [](void*, const floe_context*, const floe_pressure_request*, double*) -> floe_status {
            return FLOE_FAILED;
        },
        nullptr};
    Dam dam;
    dam.solver.setModels({{&kFails, nullptr}}, nullptr);
    EXPECT_THROW(dam.run(1), sdk::Failure);
}

// Maps: fluid before walls, the first axis before others, kinds apart, 0 elsewhere; from the rows
// of a step and from what is kept of it alike.
TEST(PressureMaps, AreTheSameFromRowsAndFromThePast)
{
    PressureSystem system;
    system.begin({1, 1});
    const PressureSystem::Entry entry{0, 1};
    const auto add = [&](Unknown kind, const Cell& cell, int axis = 0) {
        system.add(kind, cell, axis, 1, false, {&entry, 1});
    };
    add(Unknown::solidPressure, {1, 2, 3});      // 1
    add(Unknown::fluidPressure, {1, 2, 3});      // 2
    add(Unknown::fluidPressure, {-1, 0, 5});     // 3
    add(Unknown::wallPressure, {1, 2, 3}, 0);    // 4: a cell of fluid
    add(Unknown::wallPressure, {0, 0, 0}, 2);    // 5
    add(Unknown::wallPressure, {0, 0, 0}, 1);    // 6: before the one above
    add(Unknown::interfacePressure, {-1, 0, 5}); // 7
    system.end();
    const std::vector<double> x{1, 2, 3, 4, 5, 6, 7};
    floe_pressure_request request{};
    std::vector<std::int32_t> cell;
    std::vector<std::uint8_t> axis;
    for (std::size_t row = 0; row < system.size(); ++row) {
        cell.insert(cell.end(), system.cell(row).begin(), system.cell(row).end());
        axis.push_back(static_cast<std::uint8_t>(system.axis(row)));
    }
    request.rows = 7;
    const std::uint32_t first[] = {0, 1, 3, 6, 7};
    std::copy(std::begin(first), std::end(first), request.first);
    request.cell = cell.data();
    request.axis = axis.data();
    const auto blocks = blocksOf(request);
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[1], (sdk::grid::BlockCoordinate{-1, 0, 1}));
    const auto maps = mapsOf(blocks, request, x.data());
    const auto at = [&](std::size_t block, int in, std::size_t map) {
        return maps.block(block)[static_cast<std::size_t>(in) * kMaps + map];
    };
    EXPECT_EQ(at(0, 16 + 8 + 3, 0), 2);
    EXPECT_EQ(at(0, 16 + 8 + 3, 1), 1);
    EXPECT_EQ(at(0, 0, 0), 6);
    EXPECT_EQ(at(1, 48 + 1, 0), 3);
    EXPECT_EQ(at(1, 48 + 1, 2), 7);
    double sum = 0;
    for (const float value : maps.values)
        sum += value;
    EXPECT_EQ(sum, 2 + 1 + 6 + 3 + 7);

    PressureField field;
    field.store(system, x);
    const floe_pressure_field past{static_cast<std::uint32_t>(field.blocks().size()),
                                   field.blocks()[0].data(), field.values().data()};
    EXPECT_EQ(mapsOf(blocks, past).values, maps.values);
}

TEST(PressureMaps, CompressionHasAnInverse)
{
    for (const float x : {-1e6f, -3.0f, -1e-3f, 0.0f, 0.5f, 12345.0f})
        EXPECT_NEAR(expanded(compressed(x)), x, 1e-6 * std::abs(x) + 1e-7);
    EXPECT_FLOAT_EQ(compressed(99), 2);
    EXPECT_FLOAT_EQ(compressed(-9), -1);
}

} // namespace
} // namespace floe::coupled
