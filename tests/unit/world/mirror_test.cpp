// Walls that mirror: what they make of velocities, by themselves.

#include <floe/sdk/world/mirror.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

using namespace floe::sdk::world;

namespace {

constexpr int kFirst = -4, kNodes = 20; ///< of a column; the wall is at `wall` above node 0

/// A column of nodes over a stick wall, and particles between them: APIC's transfers, of a velocity
/// along the wall.
struct Column {
    MirrorAxis axis;
    std::vector<double> particles;
    std::array<NodeValue, kNodes> node{};

    explicit Column(double wall) { axis.addWall(wall, 1, Contact::stick); }

    NodeValue& at(int n) { return node[static_cast<std::size_t>(n - kFirst)]; }
    /// f(node, weight) for the three nodes that a particle feels.
    template <class Function>
    static void forNodes(double y, const Function& f)
    {
        const int base = static_cast<int>(std::floor(y - 0.5));
        const double d = y - base;
        f(base, 0.5 * (1.5 - d) * (1.5 - d));
        f(base + 1, 0.75 - (d - 1) * (d - 1));
        f(base + 2, 0.5 * (d - 0.5) * (d - 0.5));
    }
    MirrorStencil stencil(const AxisStencil& along) const
    {
        MirrorStencil s;
        s.axis[0].add(0, 1, 1, 1);
        s.axis[1] = along;
        s.axis[2].add(0, 1, 1, 1);
        return s;
    }
    void extend()
    {
        for (int n = kFirst + 2; n < 6; ++n) {
            const MirrorStencil s = stencil(axis.extend(n));
            const auto around = [&](int, int y, int) {
                return at(n + y);
            };
            if (!s.isTrivial() && at(n).mass > 0)
                at(n).v = s.where(around).extended(around);
        }
    }
    void step()
    {
        std::array<double, kNodes> momentum{}, mass{};
        for (const double y : particles) {
            double v = 0, C = 0;
            forNodes(y, [&](int n, double w) {
                v += w * static_cast<double>(at(n).v.x);
                C += 4 * w * static_cast<double>(at(n).v.x) * (n - y);
            });
            forNodes(y, [&](int n, double w) {
                const auto i = static_cast<std::size_t>(n - kFirst);
                momentum[i] += w * (v + C * (n - y));
                mass[i] += w;
            });
        }
        for (std::size_t i = 0; i < kNodes; ++i)
            node[i] = {{mass[i] > 0 ? static_cast<float>(momentum[i] / mass[i]) : 0, 0, 0},
                       static_cast<float>(mass[i])};
        const auto summed = node;
        for (int n = kFirst; n < kFirst + kNodes; ++n) {
            const MirrorStencil s = stencil(axis.fold(n));
            if (s.isEmpty())
                continue;
            const auto around = [&](int, int y, int) {
                return summed[static_cast<std::size_t>(n + y - kFirst)];
            };
            at(n).v.x = s.where(around).folded(around).x * axis.held(n, false);
        }
        extend();
    }
    float fastest() const
    {
        float v = 0;
        for (const NodeValue& n : node)
            v = std::max(v, n.mass > 0 ? std::abs(n.v.x) : 0.0f);
        return v;
    }
};

} // namespace

// Particles at random places, more or fewer of them close to the wall, that do not move: whatever
// they do to each other's velocities a thousand times, these do not grow.
TEST(StickWall, AddsNoSpeed)
{
    std::mt19937 random(7);
    for (int trial = 0; trial < 400; ++trial) {
        const double wall = trial % 4 * 0.25;
        Column column(wall);
        for (int cell = 0; cell < 6; ++cell)
            for (std::uint32_t i = random() % 5; i > 0; --i)
                column.particles.push_back(wall + cell +
                                           static_cast<double>(random() % 1000) / 1000);
        for (NodeValue& node : column.node)
            node.v.x = static_cast<float>(random() % 1000) / 500 - 1;
        column.step();
        const float before = column.fastest();
        for (int step = 0; step < 1000; ++step)
            column.step();
        EXPECT_LE(column.fastest(), 3 * before) << trial;
    }
}

// What a film does is a parabola, and stays one behind the wall.
TEST(StickWall, ContinuesAParabola)
{
    for (const double wall : {0.0, 0.25, 0.5, 0.75}) {
        Column column(wall);
        const auto film = [&](int n) {
            return static_cast<float>((n - wall) * (12 - (n - wall)));
        };
        for (int n = kFirst; n < kFirst + kNodes; ++n)
            column.at(n) = {{n > wall ? film(n) : 0, 0, 0}, n > wall ? 1 : 0.01f};
        for (int n = kFirst; n < wall - 1.6; ++n) // nobody is so deep
            column.at(n).mass = 0;
        column.extend();
        for (int n = wall <= 0.5 ? -1 : 0; n < wall; ++n) // as deep as particles feel
            EXPECT_NEAR(column.at(n).v.x, film(n), 1e-4) << wall << ", node " << n;
    }
}
