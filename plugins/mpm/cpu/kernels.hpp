/// The hot loops, compiled once for each instruction set.
///
/// Each kernel works on one block and accesses only what its task names, so any number of them may
/// run at once. Tasks and results are plain data: no type of the C++ library crosses into the
/// translation units that are compiled for an instruction set which this machine may lack.
#pragma once

#include "custom_model.hpp"
#include "layout.hpp"
#include "liquid_volume.hpp"

namespace floe::mpm {

/// A material as kernels read it: the bytes of a physics::Material (whose type names its
/// instruction set), or a custom model.
struct KernelMaterial {
    alignas(16) unsigned char law[64];
    const CustomModel* custom;
    bool whole; ///< SolverMaterial::staysWhole
};

/// What the stress of a whole body does to one of its particles.
struct alignas(64) RestMotion {
    float acceleration[3]; ///< [m/s^2]
    float affine[9];       ///< its gradient, as C is that of velocity, row-major [1/s^2]
};

/// Computes stress, and scatters momentum and mass of one block's particles to its arena.
struct ScatterTask {
    const BinRef* bins;
    std::uint32_t binCount;
    bool boundary;    ///< a boundary block: scattered with v = C = 0, F not updated
    bool affine;      ///< APIC: C carries momentum
    float cellSize;   ///< [m]
    float timeStep;   ///< of the coming step [s]
    float strainStep; ///< time for which C has not yet been applied to F, liquids excepted [s]
    const KernelMaterial* materials;
    const AffineRows* affineRows; ///< one per bin; read for bins that keep no C
    const RestMotion* rest;       ///< of particles of whole bodies, by row::rest
    float* arena;                 ///< kArenaNodes nodes, overwritten
    float* arenaBefore;           ///< the same without stress; null: not needed
    /// Nodes that walls hide from a particle (thin_walls.hpp), a bit each, in the order of its
    /// stencil, z fastest. kLanes per bin; null: none are. What would go to them goes to other
    /// arenas.
    const std::uint64_t* hidden;
    float *behind, *behindBefore; ///< as `arena` and `arenaBefore`
};
struct ScatterResult {
    float signalSpeed;      ///< speed of the fastest wave, viscous spreading included [m/s]
    std::uint32_t material; ///< material of that wave
    bool failed;            ///< a custom model refused
};

/// Scatters where the particles of one block lie (body_contact.hpp).
struct ExtentTask {
    const BinRef* bins;
    std::uint32_t binCount;
    /// kArenaNodes nodes, overwritten: sums of weighted volume times distance from the node
    /// [m^3 cells], and of weighted volume [m^3].
    float* arena;
};

/// Sums the arenas that overlap a block of nodes and turns momentum into velocity.
struct GridTask {
    const float* arenas[27];       ///< of the blocks at offsets (-1..1)^3, z fastest; null: none
    const float* arenasBefore[27]; ///< without stress; read if `before` is not null
    float* nodes;                  ///< kBlockNodes nodes, overwritten: velocity and mass
    /// kBlockNodes nodes, overwritten: velocity before stress and gravity; may be null.
    float* before;
    float velocityChange[3]; ///< by gravity, in this step [m/s]
    /// Momentum and mass at kBlockNodes nodes that are added to those of the arenas; null: none.
    const float* held;
};

/// Gathers node velocities to one block's particles and moves them; updates liquids' volume.
struct GatherTask {
    const BinRef* bins;
    std::uint32_t binCount;
    float cellSize;            ///< [m]
    float timeStep;            ///< [s]
    float volumeTime;          ///< GatherRequest::volumeTime [s]
    std::int32_t roundingSeed; ///< different in each step (physics/rounding.hpp)
    const KernelMaterial* materials;
    NearWalls walls;        ///< of the block
    AffineRows* affineRows; ///< one per bin; overwritten for bins that keep no C
    const float* nodes[27]; ///< of the blocks at offsets (-1..1)^3; null: none
    /// FLIP (Brackbill and Ruppel 1986): particles keep this share of the difference between their
    /// velocity and the grid's before forces, read from `before` like `nodes`. Negative: not used.
    float flip;
    const float* before[27];
    const std::uint64_t* hidden; ///< as ScatterTask::hidden, with nodes and `before` of these:
    const float *behind[27], *behindBefore[27];
    /// What thin walls leave of the mass around liquid particles, by which to complete it: OpenPart
    /// as four rows of kLanes per bin. Null: all.
    const float* open;
    /// For gatherAffine: particles with ids from here on have not been gathered yet.
    std::uint32_t newFrom;
};
struct GatherResult {
    float speed;     ///< the fastest particle's [m/s]
    float component; ///< largest velocity component [m/s]
    float gradient;  ///< largest stretching rate, |C_ii| [1/s]
};

/// For the semi-implicit integrator (implicit.cpp): one block's share of the nodal forces at the
/// end of a step, and of their derivative by the nodes' velocities.
///
/// Within the step F' = (1 + dt grad v) F. The arena gets, at each node i, the gradient by v_i of
/// the particles' energy after the step: dt V D^-1 w_i tau' (x_i - x_p), plus viscous forces.
struct ImplicitTask {
    const BinRef* bins;
    std::uint32_t binCount;
    float cellSize; ///< [m]
    float timeStep; ///< [s]
    const KernelMaterial* materials;
    const float* nodes[27]; ///< velocities, like GatherTask's; for `product`: a change of them
    float* arena;           ///< kArenaNodes nodes, overwritten; the fourth number is unused
    /// kTangentRows rows of kLanes floats per bin: output of `force`, input of `product`.
    float* tangent;
};
inline constexpr int kTangentRows = 32;

struct ImplicitKernels {
    /// @return false for a third-party material, whose energy is unknown
    bool (*force)(const ImplicitTask&);
    /// Multiplies the tangent by a change of the nodes' velocities [kg m/s].
    void (*product)(const ImplicitTask&);
    /// Sums GridTask::arenas at a block's nodes.
    void (*sum)(const float* const (&arenas)[27], float* nodes);
};

/// For bodies that stay whole (rest_grid.cpp): particles of one block of the grid at rest.
struct RestTask {
    const float* positions; ///< in the block, at rest [cells]: three rows of kLanes floats per bin
    /// Where each particle is now: its lane in its bin's first row; null: nowhere. kLanes per bin.
    float* const* particles;
    std::uint32_t binCount;
    const KernelMaterial* material;
    float cellSize;         ///< [m]
    float strainStep;       ///< time for which velocity has not yet been applied to F [s]
    float smoothing;        ///< the share of velocity that this grid cannot represent, taken out
    bool affine;            ///< APIC: C carries momentum
    const float* nodes[27]; ///< velocity or acceleration at rest, like GatherTask's
    float* arena;           ///< kArenaNodes nodes, overwritten
    RestMotion* motion;     ///< one per lane, kLanes per bin
};

struct RestKernels {
    /// Scatters momentum and mass.
    void (*momentum)(const RestTask&);
    /// Gathers velocity, applies it to F, and scatters the force of stress, and mass.
    /// @return the speed of the fastest wave on the grid at rest [m/s]
    float (*force)(const RestTask&);
    /// Gathers acceleration.
    void (*motion)(const RestTask&);
};

struct Kernels {
    const char* name; ///< "AVX-512", "AVX2" or "baseline"
    void (*scatter)(const ScatterTask&, ScatterResult&);
    void (*grid)(const GridTask&);
    void (*gather)(const GatherTask&, GatherResult&);
    /// Gathers C alone, for bins that keep none, as `gather` found it in the step that moved them:
    /// from that step's nodes, at the positions before the move. Zero for particles at rest, as
    /// after sleep, and for new ones.
    void (*gatherAffine)(const GatherTask&);
    void (*extents)(const ExtentTask&);
    const ImplicitKernels* implicit;
    const RestKernels* rest;
    const Kernels* cubic; ///< the same with cubic splines; null: these are cubic
};

/// Returns the fastest kernels for this processor; the environment variable
/// FLOE_SIMD=baseline|avx2|avx512 limits the choice.
const Kernels& chooseKernels();
/// Returns kernels by their name in FLOE_SIMD; null when this build or processor has none.
const Kernels* findKernels(const char* name);

extern const Kernels kBaselineKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;

} // namespace floe::mpm
