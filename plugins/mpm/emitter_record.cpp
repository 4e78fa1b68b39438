#include "emitter_record.hpp"

#include "block_region.hpp"

#include "floe/sdk/sampling.hpp"
#include "floe/sdk/world/emission.hpp"

#include <algorithm>
#include <utility>

namespace floe::mpm {

namespace {

/// @param region  of one of several ranks; null: everywhere
Emission askEmitter(sdk::Context& context, const sdk::Value& emitter, double cellSize, double fps,
                    const BlockRegion* region)
{
    const auto given = sdk::world::askEmitter(context, emitter, cellSize, fps,
                                              region ? &region->table() : nullptr);
    Emission emission{given.particles, {}, given.avoidOverlap, given.settled, given.count, {}};
    NewParticles& added = emission.added;
    added.count = given.count;
    added.x = given.x;
    added.v = given.v;
    added.volume = given.volume;
    added.stiffnessScale = given.stiffnessScale;
    added.densityScale = given.densityScale;
    if (!region)
        return emission;
    added.part = true;
    added.place = given.place;
    std::vector<std::uint8_t> own(given.count);
    region->find(given.x, given.count, own.data());
    if (given.place) {
        for (std::size_t i = 0; i < given.count; ++i)
            if (!own[i] || (i > 0 && given.place[i] <= given.place[i - 1]))
                throw sdk::Failure("an emitter gave particles with a 'place' that lie outside of "
                                   "the region it was asked for, or not in their order",
                                   FLOE_BAD_ARGUMENT);
        return emission;
    }
    // It has given all to every rank.
    constexpr std::uint64_t kGroup = 512;
    auto kept = std::make_shared<Emission::Kept>();
    for (std::uint64_t i = 0; i < given.count; ++i)
        kept->place.push_back((i / kGroup) << 32 | i % kGroup);
    added.place = kept->place.data();
    kept->own = std::make_unique<SelectedParticles>(added, own);
    added = kept->own->view();
    kept->place = {};
    emission.particles = {};
    emission.kept = std::move(kept);
    return emission;
}

} // namespace

std::vector<Emission> askEmitters(sdk::Context& context, std::span<const sdk::Value> emitters,
                                  Stepper& solver, double fps, std::uint64_t& given)
{
    given = 0;
    const double cell = solver.settings().cellSize;
    const Ranks* ranks = solver.ranks();
    const auto askAll = [&](const BlockRegion* region) {
        std::vector<Emission> emissions;
        for (const sdk::Value& emitter : emitters) {
            if (!ranks) // several agree on it, in a step: they are not asked at the same moment
                context.throwIfCancelled();
            emissions.push_back(askEmitter(context, emitter, cell, fps, region));
        }
        std::uint64_t held = 0;
        for (const Emission& emission : emissions)
            held += emission.given;
        given = std::max(given, held);
        return emissions;
    };
    if (!ranks)
        return askAll(nullptr);
    if (solver.undivided()) {
        // Who owns what depends on what there is: each counts the particles of some blocks.
        const BlockRegion some(cell, [ranks](const BlockCoordinate& b) {
            return sdk::hashPoint(0, b[0], b[1], b[2]) % static_cast<unsigned>(ranks->size()) ==
                   static_cast<unsigned>(ranks->rank());
        });
        std::vector<sdk::grid::BlockCost> counts;
        for (const Emission& emission : askAll(&some))
            for (std::size_t i = 0; i < emission.added.count; ++i) {
                if (!isUsablePosition(emission.added.x + 3 * i, cell))
                    continue; // refused when it is added
                const BlockCoordinate block = blockOfParticle(emission.added.x + 3 * i, cell);
                if (counts.empty() || counts.back().block != block)
                    counts.push_back({block, 0});
                ++counts.back().cost;
            }
        sdk::grid::sortCosts(counts);
        solver.divideNew(std::move(counts));
    }
    const BlockRegion own(cell, [&solver](const BlockCoordinate& b) { return solver.isGiven(b); });
    return askAll(&own);
}

void dropEmpty(std::vector<Emission>& emissions, const Ranks* ranks)
{
    std::vector<std::int64_t> counts;
    for (const Emission& emission : emissions)
        counts.push_back(static_cast<std::int64_t>(emission.added.count));
    if (ranks && !counts.empty())
        ranks->reduce(FLOE_RANKS_SUM, std::span<std::int64_t>(counts));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < emissions.size(); ++i)
        if (counts[i] > 0)
            std::swap(emissions[kept++], emissions[i]);
    emissions.resize(kept);
}

std::vector<Settled> settleAll(std::vector<Emission>& emissions,
                               std::span<const SolverMaterial> materials, const Vec3d& gravity,
                               double cellSize, const Ranks* ranks)
{
    std::vector<Emission*> compressed;
    std::vector<NewParticles> sets;
    std::vector<float> densities;
    for (Emission& emission : emissions)
        if (emission.settled) {
            const SolverMaterial& material = materials[emission.added.material];
            if (material.custom)
                throw sdk::Failure("an emitter of '" + material.name +
                                       "' is to begin settled, which is for built-in laws; "
                                       "switch its parameter 'settled' off",
                                   FLOE_BAD_ARGUMENT);
            if (material.staysWhole)
                throw sdk::Failure("an emitter of '" + material.name +
                                       "' is to begin settled, but bodies that stay whole begin "
                                       "undeformed; switch its parameter 'settled' off",
                                   FLOE_BAD_ARGUMENT);
            compressed.push_back(&emission);
            sets.push_back(emission.added);
            densities.push_back(material.law.density);
        }
    if (compressed.empty())
        return {};
    const auto overburden = findOverburden(sets, densities, gravity, cellSize, ranks);
    std::vector<Settled> settled;
    for (std::size_t i = 0; i < compressed.size(); ++i) {
        NewParticles& added = compressed[i]->added;
        settled.push_back(settle(added, materials[added.material].law, overburden[i], gravity));
        added.volume = settled.back().volume.data();
        added.strain = settled.back().strain.data();
        added.state = settled.back().state.data();
    }
    return settled;
}

std::uint64_t addFree(Stepper& solver, const NewParticles& all)
{
    std::vector<std::uint8_t> wanted(all.count);
    solver.findOccupied(all.x, all.count, wanted.data(), all.part);
    for (std::uint8_t& cell : wanted)
        cell = !cell;
    const SelectedParticles free(all, wanted);
    return anywhere(solver.ranks(), free.view().count > 0) ? solver.addParticles(free.view()) : 0;
}

} // namespace floe::mpm
