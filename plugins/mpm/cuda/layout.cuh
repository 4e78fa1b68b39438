#pragma once

/// Layout of device memory: particles, blocks, grid nodes, and the numbers of one step.
///
/// Lengths on the device are in cells (position) or SI units (everything else). A particle's
/// position is relative to node 0 of its block, in [0.5, 4.5) per axis after binning, so its
/// precision does not depend on the distance from the origin. Until the next binning it may drift
/// one cell beyond that, half a cell with cubic splines: its nodes lie in the block's arena of
/// 8x8x8 nodes, -1 to 6.

#include "floe/sdk/cuda.hpp"
#include "floe/sdk/cuda_warp.hpp"
#include "floe/sdk/grid/block_table.cuh"
#include "floe/sdk/grid/channels.hpp"
#include "floe/sdk/world/period.hpp"

#include <floe/sdk/physics/material.hpp>
#include <floe/sdk/physics/rounding.hpp>
#include <floe/sdk/physics/spline.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

using Vec3f = physics::Vec3<float>;
using Mat3f = physics::Mat3<float>;
using Sym3f = physics::Sym3<float>;

using sdk::grid::findBlock;
using sdk::grid::HashTable;
using sdk::grid::kArenaEdge;
using sdk::grid::kArenaNodes;
using sdk::grid::kBlockEdge;
using sdk::grid::kBlockNodes;
using sdk::grid::kMaxCoordinate;
using sdk::grid::kNoBlock;
inline constexpr unsigned kThreads = 128; ///< of every kernel with a CUDA block per particle block
/// Nodes of an arena in shared memory: steps along x are padded, so that the same node of 32 cells
/// one after the other is a word in each of the 32 banks.
inline constexpr int kArenaStepX = kArenaEdge * kArenaEdge + kBlockEdge;
inline constexpr int kArenaWords = kArenaEdge * kArenaStepX; ///< of one number a node
inline constexpr float kMinLocal = 0.5f;
inline constexpr float kMaxLocal = 4.4999995f; ///< the largest float below 4.5

/// The numbers of a particle.
enum Channel : unsigned {
    kMaterial = 0,   ///< index, the bits of a uint32
    kId = 1,         ///< the bits of a uint32
    kPosition = 2,   ///< 3, [cells] from node 0 of its block
    kVelocity = 5,   ///< 3 [m/s]
    kAffine = 8,     ///< 9, row-major: C, the velocity gradient [1/s]
    kState = 17,     ///< the law's scalar; J - 1 of a liquid
    kForce = 18,     ///< 6: D^-1 V0 tau, order xx xy xz yy yz zz [N/m]: what scatters as stress
    kMass = 24,      ///< [kg]
    kVolume = 25,    ///< at rest, V0 [m^3]
    kStiffness = 26, ///< factor on stress and modulus
    kElastic = 27,   ///< 9, row-major: elastic F - I (physics/stretch.hpp)
    kMoreState = 36, ///< 3: the other numbers of a plugin's law
    kChannels = 39,
    kNearMass = kElastic, ///< 4, of liquids that use it: rules::NearMass, mean [kg], slope [1/cell]
    kSolidChannels = kMoreState,   ///< the number of channels without such laws
    kLiquidChannels = kElastic,    ///< the number of channels when all materials are liquids
    kNearChannels = kNearMass + 4, ///< the same when some use the mass around them
};

inline constexpr std::uint32_t kGroup = 32; ///< particles whose numbers lie together: a warp

/// Particles in groups: 32 of a channel, then 32 of the next, so that a warp reads whole cache
/// lines and all numbers of a particle are at fixed distances from one address.
struct Particles {
    float* values;
    std::uint32_t pitch; ///< from a group to the next [floats]

    __device__ std::uint32_t material(std::uint32_t p) const
    {
        return __float_as_uint(at(kMaterial, p));
    }
    __device__ std::uint32_t id(std::uint32_t p) const { return __float_as_uint(at(kId, p)); }
    __device__ float& at(unsigned channel, std::uint32_t particle) const
    {
        float* group = values + std::uint64_t(particle / kGroup) * pitch;
        return group[channel * kGroup + particle % kGroup];
    }
    __device__ Vec3f vector(unsigned channel, std::uint32_t p) const
    {
        return {at(channel, p), at(channel + 1, p), at(channel + 2, p)};
    }
    __device__ void setVector(unsigned channel, std::uint32_t p, const Vec3f& value) const
    {
        at(channel, p) = value.x;
        at(channel + 1, p) = value.y;
        at(channel + 2, p) = value.z;
    }
    __device__ Mat3f matrix(unsigned channel, std::uint32_t p) const
    {
        Mat3f m;
        for (unsigned i = 0; i < 9; ++i)
            m.m[i / 3][i % 3] = at(channel + i, p);
        return m;
    }
    __device__ void setMatrix(unsigned channel, std::uint32_t p, const Mat3f& m) const
    {
        for (unsigned i = 0; i < 9; ++i)
            at(channel + i, p) = m.m[i / 3][i % 3];
    }
    __device__ Sym3f symmetric(unsigned channel, std::uint32_t p) const
    {
        return {at(channel, p),     at(channel + 1, p), at(channel + 2, p),
                at(channel + 3, p), at(channel + 4, p), at(channel + 5, p)};
    }
};

