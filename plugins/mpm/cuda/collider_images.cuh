#pragma once

/// Surfaces inside which nodes mirror those before them (stepper/collider_image.hpp).
///
/// The order for a step's sums: findImages(); spreadImages(), which clears what nodes get around
/// those that are inside; foldImages(), which collects it in grids of their own; finishImages(),
/// which turns it into momentum; addImages() before the update of nodes and with `sign` -1 after
/// it, so that sums are again what was scattered; and extendImages() before nodes behind the walls
/// of the domain are extended.

#include "bodies.cuh"
#include "collider_image.hpp"
#include "nodes.cuh"
#include "world.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// What finds images: of each block and body.
struct Images {
    static constexpr float kFar = -1e9f; ///< depth of what is nowhere near
    InsideOf* inside;                    ///< kBlockNodes of each block and body, where `near`
    unsigned char* sums; ///< NodeSums: what nodes before surfaces get, where `reached`
    unsigned char* rubs; ///< NodeSums, too: FromImages::rub as mass, FromImages::moving as momentum
    std::uint32_t* near; ///< of each block and body: whether nodes are inside, or closely before
    std::uint32_t* reached; ///< of each block and body: whether there are such beside it

    __device__ InsideOf& at(std::uint32_t nodes, int node) const
    {
        return inside[std::size_t(nodes) * kBlockNodes + unsigned(node)];
    }
    /// Returns whether a node is inside a surface.
    __device__ bool isInside(std::uint32_t nodes, int node) const
    {
        return near[nodes] != 0 && at(nodes, node).depth >= 0;
    }
    __device__ sdk::grid::Block<NodeSums> given(std::uint32_t nodes) const
    {
        return sdk::grid::Block<NodeSums>(sums, nodes);
    }
    __device__ sdk::grid::Block<NodeSums> rubbing(std::uint32_t nodes) const
    {
        return sdk::grid::Block<NodeSums>(rubs, nodes);
    }
};

/// Finds how a node lies to all surfaces that mirror: of several the first that it is inside, else
/// the first that it is closely before.
__device__ InsideOf insideNode(const Environment& environment, const Vec3d& corner,
                               const Vec3f& offset, double cell)
{
    InsideOf found{Images::kFar, {0, 0, 0}, {0, 0, 0}, sdk::world::Contact::slip, 0};
    const sdk::world::Walls walls(environment.domain, corner);
    const auto perCell = static_cast<float>(1 / cell);
    const float margin = ImageNodes::kOwn * static_cast<float>(cell);
    Vec3f image = offset;
    const bool moved = walls.mirror(image, cell);
    const auto take = [&](const InsideOf& some) {
        if (found.depth < 0 && some.depth > -ImageNodes::kOwn &&
            (found.depth <= Images::kFar || some.depth >= 0))
            found = some;
    };
    for (int i = 0; i < environment.colliderCount; ++i) {
        const sdk::world::DeviceCollider& collider = environment.colliders[i];
        sdk::world::SurfacePoint at;
        if (mirrors(collider.contact) && sdk::world::sampleWithin(collider, walls, corner, offset,
                                                                  image, moved, cell, at, margin))
            take({-at.distance * perCell, at.normal, at.v, collider.contact, collider.friction});
    }
    for (int face = 0; face < 6; ++face) {
        if (!mirrors(environment.domain, face))
            continue;
        const sdk::world::Wall wall(environment.domain, face, corner);
        take({-wall.distance(offset) * perCell,
              wall.inwards,
              {0, 0, 0},
              wall.contact,
              wall.friction});
    }
    return found;
}

/// One CUDA block of 64 threads for the nodes of each block and body, as all here.
template <class Of>
__device__ __forceinline__ void findImagesOf(const Of& of, const Blocks& blocks, const Grid& grid,
                                             const StepNumbers& step,
                                             const Environment& environment, const Images& images)
{
    FLOE_SHARED(unsigned, any, 1);
    const int node = static_cast<int>(threadIdx.x);
    if (node == 0)
        any[0] = 0;
    __syncthreads();
    InsideOf found{Images::kFar, {0, 0, 0}, {0, 0, 0}, sdk::world::Contact::slip, 0};
    if (static_cast<long long>(grid.sums(of.nodes()).template at<Mass>(node)) > 0) {
        const std::int32_t* c = blocks.coordinate + 3 * of.block();
        const double width = kBlockEdge * step.cellSize;
        found = insideNode(environment, {c[0] * width, c[1] * width, c[2] * width},
                           {static_cast<float>(node / 16 * step.cellSize),
                            static_cast<float>(node / 4 % 4 * step.cellSize),
                            static_cast<float>(node % 4 * step.cellSize)},
                           step.cellSize);
        if (found.depth > Images::kFar)
            atomicOr(&any[0], 1u);
    }
    __syncthreads();
    if (node == 0)
        images.near[of.nodes()] = any[0];
    if (any[0] == 0)
        return;
    InsideOf& inside = images.at(of.nodes(), node);
    inside.depth = found.depth;
    for (int axis = 0; axis < 3; ++axis) {
        inside.normal[axis] = found.normal[axis];
        inside.moving[axis] = found.moving[axis];
    }
    inside.contact = found.contact;
    inside.friction = found.friction;
}

