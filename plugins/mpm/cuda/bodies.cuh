#pragma once

/// Bodies that meet by contact: which of them reach which nodes.
///
/// A body is all particles of one entry of the material table. Those of a block are a part, to
/// kernels of particles a block of its own, whose neighbours are nodes of its body. A block that
/// several bodies reach has nodes for each of them, behind those of all blocks, in the order of the
/// bodies, and leaves its own empty; so a block that one body reaches costs what it does without
/// bodies that meet.

#include "layout.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

__device__ __forceinline__ unsigned bitsIn(unsigned long long bits)
{
    return static_cast<unsigned>(__popc(static_cast<unsigned>(bits)) +
                                 __popc(static_cast<unsigned>(bits >> 32)));
}
/// Returns the number of the lowest of some bits.
__device__ __forceinline__ unsigned lowestBit(unsigned long long bits)
{
    const auto low = static_cast<unsigned>(bits);
    return static_cast<unsigned>(
        low != 0 ? __ffs(static_cast<int>(low)) - 1
                 : 31 + __ffs(static_cast<int>(static_cast<unsigned>(bits >> 32))));
}

/// The nodes of bodies.
struct BodyNodes {
    unsigned long long* bodies; ///< of each block: bit m: body m reaches it
    std::uint32_t* first;       ///< of each block: number of shared nodes before, and the end
    std::uint32_t* block;       ///< of each shared nodes: their block
    std::uint32_t* body;        ///< of each shared nodes: their body
    std::uint32_t blocks;       ///< number of blocks; nodes from here on are shared

    /// Returns how many bodies share a block: 0, or two and more.
    __device__ std::uint32_t sharing(std::uint32_t b) const { return first[b + 1] - first[b]; }
    /// Returns a body's nodes in a block, which may be kNoBlock. @return kNoBlock: it has none
    __device__ std::uint32_t of(unsigned wanted, std::uint32_t b) const
    {
        const unsigned long long bit = 1ull << wanted;
        if (b == kNoBlock || (bodies[b] & bit) == 0)
            return kNoBlock;
        return sharing(b) == 0 ? b : blocks + first[b] + bitsIn(bodies[b] & (bit - 1));
    }
};

/// The nodes of one body in a block and around it, for NodesAround.
class NodesOfBody {
public:
    /// @param nodes  their number among those of all blocks and bodies
    __device__ NodesOfBody(const BodyNodes& all, std::uint32_t nodes) : all_(all), nodes_(nodes)
    {
        const bool shared = nodes >= all.blocks;
        block_ = shared ? all.block[nodes - all.blocks] : nodes;
        body_ = shared ? all.body[nodes - all.blocks] : lowestBit(all.bodies[block_] | 1ull << 63);
    }
    __device__ std::uint32_t nodes() const { return nodes_; }
    __device__ std::uint32_t block() const { return block_; }
    __device__ std::uint32_t nodesIn(std::uint32_t block) const { return all_.of(body_, block); }

private:
    const BodyNodes& all_;
    std::uint32_t nodes_, block_;
    unsigned body_;
};

/// Which parts blocks consist of.
struct Parts {
    std::uint32_t* first; ///< of each block: its first part, and the end of the last
    std::uint32_t* block; ///< of each part
    std::uint32_t* body;  ///< of each part
};

/// Counts the parts of blocks, and finds the bodies that reach blocks; both are 0 before. One
/// thread for each block and material.
__global__ void countParts(Blocks blocks, std::uint32_t* count, unsigned long long* bodies)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks.particleBlocks * blocks.materials || blocks.start[i] == blocks.start[i + 1])
        return;
    const std::uint32_t b = i / blocks.materials;
    atomicAdd(&count[b], 1u);
    for (unsigned n = 0; n < 27; ++n)
        atomicOr(&bodies[blocks.neighbour[27 * b + n]], 1ull << i % blocks.materials);
}

/// Counts the nodes that bodies share in each block. One thread per block.
__global__ void countShared(const unsigned long long* bodies, std::uint32_t blocks,
                            std::uint32_t* count)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks)
        return;
    const unsigned reach = bitsIn(bodies[b]);
    count[b] = reach > 1 ? reach : 0;
}

/// Lists the parts of blocks. One thread for each block and material.
/// @param made  the parts as blocks
__global__ void listParts(Blocks blocks, Parts parts, Blocks made)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= blocks.particleBlocks * blocks.materials || blocks.start[i] == blocks.start[i + 1])
        return;
    const std::uint32_t b = i / blocks.materials, body = i % blocks.materials;
    std::uint32_t part = parts.first[b];
    for (std::uint32_t m = 0; m < body; ++m) {
        const std::uint32_t* start = blocks.start + b * blocks.materials + m;
        part += start[0] != start[1] ? 1 : 0;
    }
    parts.block[part] = b;
    parts.body[part] = body;
    for (std::uint32_t m = 0; m < blocks.materials; ++m)
        made.start[part * blocks.materials + m] = blocks.start[m <= body ? i : i + 1];
    if (part + 1 == made.particleBlocks)
        made.start[made.particleBlocks * blocks.materials] = blocks.start[i + 1];
    for (unsigned axis = 0; axis < 3; ++axis)
        made.coordinate[3 * part + axis] = blocks.coordinate[3 * b + axis];
}

/// Lists the nodes that bodies share. One thread per block.
__global__ void listShared(BodyNodes nodes)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= nodes.blocks || nodes.sharing(b) == 0)
        return;
    unsigned long long left = nodes.bodies[b];
    for (std::uint32_t i = nodes.first[b]; i < nodes.first[b + 1]; ++i, left &= left - 1) {
        nodes.block[i] = b;
        nodes.body[i] = lowestBit(left);
    }
}

/// Finds the nodes of each part's body around it. One thread for each part and neighbour.
__global__ void linkParts(Blocks blocks, Parts parts, BodyNodes nodes, Blocks made)
{
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 27 * made.particleBlocks)
        return;
    const std::uint32_t part = i / 27;
    made.neighbour[i] =
        nodes.of(parts.body[part], blocks.neighbour[27 * parts.block[part] + i % 27]);
}

/// Gives parts the state and the motion of their blocks. One thread per part.
__global__ void beginParts(Blocks blocks, Parts parts, Blocks made)
{
    const std::uint32_t part = blockIdx.x * blockDim.x + threadIdx.x;
    if (part >= made.particleBlocks)
        return;
    const std::uint32_t b = parts.block[part];
    made.state[part] = blocks.state[b];
    made.speed[part] = blocks.speed[b];
    made.restTime[part] = blocks.restTime[b];
}

/// Gives blocks the motion of their fastest part. One thread per particle block.
__global__ void endParts(Blocks blocks, Parts parts, Blocks made)
{
    const std::uint32_t b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks.particleBlocks || parts.first[b] == parts.first[b + 1])
        return;
    float speed = 0, restTime = made.restTime[parts.first[b]];
    for (std::uint32_t part = parts.first[b]; part < parts.first[b + 1]; ++part) {
        speed = fmaxf(speed, made.speed[part]);
        restTime = fminf(restTime, made.restTime[part]);
    }
    blocks.speed[b] = speed;
    blocks.restTime[b] = restTime;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
