#include "liquid.hpp"

#include "kernel.hpp"
#include "liquid_rules.hpp"
#include "near_planes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace floe::pbd {

namespace {

using namespace liquid_rules;
using sdk::parallel::Executor;

constexpr LiquidSpot kFar{1e15f, 1e15f, 1e15f, 0};

} // namespace

void Liquid::find(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                  Executor& executor)
{
    if (support_ != settings.support) {
        support_ = settings.support;
        halfSupport_ = static_cast<float>(0.5 * support_);
        factor_ = latticeFactor(support_);
        wallShift_ = latticeShift(support_);
    }
    order_.sort(scene, 0.5 * support_ + kLiquidSlack, executor);
    rigids_.clear();
    if (!any())
        return;
    for (std::size_t s = order_.liquids(); s < size(); ++s)
        if (const std::uint32_t i = particle(s); scene.isRigid(i)) {
            const std::uint32_t body = scene.particles.body[i];
            rigids_.push_back({static_cast<std::uint32_t>(s), body,
                               toFloat(scene.particles.x[i] - scene.bodies[body].x)});
        }
    std::sort(rigids_.begin(), rigids_.end(), [&](const RigidPlace& a, const RigidPlace& b) {
        return particle(a.place) < particle(b.place);
    });
    readTraits(scene, motion, executor);
    findRows(executor);
    spot_.resize(size() + 1);
    spot_[size()] = kFar;
    pushing_.resize(size() + 1);
    pushing_[size()] = kFar;
    impulse_.resize(size() - order_.liquids());
}

void Liquid::readTraits(const Scene& scene, const Motion& motion, Executor& executor)
{
    const Particles& particles = scene.particles;
    const auto traitOf = [&](std::size_t place) {
        const std::uint32_t i = particle(place);
        const float edge = 2 * particles.radius[i];
        if (isLiquid(place))
            return LiquidTrait{particles.mass[i] / scene.materials[particles.material[i]].density,
                               motion.weight[i], particles.radius[i], 1};
        return LiquidTrait{edge * edge * edge, motion.weight[i], particles.radius[i], 0};
    };
    const LiquidTrait first = traitOf(0);
    std::atomic<bool> same = true;
    executor.parallelFor(order_.liquids(), 4096, [&](std::size_t from, std::size_t to) {
        bool all = true;
        for (std::size_t s = from; s < to; ++s) {
            const LiquidTrait trait = traitOf(s);
            all = all && trait.volume == first.volume && trait.radius == first.radius &&
                  trait.inverseMass == first.inverseMass;
        }
        if (!all)
            same = false;
    });
    liquidsAlike_ = same;
    alike_ = liquidsAlike_ && order_.liquids() == size();
    if (alike_) {
        trait_.assign(1, first);
        return;
    }
    trait_.resize(size() + 1);
    executor.parallelFor(size(), 4096, [&](std::size_t from, std::size_t to) {
        for (std::size_t s = from; s < to; ++s)
            trait_[s] = traitOf(s);
    });
    trait_[size()] = {0, 0, 1, 0};
    for (const RigidPlace& rigid : rigids_) { // the mean over directions
        float& inverse = trait_[rigid.place].inverseMass;
        inverse = 0;
        for (int axis = 0; axis < 3; ++axis)
            inverse +=
                motion.yields(scene, particle(rigid.place), rigid.arm,
                              {axis == 0 ? 1.0f : 0, axis == 1 ? 1.0f : 0, axis == 2 ? 1.0f : 0}) /
                3;
    }
}

void Liquid::findRows(Executor& executor)
{
    const std::size_t count = size(), chunks = (count + kChunk - 1) / kChunk;
    const auto none = static_cast<std::uint32_t>(count);
    const LiquidSight sight = order_.sight();
    const LiquidKernels& kernels = liquidKernels();
    begin_.resize(count + chunks);
    neighbours_.resize(chunks);
    mixed_.resize(!alike_ && liquidsAlike_ ? count : 0);
    executor.parallelFor(chunks, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t c = first; c < last; ++c) {
            std::vector<std::uint32_t>& all = neighbours_[c];
            std::uint32_t* begin = begin_.data() + c;
            const std::size_t from = c * kChunk, to = std::min(count, from + kChunk);
            LiquidOrder::Walk walk(order_, from);
            std::uint32_t next = 0;
            begin[from] = 0;
            for (std::size_t s = from; s < to; ++s) {
                if (s == walk.end())
                    walk.next();
                std::size_t most = 2 * LiquidRows::kLanes;
                for (const LiquidRun& run : walk.runs())
                    most += run.end - run.begin;
                if (all.size() < next + most) { // a vector would double
                    all.reserve(std::max(next + most, all.size() + all.size() / 8));
                    all.resize(all.capacity());
                }
                const std::uint32_t length =
                    kernels.near(sight, walk.runs().data(), walk.runs().size(),
                                 static_cast<std::uint32_t>(s), none, all.data() + next);
                if (!mixed_.empty()) {
                    std::uint32_t k = next + length;
                    while (k > next && all[k - 1] == none)
                        --k;
                    mixed_[s] = !isLiquid(s) || (k > next && !isLiquid(all[k - 1]));
                }
                next += length;
                begin[s + 1] = next;
            }
        }
    });
}