/// sdk::grid::BlockState as the word that kernels store.
inline constexpr std::uint32_t kPassive = FLOE_PASSIVE, kActive = FLOE_ACTIVE,
                               kBoundary = FLOE_BOUNDARY;

/// What others than this rank hold of blocks that only provide nodes: as their state, or nothing.
inline constexpr std::uint32_t kNothing = ~0u;
/// The material of a particle that has left for another rank, until blocks are made anew.
inline constexpr std::uint32_t kGone = ~0u;

/// Period, as kernels know it.
struct Wrap {
    std::int32_t low[3], count[3]; ///< of blocks; count 0: not periodic along that axis

    __device__ __forceinline__ std::int32_t along(int axis, std::int32_t c) const
    {
        return count[axis] > 0 ? sdk::world::wrapped(c, low[axis], count[axis]) : c;
    }
    /// Blocks own what is half a cell beyond their end: returns a position between the faces.
    /// @param x  of a particle in one of the blocks [cells]
    __device__ __forceinline__ double between(int axis, double x) const
    {
        const double period = double(kBlockEdge) * count[axis];
        return period > 0 && x >= double(kBlockEdge) * low[axis] + period ? x - period : x;
    }
};

/// The blocks that a kernel of a step works on.
enum class Part : std::uint32_t { all, border, interior };

/// Existing blocks: first those with particles, then those that only provide nodes.
struct Blocks {
    std::int32_t* coordinate;     ///< 3 per block: its first node / 4
    std::uint32_t* start;         ///< first slot of each (block, material), and the end of the last
    std::uint32_t* order;         ///< slot -> particle(), unless inOrder; slots of a block lie
                                  ///< together, by material
    std::uint32_t* neighbour;     ///< 27 per particle block, z fastest
    std::uint32_t* state;         ///< BlockState; with several ranks also of blocks without own
                                  ///< particles, or kNothing
    std::uint32_t* border;        ///< with several ranks: Border of each particle block; else null
    float* speed;                 ///< of the fastest particle [m/s]
    float* restTime;              ///< how long `speed` has been below the rest speed [s]
    float* pushSpeed;             ///< boundary blocks: speed their particles would have [m/s]
    float* gain;                  ///< 3 per boundary block: velocity it would have gained [m/s]
    HashTable table;              ///< finds blocks by coordinate
    std::uint32_t particleBlocks; ///< blocks that hold particles
    std::uint32_t capacity;       ///< blocks there is room for
    std::uint32_t materials;      ///< of the table
    bool inOrder;                 ///< every particle is in its slot
    Wrap wrap;                    ///< which blocks are the same

    /// Returns whether the state of a block, which may be kNoBlock, says what is there.
    /// @param own  number of blocks with particles of this rank
    __device__ bool mayHold(std::uint32_t block, std::uint32_t own) const
    {
        return block != kNoBlock && (block < own || border);
    }
    /// Returns the block this far from another, which may be kNoBlock. @param c  its coordinate
    __device__ std::uint32_t beside(const std::int32_t* c, int x, int y, int z) const
    {
        return findBlock(table, wrap.along(0, c[0] + x), wrap.along(1, c[1] + y),
                         wrap.along(2, c[2] + z));
    }
    __device__ bool isIn(Part part, std::uint32_t block) const
    {
        return part == Part::all || (border[block] != 0) == (part == Part::border);
    }

    __device__ std::uint32_t particle(std::uint32_t slot) const
    {
        return inOrder ? slot : order[slot];
    }
    __device__ std::uint32_t first(std::uint32_t block) const { return start[block * materials]; }
    __device__ std::uint32_t last(std::uint32_t block) const
    {
        return start[(block + 1) * materials];
    }
};

/// Returns the place of a node in an arena, from its number, z fastest.
__device__ __forceinline__ int arenaWord(int node)
{
    return node + node / (kArenaEdge * kArenaEdge) * (kArenaStepX - kArenaEdge * kArenaEdge);
}

struct Mass;
struct Momentum;
struct Velocity;

/// What is summed at the nodes of a block.
///
/// Sums are 64-bit integers: `mass` counts units of 2^-massExponent kg, momentum units of
/// 2^-momentumExponent kg m/s. Integer sums do not depend on the order of the particles, so a run
/// repeats bit for bit.
using NodeSums =
    sdk::grid::Channels<sdk::grid::kStructOfArrays, sdk::grid::Channel<Mass, unsigned long long>,
                        sdk::grid::Channel<Momentum, unsigned long long, 3>>;
/// Velocities computed from the sums [m/s], 0 at nodes without mass.
using NodeVelocities =
    sdk::grid::Channels<sdk::grid::kStructOfArrays, sdk::grid::Channel<Velocity, float, 3>>;

/// For PIC and FLIP: the momentum of the particles alone, without stress; like that of NodeSums.
using MomentumBefore = sdk::grid::Channels<sdk::grid::kStructOfArrays,
                                           sdk::grid::Channel<Momentum, unsigned long long, 3>>;

