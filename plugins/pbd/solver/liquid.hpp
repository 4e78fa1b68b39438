/// Liquids: particles that keep their density, among each other and beside solids.
#pragma once

#include "liquid_kernels.hpp"
#include "liquid_order.hpp"
#include "motion.hpp"
#include "settings.hpp"
#include "surroundings.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <span>
#include <vector>

namespace floe::pbd {

/// Position-based fluid (Macklin and Mueller 2013; Jia 2017, section 3.2.3, with the exact
/// gradients of unequal masses). Density may fall below rest but not exceed it. Volumes are summed,
/// not masses, so that liquids of unlike density keep theirs where they meet (Solenthaler and
/// Pajarola 2008). Solid particles near a liquid count as liquid of their cube's volume, and are
/// pushed as they push.
///
/// Behind the walls of a domain and inside colliders it is as if liquid went on: the share of the
/// kernel that lies there counts, with its gradient. At a free surface neighbours are missing on
/// one side: the layer there is compressed until its kernels are full.
///
/// Who takes part has a place, a number in LiquidOrder; nothing is kept from substep to substep.
class Liquid {
public:
    /// Finds neighbours.
    void find(const Scene& scene, const Motion& motion, const SolverSettings& settings,
              sdk::parallel::Executor& executor);
    /// Adds what surface tension and wetting move in a substep, once neighbours are found.
    void pull(const Scene& scene, Motion& motion, const Surroundings& around, double dt,
              sdk::parallel::Executor& executor);
    /// Projects all densities once.
    void project(const Scene& scene, Motion& motion, const Surroundings& around,
                 sdk::parallel::Executor& executor);
    /// What changes velocities once positions are known: smoothing, vorticity and viscosity.
    void finish(Scene& scene, double dt, sdk::parallel::Executor& executor);

    bool any() const { return order_.liquids() > 0; }
    std::size_t size() const { return order_.size(); }       ///< places
    std::size_t liquids() const { return order_.liquids(); } ///< of places: the first ones
    bool isLiquid(std::size_t place) const { return place < liquids(); }
    std::uint32_t particle(std::size_t place) const { return order_.particle(place); }
    /// Of a particle of liquid, or the place a solid one takes [m^3].
    float volume(std::size_t place) const { return trait(place).volume; }
    /// Places within the kernel's radius and a little more, ascending. What lies beyond size()
    /// fills up.
    std::span<const std::uint32_t> row(std::size_t place) const
    {
        const std::size_t chunk = place / kChunk;
        const std::uint32_t* begin = begin_.data() + chunk + place;
        return {neighbours_[chunk].data() + begin[0], neighbours_[chunk].data() + begin[1]};
    }
    /// The kernel's radius of two neighbours [m].
    float kernelRadius(std::size_t a, std::size_t b) const
    {
        const float ra = trait(isLiquid(a) ? a : b).radius, rb = trait(isLiquid(b) ? b : a).radius;
        return halfSupport_ * (ra + rb);
    }
    float factor() const { return factor_; } ///< of the kernel

    /// A rigid body's particle.
    struct RigidPlace {
        std::uint32_t place, body;
        Vec3f arm; ///< from the body's centre [m]
    };
    /// Those near liquid, in order of particles.
    std::span<const RigidPlace> rigids() const { return rigids_; }

    /// Statistics of the last finish(). 0: nothing was viscous.
    int viscousIterations() const { return viscousIterations_; }

private:
    static constexpr std::size_t kChunk = 512; ///< of places whose rows lie together

    void readTraits(const Scene& scene, const Motion& motion, sdk::parallel::Executor& executor);
    void findRows(sdk::parallel::Executor& executor);
    LiquidRows rows(std::size_t chunk) const;
    /// Calls work(rows, from, to) for all chunks of the first places.
    template <class Work>
    void forChunks(std::size_t places, sdk::parallel::Executor& executor, const Work& work) const;
    void moveSpots(const Scene& scene, const Motion& motion, sdk::parallel::Executor& executor);
    void meetWalls(const Scene& scene, const Motion& motion, const Surroundings& around,
                   sdk::parallel::Executor& executor);
    void pushSolids(const Scene& scene, Motion& motion) const;
    void smooth(Scene& scene, double dt, sdk::parallel::Executor& executor);
    void confine(Scene& scene, double dt, sdk::parallel::Executor& executor);
    void exchange(Scene& scene, sdk::parallel::Executor& executor) const;
    const LiquidTrait& trait(std::size_t place) const { return trait_[alike_ ? 0 : place]; }

    float factor_ = 1, halfSupport_ = 2, wallShift_ = 0;
    double support_ = 0;
    LiquidOrder order_;
    std::vector<std::uint32_t> begin_; ///< of rows in their chunk, and of each chunk the end
    std::vector<std::vector<std::uint32_t>> neighbours_; ///< of each chunk
    bool alike_ = false, liquidsAlike_ = false;          ///< all; or all but the solids
    std::vector<LiquidTrait> trait_;                     ///< LiquidRows
    std::vector<std::uint8_t> mixed_; ///< LiquidRows; empty where all are alike or none
    std::vector<RigidPlace> rigids_;
    std::vector<LiquidSpot> spot_, pushing_;
    std::vector<LiquidWall> wall_;       ///< empty: there are neither walls nor colliders
    std::vector<LiquidImpulse> impulse_; ///< of solids [kg m]
    std::vector<LiquidMotion> motion_, curl_;
    int viscousIterations_ = 0;
};

template <class Work>
void Liquid::forChunks(std::size_t places, sdk::parallel::Executor& executor,
                       const Work& work) const
{
    executor.parallelFor((places + kChunk - 1) / kChunk, 1,
                         [&](std::size_t first, std::size_t last) {
                             for (std::size_t c = first; c < last; ++c)
                                 work(rows(c), c * kChunk, std::min(places, (c + 1) * kChunk));
                         });
}

} // namespace floe::pbd
