#include "interface.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

constexpr float kReach = 0.5f; // cells

/// The particles of each bin by cell.
template <class Particle>
class CellLists {
public:
    explicit CellLists(const Bins<Particle>& bins, Executor& executor)
        : bins_(&bins), starts_(bins.size()), orders_(bins.size())
    {
        executor.parallelFor(bins.size(), 8, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b)
                sort(b);
        });
    }
    /// Calls body(bin, particle) for the particles of the cells within one of the cell that a
    /// point, relative to a block's corner, is in.
    template <class Body>
    void around(const BlockCoordinate& block, const Vec3f& x, const Body& body) const
    {
        int low[3];
        for (int axis = 0; axis < 3; ++axis)
            low[axis] =
                static_cast<int>(std::floor(x[axis] / static_cast<float>(bins_->cellSize()))) - 1;
        // Blocks that hold cells low to low + 2.
        for (int i = blockOf(low[0]); i <= blockOf(low[0] + 2); ++i)
            for (int j = blockOf(low[1]); j <= blockOf(low[1] + 2); ++j)
                for (int k = blockOf(low[2]); k <= blockOf(low[2] + 2); ++k) {
                    const auto* bin = bins_->find({block[0] + i, block[1] + j, block[2] + k});
                    if (!bin)
                        continue;
                    const auto b = static_cast<std::size_t>(bin - &(*bins_)[0]);
                    const auto begin = [&](int o, int axis) {
                        return std::max(low[axis] - kBlockEdge * o, 0);
                    };
                    const auto end = [&](int o, int axis) {
                        return std::min(low[axis] + 3 - kBlockEdge * o, kBlockEdge);
                    };
                    for (int cx = begin(i, 0); cx < end(i, 0); ++cx)
                        for (int cy = begin(j, 1); cy < end(j, 1); ++cy)
                            for (int cz = begin(k, 2); cz < end(k, 2); ++cz) {
                                const auto c = static_cast<std::size_t>(cellNumber(cx, cy, cz));
                                for (std::uint32_t n = starts_[b][c]; n < starts_[b][c + 1]; ++n)
                                    body(b, orders_[b][n]);
                            }
                }
    }

private:
    void sort(std::size_t b)
    {
        const auto& particles = (*bins_)[b].particles;
        const auto cellOf = [&](const Particle& p) {
            const auto at = [&](float x) {
                return std::clamp(static_cast<int>(x / static_cast<float>(bins_->cellSize())), 0,
                                  kBlockEdge - 1);
            };
            return static_cast<std::size_t>(cellNumber(at(p.x.x), at(p.x.y), at(p.x.z)));
        };
        auto& start = starts_[b];
        start.fill(0);
        for (const Particle& p : particles)
            ++start[cellOf(p) + 1];
        for (std::size_t c = 0; c < kBlockNodes; ++c)
            start[c + 1] += start[c];
        auto next = start;
        orders_[b].resize(particles.size());
        for (std::uint32_t n = 0; n < particles.size(); ++n)
            orders_[b][next[cellOf(particles[n])]++] = n;
    }

    const Bins<Particle>* bins_;
    std::vector<std::array<std::uint32_t, kBlockNodes + 1>> starts_;
    std::vector<std::vector<std::uint32_t>> orders_;
};

/// Returns the place of a particle relative to another block's corner.
template <class Bin, class Particle>
Vec3f placeFrom(const BlockCoordinate& block, const Bin& bin, const Particle& p, float edge)
{
    return p.x + edge * Vec3f{static_cast<float>(bin.block[0] - block[0]),
                              static_cast<float>(bin.block[1] - block[1]),
                              static_cast<float>(bin.block[2] - block[2])};
}

} // namespace

Interface findInterface(const Fluid& fluid, const Solid& solid, Executor& executor)
{
    const auto cell = static_cast<float>(fluid.cellSize()), edge = kBlockEdge * cell;
    const float reach2 = kReach * kReach * cell * cell;
    const CellLists<FluidParticle> fluids(fluid, executor);
    const CellLists<SolidParticle> solids(solid, executor);
    const auto near = [&](const Vec3f& a, const Vec3f& b) {
        const Vec3f d = a - b;
        return physics::dot(d, d) <= reach2;
    };

    Interface interface;
    interface.shared = fluid;
    executor.parallelFor(fluid.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            for (FluidParticle& p : interface.shared[b].particles) {
                float share = 1;
                solids.around(fluid[b].block, p.x, [&](std::size_t bin, std::uint32_t n) {
                    share += near(
                        p.x, placeFrom(fluid[b].block, solid[bin], solid[bin].particles[n], edge));
                });
                p.mass /= share;
            }
    });

    struct Point {
        InterfacePoint point;
        FluidParticle ghost;
    };
    std::vector<std::vector<Point>> found(solid.size());
    executor.parallelFor(solid.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const auto& particles = solid[b].particles;
            for (std::uint32_t n = 0; n < particles.size(); ++n) {
                FluidParticle ghost{};
                fluids.around(
                    solid[b].block, particles[n].x, [&](std::size_t bin, std::uint32_t other) {
                        const FluidParticle& p = interface.shared[bin].particles[other];
                        if (!near(particles[n].x, placeFrom(solid[b].block, fluid[bin], p, edge)))
                            return;
                        ghost.mass += p.mass;
                        ghost.v = ghost.v + p.mass * p.v;
                        ghost.material = p.material;
                    });
                if (!(ghost.mass > 0))
                    continue;
                ghost.v = (1 / ghost.mass) * ghost.v;
                // A disk through the ball of the particle's volume.
                const float volume = particles[n].volume * (1 + particles[n].change);
                const float radius = std::cbrt(0.75f / 3.14159265f * volume);
                found[b].push_back(
                    {{static_cast<std::uint32_t>(b), n, {0, 0, 0}, 3.14159265f * radius * radius},
                     ghost});
            }
        }
    });
    for (const auto& points : found)
        for (const Point& p : points) {
            interface.points.push_back(p.point);
            const auto& bin = solid[p.point.bin];
            interface.shared.add(solid.placeOf(bin, bin.particles[p.point.particle]), p.ghost);
        }
    if (!interface.points.empty())
        interface.shared.rebin();
    return interface;
}

} // namespace floe::coupled
