#include "liquid.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

// Neighbours' projections add up: with whole ones a liquid at rest simmers.
constexpr float kRelaxation = 0.5f;
constexpr float kReach = 0.4f;   ///< of a radius: how far beyond kernels candidates lie
constexpr float kMargin = 0.35f; ///< of a radius: how far particles move between searches
constexpr float kSlack = 0.05f;  ///< of a radius: how far they come nearer within a substep

} // namespace

void Liquid::find(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                  Executor& executor)
{
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    bool holds = known_ && searched_.size() == count && support_ == settings.support;
    for (std::size_t i = 0; holds && i < count; ++i)
        holds = !any_ || physics::length(toFloat(particles.x[i] - searched_[i])) <
                             kMargin * particles.radius[i];
    if (!holds)
        search(scene, settings, executor);
    arm_.assign(any_ ? count : 0, {0, 0, 0});
    if (!any_)
        return;
    for (std::size_t i = 0; i < count; ++i)
        if (scene.isRigid(i))
            arm_[i] = toFloat(particles.x[i] - scene.bodies[particles.body[i]].x);
    readTraits(scene, motion);
    impulse_.resize(3 * count);
    // Of the candidates those that are near now, the same ones whenever they were searched for.
    spot_.resize(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3f x = toFloat(particles.x[i] - particles.x.front());
        spot_[i] = {x.x, x.y, x.z, 0};
    }
    spot_[count] = {1e18f, 1e18f, 1e18f, 0};
    const auto none = static_cast<std::uint32_t>(count);
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            std::uint32_t next = begin_[i];
            const LiquidSpot own = spot_[i];
            const float slack = kSlack * particles.radius[i];
            for (std::uint32_t k = firstCandidate_[i]; k < firstCandidate_[i + 1]; ++k) {
                const std::uint32_t j = candidates_[k];
                const LiquidSpot& other = spot_[j];
                const float x = own.x - other.x, y = own.y - other.y, z = own.z - other.z;
                const float reach = kernelRadius(i, j) + slack + kSlack * particles.radius[j];
                neighbours_[next] = j;
                next += x * x + y * y + z * z < reach * reach;
            }
            while ((next - begin_[i]) % LiquidRows::kLanes != 0)
                neighbours_[next++] = none;
            end_[i] = next;
        }
    });
}

void Liquid::search(const Scene& scene, const SolverSettings& settings, Executor& executor)
{
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    known_ = true;
    searched_ = particles.x;
    if (support_ != settings.support) {
        support_ = settings.support;
        halfSupport_ = static_cast<float>(0.5 * support_);
        factor_ = latticeFactor(support_);
        wallShift_ = latticeShift(support_);
    }
    trait_.assign(count + 1, {0, 0, 1, 0});
    any_ = false;
    float largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (particles.body[i] != kNoBody ||
            scene.materials[particles.material[i]].kind != Material::Kind::liquid)
            continue;
        trait_[i].liquid = 1;
        any_ = true;
        largest = std::max(largest, particles.radius[i]);
    }
    density_.assign(count, 0);
    multiplier_.assign(count, 0);
    if (!any_)
        return;
    std::vector<std::uint32_t> number; // of those that may be neighbours
    std::vector<Vec3f> center;
    std::vector<float> reach;
    std::vector<std::uint32_t> group;
    for (std::uint32_t i = 0; i < count; ++i) {
        const RestParticle* rest = scene.restOf(i);
        if (rest && !rest->boundary)
            continue;
        const float own = isLiquid(i) ? particles.radius[i] : largest;
        number.push_back(i);
        center.push_back(toFloat(particles.x[i] - particles.x.front()));
        reach.push_back(halfSupport_ * own + kReach * particles.radius[i]);
        group.push_back(isLiquid(i) ? kNoGroup : 0); // solids do not look for each other
    }
    const std::vector<Pair> pairs = findPairs({center, reach, group}, settings.search, executor);
    firstCandidate_.assign(count + 1, 0);
    for (const Pair& pair : pairs) {
        ++firstCandidate_[number[pair.first] + 1];
        ++firstCandidate_[number[pair.second] + 1];
    }
    begin_.resize(count);
    end_.resize(count);
    std::uint32_t rows = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t most = firstCandidate_[i + 1];
        begin_[i] = rows;
        rows += (most + LiquidRows::kLanes - 1) / LiquidRows::kLanes * LiquidRows::kLanes;
        firstCandidate_[i + 1] += firstCandidate_[i];
    }
    neighbours_.resize(rows + 1); // a candidate is written before it is judged
    candidates_.resize(firstCandidate_[count]);
    std::vector<std::uint32_t> next(firstCandidate_.begin(), firstCandidate_.end() - 1);
    for (const Pair& pair : pairs) { // ascending, and so are the rows
        candidates_[next[number[pair.first]]++] = number[pair.second];
        candidates_[next[number[pair.second]]++] = number[pair.first];
    }
}

