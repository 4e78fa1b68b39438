#pragma once

#include "filling.hpp"
#include "placed_shape.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"

#include <cstdint>
#include <span>
#include <vector>

namespace floe::emitters {

enum class Mode {
    Once,  ///< the whole shape, on one frame
    Flow,  ///< the volume that a stream with the emission velocity carries out of the shape each
           ///< frame
    Refill ///< the whole shape, `rate` times per second, or every frame
};

/// Spatial pattern of a varying property, between 1 - amount and 1 + amount.
enum class Pattern {
    Smooth,  ///< fractal noise
    Patches, ///< the two extremes, separated where noise changes its sign
    Cells    ///< Voronoi cells, each with one of 1 - amount, 1, 1 + amount
};

struct EmissionSettings {
    Mode mode = Mode::Once;
    int particlesPerCell = 8;
    double jitter = 1;     ///< 0: a regular lattice; 1: anywhere in the sub-cell
    double rate = 0;       ///< Refill [1/s]; 0: every frame
    double startFrame = 1; ///< Once: the frame, or the simulation's first one if that is later
    double endFrame = 0;   ///< below startFrame: no end
    uint64_t seed = 0;
    double shell = 0; ///< > 0: only this far below the surface [m]
    sdk::Vector velocity{};
    double radialSpeed = 0; ///< away from the shape's centre [m/s]
    sdk::Vector spin{};     ///< about the shape's centre [rad/s]
    double fieldScale = 1;
    double inheritance = 1; ///< share of the shape's own motion
    double stiffnessVariation = 0;
    double densityVariation = 0;
    double variationWavelength = 0.2;
    Pattern variationPattern = Pattern::Smooth;
};

/// Fills a level set with particles by stratified jitter; the object behind an emitter record.
///
/// Samples lie on a lattice of cells fixed in the world, so that neighbouring emitters do not
/// overlap. Every sample is a function of cell, seed and frame alone: any number of threads gives
/// the same particles in the same order, and so does any division of space among ranks.
class LevelSetSource {
public:
    /// @param shape      signed distance in its own space
    /// @param transform  own space to world, or empty
    /// @param field      initial velocity in world space, or empty
    /// @throws Failure   a volume of the wrong kind, or a shell thicker than the level set's band
    LevelSetSource(const EmissionSettings& settings, sdk::Value shape, sdk::Value transform,
                   sdk::Value field);

    /// Makes the particles of a frame. @return empty when there is nothing to emit
    sdk::Value emit(sdk::Context& context, const floe_emission& request) const;

    static const floe_emitter_interface kTable;

private:
    /// Motion of the shape during the frame.
    struct Motion {
        const floe_transform_key &now, &next; ///< its pose, and a frame later
        Point middle;
        double fps;
    };

    bool emitsAt(const floe_emission& request) const;
    /// Returns where the particles of a frame are.
    Samples sample(const sdk::Context& context, const floe_emission& request,
                   const PlacedShape& shape) const;
    void setVelocities(const sdk::Context& context, std::span<float> velocities,
                       std::span<const float> positions, const Motion& motion) const;
    /// @param stream  seed offset of a property that varies independently
    void setVariation(const sdk::Context& context, std::span<float> scales,
                      std::span<const float> positions, double amount, uint64_t stream) const;

    EmissionSettings settings_;
    sdk::Value shape_;
    sdk::Value transform_;
    sdk::Value field_;
};

} // namespace floe::emitters
