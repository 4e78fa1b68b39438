/// What the tests of several ranks compare: a scene on one rank and on many, which are threads
/// here. tests/parity/mpm and tests/gpu/mpm compile the same tests with FLOE_TEST_CUDA.
#pragma once

#include "backends.hpp"
#include "saved_parts.hpp"
#include "scene.hpp"
#include "thread_ranks.hpp"

#include <floe/sdk/grid/bisection.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace floe::mpm {

using sdk::grid::BlockCost;
using sdk::grid::Partitioner;
using sdk::grid::PartitionPointer;
using test::ThreadRanks;

/// What a run leaves: its states, and its particles in the order in which they lie in memory.
struct Result {
    std::vector<std::vector<unsigned char>> states;
    std::vector<float> x, v, F, C;
    std::vector<std::uint64_t> id;
    std::vector<float> fields; ///< of speeds
    Counts counts;
    std::uint64_t inactive = 0, wakes = 0; ///< blocks, at most; blocks that the guard has woken
    std::uint32_t steps = 0, redone = 0, rebins = 0;
    std::uint64_t iterations = 0; ///< of the semi-implicit integrator
    std::string failure;

    void take(Stepper& solver, bool root)
    {
        states.push_back(solver.save());
        const std::size_t n = root ? solver.particleCount() : 0;
        if (!root)
            solver.particleCount();
        x.resize(3 * n);
        v.resize(3 * n);
        F.resize(9 * n);
        C.resize(9 * n);
        id.resize(n);
        Snapshot to;
        to.x = x.data();
        to.v = v.data();
        to.F = F.data();
        to.C = C.data();
        to.id = id.data();
        solver.snapshot(to);
        counts = solver.counts();
        const StepStatistics statistics = solver.takeStatistics();
        steps += statistics.steps;
        redone += statistics.redone;
        rebins += statistics.rebins;
        iterations += statistics.solveIterations;
    }
};

/// Parts of a state behind each other.
struct Parts {
    std::vector<unsigned char> all;
    std::vector<saved::Extent> extents;

    explicit Parts(const std::vector<std::vector<unsigned char>>& parts)
    {
        for (const auto& part : parts) {
            extents.push_back({all.size(), part.size()});
            all.insert(all.end(), part.begin(), part.end());
        }
    }
    saved::OwnState takenBy(const Ownership& ownership) const
    {
        saved::SourceInMemory source(all);
        return saved::takeOwn(source, extents, ownership);
    }
};

/// What one rank takes from the parts of several; something else stays what rank 0 has.
inline std::vector<unsigned char> joined(const std::vector<std::vector<unsigned char>>& parts)
{
    const Parts of(parts);
    saved::SourceInMemory source(of.all);
    return saved::partsOf(source, of.extents[0]) == 0 ? parts[0] : of.takenBy({}).bytes;
}

using Scene = std::function<void(Stepper&, Result&, bool root)>;

#if FLOE_TEST_CUDA
inline constexpr bool kOnCuda = true;
#else
inline constexpr bool kOnCuda = false;
#endif

inline std::unique_ptr<Stepper> makeStepper(const SolverSettings& settings, Executor& executor,
                                            Ownership ownership)
{
#if FLOE_TEST_CUDA
    return makeCudaStepper(settings, test::cudaDevice(), executor, std::move(ownership));
#else
    return makeCpuStepper(settings, executor, plainMemory(), std::move(ownership));
#endif
}

inline Result onOneRank(const SolverSettings& settings, const Scene& scene)
{
    SerialExecutor serial;
    Result result;
    const auto solver = makeStepper(settings, serial, {});
    scene(*solver, result, true);
    return result;
}

/// @param byParticles  Ownership::byParticles
/// @return what each rank has; states are its parts
inline std::vector<Result> eachOnRanks(int count, const Partitioner& divide,
                                       const SolverSettings& settings, const Scene& scene,
                                       bool byParticles = false, bool deviceMemory = false)
{
    ThreadRanks group(count, deviceMemory);
    std::vector<Result> results(static_cast<std::size_t>(count));
    group.run([&](const floe_ranks& table) {
        Result& result = results[static_cast<std::size_t>(table.rank)];
        try {
            SerialExecutor serial;
            Ranks ranks(table);
            ranks.pieceBytes = 5000; // less than most blocks
            const auto solver =
                makeStepper(settings, serial, Ownership{&ranks, divide, nullptr, byParticles});
            scene(*solver, result, table.rank == 0);
        } catch (const std::exception& error) {
            result.failure = error.what();
            group.fail();
        }
    });
    for (const Result& result : results)
        EXPECT_EQ(result.failure, "");
    return results;
}

inline Result onRanks(int count, const Partitioner& divide, const SolverSettings& settings,
                      const Scene& scene, bool byParticles = false, bool deviceMemory = false)
{
    std::vector<Result> results =
        eachOnRanks(count, divide, settings, scene, byParticles, deviceMemory);
    for (std::size_t i = 0; i < results[0].states.size(); ++i) {
        std::vector<std::vector<unsigned char>> parts;
        for (const Result& result : results)
            parts.push_back(i < result.states.size() ? result.states[i]
                                                     : std::vector<unsigned char>());
        results[0].states[i] = joined(parts);
    }
    return results[0];
}