struct Grid {
    unsigned char* sum;
    unsigned char* velocity;
    unsigned char* sumBefore;      ///< PIC and FLIP: MomentumBefore; else null
    unsigned char* velocityBefore; ///< PIC and FLIP: NodeVelocities of it; else null

    __device__ sdk::grid::Block<NodeSums> sums(std::uint32_t block) const
    {
        return sdk::grid::Block<NodeSums>(sum, block);
    }
    __device__ sdk::grid::Block<NodeVelocities> velocities(std::uint32_t block) const
    {
        return sdk::grid::Block<NodeVelocities>(velocity, block);
    }
    __device__ sdk::grid::Block<MomentumBefore> before(std::uint32_t block) const
    {
        return sdk::grid::Block<MomentumBefore>(sumBefore, block);
    }
    __device__ sdk::grid::Block<NodeVelocities> velocitiesBefore(std::uint32_t block) const
    {
        return sdk::grid::Block<NodeVelocities>(velocityBefore, block);
    }
};

/// Report of the kernels to the host. Nonnegative floats are stored as their bits, which sort
/// alike; with a material in the low word, the largest float wins and names its material.
struct Report {
    // of the grid
    int maxNodeComponent; ///< of a node's velocity [m/s], float bits
    unsigned badNodes;    ///< nodes whose velocity is not a usable number
    // of the particles' motion
    int maxComponent;            ///< of a particle's velocity [m/s], float bits
    int maxGradient;             ///< |C_ii| [1/s], float bits
    unsigned left;               ///< deleted beyond open faces, ever
    unsigned taken;              ///< deleted by colliders, ever
    unsigned long long maxSpeed; ///< [m/s], float bits << 32 | material
    // of the materials
    unsigned long long maxWave; ///< [m/s], float bits << 32 | material
    int maxMomentum; ///< bound of the contribution of a particle's motion [kg m/s], float bits
    int maxForce;    ///< bound of the contribution of its stress [N], float bits
    int maxMass;     ///< [kg], float bits
    int minMass;     ///< of any particle so far [kg], float bits; 0 before the first
    // of the blocks
    unsigned blocks;         ///< created so far
    unsigned particleBlocks; ///< blocks that hold particles; 0 until known
    unsigned overflow;       ///< blocks did not fit
    unsigned tooFar;         ///< particles that moved more than one block
    unsigned active;         ///< blocks whose particles move
    unsigned boundary;       ///< blocks that contribute mass but do not move
    unsigned pushed;         ///< boundary blocks that the grid pushes faster than the wake speed
    unsigned forceFaults;    ///< nodes where the field of a force is not finite
    unsigned long long notFinite; ///< lowest id of a particle that is NaN or infinite, or ~0
};

static_assert(std::has_unique_object_representations_v<Report>); // saved states are compared

/// Share of the lightest particle's mass below which a node is negligible.
inline constexpr double kNegligible = 1.0 / 1024;

/// The numbers of one step.
struct StepNumbers {
    float dt;        ///< [s]
    float dx;        ///< [m]
    double cellSize; ///< cell size, unrounded: for positions in the world [m]
    int massExponent;
    int momentumExponent;
    /// Nodes lighter than this are not asked how fast they are [2^-massExponent kg]: sums are
    /// rounded, so theirs are noise, and no particle follows them by more than kNegligible.
    long long negligibleMass;
    double massUnit;           ///< 2^-massExponent [kg]
    double velocityUnit;       ///< 2^(massExponent - momentumExponent) [m/s]
    std::int32_t roundingSeed; ///< different in each step (physics/rounding.hpp)
    float volumeTime;          ///< GatherRequest::volumeTime [s]
    float flip;                ///< PIC and FLIP: SolverSettings::flipOver() this step
};

/// Replaces the report. One thread; a launch, unlike a copy, needs no wait.
__global__ void setReport(Report* report, Report value)
{
    *report = value;
}

__device__ void reportMax(int* largest, float value)
{
    atomicMax(largest, __float_as_int(value));
}
__device__ void reportMax(unsigned long long* largest, float value, std::uint32_t material)
{
    atomicMax(largest, static_cast<unsigned long long>(__float_as_uint(value)) << 32 | material);
}

/// Returns the lowest e with value < 2^e, for value > 0; a denormal counts as 2^-126.
__device__ __forceinline__ int exponentAbove(float value)
{
    return static_cast<int>((__float_as_uint(value) >> 23) & 255u) - 126;
}
/// 2^e for -126 <= e <= 127
__device__ __forceinline__ float powerOfTwo(int e)
{
    return __uint_as_float(static_cast<unsigned>(e + 127) << 23);
}

/// Maximum over the threads of a CUDA block, in thread 0. `partial` holds a word per warp.
__device__ float blockMax(float value, int* partial)
{
    int bits = sdk::warpMax(__float_as_int(value)); // value >= 0
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = bits;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned w = 1; w < blockDim.x / 32; ++w)
            if (partial[w] > bits)
                bits = partial[w];
    return __int_as_float(bits);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
