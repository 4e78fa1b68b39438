#include "settled.hpp"

#include <floe/sdk/sampling.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>

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

namespace {

/// A particle in a column one cell wide.
struct Entry {
    std::int64_t column[2];
    double height;       ///< along the column [m]
    std::uint64_t place; ///< among all of its set
    std::uint32_t set;
    float volume;   ///< [m^3]
    double density; ///< [kg/m^3]
};

/// Puts the particles of all sets into columns along gravity.
/// @param up  unit
std::vector<Entry> columnsOf(std::span<const NewParticles> sets, std::span<const float> densities,
                             const Vec3d& up, double cellSize)
{
    int least = 0; // axes: up, and two horizontal ones
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
                               sets[s].part ? sets[s].place[i] : i,
                               static_cast<std::uint32_t>(s),
                               sets[s].volume[i],
                               static_cast<double>(densities[s]) *
                                   (sets[s].densityScale ? sets[s].densityScale[i] : 1)});
        }
    return entries;
}

/// Returns the pressure on each entry [Pa]. Columns are whole.
/// @param strength  of gravity [m/s^2]
std::vector<float> pressuresIn(std::span<const Entry> entries, double strength, double cellSize)
{
    std::vector<std::size_t> order(entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        const Entry &a = entries[i], &b = entries[j];
        if (a.column[0] != b.column[0])
            return a.column[0] < b.column[0];
        if (a.column[1] != b.column[1])
            return a.column[1] < b.column[1];
        if (a.height != b.height)
            return a.height > b.height;
        return a.set != b.set ? a.set < b.set : a.place < b.place;
    });
    std::vector<float> pressures(entries.size());
    const Entry* above = nullptr;
    double pressure = 0;
    for (const std::size_t i : order) {
        const Entry& entry = entries[i];
        const bool same = above && above->column[0] == entry.column[0] &&
                          above->column[1] == entry.column[1] &&
                          above->height - entry.height < kGap * cellSize;
        // The topmost particle has half of its own height above its centre.
        pressure = same ? pressure + 0.5 * (entry.density + above->density) * strength *
                                         (above->height - entry.height)
                        : 0.5 * entry.density * strength * std::cbrt(entry.volume);
        pressures[i] = static_cast<float>(pressure);
        above = &entry;
    }
    return pressures;
}

/// The same where columns lie on several ranks: each brings some of them together, and tells
/// everyone what is on theirs.
std::vector<float> pressuresOnRanks(const Ranks& ranks, std::span<const Entry> entries,
                                    double strength, double cellSize)
{
    using sdk::parallel::BytesIn;
    using sdk::parallel::BytesOut;
    const auto size = static_cast<std::uint64_t>(ranks.size());
    const auto rankOf = [&](const Entry& entry) {
        return sdk::hashPoint(0, entry.column[0], entry.column[1], 0) % size;
    };
    std::vector<BytesOut> out(size);
    for (const Entry& entry : entries)
        out[rankOf(entry)].put(entry);
    std::vector<Ranks::Bytes> toEach;
    for (BytesOut& bytes : out)
        toEach.push_back(std::move(bytes.bytes));
    std::vector<Entry> columns;
    std::vector<std::size_t> counts;
    for (const auto& bytes : ranks.exchange(toEach)) {
        const std::size_t before = columns.size();
        for (BytesIn in(bytes); !in.empty();)
            columns.push_back(in.get<Entry>());
        counts.push_back(columns.size() - before);
    }
    const std::vector<float> pressures = pressuresIn(columns, strength, cellSize);
    toEach.clear();
    std::size_t from = 0;
    for (const std::size_t count : counts) {
        BytesOut answer;
        answer.put(pressures.data() + from, count * sizeof(float));
        from += count;
        toEach.push_back(std::move(answer.bytes));
    }
    const auto answers = ranks.exchange(toEach);
    std::vector<BytesIn> in(answers.begin(), answers.end());
    std::vector<float> own;
    own.reserve(entries.size());
    for (const Entry& entry : entries)
        own.push_back(in[rankOf(entry)].get<float>());
    return own;
}

} // namespace

std::vector<std::vector<float>> findOverburden(std::span<const NewParticles> sets,
                                               std::span<const float> densities,
                                               const Vec3d& gravity, double cellSize,
                                               const Ranks* ranks)
{
    std::vector<std::vector<float>> overburden;
    for (const NewParticles& set : sets)
        overburden.emplace_back(set.count, 0.0f);
    const double strength = lengthOf(gravity);
    if (!(strength > 0))
        return overburden;
    const Vec3d up{-gravity[0] / strength, -gravity[1] / strength, -gravity[2] / strength};
    const std::vector<Entry> entries = columnsOf(sets, densities, up, cellSize);
    const std::vector<float> pressures = ranks
                                             ? pressuresOnRanks(*ranks, entries, strength, cellSize)
                                             : pressuresIn(entries, strength, cellSize);
    auto next = pressures.begin();
    for (std::vector<float>& of : overburden) {
        std::copy_n(next, of.size(), of.begin());
        next += static_cast<std::ptrdiff_t>(of.size());
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
