/// The hot loops, compiled once for each instruction set.
///
/// Each kernel works on one block and touches only what its task names, so any number of them run
/// at once. Tasks and results are plain data: no type of the C++ library crosses into the
/// translation units that are compiled for an instruction set which this machine may not have.
#pragma once

#include "custom_model.hpp"
#include "layout.hpp"

namespace floe::mpm {

/// A material as kernels read it: the bytes of a physics::Material (whose type names its
/// instruction set), or a custom model.
struct KernelMaterial {
    alignas(16) unsigned char law[64];
    const CustomModel* custom;
};

/// Stress, then momentum and mass of one block's particles onto its arena.
struct ScatterTask {
    const BinRef* bins;
    std::uint32_t binCount;
    bool boundary;    ///< a boundary block: scattered with v = C = 0, F not updated
    bool affine;      ///< APIC: C carries momentum
    float cellSize;   ///< [m]
    float timeStep;   ///< of the step to come [s]
    float strainStep; ///< time for which C has not acted on F yet, liquids excepted [s]
    const KernelMaterial* materials;
    const AffineRows* affineRows; ///< one for each bin; read of those that keep none
    float* arena;                 ///< kArenaNodes nodes, overwritten
    float* arenaBefore;           ///< the same without stress; null: not wanted
};
struct ScatterResult {
    float signalSpeed;      ///< speed of the fastest wave, viscous spreading included [m/s]
    std::uint32_t material; ///< whose it is
    bool failed;            ///< a custom model refused
};

/// Sums the arenas that overlap a block of nodes and turns momentum into velocity.
struct GridTask {
    const float* arenas[27];       ///< of the blocks at offsets (-1..1)^3, z fastest; null: none
    const float* arenasBefore[27]; ///< without stress; read if `before` is not null
    float* nodes;                  ///< kBlockNodes nodes, overwritten: velocity and mass
    /// kBlockNodes nodes, overwritten: velocity before stress and gravity; may be null.
    float* before;
    float velocityChange[3]; ///< by gravity, in this step [m/s]
};

/// Velocity of the nodes back to one block's particles, which then move; liquids change their
/// volume.
struct GatherTask {
    const BinRef* bins;
    std::uint32_t binCount;
    float cellSize;            ///< [m]
    float timeStep;            ///< [s]
    std::int32_t roundingSeed; ///< another one in each step (physics/rounding.hpp)
    const KernelMaterial* materials;
    AffineRows* affineRows; ///< one for each bin; overwritten of those that keep none
    const float* nodes[27]; ///< of the blocks at offsets (-1..1)^3; null: none
    /// FLIP (Brackbill and Ruppel 1986): particles keep this share of what their velocity differs
    /// from the grid's before forces, read from `before` as from `nodes`. Negative: none.
    float flip;
    const float* before[27];
    /// Of gatherAffine: particles from this id on have not been gathered yet.
    std::uint32_t newFrom;
};
struct GatherResult {
    float speed;     ///< the fastest particle's [m/s]
    float component; ///< largest velocity component [m/s]
    float gradient;  ///< largest stretching rate, |C_ii| [1/s]
};

/// For the semi-implicit integrator (implicit.cpp): one block's share of the forces that nodes feel
/// at the end of a step, and of how they change with the nodes' velocities.
///
/// Within the step F' = (1 + dt grad v) F. The arena gets, at each node i, the gradient by v_i of
/// what the particles' energy would then be: dt V D^-1 w_i tau' (x_i - x_p), plus viscous forces.
struct ImplicitTask {
    const BinRef* bins;
    std::uint32_t binCount;
    float cellSize; ///< [m]
    float timeStep; ///< [s]
    const KernelMaterial* materials;
    const float* nodes[27]; ///< velocities, as GatherTask's; of `product`: a change of them
    float* arena;           ///< kArenaNodes nodes, overwritten; the fourth number means nothing
    /// kTangentRows rows of kLanes floats for each bin: of `force` out, of `product` in.
    float* tangent;
};
inline constexpr int kTangentRows = 32;

struct ImplicitKernels {
    /// @return false where a bin's material is a third party's, whose energy is unknown
    bool (*force)(const ImplicitTask&);
    /// The tangent's product with a change of the nodes' velocities [kg m/s].
    void (*product)(const ImplicitTask&);
    /// Adds up what the arenas of GridTask::arenas hold of a block's nodes.
    void (*sum)(const float* const (&arenas)[27], float* nodes);
};

struct Kernels {
    const char* name; ///< "AVX-512", "AVX2" or "baseline"
    void (*scatter)(const ScatterTask&, ScatterResult&);
    void (*grid)(const GridTask&);
    void (*gather)(const GatherTask&, GatherResult&);
    /// C alone, for bins that keep none, as `gather` found it in the step that has moved them: from
    /// its nodes, where they were before they moved. Zero for particles that rest, as those do that
    /// have slept, and for those that are new.
    void (*gatherAffine)(const GatherTask&);
    const ImplicitKernels* implicit;
    const Kernels* cubic; ///< the same with cubic splines; null: these are
};

/// The best this processor can run; FLOE_SIMD=baseline|avx2|avx512 in the environment asks for
/// less.
const Kernels& chooseKernels();
/// By name as in FLOE_SIMD; null when this build or processor has none.
const Kernels* findKernels(const char* name);

extern const Kernels kBaselineKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;

} // namespace floe::mpm
