/// Evaluates record "emitter" (floe/sdk/records.h) for the particles of a frame.
#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <cstddef>
#include <cstdint>

namespace floe::sdk::world {

/// The particles of one emitter. Arrays hold `count` entries (times 3 for vectors) and belong to
/// `particles`; those marked ? may be null.
struct Emission {
    Value particles;
    std::size_t count = 0;
    const float* x = nullptr;              ///< [m]
    const float* v = nullptr;              ///< ? [m/s]; null: at rest
    const float* volume = nullptr;         ///< [m^3]
    const float* stiffnessScale = nullptr; ///< ?
    const float* densityScale = nullptr;   ///< ?
    /// ? which of all particles each is, ascending (floe_emission::region); null: these are all
    const std::uint64_t* place = nullptr;
    bool avoidOverlap = false; ///< leave out particles in cells that already hold some
    bool settled = false;      ///< start compressed by the overburden
};

/// @param cellSize  cell size of the solver [m]
/// @param fps       frames per second of the simulation
/// @param region    where particles are wanted; null: everywhere. Emitters may give all
/// @throws Failure  the emitter failed, or a required attribute is missing
inline Emission askEmitter(const Context& context, const Value& emitter, double cellSize,
                           double fps, const floe_emission_region* region = nullptr)
{
    const Value source = emitter.require("source");
    const auto [table, self] = source.interface<floe_emitter_interface>(FLOE_EMITTER_INTERFACE);
    floe_emission request{};
    request.struct_size = sizeof request;
    request.start = context.isStart();
    request.cell_size = cellSize;
    request.frame = context.frame();
    request.fps = fps;
    request.region = region;
    floe_value* made = nullptr;
    Context::require(table->emit(self, context.raw(), &request, &made));
    Emission emission;
    const Value avoid = emitter.field("avoidOverlap"), rests = emitter.field("settled");
    emission.avoidOverlap = avoid && avoid.boolean();
    emission.settled = rests && rests.boolean();
    if (!made)
        return emission;
    emission.particles = Value::own(made);
    emission.count = emission.particles.particleCount();
    if (emission.count == 0)
        return emission;
    const auto dataOf = [&](const char* name, uint32_t components) -> const float* {
        const auto values = emission.particles.attribute<float>(name, components);
        return values.empty() ? nullptr : values.data();
    };
    emission.x = dataOf("x", 3);
    emission.v = dataOf("v", 3);
    emission.volume = dataOf("volume", 1);
    emission.stiffnessScale = dataOf("stiffnessScale", 1);
    emission.densityScale = dataOf("densityScale", 1);
    if (!emission.x || !emission.volume)
        throw Failure("an emitter gave particles without 'x' or 'volume'", FLOE_BAD_ARGUMENT);
    if (region)
        if (const auto place = emission.particles.attribute<std::uint64_t>("place", 1);
            !place.empty())
            emission.place = place.data();
    return emission;
}

} // namespace floe::sdk::world
