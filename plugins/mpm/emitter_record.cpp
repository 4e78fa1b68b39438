#include "emitter_record.hpp"

#include "floe/sdk/world/emission.hpp"

namespace floe::mpm {

Emission askEmitter(sdk::Context& context, const sdk::Value& emitter, double cellSize, double fps)
{
    const auto given = sdk::world::askEmitter(context, emitter, cellSize, fps);
    Emission emission{given.particles, {}, given.avoidOverlap, given.settled};
    NewParticles& added = emission.added;
    added.count = given.count;
    added.x = given.x;
    added.v = given.v;
    added.volume = given.volume;
    added.stiffnessScale = given.stiffnessScale;
    added.densityScale = given.densityScale;
    return emission;
}

std::vector<Settled> settleAll(std::vector<Emission>& emissions,
                               std::span<const SolverMaterial> materials, const Vec3d& gravity,
                               double cellSize)
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
            compressed.push_back(&emission);
            sets.push_back(emission.added);
            densities.push_back(material.law.density);
        }
    const auto overburden = findOverburden(sets, densities, gravity, cellSize);
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

void addFree(Stepper& solver, const NewParticles& all)
{
    std::vector<std::uint8_t> wanted(all.count);
    solver.findOccupied(all.x, all.count, wanted.data());
    for (std::uint8_t& cell : wanted)
        cell = !cell;
    const SelectedParticles free(all, wanted);
    if (free.view().count > 0)
        solver.addParticles(free.view());
}

} // namespace floe::mpm
