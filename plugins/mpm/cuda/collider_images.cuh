#pragma once

/// Colliders of contact `slip`, inside which nodes mirror those before them
/// (stepper/collider_image.hpp).
///
/// The order for a step's sums: findImages(); foldImages(), which collects in a grid of its own
/// what nodes before colliders get; finishImages(), which turns that into momentum; addImages()
/// before the update of nodes and with `sign` -1 after it, so that sums are again what was
/// scattered; and extendImages() before nodes behind the walls of the domain are extended.

#include "bodies.cuh"
#include "collider_image.hpp"
#include "nodes.cuh"

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// How a node lies to the colliders that mirror.
struct InsideNode {
    static constexpr float kFar = -1e9f;
    float depth; ///< [cells]; above 0 inside, kFar: nowhere near
    Vec3f normal, moving;
};

/// What finds images: of each block and body.
struct Images {
    InsideNode* inside;  ///< kBlockNodes of each block and body
    unsigned char* sums; ///< NodeSums: what nodes before colliders get

    __device__ InsideNode& at(std::uint32_t nodes, int node) const
    {
        return inside[std::size_t(nodes) * kBlockNodes + unsigned(node)];
    }
    __device__ sdk::grid::Block<NodeSums> given(std::uint32_t nodes) const
    {
        return sdk::grid::Block<NodeSums>(sums, nodes);
    }
};

/// Finds how a node lies to all colliders that mirror: of several the first that it is inside, else
/// the first that it is closely before.
__device__ InsideNode insideNode(const Environment& environment, const Vec3d& corner,
                                 const Vec3f& offset, double cell)
{
    InsideNode found{InsideNode::kFar, {0, 0, 0}, {0, 0, 0}};
    const sdk::world::Walls walls(environment.domain, corner);
    const auto perCell = static_cast<float>(1 / cell);
    const float margin = ImageNodes::kOwn * static_cast<float>(cell);
    Vec3f image = offset;
    const bool moved = walls.mirror(image, cell);
    for (int i = 0; i < environment.colliderCount; ++i) {
        sdk::world::SurfacePoint at;
        if (environment.colliders[i].contact != sdk::world::Contact::slip ||
            !sdk::world::sampleWithin(environment.colliders[i], walls, corner, offset, image, moved,
                                      cell, at, margin))
            continue;
        const float depth = -at.distance * perCell;
        if (depth <= -ImageNodes::kOwn || (found.depth > InsideNode::kFar && depth < 0))
            continue;
        found = {depth, at.normal, at.v};
        if (depth >= 0)
            break;
    }
    return found;
}

/// One CUDA block of 64 threads for the nodes of each block and body, as all here.
template <class Of>
__device__ __forceinline__ void findImagesOf(const Of& of, const Blocks& blocks, const Grid& grid,
                                             const StepNumbers& step,
                                             const Environment& environment, const Images& images)
{
    const int node = static_cast<int>(threadIdx.x);
    const auto given = images.given(of.nodes());
    given.template at<Mass>(node) = 0;
    for (int axis = 0; axis < 3; ++axis)
        given.template at<Momentum>(node, axis) = 0;
    InsideNode& inside = images.at(of.nodes(), node);
    inside.depth = InsideNode::kFar;
    if (static_cast<long long>(grid.sums(of.nodes()).template at<Mass>(node)) <= 0)
        return;
    const std::int32_t* c = blocks.coordinate + 3 * of.block();
    const double width = kBlockEdge * step.cellSize;
    const InsideNode found = insideNode(environment, {c[0] * width, c[1] * width, c[2] * width},
                                        {static_cast<float>(node / 16 * step.cellSize),
                                         static_cast<float>(node / 4 % 4 * step.cellSize),
                                         static_cast<float>(node % 4 * step.cellSize)},
                                        step.cellSize);
    inside.depth = found.depth;
    for (int axis = 0; axis < 3; ++axis) {
        inside.normal[axis] = found.normal[axis];
        inside.moving[axis] = found.moving[axis];
    }
}

