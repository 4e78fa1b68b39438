#include "solver.hpp"

#include "floe/sdk/world/forces.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;
using sdk::world::PointBatch;

bool finite(const Vec3d& a)
{
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

} // namespace

void Solver::changed()
{
    contacts_.invalidate();
}

void Solver::step(const World& world, double time, double dt, Executor& executor)
{
    setStep(dt);
    for (const auto& collider : world.colliders)
        collider->moveTo(time, dt);
    if (!beginSleep(world, dt))
        return;
    thinWalls_.begin(scene, world.colliders);
    applyForces(world, time, dt, executor);
    // What breaks does not bear the blow: its pieces meet it instead, moving as it did before.
    do
        project(world, dt, executor);
    while (mayBreak() && breakBodies(blows(dt)));
    if (log)
        log->add(scene, contacts_.active(), dt);
    contacts_.remember(scene, motion_, settings, sleep_, dt);
    finish(dt, executor);
    thinWalls_.end(scene, sleep_, executor);
    sleep_.end(scene, settings, contacts_.active(), dt, executor);
    liquid_.finish(scene, dt, executor);
    Matching::damp(scene, dt, executor);
    Sheets::finish(scene, dt, executor);
    joints_.finish(joints, dt);
    removeGone(world);
}

bool Solver::beginSleep(const World& world, double dt)
{
    const Surroundings around{world.colliders, world.domain, {}};
    sleep_.begin(scene, settings, around, joints, maySleep(world), dt);
    if (sleep_.count() == 0 || sleep_.count() < scene.particles.size() ||
        sleep_.looksAtSurfaces(around))
        return true;
    contacts_.rest();
    return false;
}

void Solver::setStep(double dt)
{
    if (lastStep_ > 0 && dt != lastStep_)
        contacts_.rescale(dt / lastStep_);
    lastStep_ = dt;
}

/// Forces, liquids and other solvers move things without touching them; a log is of all that touch.
bool Solver::maySleep(const World& world) const
{
    const auto has = [&](Material::Kind kind) {
        return std::any_of(scene.materials.begin(), scene.materials.end(),
                           [&](const Material& material) { return material.kind == kind; });
    };
    const bool any =
        has(Material::Kind::grains) || std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                                   [](const Body& body) { return body.rigid; });
    return settings.sleepAfter > 0 && !log && !pushed && world.forces.empty() && any &&
           !has(Material::Kind::liquid);
}

void Solver::project(const World& world, double dt, Executor& executor)
{
    predict(dt, executor);
    const auto planes = planesOfColliders(scene, settings.support, world.colliders, executor);
    const Surroundings around{world.colliders, world.domain, planes};
    contacts_.find(scene, motion_, settings, dt, around, sleep_, executor);
    contacts_.stabilise(scene, motion_, settings, executor);
    liquid_.find(scene, motion_, settings, executor);
    liquid_.pull(scene, motion_, around, dt, executor);
    contacts_.warmStart(scene, motion_, executor);
    matching_.begin(scene);
    sheets_.begin(scene);
    joints_.begin(joints);
    const std::span<Contact> surroundings = contacts_.withSurroundings();
    for (int k = 0; k < settings.iterations; ++k) {
        liquid_.project(scene, motion_, around, executor);
        matching_.project(scene, motion_, settings, dt, executor);
        sheets_.project(scene, joints, joints_, surroundings, Sheets::Which::All, motion_, dt,
                        executor);
        joints_.project(scene, joints, motion_, dt);
        contacts_.project(scene, motion_, settings, executor);
    }
    // Ropes have the last word: friction moves their particles one by one, which stretches them.
    sheets_.project(scene, joints, joints_, surroundings, Sheets::Which::Ropes, motion_, dt,
                    executor);
}

