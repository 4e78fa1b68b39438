/// A pool of water at rest as a pressure system, of any size: walls below and around, air above.
#pragma once

#include "system/pressure_system.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled::test {

/// Numbers in [0, 1) that are the same everywhere.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : state_(seed) {}
    double next()
    {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<double>(state_ >> 11) / 9007199254740992.0;
    }

private:
    std::uint64_t state_;
};

/// n x n/2 x n cells of a cube's lower half, one metre wide; faces have uneven masses, as particles
/// give them.
class Pool {
public:
    explicit Pool(int n) : n_(n), high_(n / 2)
    {
        const double edge = 1.0 / n, area = edge * edge, dt = 0.01;
        Numbers numbers(5);
        std::vector<double> mobility(3 * static_cast<std::size_t>(n + 1) *
                                     static_cast<std::size_t>(high_ + 1) *
                                     static_cast<std::size_t>(n + 1));
        for (double& m : mobility)
            m = dt / (1000 * area * edge * (0.8 + 0.4 * numbers.next()));
        system.begin(std::move(mobility));
        for (int x = 0; x < n; ++x)
            for (int y = 0; y < high_; ++y)
                for (int z = 0; z < n; ++z) {
                    const auto entry = [&](int side, double coefficient) {
                        const int d[3] = {side / 2 == 0, side / 2 == 1, side / 2 == 2};
                        const int s = side % 2, to = 2 * s - 1;
                        const int nx = x + to * d[0], ny = y + to * d[1], nz = z + to * d[2];
                        const bool wall = nx < 0 || nx == n || ny < 0 || nz < 0 || nz == n;
                        return PressureSystem::Entry{
                            face(x + s * d[0], y + s * d[1], z + s * d[2], side / 2), coefficient,
                            wall          ? PressureSystem::Entry::kWall
                            : ny == high_ ? PressureSystem::Entry::kNothing
                                          : static_cast<std::uint32_t>((nx * high_ + ny) * n + nz)};
                    };
                    const PressureSystem::Entry entries[] = {entry(0, area), entry(1, -area),
                                                             entry(2, area), entry(3, -area),
                                                             entry(4, area), entry(5, -area)};
                    system.add(Unknown::fluidPressure, {x, y, z}, 0, 1e-8, true, entries);
                }
        const auto wall = [&](int x, int y, int z, int axis) {
            const PressureSystem::Entry entry{face(x, y, z, axis), area};
            system.add(Unknown::wallPressure, {x, y, z}, axis, 1e-8, true, {&entry, 1});
        };
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                wall(i, 0, j, 1);
        for (int y = 0; y < high_; ++y)
            for (int i = 0; i < n; ++i) {
                wall(0, y, i, 0);
                wall(n, y, i, 0);
                wall(i, y, 0, 2);
                wall(i, y, n, 2);
            }
        system.end();
    }
    std::uint32_t face(int x, int y, int z, int axis) const
    {
        return static_cast<std::uint32_t>(((x * (high_ + 1) + y) * (n_ + 1) + z) * 3 + axis);
    }
    /// A flow without any order.
    std::vector<double> flow() const
    {
        Numbers numbers(11);
        std::vector<double> v(system.velocities());
        for (double& component : v)
            component = numbers.next() - 0.5;
        return v;
    }

    PressureSystem system;

private:
    int n_, high_;
};

} // namespace floe::coupled::test