LiquidRows Liquid::rows(std::size_t chunk) const
{
    return {.begin = begin_.data() + chunk,
            .neighbour = neighbours_[chunk].data(),
            .trait = trait_.data(),
            .wall = wall_.empty() ? nullptr : wall_.data(),
            .mixed = mixed_.empty() ? nullptr : mixed_.data(),
            .anyAlike = liquidsAlike_,
            .halfSupport = halfSupport_,
            .factor = factor_,
            .relaxation = kLiquidRelaxation};
}

/// Puts everybody where motion has him.
void Liquid::moveSpots(const Scene& scene, const Motion& motion, Executor& executor)
{
    executor.parallelFor(size(), 2048, [&](std::size_t from, std::size_t to) {
        for (std::size_t s = from; s < to; ++s) {
            const Vec3f x = order_.at(s) + motion.particle[particle(s)];
            spot_[s] = {x.x, x.y, x.z, 0};
        }
    });
    for (const RigidPlace& rigid : rigids_) {
        const Vec3f x = order_.at(rigid.place) + motion.at(scene, particle(rigid.place), rigid.arm);
        spot_[rigid.place] = {x.x, x.y, x.z, 0};
    }
}

void Liquid::meetWalls(const Scene& scene, const Motion& motion, const Surroundings& around,
                       Executor& executor)
{
    wall_.clear();
    const NearPlanes planes(around, order_.origin());
    if (!planes.any())
        return;
    wall_.resize(order_.liquids());
    executor.parallelFor(order_.liquids(), 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t s = from; s < to; ++s) {
            const float h = 2 * halfSupport_ * trait(s).radius;
            WallShare share;
            planes.visit(scene, particle(s), {spot_[s].x, spot_[s].y, spot_[s].z},
                         motion.particle[particle(s)],
                         [&](const Vec3f& inwards, float distance, float weight) {
                             share.add(inwards, distance, weight, h, wallShift_);
                         });
            wall_[s] = share.wall();
        }
    });
}

void Liquid::project(const Scene& scene, Motion& motion, const Surroundings& around,
                     Executor& executor)
{
    if (!any())
        return;
    const LiquidKernels& kernels = liquidKernels();
    moveSpots(scene, motion, executor);
    meetWalls(scene, motion, around, executor);
    std::copy(spot_.begin() + static_cast<std::ptrdiff_t>(order_.liquids()), spot_.end() - 1,
              pushing_.begin() + static_cast<std::ptrdiff_t>(order_.liquids()));
    forChunks(order_.liquids(), executor,
              [&](const LiquidRows& rows, std::size_t from, std::size_t to) {
                  kernels.densities(rows, spot_.data(), from, to, pushing_.data());
              });
    forChunks(size(), executor, [&](const LiquidRows& rows, std::size_t from, std::size_t to) {
        std::array<LiquidImpulse, kChunk> impulse;
        kernels.impulses(rows, pushing_.data(), from, to, impulse.data());
        for (std::size_t s = from; s < to; ++s) {
            const LiquidImpulse& push = impulse[s - from];
            const std::uint32_t i = particle(s);
            if (isLiquid(s))
                motion.particle[i] =
                    motion.particle[i] + motion.weight[i] * Vec3f{push.x, push.y, push.z};
            else
                impulse_[s - order_.liquids()] = push;
        }
    });
    pushSolids(scene, motion);
}

/// Moves solids by the impulses on them.
void Liquid::pushSolids(const Scene& scene, Motion& motion) const
{
    for (std::size_t s = order_.liquids(); s < size(); ++s)
        if (const std::uint32_t i = particle(s); !scene.isRigid(i)) {
            const LiquidImpulse& push = impulse_[s - order_.liquids()];
            motion.particle[i] =
                motion.particle[i] + motion.weight[i] * Vec3f{push.x, push.y, push.z};
        }
    for (std::size_t k = 0; k < rigids_.size();) {
        const std::uint32_t b = rigids_[k].body;
        Vec3d push{0, 0, 0}, turn{0, 0, 0};
        for (; k < rigids_.size() && rigids_[k].body == b; ++k) {
            const LiquidImpulse& on = impulse_[rigids_[k].place - order_.liquids()];
            const Vec3d impulse{on.x, on.y, on.z};
            push = push + impulse;
            turn = turn + physics::cross(toDouble(rigids_[k].arm), impulse);
        }
        motion.body[b] = motion.body[b] + double{motion.bodyWeight[b]} * push;
        motion.turn[b] = motion.turn[b] + motion.turnWeight[b] * turn;
    }
}

} // namespace floe::pbd
