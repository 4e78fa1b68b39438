/// State that the parts of the CPU backend share.
#pragma once

#include "backend.hpp"
#include "block.hpp"
#include "materials.hpp"
#include "ownership.hpp"
#include "surroundings.hpp"
#include "world.hpp"

namespace floe::mpm {

struct CpuState {
    SolverSettings settings{};
    Executor* executor = nullptr;
    const Kernels* kernelSet = nullptr;
    MaterialTable materials;
    Surroundings surroundings;
    Ownership ownership;

    Bounds bounds;
    /// The fastest wave in this rank's blocks, as the last scatter found it.
    struct OwnSignal {
        double speed = 0;
        std::uint64_t place = 0; ///< of the first such block on Morton's curve
        std::uint32_t material = 0;
    } ownSignal;
    Deleted deleted;       ///< since the last query
    double strainStep = 0; ///< time for which C has not yet been applied to F, liquids excepted [s]
    /// Blocks have taken steps of their own, and each has its own such time: Block::strainStep.
    bool strainByBlock = false;
    double lastStep = 0;      ///< [s]
    double scatteredStep = 0; ///< of the step for which the arenas hold the particles [s]; 0: none
    /// Where blocks are scattered for one long step while others take several: its length [s], and
    /// `scatteredStep` is the others' first; 0: all are scattered for `scatteredStep`.
    double scatteredWhole = 0;
    double drift = 0; ///< largest displacement since particles were binned [cells]
    std::uint32_t nextId = 0;
    std::uint32_t newFrom = 0; ///< particles with ids from here on have not been gathered yet
    std::uint64_t solveIterations = 0;
    // of thin walls (thin_walls.hpp)
    bool thinWalls = false;   ///< there are some
    std::uint64_t leaked = 0; ///< particles that have crossed them since the last query
    double volumeTime = 0;    ///< GatherRequest::volumeTime of the present step [s]
    // of several ranks
    std::uint64_t stepsSinceBalance = 0;
    /// Whether the present step is one of those whose passes are timed; asking the clock for every
    /// block costs some percent of a step.
    bool timesPasses() const
    {
        return !ownership.alone() && ownership.costBy == CostBy::time && stepsSinceBalance % 8 == 0;
    }

    const Period& period() const { return ownership.period; }
    const Kernels& kernels() const
    {
        return settings.kernel == Kernel::cubic ? *kernelSet->cubic : *kernelSet;
    }
    /// Whether gathers look at the mass around liquid particles: of the present step, of any.
    bool usesNearMass() const { return volumeTime > 0 || materials.anyTense(); }
    bool mayUseNearMass() const { return settings.volumeByPosition || materials.anyTense(); }
    bool blendsFlip() const { return settings.transfer == Transfer::picFlip; }
    /// Returns whether liquids keep no C; it can be gathered again if velocities are the grid's,
    /// nodes have one, and they are saved by whoever has all that is to know of them.
    bool dropsAffine() const { return dropsAffineWith(settings); }
    bool dropsAffineWith(const SolverSettings& s) const
    {
        return !ownership.byParticles && !s.bodiesMeet && !s.localTimeSteps && !thinWalls &&
               s.transfer == Transfer::apic && s.integrator == Integrator::explicitEuler;
    }
    /// Whether nodes inside a collider mirror those before it (collider_images.hpp). Not where
    /// matter takes steps of its own, or with thin walls, which divide nodes otherwise.
    bool mirrors(const Collider& collider) const;
    bool mirrors(int face) const; ///< of the domain
    bool surfacesMirror() const;
    bool imagesWork() const
    {
        return !thinWalls && settings.integrator == Integrator::explicitEuler &&
               !settings.localTimeSteps;
    }
    /// Returns whether such a surface may touch a place so near a block's nodes [cells].
    /// @param later  whether one that moves may be anywhere
    bool mirrorsNear(const BlockCoordinate& block, double cells, bool later) const;
    Vec3d cornerOf(const Block& block) const
    {
        const double edge = settings.cellSize * kBlockEdge;
        return {block.coordinate[0] * edge, block.coordinate[1] * edge, block.coordinate[2] * edge};
    }
};

} // namespace floe::mpm