void Solver::settle(const World& world, int passes, Executor& executor)
{
    SolverSettings patient = settings;
    patient.stabilisations = 4;
    sleep_.grow(scene);
    for (int k = 0; k < passes; ++k) {
        thinWalls_.begin(scene, world.colliders, true);
        predict(0, executor);
        const auto planes = planesOfColliders(scene, settings.support, world.colliders, executor);
        const Surroundings around{world.colliders, world.domain, planes};
        contacts_.find(scene, motion_, patient, 0, around, sleep_, executor);
        contacts_.stabilise(scene, motion_, patient, executor);
        liquid_.find(scene, motion_, settings, executor);
        liquid_.project(scene, motion_, around, executor);
        for (std::size_t i = 0; i < scene.particles.size(); ++i)
            if (!scene.isRigid(i))
                scene.particles.x[i] = scene.particles.x[i] + toDouble(motion_.particle[i]);
        for (Body& body : scene.bodies)
            if (body.rigid)
                scene.followPose(body);
        thinWalls_.end(scene, sleep_, executor);
    }
}

void Solver::applyForces(const World& world, double time, double dt, Executor& executor)
{
    Particles& particles = scene.particles;
    const Vec3d weight = dt * settings.gravity;
    for (Body& body : scene.bodies)
        if (body.rigid && !sleep_.isAsleep(body))
            body.v = body.v + weight;
    std::vector<Vec3f> change(world.forces.empty() ? 0 : particles.size());
    std::vector<std::shared_ptr<const sdk::world::Force>> winds, others;
    for (const auto& force : world.forces)
        (dynamic_cast<const sdk::world::Wind*>(force.get()) ? winds : others).push_back(force);
    // What winds do to cloth: they push its faces, not its particles.
    std::vector<Vec3f> blown(winds.empty() ? 0 : particles.size());
    constexpr auto kBatch = static_cast<std::size_t>(PointBatch::kMax);
    const std::size_t chunks = (particles.size() + kBatch - 1) / kBatch;
    executor.parallelFor(chunks, 16, [&](std::size_t from, std::size_t to) {
        for (std::size_t chunk = from; chunk < to; ++chunk) {
            const std::size_t first = chunk * kBatch;
            const std::size_t count = std::min(kBatch, particles.size() - first);
            if (!world.forces.empty()) {
                PointBatch batch;
                batch.count = static_cast<int>(count);
                batch.corner = particles.x[first];
                for (std::size_t i = 0; i < count; ++i) {
                    const Vec3f offset = toFloat(particles.x[first + i] - batch.corner);
                    batch.mass[i] = particles.mass[first + i];
                    for (int axis = 0; axis < 3; ++axis) {
                        batch.x[axis][i] = offset[axis];
                        batch.v[axis][i] = particles.v[first + i][axis];
                    }
                }
                for (const auto& force : others)
                    force->apply(batch, time, static_cast<float>(dt));
                for (std::size_t i = 0; i < count; ++i)
                    change[first + i] =
                        batch.velocity(static_cast<int>(i)) - particles.v[first + i];
                for (const auto& wind : winds)
                    wind->apply(batch, time, static_cast<float>(dt));
                for (std::size_t i = 0; i < count && !winds.empty(); ++i) {
                    const std::uint32_t body = particles.body[first + i];
                    const Vec3f all = batch.velocity(static_cast<int>(i)) - particles.v[first + i];
                    if (body != kNoBody && Sheets::hasFaces(scene.bodies[body]))
                        blown[first + i] = all - change[first + i];
                    else
                        change[first + i] = all;
                }
            }
            for (std::size_t i = first; i < first + count; ++i)
                if (!scene.isRigid(i) && !scene.isHeld(i) && !sleep_.isAsleep(i)) {
                    particles.v[i] = particles.v[i] + toFloat(weight);
                    if (!change.empty())
                        particles.v[i] = particles.v[i] + change[i];
                }
        }
    });
    if (change.empty())
        return;
    if (!winds.empty())
        Sheets::blow(scene, blown);
    for (Body& body : scene.bodies) {
        if (!body.rigid)
            continue;
        Vec3d push{0, 0, 0};
        for (std::size_t k = 0; k < body.rest->particles.size(); ++k) {
            const std::size_t i = body.first + k;
            const Vec3d impulse = double{particles.mass[i]} * toDouble(change[i]);
            push = push + impulse;
            body.angularMomentum =
                body.angularMomentum + physics::cross(particles.x[i] - body.x, impulse);
        }
        body.v = body.v + (1 / body.rest->mass) * push;
    }
}