/// The nodes that stand for the image of a node.
template <class Of>
class ImageAround {
public:
    __device__ ImageAround(const NodesAround<Of>& around, const Images& images,
                           const InsideNode& inside, int node)
        : nodes(inside.depth, inside.normal), around_(around)
    {
        place_[0] = node / 16 + nodes.base[0];
        place_[1] = node / 4 % 4 + nodes.base[1];
        place_[2] = node % 4 + nodes.base[2];
        float mass[8];
        for (int corner = 0; corner < 8; ++corner) {
            const std::uint32_t owner = ownerOf(corner);
            mass[corner] = owner != kNoBlock && images.at(owner, numberOf(corner)).depth < 0
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

template <class Of>
__device__ __forceinline__ void foldImagesOf(const Of& of, const Blocks& blocks, const Grid& grid,
                                             const StepNumbers& step, const Vec3f& gravity,
                                             const Images& images)
{
    const int node = static_cast<int>(threadIdx.x);
    const float depth = images.at(of.nodes(), node).depth;
    const auto mass = static_cast<long long>(grid.sums(of.nodes()).template at<Mass>(node));
    if (mass <= 0 || !(depth > -ImageNodes::kOwn) || depth > ImageNodes::kReach)
        return;
    const InsideNode inside = images.at(of.nodes(), node);
    if (!(physics::dot(inside.normal, inside.normal) > 0))
        return;
    const NodesAround<Of> around(of, blocks, grid);
    const ImageAround<Of> image(around, images, inside, node);
    if (!(image.nodes.share > 0))
        return;
    const auto at = [&](int x, int y, int z) {
        NodeValue value = around.summed(x, y, z, step.velocityUnit);
        value.v = value.v + gravity;
        return value;
    };
    const float push =
        mirroredSpeed(at(node / 16, node / 4 % 4, node % 4).v, inside.normal, inside.moving) -
        physics::dot(image.velocity(at), inside.normal);
    for (int corner = 0; corner < 8; ++corner) {
        if (!(image.nodes.weight[corner] > 0))
            continue;
        const double part =
            double{image.nodes.weight[corner] * image.nodes.share} * static_cast<double>(mass);
        const auto given = images.given(image.ownerOf(corner));
        const int number = image.numberOf(corner);
        atomicAdd(&given.template at<Mass>(number), static_cast<unsigned long long>(llrint(part)));
        for (int axis = 0; axis < 3; ++axis)
            atomicAdd(&given.template at<Momentum>(number, axis),
                      static_cast<unsigned long long>(
                          llrint(part * double{push * inside.normal[axis]} / step.velocityUnit)));
    }
}

/// Turns what a node gets into its own momentum: its velocity becomes that of both masses.
template <class Of>
__device__ __forceinline__ void finishImagesOf(const Of& of, const Grid& grid, const Images& images)
{
    const int node = static_cast<int>(threadIdx.x);
    const auto given = images.given(of.nodes());
    const auto more = static_cast<long long>(given.template at<Mass>(node));
    if (more <= 0)
        return;
    const auto mass =
        static_cast<double>(static_cast<long long>(grid.sums(of.nodes()).template at<Mass>(node)));
    const double share = mass / (mass + static_cast<double>(more));
    for (int axis = 0; axis < 3; ++axis) {
        auto& momentum = given.template at<Momentum>(node, axis);
        momentum = static_cast<unsigned long long>(
            llrint(share * static_cast<double>(static_cast<long long>(momentum))));
    }
}

template <class Of>
__device__ __forceinline__ void extendImagesOf(const Of& of, const Blocks& blocks, const Grid& grid,
                                               const Images& images)
{
    const int node = static_cast<int>(threadIdx.x);
    const float depth = images.at(of.nodes(), node).depth;
    if (!(depth >= 0) || depth > ImageNodes::kReach)
        return;
    const InsideNode inside = images.at(of.nodes(), node);
    if (!(physics::dot(inside.normal, inside.normal) > 0))
        return;
    const NodesAround<Of> around(of, blocks, grid);
    const ImageAround<Of> image(around, images, inside, node);
    if (!(image.nodes.share > 0))
        return;
    const auto at = [&](int x, int y, int z) {
        return around.moving(x, y, z);
    };
    const auto velocities = grid.velocities(of.nodes());
    float along = 0;
    for (int axis = 0; axis < 3; ++axis)
        along += inside.normal[axis] * velocities.template at<Velocity>(node, axis);
    const float change = image.nodes.share *
                         (mirroredSpeed(image.velocity(at), inside.normal, inside.moving) - along);
    for (int axis = 0; axis < 3; ++axis)
        velocities.template at<Velocity>(node, axis) += change * inside.normal[axis];
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
__global__ void __launch_bounds__(kBlockNodes) extendImages(Blocks blocks, Grid grid, Images images)
{
    extendImagesOf(NodesOfAll(), blocks, grid, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    findImagesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, StepNumbers step,
                       Environment environment, Images images)
{
    findImagesOf(NodesOfBody(bodies, blockIdx.x), blocks, grid, step, environment, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    foldImagesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, StepNumbers step, Vec3f gravity,
                       Images images)
{
    foldImagesOf(NodesOfBody(bodies, blockIdx.x), blocks, grid, step, gravity, images);
}
__global__ void __launch_bounds__(kBlockNodes)
    extendImagesOfBodies(Blocks blocks, Grid grid, BodyNodes bodies, Images images)
{
    extendImagesOf(NodesOfBody(bodies, blockIdx.x), blocks, grid, images);
}
__global__ void __launch_bounds__(kBlockNodes) finishImages(Grid grid, Images images)
{
    finishImagesOf(NodesOfAll(), grid, images);
}
/// Adds to the sums what nodes get, or takes it back. @param sign  1 or -1
__global__ void __launch_bounds__(kBlockNodes) addImages(Grid grid, Images images, int sign)
{
    const int node = static_cast<int>(threadIdx.x);
    const auto given = images.given(blockIdx.x);
    if (given.template at<Mass>(node) == 0)
        return;
    const auto sums = grid.sums(blockIdx.x);
    for (int axis = 0; axis < 3; ++axis)
        sums.template at<Momentum>(node, axis) +=
            static_cast<unsigned long long>(sign) * given.template at<Momentum>(node, axis);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
