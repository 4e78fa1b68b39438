/// What moves with particles without being matter itself.
#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/physics/svd.hpp"
#include "floe/sdk/world/material_colours.hpp"
#include "floe/sdk/world/nearest_points.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace floe::sdk::world {

/// Where the local deformation around a point comes from.
enum class Deformation {
    Neighbours, ///< the affine map that fits how its particles moved (Müller et al. 2004)
    Gradient    ///< the particles' deformation gradient F
};

struct BindingSettings {
    std::size_t particles = 16; ///< bound to each point
    Deformation deformation = Deformation::Neighbours;
};

/// Which points may be bound to which particles: to those of the same number. Empty: to all.
struct BindingGroups {
    std::span<const uint32_t> points;    ///< of each point
    std::span<const uint32_t> particles; ///< of each particle at rest
};

namespace detail {

using BindingMat = physics::Mat3<double>;
using BindingVec = physics::Vec3<double>;

inline constexpr uint32_t kGone = std::numeric_limits<uint32_t>::max();
inline constexpr std::size_t kMaxBoundParticles = 64; // bound to a point

inline BindingVec vecAt(std::span<const float> numbers, std::size_t i)
{
    return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

inline BindingMat matAt(std::span<const float> numbers, std::size_t i)
{
    BindingMat m{};
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            m[row][column] = numbers[9 * i + static_cast<std::size_t>(3 * row + column)];
    return m;
}

inline void addOuter(BindingMat& sum, double weight, const BindingVec& a, const BindingVec& b)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            sum[row][column] += weight * a[row] * b[column];
}

inline bool isFinite(const BindingVec& a)
{
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// The map that takes the particles' offsets at rest to those of now best: P Q^-1, completed by a
/// rotation where Q, the spread at rest, has next to no extent.
inline BindingMat fitted(const BindingMat& P, const BindingMat& Q)
{
    const double third = physics::trace(Q) / 3, det = physics::determinant(Q);
    if (det > 1e-3 * third * third * third) // spread about evenly: no need for singular values
        return (1 / det) * (P * physics::cofactor(Q)); // Q is symmetric, and so are its cofactors
    // Singular values of Q are squared lengths: a thousandth of the largest extent is flat.
    constexpr double kFlat = 1e-6;
    const physics::Svd<double> q = physics::svd(Q);
    BindingMat inverse{}, flat{};
    for (int axis = 0; axis < 3; ++axis) {
        const BindingVec direction = q.V.column(axis);
        if (q.sigma[axis] > kFlat * q.sigma.x)
            addOuter(inverse, 1 / q.sigma[axis], direction, direction);
        else
            addOuter(flat, 1, direction, direction);
    }
    const BindingMat A = P * inverse;
    return A + physics::polarRotation(A) * flat;
}

/// Numbers of the bodies that particles belong to; empty where they say nothing of the kind.
inline std::span<const uint32_t> bodiesOf(const Value& particles)
{
    floe_attribute view{};
    view.struct_size = sizeof view;
    const bool given = host().values->get_attribute(particles.get(), "body", &view) == FLOE_OK &&
                       view.element == FLOE_UINT32 && view.components == 1;
    return given ? particles.attribute<uint32_t>("body", 1) : std::span<const uint32_t>{};
}

/// Weights that are 1 at distance 0 and fall smoothly to 0 at `reach`; never all 0.
inline double weightAt(double distance2, double reach2)
{
    const double t = reach2 > 0 ? 1 - distance2 / reach2 : 0;
    return std::max(t * t * t, 1e-12);
}

} // namespace detail

/// Points bound to particles at rest: each to its nearest ones. A mesh or a set of Gaussians moves
/// so with matter of any kind.
///
/// With weights w that fall to 0 at the first particle that is not bound, a point X moves to
///     Gradient:    x = sum w_i (x_i + F_i F0_i^-1 (X - X_i))
///     Neighbours:  x = c + A (X - C),  c, C the weighted centres now and at rest, and
///                  A = (sum w_i (x_i - c) (X_i - C)^T) (sum w_i (X_i - C) (X_i - C)^T)^-1
/// so that both follow an affine motion of all particles exactly. Where the particles at rest lie
/// in a plane or on a line, A turns the missing directions like a rotation. Where particles have
/// the attribute `body`, a point follows those of one body: that of the nearest. Particles are
/// known again by their `id`, without one by their index. Those that are gone are left out; a point
/// that has lost all of its particles stays where it was.
class ParticleBinding {
public:
    /// Binds.
    /// @throws Failure  no particles with finite positions, or none of a point's group; Gradient
    ///                  without F
    /// @param rest  3 a point [m]
    ParticleBinding(const Context& context, const BindingSettings& settings,
                    std::span<const float> rest, const Value& particles,
                    const BindingGroups& groups = {});
    /// Reads what save() wrote. @throws Failure  it is damaged
    explicit ParticleBinding(Reader& reader);
    void save(Writer& writer) const;

