#include "collider_images.hpp"

#include <algorithm>
#include <cmath>

namespace floe::mpm {

using sdk::world::SurfacePoint;
using sdk::world::Vec3f;

namespace {

void placeOf(int node, int (&place)[3])
{
    place[0] = node / 16;
    place[1] = node / 4 % 4;
    place[2] = node % 4;
}

} // namespace

void ColliderImages::begin(std::size_t slots, std::size_t nodes)
{
    inside_.resize(slots);
    images_.resize(std::max(nodes, images_.size()));
    for (InsideBlock& block : inside_) {
        block.nodes = 0;
        block.mirrored.clear();
    }
    for (auto& images : images_)
        images.clear();
}

void ColliderImages::find(std::size_t slot)
{
    Block& block = grid_->blocks[grid_->gridList[slot]];
    InsideBlock& inside = inside_[slot];
    const double h = state_->settings.cellSize;
    const auto& colliders = state_->surroundings.colliders;
    ColliderSample moving;
    std::uint64_t known = 0;
    for (std::size_t c = 0; c < colliders.size(); ++c) {
        if (!state_->mirrors(*colliders[c]))
            continue;
        const ColliderSample* sample = contact_->sampleOf(block, *colliders[c], moving);
        for (int n = 0; sample && n < kBlockNodes; ++n) {
            const SurfacePoint at = sample->at(n);
            const float depth = -at.distance / static_cast<float>(h);
            const std::uint64_t bit = std::uint64_t{1} << n;
            const bool isInside = depth >= 0;
            if (depth <= -ImageNodes::kOwn || inside.nodes & bit || (known & bit && !isInside))
                continue;
            inside.nodes |= isInside ? bit : 0;
            if (depth > ImageNodes::kReach || !(physics::dot(at.normal, at.normal) > 0))
                continue;
            if (known & bit)
                std::erase_if(inside.mirrored,
                              [&](const Inside& other) { return other.node == n; });
            known |= bit;
            inside.mirrored.push_back({n, static_cast<std::uint32_t>(c), depth, at.normal, at.v});
        }
    }
}

/// Returns the velocity of the nodes that stand for an image.
Vec3f ColliderImages::velocityAt(const Image& image, const NodesAround& around)
{
    int place[3];
    placeOf(image.at.node, place);
    Vec3f v{0, 0, 0};
    for (int corner = 0; corner < 8; ++corner)
        if (image.nodes.weight[corner] > 0)
            v = v + image.nodes.weight[corner] *
                        around
                            .at(place[0] + image.nodes.base[0] + (corner >> 2),
                                place[1] + image.nodes.base[1] + (corner >> 1 & 1),
                                place[2] + image.nodes.base[2] + (corner & 1))
                            .v;
    return v;
}

/// Returns by how much an image is faster along the normal than what stands for it.
float ColliderImages::pushOf(const Image& image, const NodesAround& around)
{
    return image.speed - physics::dot(velocityAt(image, around), image.at.normal);
}

void ColliderImages::choose(std::size_t slot, std::size_t own, const NodesAround& around)
{
    const Block& block = grid_->blocks[grid_->gridList[slot]];
    const auto isInside = [&](const int(&at)[3]) {
        const std::int32_t n = block.neighbour[static_cast<std::size_t>(
            sdk::grid::offsetNumber(at[0] >> 2, at[1] >> 2, at[2] >> 2))];
        const std::int32_t beside = n < 0 ? -1 : grid_->blocks[n].nodes;
        return beside >= 0 && (inside_[static_cast<std::size_t>(beside)].nodes >>
                                   sdk::grid::cellNumber(at[0] & 3, at[1] & 3, at[2] & 3) &
                               1);
    };
    for (const Inside& inside : inside_[slot].mirrored) {
        int place[3];
        placeOf(inside.node, place);
        const NodeValue node = around.at(place[0], place[1], place[2]);
        if (!(node.mass > 0))
            continue;
        Image image{inside, {inside.depth, inside.normal}, node.mass, 0, 0};
        unsigned usable = 0;
        for (int corner = 0; corner < 8; ++corner) {
            const int up[3] = {corner >> 2, corner >> 1 & 1, corner & 1};
            int at[3];
            for (int axis = 0; axis < 3; ++axis)
                at[axis] = place[axis] + image.nodes.base[axis] + up[axis];
            if (!isInside(at) && around.at(at[0], at[1], at[2]).mass > 0)
                usable |= 1u << corner;
        }
        image.nodes.choose(usable, inside.depth);
        if (!(image.nodes.share > 0))
            continue;
        image.speed = mirroredSpeed(node.v, inside.normal, inside.moving);
        image.push = pushOf(image, around);
        images_[own].push_back(image);
    }
}

void ColliderImages::fold(const NodesAround& around, float* nodes) const
{
    const sdk::grid::Block<Nodes> values(nodes);
    float mass[kBlockNodes] = {};
    Vec3f impulse[kBlockNodes] = {};
    bool any = false;
    for (int o = 0; o < 27; ++o) {
        const std::int32_t number = around.number(o);
        if (number < 0)
            continue;
        const int step[3] = {4 * (o / 9 - 1), 4 * (o / 3 % 3 - 1), 4 * (o % 3 - 1)};
        for (const Image& image : images_[static_cast<std::size_t>(number)]) {
            int place[3];
            placeOf(image.at.node, place);
            const float shared = image.nodes.share * image.mass;
            for (int corner = 0; corner < 8; ++corner) {
                const int up[3] = {corner >> 2, corner >> 1 & 1, corner & 1};
                int at[3];
                bool here = image.nodes.weight[corner] > 0;
                for (int axis = 0; axis < 3; ++axis) {
                    at[axis] = step[axis] + place[axis] + image.nodes.base[axis] + up[axis];
                    here = here && at[axis] >= 0 && at[axis] < kBlockEdge;
                }
                if (!here)
                    continue;
                const int n = sdk::grid::cellNumber(at[0], at[1], at[2]);
                const float part = image.nodes.weight[corner] * shared;
                mass[n] += part;
                impulse[n] = impulse[n] + part * image.push * image.at.normal;
                any = true;
            }
        }
    }
    for (int n = 0; any && n < kBlockNodes; ++n)
        for (int axis = 0; mass[n] > 0 && axis < 3; ++axis)
            values.at<Velocity>(n, axis) += impulse[n][axis] / (values.at<Mass>(n) + mass[n]);
}

void ColliderImages::measureFolded(std::size_t own, const NodesAround& around)
{
    for (Image& image : images_[own])
        image.push = pushOf(image, around);
}

void ColliderImages::extend(std::size_t slot, std::size_t own, const NodesAround& around,
                            float* nodes) const
{
    const Block& block = grid_->blocks[grid_->gridList[slot]];
    ContactRecord& record = contact_->record();
    const sdk::grid::Block<Nodes> values(nodes);
    for (const Image& image : images_[own]) {
        const Vec3f& normal = image.at.normal;
        const float share = image.nodes.share;
        float along = 0;
        for (int axis = 0; axis < 3; ++axis)
            along += normal[axis] * values.at<Velocity>(image.at.node, axis);
        const float change =
            image.at.depth < 0
                ? 0
                : share *
                      (mirroredSpeed(velocityAt(image, around), normal, image.at.moving) - along);
        for (int axis = 0; axis < 3; ++axis)
            values.at<Velocity>(image.at.node, axis) += change * normal[axis];
        if (!record.isOn())
            continue;
        // What contact has changed at the node is recorded already. What fold() gave to the nodes
        // before the collider is theirs from the collider, too.
        const float given = share * image.push;
        int place[3];
        placeOf(image.at.node, place);
        Vec3d impulse, at = state_->cornerOf(block);
        for (int axis = 0; axis < 3; ++axis) {
            impulse[axis] = double{image.mass} * double{change + given} * double{normal[axis]};
            at[axis] += place[axis] * state_->settings.cellSize;
        }
        record.add(own, image.at.collider, at, normal, impulse);
    }
}

} // namespace floe::mpm
