#include "settled.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace floe::mpm {
namespace {

constexpr double kGap = 1.5; // [cells]

double lengthOf(const Vec3d& a)
{
    return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/// State of a cube of material under uniaxial compression.
struct Pressed {
    double pressure = 0; ///< along that axis [Pa]
    double volume = 1;   ///< total volume ratio
    double along = 0;    ///< elastic extension along the axis
    double across = 0;   ///< across it
    double state = 0;
};

/// Compresses a material in small steps until it bears `maxPressure` [Pa] or has a fifth of its
/// height.
class Pressing {
public:
    Pressing(const physics::Material& material, double maxPressure)
    {
        constexpr double kFinest = 1e-7, kGrowth = 1.02, kEnd = 1.6; // of the logarithmic strain
        constexpr double kLong = 1e6; // flow is complete within a step [s]
        physics::visitLaw(material, [&](const auto& law) {
            using Law = std::remove_cvref_t<decltype(law)>;
            physics::Vec3<double> extension{0, 0, 0};
            Pressed now;
            now.state = law.initialState();
            path_.push_back(now);
            for (double strain = kFinest; strain < kEnd && path_.back().pressure < maxPressure;
                 strain *= kGrowth) {
                const double before = now.volume;
                now.volume = std::exp(-strain);
                if constexpr (std::is_same_v<Law, physics::Liquid>) {
                    now.state = now.volume - 1;
                    now.pressure = law.pressure(now.state);
                } else {
                    extension.y = (1 + extension.y) * now.volume / before - 1;
                    if constexpr (Law::kPlastic)
                        law.returnMap(extension, now.state, kLong);
                    now.along = extension.y;
                    now.across = extension.x;
                    now.pressure = -law.principalStress(extension, now.state).y / now.volume;
                }
                if (now.pressure > path_.back().pressure)
                    path_.push_back(now);
            }
        });
    }

    Pressed at(double pressure) const
    {
        const auto after =
            std::lower_bound(path_.begin(), path_.end(), pressure,
                             [](const Pressed& p, double value) { return p.pressure < value; });
        if (after == path_.begin() || after == path_.end())
            return after == path_.end() ? path_.back() : path_.front();
        const Pressed &a = *(after - 1), &b = *after;
        const double t = (pressure - a.pressure) / (b.pressure - a.pressure);
        const auto mix = [t](double from, double to) {
            return from + t * (to - from);
        };
        return {pressure, mix(a.volume, b.volume), mix(a.along, b.along), mix(a.across, b.across),
                mix(a.state, b.state)};
    }

private:
    std::vector<Pressed> path_; ///< by increasing pressure
};

} // namespace

std::vector<std::vector<float>> findOverburden(std::span<const NewParticles> sets,
                                               std::span<const float> densities,
                                               const Vec3d& gravity, double cellSize)
{
    std::vector<std::vector<float>> overburden;
    for (const NewParticles& set : sets)
        overburden.emplace_back(set.count, 0.0f);
    const double strength = lengthOf(gravity);
    if (!(strength > 0))
        return overburden;

    // Axes: up, and two horizontal ones.
    Vec3d up{-gravity[0] / strength, -gravity[1] / strength, -gravity[2] / strength};
    int least = 0;
    for (int axis = 1; axis < 3; ++axis)
        least = std::abs(up[axis]) < std::abs(up[least]) ? axis : least;
    Vec3d unit{0, 0, 0};
    unit[least] = 1;
    const auto cross = [](const Vec3d& a, const Vec3d& b) {
        return Vec3d{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]};
    };
    Vec3d side = cross(up, unit);
    const double length = lengthOf(side);
    for (int axis = 0; axis < 3; ++axis)
        side[axis] /= length;
    const Vec3d front = cross(up, side);

    struct Entry {
        std::int64_t column[2];
        double height; // [m]
        std::uint32_t set, index;
    };
    std::vector<Entry> entries;
    std::size_t count = 0;
    for (const NewParticles& set : sets)
        count += set.count;
    entries.reserve(count);
    for (std::size_t s = 0; s < sets.size(); ++s)
        for (std::size_t i = 0; i < sets[s].count; ++i) {
            const float* x = sets[s].x + 3 * i;
            const auto along = [x](const Vec3d& a) {
                return a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
            };
            entries.push_back({{static_cast<std::int64_t>(std::floor(along(side) / cellSize)),
                                static_cast<std::int64_t>(std::floor(along(front) / cellSize))},
                               along(up),
                               static_cast<std::uint32_t>(s),
                               static_cast<std::uint32_t>(i)});
        }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        if (a.column[0] != b.column[0])
            return a.column[0] < b.column[0];
        if (a.column[1] != b.column[1])
            return a.column[1] < b.column[1];
        if (a.height != b.height)
            return a.height > b.height;
        return a.set != b.set ? a.set < b.set : a.index < b.index;
    });

    const Entry* above = nullptr;
    double densityAbove = 0, pressure = 0;
    for (const Entry& entry : entries) {
        const NewParticles& set = sets[entry.set];
        const double density = static_cast<double>(densities[entry.set]) *
                               (set.densityScale ? set.densityScale[entry.index] : 1);
        const bool same = above && above->column[0] == entry.column[0] &&
                          above->column[1] == entry.column[1] &&
                          above->height - entry.height < kGap * cellSize;
        // The topmost particle has half of its own height above its centre.
        pressure = same ? pressure + 0.5 * (density + densityAbove) * strength *
                                         (above->height - entry.height)
                        : 0.5 * density * strength * std::cbrt(set.volume[entry.index]);
        overburden[entry.set][entry.index] = static_cast<float>(pressure);
        above = &entry;
        densityAbove = density;
    }
    return overburden;
}

Settled settle(const NewParticles& particles, const physics::Material& law,
               std::span<const float> overburden, const Vec3d& gravity)
{
    const auto stiffness = [&](std::size_t i) {
        return particles.stiffnessScale ? particles.stiffnessScale[i] : 1.0f;
    };
    double largest = 0;
    for (std::size_t i = 0; i < particles.count; ++i)
        largest = std::max(largest, static_cast<double>(overburden[i]) / stiffness(i));
    const Pressing pressing(law, largest);
    const double strength = lengthOf(gravity);
    Vec3d down{0, 0, 0};
    for (int axis = 0; axis < 3 && strength > 0; ++axis)
        down[axis] = gravity[axis] / strength;

    Settled settled;
    settled.volume.reserve(particles.count);
    settled.strain.reserve(9 * particles.count);
    settled.state.reserve(particles.count);
    for (std::size_t i = 0; i < particles.count; ++i) {
        const Pressed p = pressing.at(static_cast<double>(overburden[i]) / stiffness(i));
        settled.volume.push_back(static_cast<float>(particles.volume[i] / p.volume));
        settled.state.push_back(static_cast<float>(p.state));
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                settled.strain.push_back(
                    static_cast<float>((row == column ? p.across : 0) +
                                       (p.along - p.across) * down[row] * down[column]));
    }
    return settled;
}

} // namespace floe::mpm
