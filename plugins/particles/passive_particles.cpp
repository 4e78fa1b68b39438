#include "passive_particles.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace floe::particles {

namespace {

/// @return indices of particles in the order of their ids
std::vector<uint32_t> sortedById(std::span<const uint64_t> id)
{
    if (id.size() > std::numeric_limits<uint32_t>::max())
        throw std::invalid_argument("there are more than four billion particles");
    std::vector<uint32_t> order(id.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto before = [&](uint32_t a, uint32_t b) {
        return id[a] < id[b];
    };
    if (!std::is_sorted(order.begin(), order.end(), before))
        std::sort(order.begin(), order.end(), before);
    for (std::size_t i = 1; i < order.size(); ++i)
        if (id[order[i]] == id[order[i - 1]])
            throw std::invalid_argument("two particles have the id " +
                                        std::to_string(id[order[i]]));
    return order;
}

} // namespace

PassiveParticles::Tally PassiveParticles::step(const Simulated& simulated, const Settings& settings,
                                               const ForRange& forRange)
{
    const std::vector<uint32_t> order = sortedById(simulated.id);
    State next;
    next.id.resize(order.size());
    next.x.resize(3 * order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        next.id[i] = simulated.id[order[i]];
        std::copy_n(&simulated.x[std::size_t{3} * order[i]], 3, &next.x[3 * i]);
    }

    // How those have moved that were there before.
    constexpr auto kNew = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> before(order.size(), kNew); // index of each in the field
    std::vector<float> from, moved;
    for (std::size_t i = 0, old = 0; i < next.id.size(); ++i) {
        while (old < state_.id.size() && state_.id[old] < next.id[i])
            ++old;
        if (old == state_.id.size() || state_.id[old] != next.id[i])
            continue;
        before[i] = from.size() / 3;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            double way = double{next.x[3 * i + axis]} - double{state_.x[3 * old + axis]};
            if (settings.domain.bounded && settings.domain.periodic[axis]) // the shorter way
                way = std::remainder(way, 2 * settings.domain.halfSize[static_cast<int>(axis)]);
            from.push_back(state_.x[3 * old + axis]);
            moved.push_back(static_cast<float>(way));
        }
    }
    const DisplacementField field(from, moved, settings.cellSize,
                                  sdk::world::Period(settings.domain, settings.cellSize), forRange);

    // Those that go on, and new ones, in the order of their parents.
    Tally tally;
    std::vector<uint32_t> parents;
    std::vector<std::size_t> rank; // of each one's parent among the ids
    const sdk::SubCells cut = sdk::subCells(static_cast<int>(settings.count));
    std::size_t old = 0;
    for (std::size_t i = 0; i < next.id.size(); ++i) {
        while (old < state_.passive.size() && state_.passive[old].parent < next.id[i])
            ++old, ++tally.ended;
        if (before[i] != kNew) {
            for (; old < state_.passive.size() && state_.passive[old].parent == next.id[i]; ++old) {
                next.passive.push_back(state_.passive[old]);
                next.passive.back().isNew = 0;
                parents.push_back(order[i]);
                rank.push_back(i);
            }
            continue;
        }
        const double volume = simulated.volume.empty()
                                  ? settings.cellSize * settings.cellSize * settings.cellSize / 8
                                  : double{simulated.volume[order[i]]};
        const double edge = volume > 0 ? std::cbrt(volume) : 0;
        const uint64_t seed = sdk::mixBits(settings.seed ^ sdk::mixBits(next.id[i]));
        uint32_t number = 0;
        sdk::forEachSample(cut, seed, 1, 0, 0, 0, [&](double x, double y, double z, auto&) {
            Passive made{};
            const double place[3] = {x, y, z};
            for (std::size_t axis = 0; axis < 3; ++axis)
                made.x[axis] = static_cast<float>(settings.domain.wrapped(
                    static_cast<int>(axis), next.x[3 * i + axis] + edge * (place[axis] - 0.5)));
            made.parent = next.id[i];
            made.number = number++;
            made.isNew = 1;
            next.passive.push_back(made);
            parents.push_back(order[i]);
            rank.push_back(i);
        });
        tally.born += number;
    }
    tally.ended += state_.passive.size() - old;

    std::vector<uint8_t> alone(next.passive.size());
    forRange(next.passive.size(), 1024, [&](uint64_t begin, uint64_t end) {
        for (uint64_t n = begin; n < end; ++n) {
            Passive& passive = next.passive[n];
            if (passive.isNew)
                continue;
            Point way;
            if (!field.at({passive.x[0], passive.x[1], passive.x[2]}, way)) {
                alone[n] = 1;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    way[axis] = moved[3 * before[rank[n]] + axis];
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                passive.moved[axis] = static_cast<float>(way[axis]);
                passive.x[axis] = static_cast<float>(
                    settings.domain.wrapped(static_cast<int>(axis), passive.x[axis] + way[axis]));
            }
        }
    });
    tally.alone = static_cast<uint64_t>(std::count(alone.begin(), alone.end(), uint8_t{1}));
    state_ = std::move(next);
    parents_ = std::move(parents);
    return tally;
}

void PassiveParticles::restore(State state)
{
    const auto ascends = [](const auto& a, const auto& b) {
        return a.parent < b.parent || (a.parent == b.parent && a.number < b.number);
    };
    const auto notBefore = [&](const auto& a, const auto& b) {
        return !ascends(a, b);
    };
    const auto& passive = state.passive;
    if (state.x.size() != 3 * state.id.size() ||
        std::adjacent_find(state.id.begin(), state.id.end(), std::greater_equal<>()) !=
            state.id.end() ||
        std::adjacent_find(passive.begin(), passive.end(), notBefore) != passive.end())
        throw std::invalid_argument("the state of passive particles is damaged");
    state_ = std::move(state);
    parents_.clear();
}

} // namespace floe::particles
