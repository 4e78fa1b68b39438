#pragma once

/// Scenes for the CUDA solver's tests: particles, colliders, and runs of both solvers.

#include "cuda_device.hpp"
#include "moving_collider.hpp"

#include "cpu_backend.hpp"
#include "cuda_stepper.hpp"

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"
#include "floe/sdk/physics/parameters.hpp"

#include <gtest/gtest.h>
#include <nanovdb/util/Primitives.h>

#include <algorithm>
#include <functional>
#include <random>

namespace floe::mpm {

constexpr double kDx = 0.05;

inline Executor& serialExecutor()
{
    static SerialExecutor executor;
    return executor;
}

/// Largest distance between the two after 60 to 200 steps [cells]. The CPU solver itself, compiled
/// for two instruction sets, differs by 4e-6 in these scenes; a single node that one side takes to
/// be on a wall and the other does not makes 5e-3 and more.
constexpr double kTolerance = 5e-5;

/// Soft, and such that each part of each law is at work in a scene of a tenth of a second.
inline SolverMaterial material(const char* name, physics::LawKind kind)
{
    struct Change {
        std::string_view law, parameter;
        double value;
    };
    static constexpr Change kChanges[] = {
        {"", "youngModulus", 1e5},
        {"", "poissonRatio", 0.3},
        {"liquid", "viscosity", 0.1},
        {"snow", "youngModulus", 1.4e5},
        {"snow", "poissonRatio", 0.2},
        {"snow", "minHardening", 0.1},
        {"neoHookean", "damping", 0.002},
        {"druckerPrager", "coulombShare", 0.5},
        {"vonMises", "yieldStress", 2e3},
        {"vonMises", "hardening", 1e4},
        {"vonMises", "failureStrain", 0.1},
        {"herschelBulkley", "yieldStress", 500},
        {"herschelBulkley", "viscosity", 50},
        {"camClay", "hardening", 2},
        {"camClay", "frictionAngle", 34.4},
        {"druckerPrager", "frictionAngle", 34.4},
        {"camClay", "initialState", -0.02},
    };
    const std::string_view law =
        std::find_if(std::begin(physics::kLaws), std::end(physics::kLaws), [&](const auto& l) {
            return l.kind == kind;
        })->name;
    SolverMaterial m;
    m.name = name;
    m.law = physics::makeMaterial(
        kind, kind == physics::LawKind::snow ? 400 : 1000, [&](const physics::LawParameter& of) {
            double value = of.value;
            for (const Change& change : kChanges)
                if ((change.law.empty() || change.law == law) && change.parameter == of.name)
                    value = change.value;
            return value;
        });
    return m;
}

struct Points {
    std::vector<float> x, v, volume;
};

/// Jittered points, 8 a cell, of a box where `inside` holds.
inline Points fill(std::array<double, 3> low, std::array<double, 3> high,
                   const std::function<bool(double, double, double)>& inside,
                   std::array<float, 3> velocity = {0, 0, 0})
{
    Points points;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> jitter(-0.2, 0.2);
    const double h = kDx / 2;
    for (double x = low[0] + h / 2; x < high[0]; x += h)
        for (double y = low[1] + h / 2; y < high[1]; y += h)
            for (double z = low[2] + h / 2; z < high[2]; z += h) {
                const double p[3] = {x + jitter(random) * h, y + jitter(random) * h,
                                     z + jitter(random) * h};
                if (!inside(p[0], p[1], p[2]))
                    continue;
                for (std::size_t a = 0; a < 3; ++a) {
                    points.x.push_back(static_cast<float>(p[a]));
                    points.v.push_back(velocity[a]);
                }
                points.volume.push_back(static_cast<float>(h * h * h));
            }
    return points;
}

inline std::shared_ptr<const nanovdb::GridHandle<>> held(nanovdb::GridHandle<> grid)
{
    return std::make_shared<const nanovdb::GridHandle<>>(std::move(grid));
}

inline floe_transform_key pose(double frame, std::array<double, 3> position,
                               std::array<double, 3> degrees = {0, 0, 0})
{
    floe_transform_key key{};
    const auto q = sdk::fromEuler(degrees);
    key.frame = frame;
    std::copy(position.begin(), position.end(), key.position);
    std::copy(q.begin(), q.end(), key.rotation);
    key.scale = 1;
    return key;
}

inline std::shared_ptr<Collider> sphereAtRest()
{
    auto sphere = std::make_shared<MovingCollider>(
        held(nanovdb::createLevelSetSphere<float>(0.2f, nanovdb::Vec3<float>(0.0f), 0.5 * kDx)),
        std::vector{pose(0, {0.03, 0, 0})});
    sphere->friction = 0.2f;
    return sphere;
}

/// A paddle that turns about x once a second and moves up.
inline std::shared_ptr<Collider> paddle()
{
    auto box = std::make_shared<MovingCollider>(
        held(nanovdb::createLevelSetBox<float>(0.6f, 0.1f, 0.3f, nanovdb::Vec3<float>(0.0f),
                                               0.5 * kDx)),
        std::vector{pose(0, {0, 0.1, 0}), pose(0.25, {0, 0.3, 0}, {90, 0, 0})});
    box->contact = Contact::stick;
    return box;
}

struct Scene {
    std::vector<SolverMaterial> materials;
    std::vector<Points> points;                 ///< one of each material
    std::vector<SolverMaterial> laterMaterials; ///< the table after half of the steps, if any
    std::vector<Points> laterPoints;            ///< of its materials; may be empty
    Domain domain;
    std::vector<std::function<std::shared_ptr<Collider>()>> colliders;
    std::vector<std::shared_ptr<const Force>> forces;
    Transfer transfer = Transfer::apic;
    Kernel kernel = Kernel::quadratic;
    bool bodiesMeet = false, volumeByPosition = false;
    double step = 1e-3; ///< [s]
    int steps = 60;
};

inline SolverSettings settings()
{
    SolverSettings s;
    s.cellSize = kDx;
    return s;
}

/// The CUDA solver on the device of this program.
inline std::unique_ptr<Stepper> cudaSolver(const SolverSettings& s = settings())
{
    return makeCudaStepper(s, test::cudaDevice(), serialExecutor());
}

inline void add(Stepper& solver, const std::vector<Points>& points)
{
    for (std::size_t m = 0; m < points.size(); ++m) {
        NewParticles particles;
        particles.count = points[m].volume.size();
        particles.material = static_cast<std::uint16_t>(m);
        particles.x = points[m].x.data();
        particles.v = points[m].v.data();
        particles.volume = points[m].volume.data();
        solver.addParticles(particles);
    }
}

inline void setUp(Stepper& solver, const Scene& scene)
{
    solver.setMaterials(scene.materials);
    solver.setDomain(scene.domain);
    std::vector<std::shared_ptr<Collider>> colliders;
    for (const auto& make : scene.colliders)
        colliders.push_back(make());
    solver.setColliders(colliders);
    solver.setForces(scene.forces);
    add(solver, scene.points);
}

struct State {
    std::vector<float> x, v, J; ///< by id
    std::vector<std::uint64_t> id;
};
inline State stateOf(Stepper& solver)
{
    const std::size_t n = solver.particleCount();
    State s{std::vector<float>(3 * n), std::vector<float>(3 * n), std::vector<float>(n),
            std::vector<std::uint64_t>(n)};
    Snapshot to;
    to.x = s.x.data();
    to.v = s.v.data();
    to.J = s.J.data();
    to.id = s.id.data();
    solver.snapshot(to);
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return s.id[a] < s.id[b]; });
    State sorted = s;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t a = 0; a < 3; ++a) {
            sorted.x[3 * i + a] = s.x[3 * order[i] + a];
            sorted.v[3 * i + a] = s.v[3 * order[i] + a];
        }
        sorted.J[i] = s.J[order[i]];
        sorted.id[i] = s.id[order[i]];
    }
    return sorted;
}