/// Clears what nodes get around those that are near.
template <class Of>
__device__ __forceinline__ void spreadImagesOf(const Of& of, const Blocks& blocks,
                                               const Images& images)
{
    FLOE_SHARED(unsigned, any, 1);
    const int node = static_cast<int>(threadIdx.x);
    if (node == 0)
        any[0] = 0;
    __syncthreads();
    if (node < 27) {
        const std::uint32_t beside =
            node == 13 ? of.nodes()
                       : of.nodesIn(blocks.beside(blocks.coordinate + 3 * of.block(), node / 9 - 1,
                                                  node / 3 % 3 - 1, node % 3 - 1));
        if (beside != kNoBlock && images.near[beside] != 0)
            atomicOr(&any[0], 1u);
    }
    __syncthreads();
    if (node == 0)
        images.reached[of.nodes()] = any[0];
    if (any[0] == 0)
        return;
    const auto given = images.given(of.nodes()), rubbing = images.rubbing(of.nodes());
    given.template at<Mass>(node) = 0;
    rubbing.template at<Mass>(node) = 0;
    for (int axis = 0; axis < 3; ++axis) {
        given.template at<Momentum>(node, axis) = 0;
        rubbing.template at<Momentum>(node, axis) = 0;
    }
}

/// The nodes that stand for the image of a node.
template <class Of>
class ImageAround {
public:
    __device__ ImageAround(const NodesAround<Of>& around, const Images& images,
                           const InsideOf& inside, int node)
        : nodes(inside.depth, inside.normal), around_(around)
    {
        place_[0] = node / 16 + nodes.base[0];
        place_[1] = node / 4 % 4 + nodes.base[1];
        place_[2] = node % 4 + nodes.base[2];
        float mass[8];
        for (int corner = 0; corner < 8; ++corner) {
            const std::uint32_t owner = ownerOf(corner);
            mass[corner] = owner != kNoBlock && !images.isInside(owner, numberOf(corner))
                               ? around.summed(x(corner), y(corner), z(corner), 1).mass
                               : 0;
        }
        nodes.choose(mass, around.summed(node / 16, node / 4 % 4, node % 4, 1).mass, inside.depth);
    }

    __device__ std::uint32_t ownerOf(int corner) const
    {
        return around_.owner(x(corner), y(corner), z(corner));
    }
    __device__ int numberOf(int corner) const
    {
        return sdk::grid::cellNumber(x(corner) & 3, y(corner) & 3, z(corner) & 3);
    }
    /// Returns the velocity there. @param at  NodeValue(int x, int y, int z)
    template <class At>
    __device__ Vec3f velocity(const At& at) const
    {
        Vec3f v{0, 0, 0};
        for (int corner = 0; corner < 8; ++corner)
            if (nodes.weight[corner] > 0)
                v = v + nodes.weight[corner] * at(x(corner), y(corner), z(corner)).v;
        return v;
    }

    ImageNodes nodes;

private:
    __device__ int x(int corner) const { return place_[0] + (corner >> 2); }
    __device__ int y(int corner) const { return place_[1] + (corner >> 1 & 1); }
    __device__ int z(int corner) const { return place_[2] + (corner & 1); }

    const NodesAround<Of>& around_;
    int place_[3]; ///< of the first corner
};

/// Finds what a node is inside, or closely before.
/// @return whether it has an image
template <class Of>
__device__ __forceinline__ bool hasImage(const Of& of, const Grid& grid, const Images& images,
                                         InsideOf& inside)
{
    const int node = static_cast<int>(threadIdx.x);
    if (images.near[of.nodes()] == 0 ||
        static_cast<long long>(grid.sums(of.nodes()).template at<Mass>(node)) <= 0)
        return false;
    inside = images.at(of.nodes(), node);
    return inside.depth > -ImageNodes::kOwn && inside.depth <= ImageNodes::kReach &&
           physics::dot(inside.normal, inside.normal) > 0;
}