inline void expectSame(const Result& one, const Result& several, const std::string& what)
{
    EXPECT_EQ(one.steps, several.steps) << what;
    EXPECT_EQ(one.redone, several.redone) << what;
    EXPECT_EQ(one.rebins, several.rebins) << what;
    EXPECT_EQ(one.iterations, several.iterations) << what;
    EXPECT_EQ(one.counts.alive, several.counts.alive) << what;
    EXPECT_EQ(one.counts.blocks, several.counts.blocks) << what;
    EXPECT_EQ(one.counts.activeBlocks, several.counts.activeBlocks) << what;
    EXPECT_EQ(one.counts.boundaryBlocks, several.counts.boundaryBlocks) << what;
    EXPECT_EQ(one.inactive, several.inactive) << what;
    EXPECT_EQ(one.wakes, several.wakes) << what;
    EXPECT_TRUE(one.fields == several.fields) << what;
    ASSERT_EQ(one.states.size(), several.states.size()) << what;
    for (std::size_t i = 0; i < one.states.size(); ++i)
        ASSERT_TRUE(one.states[i] == several.states[i]) << what << ": saved state " << i;
    EXPECT_TRUE(one.id == several.id) << what;
    EXPECT_TRUE(one.x == several.x) << what;
    EXPECT_TRUE(one.v == several.v) << what;
    EXPECT_TRUE(one.F == several.F) << what;
    EXPECT_TRUE(one.C == several.C) << what;
}

/// Numbers of ranks to try: all of them where that takes no minutes.
inline std::vector<int> rankCounts()
{
    return kEmulated ? std::vector{3} : std::vector{2, 3, 5, 8};
}

inline void expectSameOnAnyRanks(const SolverSettings& settings, const Scene& scene)
{
    const Result one = onOneRank(settings, scene);
    EXPECT_GT(one.steps, 20u);
    if (!kOnCuda) { // which bins particles at the end of every frame
        EXPECT_GT(one.rebins, 2u);
    }
    for (const int count : rankCounts())
        expectSame(one, onRanks(count, sdk::grid::divideCurve, settings, scene),
                   "curve, " + std::to_string(count) + " ranks");
    expectSame(one, onRanks(4, sdk::grid::divideBoxes, settings, scene), "boxes");
    expectSame(one, onRanks(3, sdk::grid::divideBisection, settings, scene), "bisection");
    if (!kEmulated)
        expectSame(one, onRanks(3, sdk::grid::divideEvenly, settings, scene), "fixed");
}

inline SolverSettings settings()
{
    SolverSettings s;
    s.cellSize = 0.1;
    return s;
}

/// Several materials fall onto a floor and each other in a box with all kinds of walls.
inline Domain box(Contact side, Contact end)
{
    Domain domain;
    domain.bounded = true;
    domain.center = {0, 1, 0};
    domain.halfSize = {1, 1, 1};
    domain.faces = {Contact::separate, side, Contact::separate, Contact::open, Contact::open, end};
    domain.friction = 0.3f;
    return domain;
}

inline void pour(Stepper& solver)
{
    solver.setMaterials({material("snow", 400), material("liquid", 1000),
                         material("druckerPrager", 1600), material("neoHookean", 1000)});
    solver.addParticles(Lattice({-0.4, 0.1, -0.4}, {0.4, 0.3, 0.4}, 0.1).particles(0));
    solver.addParticles(
        Lattice({-0.3, 0.5, -0.3}, {0.3, 0.8, 0.3}, 0.1, {3, -4, 0.3}).particles(1));
    solver.addParticles(
        Lattice({-0.2, 0.9, -0.2}, {0.2, 1.2, 0.2}, 0.1, {-1, -6, 0.7}).particles(2));
    solver.addParticles(Lattice({0.3, 0.4, 0.2}, {0.7, 0.9, 0.6}, 0.1, {-5, 0, -3}).particles(3));
}

/// Frames, before which ranks are balanced.
inline void frames(Stepper& solver, Result& result, bool root, int count, double duration = 0.03)
{
    for (int i = 0; i < count; ++i) {
        solver.balance();
        run(solver, duration);
        result.take(solver, root);
    }
}

/// Octants around the origin, and the one where all coordinates are positive belongs to rank 3.
class Octants final : public sdk::grid::Partition {
public:
    int ownerOf(const BlockCoordinate& b) const override
    {
        if (b[0] >= 0 && b[1] >= 0 && b[2] >= 0)
            return 3;
        return b[0] < 0 ? 0 : b[1] < 0 ? 1 : 2;
    }
};

inline PartitionPointer divideOctants(std::vector<BlockCost>, int, const PartitionPointer&)
{
    return std::make_shared<Octants>();
}

/// Three bodies in three octants whose nodes meet in the fourth, and which then fly into each
/// other.
inline void threeMeet(Stepper& solver, Result& result, bool root)
{
    solver.setMaterials({material("neoHookean", 1000)});
    // Blocks are 0.4 m; particles in the last half cell before an edge write beyond it.
    for (const auto& [low, high, v] :
         {std::tuple{Vec3d{-0.4, 0, 0}, Vec3d{0.04, 0.4, 0.4}, Vec3d{0.5, 0, 0}},
          std::tuple{Vec3d{0.05, -0.4, 0}, Vec3d{0.4, 0.04, 0.4}, Vec3d{0, 0.5, 0}},
          std::tuple{Vec3d{0.05, 0.05, -0.4}, Vec3d{0.4, 0.4, 0.04}, Vec3d{0, 0, 0.5}}})
        solver.addParticles(Lattice(low, high, 0.1, v).particles());
    run(solver, 1e-4); // nothing has moved to the fourth yet
    result.take(solver, root);
    frames(solver, result, root, 3, 0.06); // and then much has
}

} // namespace floe::mpm