    /// Where the points are now. Lost ones stay where they were last, at rest.
    struct Moved {
        std::span<const float> x;     ///< 3 a point [m]; until the next move()
        std::vector<float> v;         ///< 3 a point [m/s]
        std::vector<float> gradients; ///< 9 a point: of the motion, row by row; or empty
    };
    /// @param gradients  whether to fill those
    /// @throws Failure  Gradient without F; without ids, another number of particles
    Moved move(const Context& context, const Value& particles, bool gradients = false);

    /// Colours of the points: of the material of the nearest particle that is left. Empty where
    /// particles do not say what they are made of.
    std::vector<float> colours(const Value& particles) const;

    std::size_t points() const { return restPoints_.size() / 3; }

    std::size_t boundParticles() const { return ids_.size(); }
    /// Points of the last move() that have lost all of their particles.
    std::size_t lostPoints() const { return lost_; }
    /// Points at rest further from their nearest particle than that one from its neighbours.
    std::size_t farPoints() const { return far_; }

private:
    /// The particles of a frame, in the order of ids_.
    struct Now {
        std::span<const float> x, v, F;
        std::vector<uint32_t> index; ///< of each bound particle; kGone
    };

    struct Motion {
        detail::BindingVec x, v; ///< of a point
        detail::BindingMat A;    ///< of its surroundings
    };

    Now locate(const Value& particles) const;
    /// @return false  it has no particle left, or what comes out is not finite
    bool move(std::size_t point, const Now& now, Motion& motion) const;

