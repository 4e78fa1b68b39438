#include "binding.hpp"

#include "floe/sdk/physics/svd.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace floe::particles {

namespace {

using Mat = physics::Mat3<double>;
using Vec = physics::Vec3<double>;

constexpr uint32_t kGone = std::numeric_limits<uint32_t>::max();
constexpr std::size_t kMaxParticles = 64; // bound to a point

Vec vecAt(std::span<const float> numbers, std::size_t i)
{
    return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

Mat matAt(std::span<const float> numbers, std::size_t i)
{
    Mat m{};
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            m[row][column] = numbers[9 * i + static_cast<std::size_t>(3 * row + column)];
    return m;
}

void addOuter(Mat& sum, double weight, const Vec& a, const Vec& b)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            sum[row][column] += weight * a[row] * b[column];
}

bool isFinite(const Vec& a)
{
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// The map that takes the particles' offsets at rest to those of now best: P Q^-1, completed by a
/// rotation where Q, the spread at rest, has next to no extent.
Mat fitted(const Mat& P, const Mat& Q)
{
    const double third = physics::trace(Q) / 3, det = physics::determinant(Q);
    if (det > 1e-3 * third * third * third) // spread about evenly: no need for singular values
        return (1 / det) * (P * physics::cofactor(Q)); // Q is symmetric, and so are its cofactors
    // Singular values of Q are squared lengths: a thousandth of the largest extent is flat.
    constexpr double kFlat = 1e-6;
    const physics::Svd<double> q = physics::svd(Q);
    Mat inverse{}, flat{};
    for (int axis = 0; axis < 3; ++axis) {
        const Vec direction = q.V.column(axis);
        if (q.sigma[axis] > kFlat * q.sigma.x)
            addOuter(inverse, 1 / q.sigma[axis], direction, direction);
        else
            addOuter(flat, 1, direction, direction);
    }
    const Mat A = P * inverse;
    return A + physics::polarRotation(A) * flat;
}

/// Weights that are 1 at distance 0 and fall smoothly to 0 at `reach`; never all 0.
double weightAt(double distance2, double reach2)
{
    const double t = reach2 > 0 ? 1 - distance2 / reach2 : 0;
    return std::max(t * t * t, 1e-12);
}

} // namespace

Binding::Binding(const sdk::Context& context, const BindingSettings& settings,
                 const floe_mesh& rest, const sdk::Value& particles)
    : settings_(settings),
      restPoints_(rest.points, rest.points + std::size_t{3} * rest.point_count),
      triangles_(rest.triangles, rest.triangles + std::size_t{3} * rest.triangle_count),
      points_(restPoints_)
{
    const auto x = particles.attribute<float>("x", 3);
    const auto id = particles.attribute<uint64_t>("id", 1);
    const auto F = particles.attribute<float>("F", 9);
    const bool needsF = settings.deformation == Deformation::Gradient;
    if (needsF && F.empty())
        throw sdk::Failure("input 'particles' has no deformation gradient F; switch 'Output "
                           "deformation' on in the solver, or take the deformation from the "
                           "neighbours",
                           FLOE_WRONG_KIND);
    settings_.particles = std::clamp<std::size_t>(settings_.particles, 1, kMaxParticles);
    if (id.empty())
        count_ = particles.particleCount();

    std::vector<Point> usable;
    std::vector<uint32_t> usableIndex;
    for (std::size_t i = 0; i < x.size() / 3; ++i)
        if (const Vec p = vecAt(x, i); isFinite(p) && i < kGone) {
            usable.push_back({p.x, p.y, p.z});
            usableIndex.push_back(static_cast<uint32_t>(i));
        }
    if (usable.empty())
        throw sdk::Failure("input 'particles' has no particle that the mesh could be bound to",
                           FLOE_BAD_ARGUMENT);
    const NearestPoints tree(std::move(usable));

    // One particle more than are bound tells where the weights end.
    const std::size_t wanted = settings_.particles, points = rest.point_count;
    bound_.assign(points * wanted, kGone);
    weights_.assign(points * wanted, 0);
    std::atomic<std::size_t> far{0};
    context.parallelFor(points, 1024, [&](uint64_t begin, uint64_t end) {
        std::vector<NearestPoints::Found> found, around;
        for (uint64_t p = begin; p < end; ++p) {
            const Vec X = vecAt(restPoints_, p);
            tree.find({X.x, X.y, X.z}, wanted + 1, found);
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
            if (found.front().distance2 > around.back().distance2)
                far.fetch_add(1);
        }
    });
    context.throwIfCancelled();
    far_ = tree.count() > wanted ? far.load() : 0;

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

Binding::Now Binding::locate(const sdk::Value& particles) const
{
    Now now{particles.attribute<float>("x", 3),
            particles.attribute<float>("v", 3),
            particles.attribute<float>("F", 9),
            {}};
    const auto id = particles.attribute<uint64_t>("id", 1);
    const uint64_t count = particles.particleCount();
    if (now.x.empty() && count > 0)
        throw sdk::Failure("input 'particles' has no positions any more", FLOE_WRONG_KIND);
    if (settings_.deformation == Deformation::Gradient && now.F.empty() && count > 0)
        throw sdk::Failure("input 'particles' has no deformation gradient F any more",
                           FLOE_WRONG_KIND);
    if (count_ > 0 && count != count_)
        throw sdk::Failure(
            "the particles have no 'id', and there are " + std::to_string(count) + " where " +
                std::to_string(count_) +
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

bool Binding::move(std::size_t point, const Now& now, float* x, float* v) const
{
    struct Bound {
        double weight;
        Vec rest, now;
        uint32_t number, index;
    };
    std::array<Bound, kMaxParticles> bound;
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
    Vec moved{0, 0, 0};
    if (settings_.deformation == Deformation::Gradient) {
        for (std::size_t i = 0; i < count; ++i) {
            const Bound& one = bound[i];
            const Mat F = matAt(now.F, one.index) * matAt(inverseF_, one.number);
            moved = moved + one.weight * (one.now + F * (X - one.rest));
        }
    } else {
        Mat P{}, Q{};
        for (std::size_t i = 0; i < count; ++i) {
            const Vec offset = bound[i].rest - restCentre;
            addOuter(P, bound[i].weight, bound[i].now - centre, offset);
            addOuter(Q, bound[i].weight, offset, offset);
        }
        moved = centre + fitted(P, Q) * (X - restCentre);
    }
    if (!isFinite(moved) || !isFinite(velocity))
        return false;
    for (int axis = 0; axis < 3; ++axis) {
        x[axis] = static_cast<float>(moved[axis]);
        v[axis] = static_cast<float>(velocity[axis]);
    }
    return std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]) &&
           std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

sdk::Value Binding::deform(const sdk::Context& context, const sdk::Value& particles)
{
    const Now now = locate(particles);
    const std::size_t count = restPoints_.size() / 3;
    std::vector<float> velocities(restPoints_.size(), 0.0f);
    std::atomic<std::size_t> lost{0};
    context.parallelFor(count, 1024, [&](uint64_t begin, uint64_t end) {
        for (uint64_t p = begin; p < end; ++p) {
            std::array<float, 3> x{}, v{};
            if (!move(p, now, x.data(), v.data())) {
                lost.fetch_add(1);
                continue;
            }
            std::ranges::copy(x, points_.begin() + static_cast<std::ptrdiff_t>(3 * p));
            std::ranges::copy(v, velocities.begin() + static_cast<std::ptrdiff_t>(3 * p));
        }
    });
    lost_ = lost.load();
    floe_mesh mesh{};
    mesh.struct_size = sizeof mesh;
    mesh.point_count = static_cast<uint32_t>(count);
    mesh.points = points_.data();
    mesh.triangle_count = static_cast<uint32_t>(triangles_.size() / 3);
    mesh.triangles = triangles_.data();
    mesh.velocities = velocities.data();
    return sdk::made(sdk::host().values->make_mesh(&mesh));
}

void Binding::save(sdk::Writer& writer) const
{
    writer.value<uint64_t>(settings_.particles);
    writer.value<uint64_t>(settings_.deformation == Deformation::Gradient ? 1 : 0);
    writer.value(count_);
    writer.array(restPoints_);
    writer.array(triangles_);
    writer.array(bound_);
    writer.array(weights_);
    writer.array(ids_);
    writer.array(restX_);
    writer.array(inverseF_);
    writer.array(points_);
}

Binding::Binding(sdk::Reader& reader)
{
    settings_.particles = reader.value<uint64_t>();
    const auto gradient = reader.value<uint64_t>();
    settings_.deformation = gradient == 1 ? Deformation::Gradient : Deformation::Neighbours;
    count_ = reader.value<uint64_t>();
    restPoints_ = reader.array<float>();
    triangles_ = reader.array<uint32_t>();
    bound_ = reader.array<uint32_t>();
    weights_ = reader.array<float>();
    ids_ = reader.array<uint64_t>();
    restX_ = reader.array<float>();
    inverseF_ = reader.array<float>();
    points_ = reader.array<float>();
    const std::size_t points = restPoints_.size() / 3, k = settings_.particles;
    const bool fits =
        k >= 1 && k <= kMaxParticles && gradient <= 1 && restPoints_.size() == 3 * points &&
        points_.size() == 3 * points && bound_.size() == k * points &&
        weights_.size() == k * points && restX_.size() == 3 * ids_.size() &&
        inverseF_.size() == (gradient == 1 ? 9 * ids_.size() : 0) && std::ranges::is_sorted(ids_) &&
        (count_ == 0 || ids_.empty() || ids_.back() < count_) &&
        std::ranges::all_of(bound_, [&](uint32_t b) { return b == kGone || b < ids_.size(); }) &&
        std::ranges::all_of(triangles_, [&](uint32_t corner) { return corner < points; });
    if (!fits)
        throw sdk::Failure("the saved binding is damaged", FLOE_IO_FAILED);
}

} // namespace floe::particles