/// Displacements without constraints, and what everything weighs in contact.
void Solver::predict(double dt, Executor& executor)
{
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size(), bodies = scene.bodies.size();
    motion_.particle.resize(count);
    motion_.weight.resize(count);
    motion_.body.resize(bodies);
    motion_.turn.resize(bodies);
    motion_.bodyWeight.resize(bodies);
    motion_.turnWeight.resize(bodies);
    motion_.freeTurn.resize(bodies);
    motion_.inertia.resize(bodies);
    const Lightness lightness(settings);
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            motion_.particle[i] = predictedWay(particles.v[i], dt);
            motion_.weight[i] =
                static_cast<float>(lightness.at(particles.x[i]) / particles.mass[i]);
        }
    });
    for (std::size_t b = 0; b < bodies; ++b) {
        const Body& body = scene.bodies[b];
        const BodyMotion moves =
            predictBody({body.x, body.R, body.v, body.angularMomentum}, body.rest->inertia,
                        body.rest->mass, lightness.at(body.x), dt);
        motion_.body[b] = moves.way;
        motion_.turn[b] = motion_.freeTurn[b] = moves.freeTurn;
        motion_.bodyWeight[b] = moves.weight;
        motion_.turnWeight[b] = moves.turnWeight;
        motion_.inertia[b] = moves.inertia;
    }
}

/// Positions and velocities from displacements. What would move less than sleeping allows stays
/// where it is; its velocity is not touched, or things would balance where they cannot.
void Solver::finish(double dt, Executor& executor)
{
    Particles& particles = scene.particles;
    const double still = settings.sleepSpeed * dt;
    std::atomic<bool> lost = false;
    executor.parallelFor(particles.size(), 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            if (scene.isRigid(i) || sleep_.isAsleep(i))
                continue;
            finishParticle(particles.x[i], particles.v[i], motion_.particle[i],
                           particles.body[i] == kNoBody, still, dt);
            if (!finite(particles.x[i]))
                lost = true;
        }
    });
    executor.parallelFor(scene.bodies.size(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t b = from; b < to; ++b) {
            Body& body = scene.bodies[b];
            if (!body.rigid || sleep_.isAsleep(body))
                continue;
            BodyState state{body.x, body.R, body.v, body.angularMomentum};
            finishBody(state, motion_.body[b], motion_.turn[b], motion_.freeTurn[b],
                       motion_.inertia[b], body.rest->reach, still, dt);
            body.x = state.x;
            body.R = state.R;
            body.v = state.v;
            body.angularMomentum = state.angularMomentum;
            if (!finite(body.x))
                lost = true;
            scene.followPose(body);
        }
    });
    if (lost)
        throw std::runtime_error("positions are no longer finite; more substeps may help");
}

void Solver::removeGone(const World& world)
{
    const Particles& particles = scene.particles;
    std::vector<std::uint8_t> gone;
    for (const std::uint32_t i : contacts_.taken()) {
        gone.resize(particles.size());
        taken_ += !gone[i];
        gone[i] = 1;
    }
    if (world.domain && world.domain->bounded)
        for (std::size_t i = 0; i < particles.size(); ++i) {
            if (particles.body[i] != kNoBody || !world.domain->isOutside(particles.x[i], {0, 0, 0}))
                continue;
            gone.resize(particles.size());
            leftDomain_ += !gone[i];
            gone[i] = 1;
        }
    if (gone.empty())
        return;
    remove(gone);
}

void Solver::remove(const std::vector<std::uint8_t>& gone)
{
    contacts_.remove(gone);
    sleep_.remove(gone);
    scene.remove(gone);
}

} // namespace floe::pbd