    BindingSettings settings_;
    std::vector<float> restPoints_; ///< 3 a point
    std::vector<uint32_t> bound_;   ///< settings_.particles a point, numbers in ids_; or kGone
    std::vector<float> weights_;    ///< of each
    std::vector<uint64_t> ids_;     ///< of the particles, ascending
    std::vector<float> restX_;      ///< 3 a particle
    std::vector<float> inverseF_;   ///< 9 a particle: F0^-1; Gradient only
    std::vector<float> points_;     ///< as last moved
    uint64_t count_ = 0;            ///< of particles, where they have no ids; else 0
    std::size_t far_ = 0, lost_ = 0;
};

inline ParticleBinding::ParticleBinding(const Context& context, const BindingSettings& settings,
                                        std::span<const float> rest, const Value& particles,
                                        const BindingGroups& groups)
    : settings_(settings), restPoints_(rest.begin(), rest.end()), points_(restPoints_)
{
    using namespace detail;
    using Vec = BindingVec;
    using Mat = BindingMat;
    using Point = NearestPoints::Point;
    const auto x = particles.attribute<float>("x", 3);
    const auto id = particles.attribute<uint64_t>("id", 1);
    const auto body = bodiesOf(particles);
    const auto F = particles.attribute<float>("F", 9);
    const bool needsF = settings.deformation == Deformation::Gradient;
    if (needsF && F.empty())
        throw Failure("input 'particles' has no deformation gradient F; switch 'Output "
                      "deformation' on in the solver, or take the deformation from the "
                      "neighbours",
                      FLOE_WRONG_KIND);
    settings_.particles = std::clamp<std::size_t>(settings_.particles, 1, kMaxBoundParticles);
    if (id.empty())
        count_ = particles.particleCount();

    // A tree for each group, with the particles' indices.
    struct Tree {
        NearestPoints points;
        std::vector<uint32_t> index;
    };
    std::map<uint32_t, std::pair<std::vector<Point>, std::vector<uint32_t>>> usable;
    for (std::size_t i = 0; i < x.size() / 3; ++i)
        if (const Vec p = vecAt(x, i); isFinite(p) && i < kGone) {
            auto& [places, index] = usable[groups.particles.empty() ? 0 : groups.particles[i]];
            places.push_back({p.x, p.y, p.z});
            index.push_back(static_cast<uint32_t>(i));
        }
    if (usable.empty())
        throw Failure("input 'particles' has no particle that anything could be bound to",
                      FLOE_BAD_ARGUMENT);
    std::map<uint32_t, Tree> trees;
    for (auto& [group, particlesOf] : usable)
        trees.emplace(group, Tree{NearestPoints(std::move(particlesOf.first)),
                                  std::move(particlesOf.second)});
    for (const uint32_t group : groups.points)
        if (!trees.contains(group))
            throw Failure("points are to follow a group of particles that has none",
                          FLOE_BAD_ARGUMENT);

    // One particle more than are bound tells where the weights end.
    const std::size_t wanted = settings_.particles, points = rest.size() / 3;
    bound_.assign(points * wanted, kGone);
    weights_.assign(points * wanted, 0);
    std::atomic<std::size_t> far{0};
    context.parallelFor(points, 1024, [&](uint64_t begin, uint64_t end) {
        std::vector<NearestPoints::Found> found, around;
        for (uint64_t p = begin; p < end; ++p) {
            const Vec X = vecAt(restPoints_, p);
            const Tree& own =
                groups.points.empty() ? trees.begin()->second : trees.at(groups.points[p]);
            const NearestPoints& tree = own.points;
            const std::vector<uint32_t>& usableIndex = own.index;
            tree.find({X.x, X.y, X.z}, wanted + 1, found);
            if (!body.empty()) {
                const uint32_t wantedBody = body[usableIndex[found.front().point]];
                std::erase_if(found, [&](const NearestPoints::Found& one) {
                    return body[usableIndex[one.point]] != wantedBody;
                });
            }
            const std::size_t bound = std::min(wanted, found.size());
            const double reach2 =
                found.size() > wanted ? found.back().distance2 : 4 * found.back().distance2;
            double sum = 0;
            for (std::size_t i = 0; i < bound; ++i)
                sum += weightAt(found[i].distance2, reach2);
            for (std::size_t i = 0; i < bound; ++i) {
                bound_[p * wanted + i] = usableIndex[found[i].point];
                weights_[p * wanted + i] =
                    static_cast<float>(weightAt(found[i].distance2, reach2) / sum);
            }
            tree.find(tree.point(found.front().point), wanted + 1, around);
            if (tree.count() > wanted && found.front().distance2 > around.back().distance2)
                far.fetch_add(1);
        }
    });
    context.throwIfCancelled();
    far_ = far.load();

    // From indices to a table of the particles in use, by id.
    std::vector<uint32_t> used(bound_);
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    if (!used.empty() && used.back() == kGone)
        used.pop_back();
    const auto idOf = [&](uint32_t index) {
        return id.empty() ? uint64_t{index} : id[index];
    };
    std::ranges::stable_sort(used, {}, idOf);
    std::vector<uint32_t> numberOf(x.size() / 3, kGone);
    for (const uint32_t index : used) {
        if (ids_.empty() || ids_.back() != idOf(index)) {
            ids_.push_back(idOf(index));
            restX_.insert(restX_.end(), &x[std::size_t{3} * index], &x[std::size_t{3} * index] + 3);
            if (needsF) {
                const Mat F0 = matAt(F, index);
                const double J = physics::determinant(F0);
                const Mat inverse = std::fabs(J) > 1e-12 // else as if undeformed
                                        ? (1 / J) * physics::transpose(physics::cofactor(F0))
                                        : Mat::identity();
                for (int row = 0; row < 3; ++row)
                    for (int column = 0; column < 3; ++column)
                        inverseF_.push_back(static_cast<float>(inverse[row][column]));
            }
        }
        numberOf[index] = static_cast<uint32_t>(ids_.size() - 1);
    }
    for (uint32_t& bound : bound_)
        if (bound != kGone)
            bound = numberOf[bound];
}

inline ParticleBinding::Now ParticleBinding::locate(const Value& particles) const
{
    using detail::kGone;
    Now now{particles.attribute<float>("x", 3),
            particles.attribute<float>("v", 3),
            particles.attribute<float>("F", 9),
            {}};
    const auto id = particles.attribute<uint64_t>("id", 1);
    const uint64_t count = particles.particleCount();
    if (now.x.empty() && count > 0)
        throw Failure("input 'particles' has no positions any more", FLOE_WRONG_KIND);
    if (settings_.deformation == Deformation::Gradient && now.F.empty() && count > 0)
        throw Failure("input 'particles' has no deformation gradient F any more", FLOE_WRONG_KIND);
    if (count_ > 0 && count != count_)
        throw Failure("the particles have no 'id', and there are " + std::to_string(count) +
                          " where " + std::to_string(count_) +
                          " were bound: which is which is not known; write them with their ids",
                      FLOE_BAD_ARGUMENT);
    now.index.assign(ids_.size(), kGone);
    if (count_ > 0) {
        for (std::size_t i = 0; i < ids_.size(); ++i)
            now.index[i] = static_cast<uint32_t>(ids_[i]);
        return now;
    }
    for (uint64_t i = 0; i < id.size() && i < kGone; ++i) {
        const auto found = std::ranges::lower_bound(ids_, id[i]);
        if (found != ids_.end() && *found == id[i])
            now.index[static_cast<std::size_t>(found - ids_.begin())] = static_cast<uint32_t>(i);
    }
    return now;
}

inline bool ParticleBinding::move(std::size_t point, const Now& now, Motion& motion) const
{
    using namespace detail;
    using Vec = BindingVec;
    using Mat = BindingMat;
    struct Bound {
        double weight;
        Vec rest, now;
        uint32_t number, index;
    };
    std::array<Bound, kMaxBoundParticles> bound;
    std::size_t count = 0;
    double sum = 0;
    for (std::size_t k = 0; k < settings_.particles; ++k) {
        const uint32_t number = bound_[point * settings_.particles + k];
        const uint32_t index = number == kGone ? kGone : now.index[number];
        if (index == kGone)
            continue;
        const Vec position = vecAt(now.x, index);
        if (!isFinite(position))
            continue;
        const double weight = weights_[point * settings_.particles + k];
        bound[count++] = {weight, vecAt(restX_, number), position, number, index};
        sum += weight;
    }
    if (count == 0)
        return false;

    const Vec X = vecAt(restPoints_, point);
    Vec centre{0, 0, 0}, restCentre{0, 0, 0}, velocity{0, 0, 0};
    for (std::size_t i = 0; i < count; ++i) {
        Bound& one = bound[i];
        one.weight /= sum;
        centre = centre + one.weight * one.now;
        restCentre = restCentre + one.weight * one.rest;
        if (!now.v.empty())
            velocity = velocity + one.weight * vecAt(now.v, one.index);
    }
    Motion sums{{0, 0, 0}, velocity, {}};
    if (settings_.deformation == Deformation::Gradient) {
        for (std::size_t i = 0; i < count; ++i) {
            const Bound& one = bound[i];
            const Mat F = matAt(now.F, one.index) * matAt(inverseF_, one.number);
            sums.x = sums.x + one.weight * (one.now + F * (X - one.rest));
            sums.A = sums.A + one.weight * F;
        }
    } else {
        Mat P{}, Q{};
        for (std::size_t i = 0; i < count; ++i) {
            const Bound& one = bound[i];
            addOuter(P, one.weight, one.now - centre, one.rest - restCentre);
            addOuter(Q, one.weight, one.rest - restCentre, one.rest - restCentre);
        }
        sums.A = fitted(P, Q);
        sums.x = centre + sums.A * (X - restCentre);
    }
    motion = sums;
    constexpr double kFar = 1e30; // of what single precision holds
    const auto holds = [](const Vec& a) {
        return std::abs(a.x) < kFar && std::abs(a.y) < kFar && std::abs(a.z) < kFar;
    };
    return holds(motion.x) && holds(motion.v);
}

inline ParticleBinding::Moved ParticleBinding::move(const Context& context, const Value& particles,
                                                    bool gradients)
{
    const Now now = locate(particles);
    const std::size_t count = points();
    Moved moved;
    moved.v.assign(3 * count, 0.0f);
    if (gradients)
        moved.gradients.assign(9 * count, 0.0f);
    std::atomic<std::size_t> lost{0};
    context.parallelFor(count, 1024, [&](uint64_t begin, uint64_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            Motion motion;
            const bool found = move(p, now, motion);
            if (!found) {
                lost.fetch_add(1);
                motion.A = detail::BindingMat::identity();
            }
            for (int axis = 0; found && axis < 3; ++axis) {
                points_[3 * p + static_cast<std::size_t>(axis)] =
                    static_cast<float>(motion.x[axis]);
                moved.v[3 * p + static_cast<std::size_t>(axis)] =
                    static_cast<float>(motion.v[axis]);
            }
            for (int k = 0; gradients && k < 9; ++k)
                moved.gradients[9 * p + static_cast<std::size_t>(k)] =
                    static_cast<float>(motion.A[k / 3][k % 3]);
        }
    });
    lost_ = lost.load();
    moved.x = points_;
    return moved;
}

