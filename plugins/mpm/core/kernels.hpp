/// The hot loops, compiled once for each instruction set.
///
/// Each kernel works on one block and touches only what its task names, so any number of them run
/// at once. Tasks and results are plain data: no type of the C++ library crosses into the
/// translation units that are compiled for an instruction set which this machine may not have.
#pragma once

#include "layout.hpp"

namespace floe::mpm {

/// A third party's constitutive model, called with one bin (see floe_material_interface).
struct CustomModel {
    /// @param F, state  rows of kLanes floats, updated in place   @param stress  xx yy zz xy xz yz,
    /// out
    bool (*update)(void* self, double dt, float* const F[9], float* const state[4],
                   const float* const gradient[9], const float* stiffness, float* const stress[6]);
    void* self = nullptr;
    float waveModulus = 0; ///< rho c^2 of its fastest wave [Pa]
};

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
    bool frozen;      ///< a boundary block: scattered as if at rest, F left alone
    bool affine;      ///< APIC: C carries momentum
    float cellSize;   ///< [m]
    float timeStep;   ///< of the step to come [s]
    float strainStep; ///< time for which C has not acted on F yet [s]
    const KernelMaterial* materials;
    float* arena;       ///< kArenaNodes nodes, overwritten
    float* arenaBefore; ///< the same without stress; null: not wanted
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
    float*
        before; ///< kBlockNodes nodes, overwritten: velocity before stress and gravity; may be null
    float velocityChange[3]; ///< by gravity, in this step [m/s]
};

/// Velocity of the nodes back to one block's particles, which then move.
struct GatherTask {
    const BinRef* bins;
    std::uint32_t binCount;
    float cellSize;         ///< [m]
    float timeStep;         ///< [s]
    const float* nodes[27]; ///< of the blocks at offsets (-1..1)^3; null: none
    /// FLIP (Brackbill and Ruppel 1986): particles keep this share of what their velocity differs
    /// from the grid's before forces, read from `before` as from `nodes`. Negative: none.
    float flip;
    const float* before[27];
};
struct GatherResult {
    float speed;     ///< the fastest particle's [m/s]
    float component; ///< largest velocity component [m/s]
    float gradient;  ///< largest stretching rate, |C_ii| [1/s]
};

struct Kernels {
    const char* name; ///< "AVX-512", "AVX2" or "baseline"
    void (*scatter)(const ScatterTask&, ScatterResult&);
    void (*grid)(const GridTask&);
    void (*gather)(const GatherTask&, GatherResult&);
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