/// A node before all contact, and what its image presses with.
struct Pressing {
    Vec3f before; ///< velocity of the node, with gravity [m/s]
    float push;   ///< by which the image is faster along the normal than what stands for it [m/s]
};

template <class Of>
__device__ __forceinline__ Pressing pressing(const NodesAround<Of>& around,
                                             const ImageAround<Of>& image, const InsideOf& inside,
                                             const StepNumbers& step, const Vec3f& gravity)
{
    const int node = static_cast<int>(threadIdx.x);
    const auto at = [&](int x, int y, int z) {
        NodeValue value = around.summed(x, y, z, step.velocityUnit);
        value.v = value.v + gravity;
        return value;
    };
    const Vec3f before = at(node / 16, node / 4 % 4, node % 4).v;
    return {before, inside.mirroredSpeed(before) - physics::dot(image.velocity(at), inside.normal)};
}

__device__ __forceinline__ unsigned long long wholeOf(double value)
{
    return static_cast<unsigned long long>(llrint(value));
}

template <class Of>
__device__ __forceinline__ void foldImagesOf(const Of& of, const Blocks& blocks, const Grid& grid,
                                             const StepNumbers& step, const Vec3f& gravity,
                                             const Images& images)
{
    InsideOf inside;
    if (!hasImage(of, grid, images, inside))
        return;
    const int node = static_cast<int>(threadIdx.x);
    const NodesAround<Of> around(of, blocks, grid);
    const ImageAround<Of> image(around, images, inside, node);
    if (!(image.nodes.share > 0))
        return;
    const float push = pressing(around, image, inside, step, gravity).push;
    if (!inside.counts(push))
        return;
    const auto mass =
        static_cast<double>(static_cast<long long>(grid.sums(of.nodes()).template at<Mass>(node)));
    for (int corner = 0; corner < 8; ++corner) {
        if (!(image.nodes.weight[corner] > 0))
            continue;
        const double part = double{image.nodes.weight[corner] * image.nodes.share} * mass;
        const double perUnit = part / step.velocityUnit;
        const std::uint32_t owner = image.ownerOf(corner);
        const auto given = images.given(owner), rubbing = images.rubbing(owner);
        const int number = image.numberOf(corner);
        atomicAdd(&given.template at<Mass>(number), wholeOf(part));
        for (int axis = 0; axis < 3; ++axis)
            atomicAdd(&given.template at<Momentum>(number, axis),
                      wholeOf(perUnit * double{push * inside.normal[axis]}));
        if (!(inside.rubs() > 0))
            continue;
        atomicAdd(&rubbing.template at<Mass>(number),
                  wholeOf(perUnit * double{inside.rubs() * push}));
        for (int axis = 0; axis < 3; ++axis)
            atomicAdd(&rubbing.template at<Momentum>(number, axis),
                      wholeOf(perUnit * double{inside.moving[axis]}));
    }
}

/// Turns what a node gets into its own momentum: its velocity becomes that of both masses, rubbed.
template <class Of>
__device__ __forceinline__ void finishImagesOf(const Of& of, const Grid& grid,
                                               const StepNumbers& step, const Vec3f& gravity,
                                               const Images& images)
{
    if (images.reached[of.nodes()] == 0)
        return;
    const int node = static_cast<int>(threadIdx.x);
    const auto given = images.given(of.nodes()), rubbing = images.rubbing(of.nodes()),
               sums = grid.sums(of.nodes());
    const auto number = [](unsigned long long sum) {
        return static_cast<double>(static_cast<long long>(sum));
    };
    const double more = number(given.template at<Mass>(node));
    if (!(more > 0))
        return;
    const double mass = number(sums.template at<Mass>(node));
    FromImages all;
    all.mass = static_cast<float>(more);
    all.rub = static_cast<float>(step.velocityUnit * number(rubbing.template at<Mass>(node)));
    Vec3f v;
    for (int axis = 0; axis < 3; ++axis) {
        all.impulse[axis] =
            static_cast<float>(step.velocityUnit * number(given.template at<Momentum>(node, axis)));
        all.moving[axis] = static_cast<float>(step.velocityUnit *
                                              number(rubbing.template at<Momentum>(node, axis)));
        v[axis] = static_cast<float>(step.velocityUnit / mass *
                                     number(sums.template at<Momentum>(node, axis)));
    }
    v = v + gravity;
    const Vec3f change = all.applied(v, static_cast<float>(mass)) - v;
    for (int axis = 0; axis < 3; ++axis)
        given.template at<Momentum>(node, axis) =
            wholeOf(mass * double{change[axis]} / step.velocityUnit);
}