inline std::vector<float> ParticleBinding::colours(const Value& particles) const
{
    const auto colours = particleColours(particles);
    if (colours.empty())
        return {};
    const Now now = locate(particles);
    std::vector<float> result;
    for (std::size_t p = 0; p < points(); ++p) {
        physics::Vec3<float> colour = colours.front();
        for (std::size_t k = 0; k < settings_.particles; ++k) {
            const uint32_t number = bound_[p * settings_.particles + k];
            const uint32_t index = number == detail::kGone ? detail::kGone : now.index[number];
            if (index < colours.size()) {
                colour = colours[index];
                break;
            }
        }
        result.insert(result.end(), {colour.x, colour.y, colour.z});
    }
    return result;
}

inline void ParticleBinding::save(Writer& writer) const
{
    writer.value<uint64_t>(settings_.particles);
    writer.value<uint64_t>(settings_.deformation == Deformation::Gradient ? 1 : 0);
    writer.value(count_);
    writer.array(restPoints_);
    writer.array(bound_);
    writer.array(weights_);
    writer.array(ids_);
    writer.array(restX_);
    writer.array(inverseF_);
    writer.array(points_);
}

inline ParticleBinding::ParticleBinding(Reader& reader)
{
    using namespace detail;
    settings_.particles = reader.value<uint64_t>();
    const auto gradient = reader.value<uint64_t>();
    settings_.deformation = gradient == 1 ? Deformation::Gradient : Deformation::Neighbours;
    count_ = reader.value<uint64_t>();
    restPoints_ = reader.array<float>();
    bound_ = reader.array<uint32_t>();
    weights_ = reader.array<float>();
    ids_ = reader.array<uint64_t>();
    restX_ = reader.array<float>();
    inverseF_ = reader.array<float>();
    points_ = reader.array<float>();
    const std::size_t points = restPoints_.size() / 3, k = settings_.particles;
    const bool fits =
        k >= 1 && k <= kMaxBoundParticles && gradient <= 1 && restPoints_.size() == 3 * points &&
        points_.size() == 3 * points && bound_.size() == k * points &&
        weights_.size() == k * points && restX_.size() == 3 * ids_.size() &&
        inverseF_.size() == (gradient == 1 ? 9 * ids_.size() : 0) && std::ranges::is_sorted(ids_) &&
        (count_ == 0 || ids_.empty() || ids_.back() < count_) &&
        std::ranges::all_of(bound_, [&](uint32_t b) { return b == kGone || b < ids_.size(); });
    if (!fits)
        throw Failure("the saved binding is damaged", FLOE_IO_FAILED);
}

} // namespace floe::sdk::world