void Liquid::readTraits(const Scene& scene, const Motion& motion)
{
    const Particles& particles = scene.particles;
    uniform_ = true;
    const LiquidTrait* first = nullptr;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        LiquidTrait& trait = trait_[i];
        const float edge = 2 * particles.radius[i];
        trait.radius = particles.radius[i];
        if (isLiquid(i)) {
            trait.volume = particles.mass[i] / scene.materials[particles.material[i]].density;
            trait.inverseMass = motion.weight[i];
        } else if (firstCandidate_[i] < firstCandidate_[i + 1]) {
            trait.volume = edge * edge * edge;
            trait.inverseMass = 0; // of a rigid body's: the mean over directions
            for (int axis = 0; axis < 3; ++axis)
                trait.inverseMass += motion.yields(scene, i, arm_[i],
                                                   {axis == 0 ? 1.0f : 0, axis == 1 ? 1.0f : 0,
                                                    axis == 2 ? 1.0f : 0}) /
                                     3;
        } else {
            continue; // no liquid is near
        }
        if (!first)
            first = &trait;
        uniform_ = uniform_ && trait.liquid > 0 && trait.volume == first->volume &&
                   trait.inverseMass == first->inverseMass && trait.radius == first->radius;
    }
}

LiquidRows Liquid::rows()
{
    return {.begin = begin_.data(),
            .end = end_.data(),
            .neighbour = neighbours_.data(),
            .spot = spot_.data(),
            .trait = trait_.data(),
            .wall = wall_.empty() ? nullptr : wall_.data(),
            .uniform = uniform_,
            .halfSupport = halfSupport_,
            .factor = factor_,
            .relaxation = kRelaxation,
            .density = density_.data(),
            .multiplier = multiplier_.data(),
            .impulse = impulse_.data()};
}

/// Shares of several walls as of a kernel that is a product of its axes, which a spline nearly is.
void Liquid::meetWalls(const Scene& scene, const Motion& motion, const Surroundings& around,
                       Executor& executor)
{
    const std::size_t count = scene.particles.size();
    wall_.clear();
    const sdk::world::Domain* domain = around.domain;
    const bool walls = domain && domain->bounded;
    if (!walls && around.planes.empty())
        return;
    wall_.resize(count);
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            wall_[i] = {0, 0, 0, 0};
            if (!isLiquid(i))
                continue;
            const float h = 2 * halfSupport_ * trait_[i].radius;
            float left = 1;
            Vec3f slope{0, 0, 0}; // of the logarithm of what is left
            const auto meet = [&](const Vec3f& inwards, float distance, float weight) {
                const float q = distance / h + wallShift_;
                if (q >= 1)
                    return;
                const float own = std::max(1 - weight * shareBehind(q), 0.1f);
                left *= own;
                slope = slope - (weight * shareSlope(q) / (h * own)) * inwards;
            };
            for (int face = 0; walls && face < 6; ++face) {
                if (!domain->isWall(face))
                    continue;
                const sdk::world::Wall wall(*domain, face, scene.particles.x[i]);
                meet(wall.inwards, wall.distance(motion.particle[i]), 1);
            }
            if (!around.planes.empty())
                for (const LiquidPlane& plane : around.planes[i].plane)
                    if (plane.weight > 0)
                        meet(plane.normal,
                             around.planes[i].distance(plane, scene.particles.x[i]) +
                                 physics::dot(plane.normal, motion.particle[i]),
                             plane.weight);
            wall_[i] = {-left * slope.x, -left * slope.y, -left * slope.z, 1 - left};
        }
    });
}

void Liquid::project(const Scene& scene, Motion& motion, const Surroundings& around,
                     Executor& executor)
{
    if (!any_)
        return;
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    const LiquidKernels& kernels = liquidKernels();
    meetWalls(scene, motion, around, executor);
    const LiquidRows rows = this->rows();
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const Vec3f x =
                toFloat(particles.x[i] - particles.x.front()) + motion.at(scene, i, arm_[i]);
            spot_[i] = {x.x, x.y, x.z, 0};
        }
    });
    executor.parallelFor(
        count, 256, [&](std::size_t from, std::size_t to) { kernels.densities(rows, from, to); });
    for (std::size_t i = 0; i < count; ++i)
        spot_[i].multiplier = multiplier_[i];
    executor.parallelFor(
        count, 256, [&](std::size_t from, std::size_t to) { kernels.impulses(rows, from, to); });
    const auto impulseOn = [&](std::size_t i) {
        return Vec3f{impulse_[3 * i], impulse_[3 * i + 1], impulse_[3 * i + 2]};
    };
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            if (!scene.isRigid(i))
                motion.particle[i] = motion.particle[i] + motion.weight[i] * impulseOn(i);
    });
    executor.parallelFor(scene.bodies.size(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t b = from; b < to; ++b) {
            const Body& body = scene.bodies[b];
            if (!body.rigid)
                continue;
            Vec3d push{0, 0, 0}, turn{0, 0, 0};
            for (std::size_t k = 0; k < body.rest->particles.size(); ++k) {
                const Vec3d impulse = toDouble(impulseOn(body.first + k));
                push = push + impulse;
                turn = turn + physics::cross(toDouble(arm_[body.first + k]), impulse);
            }
            motion.body[b] = motion.body[b] + double{motion.bodyWeight[b]} * push;
            motion.turn[b] = motion.turn[b] + motion.turnWeight[b] * turn;
        }
    });
}

} // namespace floe::pbd