struct Difference {
    double position = 0;  ///< largest [cells]
    double travelled = 0; ///< farthest that a particle went [cells]
};

/// Runs both solvers with equal steps, of which each is told that more will follow.
inline Difference compare(const Scene& scene)
{
    SerialExecutor executor;
    SolverSettings equalSteps = settings();
    equalSteps.longestStep = scene.step;
    equalSteps.transfer = scene.transfer;
    equalSteps.kernel = scene.kernel;
    equalSteps.bodiesMeet = scene.bodiesMeet;
    equalSteps.volumeByPosition = scene.volumeByPosition;
    const auto cpu = makeCpuStepper(equalSteps, executor);
    const auto gpu = cudaSolver(equalSteps);
    setUp(*cpu, scene);
    setUp(*gpu, scene);
    const State start = stateOf(*cpu);
    for (int s = 0; s < scene.steps; ++s) {
        if (s == scene.steps / 2 && !scene.laterMaterials.empty())
            for (Stepper* solver : {cpu.get(), gpu.get()}) {
                solver->setMaterials(scene.laterMaterials);
                add(*solver, scene.laterPoints);
            }
        const double left = scene.step * (scene.steps - s);
        if (cpu->advance(left) != scene.step || gpu->advance(left) != scene.step) {
            ADD_FAILURE() << "the scene's step is too long";
            break;
        }
    }
    const State a = stateOf(*cpu), b = stateOf(*gpu);
    EXPECT_EQ(a.id, b.id);
    Difference d;
    for (std::size_t i = 0; i < std::min(a.x.size(), b.x.size()); ++i)
        d.position = std::max(d.position, std::abs(a.x[i] - b.x[i]) / kDx);
    for (std::size_t i = 0; i < a.id.size(); ++i)
        if (a.id[i] < start.id.size()) // ids count up from 0
            for (std::size_t k = 0; k < 3; ++k)
                d.travelled = std::max(
                    d.travelled,
                    std::abs(a.x[3 * i + k] - start.x[3 * std::size_t(a.id[i]) + k]) / kDx);
    return d;
}

inline Domain floorAt(double height, Contact face)
{
    Domain d;
    d.bounded = true;
    d.center = {0, height + 5, 0};
    d.halfSize = {5, 5, 5};
    d.faces = {Contact::open, Contact::open, face, Contact::open, Contact::open, Contact::open};
    d.friction = 0.3f;
    return d;
}

inline Scene smallBall()
{
    Scene scene;
    scene.materials = {material("snow", physics::LawKind::snow)};
    scene.points = {fill({-0.1, 0, -0.1}, {0.1, 0.2, 0.1},
                         [](double, double, double) { return true; }, {0.5f, -2, 0})};
    scene.domain = floorAt(-0.02, Contact::separate);
    return scene;
}

} // namespace floe::mpm
