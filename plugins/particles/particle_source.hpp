#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <cstdint>
#include <vector>

namespace floe::particles {

struct EmissionSettings {
    bool everyFrame = false; ///< false: once, on startFrame
    double startFrame = 1;   ///< once: the frame, or the simulation's first one if that is later
    double endFrame = 0;     ///< every frame: below startFrame, no end
    int particlesPerCell = 8;
    double velocityScale = 1;
    sdk::Vector velocity{}; ///< added [m/s]
};

/// Emits given particles where they are; the object behind an emitter record.
///
/// Positions and velocities are kept. The volume is that of the attribute `volume`, else of a
/// sphere of radius `pscale`, else `mass` by the material's density, else the cell's by
/// particlesPerCell. A `mass` beside a volume is kept through the attribute densityScale.
///
/// Emission happens at the start of a step, a frame before the particles' own: there they are
/// moved back along their velocity, so that at the end of the step free particles are where they
/// were given.
class ParticleSource {
public:
    /// @param transform  moves, turns and scales the particles; or empty
    /// @param density    of the material [kg/m^3]
    /// @throws Failure   no positions, or attributes of another type than records.h has
    ParticleSource(const EmissionSettings& settings, sdk::Value particles, sdk::Value transform,
                   double density);

    /// Makes the particles of a frame. @return empty when there is nothing to emit
    /// @throws Failure  a position, velocity, volume or mass that is none
    sdk::Value emit(sdk::Context& context, const floe_emission& request) const;

    static const floe_emitter_interface kTable;

private:
    bool emitsAt(const floe_emission& request) const;
    class Motions;
    /// Which of the given particles are emitted.
    struct Chosen {
        bool all = true;
        std::vector<uint64_t> some{}; ///< not `all`
        uint64_t operator[](uint64_t i) const { return all ? i : some[i]; }
    };
    Chosen choose(const floe_emission& request, const Motions& motions) const;
    void setVolumes(sdk::Value& emitted, const Chosen& chosen, const floe_emission& request) const;

    EmissionSettings settings_;
    sdk::Value particles_;
    sdk::Value transform_;
    double density_;
};

} // namespace floe::particles