template <class Of>
__device__ __forceinline__ void extendImagesOf(const Of& of, const Blocks& blocks, const Grid& grid,
                                               const StepNumbers& step, const Vec3f& gravity,
                                               const Images& images)
{
    InsideOf inside;
    if (!hasImage(of, grid, images, inside) || inside.depth < 0)
        return;
    const int node = static_cast<int>(threadIdx.x);
    const NodesAround<Of> around(of, blocks, grid);
    const ImageAround<Of> image(around, images, inside, node);
    if (!(image.nodes.share > 0))
        return;
    const Pressing was = pressing(around, image, inside, step, gravity);
    if (!inside.counts(was.push))
        return;
    const auto at = [&](int x, int y, int z) {
        return around.moving(x, y, z);
    };
    const Vec3f v = inside.extended(at(node / 16, node / 4 % 4, node % 4).v, was.before,
                                    image.nodes.share, image.velocity(at));
    const auto velocities = grid.velocities(of.nodes());
    for (int axis = 0; axis < 3; ++axis)
        velocities.template at<Velocity>(node, axis) = v[axis];
}

// Where all matter moves together, and of bodies.

__global__ void __launch_bounds__(kBlockNodes)
    findImages(Blocks blocks, Grid grid, StepNumbers step, Environment environment, Images images)
{
    findImagesOf(NodesOfAll(), blocks, grid, step, environment, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    foldImages(Blocks blocks, Grid grid, StepNumbers step, Vec3f gravity, Images images)
{
    foldImagesOf(NodesOfAll(), blocks, grid, step, gravity, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    extendImages(Blocks blocks, Grid grid, StepNumbers step, Vec3f gravity, Images images)
{
    extendImagesOf(NodesOfAll(), blocks, grid, step, gravity, images);
}
__global__ void __launch_bounds__(kBlockNodes) spreadImages(Blocks blocks, Images images)
{
    spreadImagesOf(NodesOfAll(), blocks, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    findImagesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, StepNumbers step,
                       Environment environment, Images images)
{
    findImagesOf(NodesOfBody(bodies, blockIdx.x), blocks, grid, step, environment, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    spreadImagesOfBodies(Blocks blocks, BodyNodes bodies, Images images)
{
    spreadImagesOf(NodesOfBody(bodies, blockIdx.x), blocks, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    foldImagesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, StepNumbers step, Vec3f gravity,
                       Images images)
{
    foldImagesOf(NodesOfBody(bodies, blockIdx.x), blocks, grid, step, gravity, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    extendImagesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, StepNumbers step,
                         Vec3f gravity, Images images)
{
    extendImagesOf(NodesOfBody(bodies, blockIdx.x), blocks, grid, step, gravity, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    finishImages(Grid grid, StepNumbers step, Vec3f gravity, Images images)
{
    finishImagesOf(NodesOfAll(), grid, step, gravity, images);
}
/// Adds to the sums what nodes get, or takes it back. @param sign  1 or -1
__global__ void __launch_bounds__(kBlockNodes) addImages(Grid grid, Images images, int sign)
{
    const int node = static_cast<int>(threadIdx.x);
    const auto given = images.given(blockIdx.x);
    if (images.reached[blockIdx.x] == 0 || given.template at<Mass>(node) == 0)
        return;
    const auto sums = grid.sums(blockIdx.x);
    for (int axis = 0; axis < 3; ++axis)
        sums.template at<Momentum>(node, axis) +=
            static_cast<unsigned long long>(sign) * given.template at<Momentum>(node, axis);
}

/// Device memory of images.
class ImageArrays {
public:
    explicit ImageArrays(Device& device)
        : inside_(device), sums_(device), rubs_(device), near_(device), reached_(device)
    {}
    /// @param count  of blocks and bodies
    Images need(std::size_t count)
    {
        inside_.need(count * kBlockNodes);
        sums_.need(count * NodeSums::kBytes);
        rubs_.need(count * NodeSums::kBytes);
        near_.need(count);
        reached_.need(count);
        return {inside_.data(), sums_.data(), rubs_.data(), near_.data(), reached_.data()};
    }
    std::size_t bytes() const
    {
        return sizeof(InsideOf) * inside_.capacity() + sums_.capacity() + rubs_.capacity() +
               sizeof(std::uint32_t) * (near_.capacity() + reached_.capacity());
    }

private:
    DeviceArray<InsideOf> inside_;
    DeviceArray<unsigned char> sums_, rubs_;
    DeviceArray<std::uint32_t> near_, reached_;
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
