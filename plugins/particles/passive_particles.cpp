#include "passive_particles.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace floe::particles {

namespace {

/// @return indices of particles in the order of their ids
/// @throws std::invalid_argument  two have the same
std::vector<uint32_t> sortedById(std::span<const uint64_t> id)
{
    if (id.size() > std::numeric_limits<uint32_t>::max())
        throw std::invalid_argument("there are more than four billion particles");
    std::vector<uint32_t> order(id.size());
    if (id.empty())
        return order;
    const auto twice = [](uint64_t which) {
        return std::invalid_argument("two particles have the id " + std::to_string(which));
    };
    const auto [least, greatest] = std::minmax_element(id.begin(), id.end());
    if (*greatest - *least < 8 * id.size()) { // as solvers give them: few numbers are left out
        constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
        std::vector<uint32_t> indices(*greatest - *least + 1, kNone);
        for (std::size_t i = 0; i < id.size(); ++i) {
            uint32_t& index = indices[id[i] - *least];
            if (index != kNone)
                throw twice(id[i]);
            index = static_cast<uint32_t>(i);
        }
        std::copy_if(indices.begin(), indices.end(), order.begin(),
                     [](uint32_t index) { return index != kNone; });
        return order;
    }
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return id[a] < id[b]; });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (id[order[i]] == id[order[i - 1]])
            throw twice(id[order[i]]);
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
    constexpr auto kNew = std::numeric_limits<uint32_t>::max();
    std::vector<uint32_t> before(order.size(), kNew); // index of each in the field
    std::vector<float> from, moved;
    from.reserve(next.x.size());
    moved.reserve(next.x.size());
    for (std::size_t i = 0, old = 0; i < next.id.size(); ++i) {
        while (old < state_.id.size() && state_.id[old] < next.id[i])
            ++old;
        if (old == state_.id.size() || state_.id[old] != next.id[i])
            continue;
        before[i] = static_cast<uint32_t>(from.size() / 3);
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

    // Those of particles that are gone end; new particles get theirs.
    Tally tally;
    next.passive = std::move(state_.passive);
    std::vector<Passive>& passive = next.passive;
    std::size_t at = 0;
    tally.ended = std::erase_if(passive, [&](const Passive& one) {
        while (at < next.id.size() && next.id[at] < one.parent)
            ++at;
        return at == next.id.size() || next.id[at] != one.parent || before[at] == kNew;
    });
    const auto kept = static_cast<std::ptrdiff_t>(passive.size());
    const sdk::SubCells cut = sdk::subCells(static_cast<int>(settings.count));
    for (std::size_t i = 0; i < next.id.size(); ++i) {
        if (before[i] != kNew)
            continue;
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
            passive.push_back(made);
        });
        tally.born += number;
    }
    const auto lessParent = [](const Passive& a, const Passive& b) {
        return a.parent < b.parent;
    };
    std::inplace_merge(passive.begin(), passive.begin() + kept, passive.end(), lessParent);

    std::vector<uint32_t> parents(passive.size()); // of each one's parent among the ids
    for (std::size_t n = 0, i = 0; n < passive.size(); ++n) {
        while (next.id[i] != passive[n].parent)
            ++i;
        parents[n] = static_cast<uint32_t>(i);
    }
    std::vector<float> was(3 * passive.size()), ways(3 * passive.size());
    forRange(passive.size(), 4096, [&](uint64_t begin, uint64_t end) {
        for (uint64_t n = begin; n < end; ++n)
            std::copy_n(passive[n].x, 3, &was[3 * n]);
    });
    field.find(was, ways, forRange);
    std::atomic<uint64_t> alone = 0;
    forRange(passive.size(), 4096, [&](uint64_t begin, uint64_t end) {
        uint64_t count = 0;
        for (uint64_t n = begin; n < end; ++n) {
            Passive& one = passive[n];
            const uint32_t parent = std::exchange(parents[n], order[parents[n]]);
            one.isNew = before[parent] == kNew;
            const std::array<float, 3> still{};
            const float* way = one.isNew ? still.data() : &ways[3 * n];
            if (std::isnan(*way)) {
                ++count;
                way = &moved[std::size_t{3} * before[parent]];
            }
            Point to;
            for (std::size_t axis = 0; axis < 3; ++axis)
                to[axis] = double{one.x[axis]} + double{way[axis]};
            if (settings.pushOut)
                settings.pushOut(to);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                if (!one.isNew)
                    one.moved[axis] = static_cast<float>(to[axis] - double{one.x[axis]});
                one.x[axis] =
                    static_cast<float>(settings.domain.wrapped(static_cast<int>(axis), to[axis]));
            }
        }
        alone += count;
    });
    tally.alone = alone;
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
