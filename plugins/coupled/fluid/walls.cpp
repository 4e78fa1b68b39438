#include "walls.hpp"

#include <algorithm>
#include <cmath>

namespace floe::coupled {

using namespace sdk::grid;
using namespace sdk::world;

namespace {
constexpr float kFar = 2; // cells
constexpr float kSkin = 0.02f;
} // namespace

void Walls::sample(const Lattice& lattice, const Surroundings& surroundings, double cellSize,
                   Executor& executor)
{
    near_.assign(lattice.size(), 0);
    open_.assign(lattice.faces(), 1);
    sticks_.assign(lattice.faces(), 0);
    velocity_.assign(lattice.faces(), 0);
    volume_.assign(lattice.cells(), 1);
    distance_.assign(lattice.cells(), kFar);
    cornerVelocity_.assign(lattice.cells(), {0, 0, 0});
    cornerSticks_.assign(lattice.cells(), 0);
    const auto forBlocks = [&](const auto& body) {
        executor.parallelFor(lattice.size(), 8, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b)
                body(b);
        });
    };
    forBlocks([&](std::size_t b) { sampleCorners(lattice, b, surroundings, cellSize); });
    forBlocks([&](std::size_t b) {
        if (near_[b])
            findShares(lattice, b);
    });
}

void Walls::sampleCorners(const Lattice& lattice, std::size_t b, const Surroundings& surroundings,
                          double cellSize)
{
    const double edge = kBlockEdge * cellSize;
    const BlockCoordinate& block = lattice.block(b);
    PointBatch points;
    points.corner = {block[0] * edge, block[1] * edge, block[2] * edge};
    const Vec3d center = points.corner + Vec3d{0.5 * edge, 0.5 * edge, 0.5 * edge};
    const double radius = 0.87 * edge + 2 * cellSize;
    const Domain& domain = surroundings.domain;
    const bool walled = domain.nearWall(center, radius);
    bool any = walled;
    for (const auto& collider : surroundings.colliders)
        any = any || collider->mayTouch(center, radius);
    if (!any)
        return;
    near_[b] = 1;
    points.count = kBlockNodes;
    for (int c = 0; c < kBlockNodes; ++c) {
        points.x[0][c] = static_cast<float>((c >> 4) * cellSize);
        points.x[1][c] = static_cast<float>((c >> 2 & 3) * cellSize);
        points.x[2][c] = static_cast<float>((c & 3) * cellSize);
        points.setVelocity(c, {0, 0, 0});
        points.mass[c] = 1;
    }
    const auto unit = static_cast<float>(cellSize);
    const auto take = [&](int c, float distance, Contact contact, const Vec3f& v) {
        const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
        float cells = std::clamp(distance / unit, -kFar, kFar);
        if (std::abs(cells) < kSkin) // rounding must not open a wall along faces
            cells = 0;
        if (cells >= distance_[cell])
            return;
        distance_[cell] = cells;
        cornerVelocity_[cell] = v;
        cornerSticks_[cell] = contact == Contact::stick;
    };
    for (int face = 0; walled && face < 6; ++face)
        if (domain.isWall(face)) {
            const Wall wall(domain, face, points.corner);
            for (int c = 0; c < kBlockNodes; ++c)
                take(c, wall.distance(points.offset(c)), wall.contact, {0, 0, 0});
        }
    ColliderSample sample;
    for (const auto& collider : surroundings.colliders)
        if (collider->contact != Contact::open && collider->mayTouch(center, radius)) {
            collider->sample(points, sample);
            for (int c = 0; c < kBlockNodes; ++c)
                take(c, sample.distance[c], collider->contact,
                     sample.distance[c] > 0 ? Vec3f{0, 0, 0} : sample.at(c).v);
        }
}

void Walls::findShares(const Lattice& lattice, std::size_t b)
{
    /// The share of some corners' surroundings in which the distance is positive.
    struct Share {
        float outside = 0, whole = 0, inside = 0;
        bool sticks = false;
        Vec3f velocity{0, 0, 0};

        float open() const { return whole > 0 ? outside / whole : 0; }
    };
    for (int c = 0; c < kBlockNodes; ++c) {
        const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
        const auto add = [&](Share& share, int x, int y, int z) {
            const std::int64_t corner = lattice.cellAt(b, at[0] + x, at[1] + y, at[2] + z);
            const float d = corner < 0 ? kFar : distance_[static_cast<std::size_t>(corner)];
            share.outside += std::max(d, 0.0f);
            share.whole += std::abs(d);
            if (d <= 0 && corner >= 0) {
                share.inside += 1;
                share.velocity = share.velocity + cornerVelocity_[static_cast<std::size_t>(corner)];
                share.sticks = share.sticks || cornerSticks_[static_cast<std::size_t>(corner)];
            }
        };
        const std::size_t cell = b * kBlockNodes + static_cast<std::size_t>(c);
        if (distance_[cell] > 1.8f) // the other corners are at most sqrt(3) cells away
            continue;
        for (int axis = 0; axis < 3; ++axis) {
            Share share;
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j)
                    add(share, axis == 0 ? 0 : i,
                        axis == 1   ? 0
                        : axis == 0 ? i
                                    : j,
                        axis == 2 ? 0 : j);
            const std::size_t face = Lattice::faceOf(cell, axis);
            open_[face] = share.open();
            sticks_[face] = share.sticks;
            if (share.inside > 0)
                velocity_[face] = share.velocity[axis] / share.inside;
        }
        Share share;
        for (int corner = 0; corner < 8; ++corner)
            add(share, corner >> 2, corner >> 1 & 1, corner & 1);
        volume_[cell] = share.open();
    }
}

} // namespace floe::coupled
