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

Vec3d momentum(float mass, const Vec3f& v)
{
    return double{mass} * Vec3d{v.x, v.y, v.z};
}

} // namespace

void ColliderImages::begin(std::size_t slots, std::size_t nodes)
{
    inside_.resize(slots);
    images_.resize(std::max(nodes, images_.size()));
    given_.resize(images_.size());
    for (InsideBlock& block : inside_) {
        block.nodes = block.known = 0;
        block.mirrored.clear();
        block.samples.clear();
    }
    for (auto& images : images_)
        images.clear();
    for (auto& given : given_)
        given.clear();
}

void ColliderImages::find(std::size_t slot, const float* mass)
{
    Block& block = grid_->blocks[grid_->gridList[slot]];
    InsideBlock& inside = inside_[slot];
    const auto perCell = static_cast<float>(1 / state_->settings.cellSize);
    const auto& colliders = state_->surroundings.colliders;
    ColliderSample moving;
    for (std::size_t c = 0; c < colliders.size(); ++c) {
        const Collider& collider = *colliders[c];
        if (!state_->mirrors(collider))
            continue;
        const ColliderSample* sample = contact_->sampleOf(block, collider, mass, moving);
        if (sample && !collider.rests())
            inside.samples.push_back({collider.id, moving});
        for (int n = 0; sample && n < kBlockNodes; ++n) {
            if (!(mass[n] > 0))
                continue;
            const SurfacePoint at = sample->at(n);
            add(inside,
                {n, static_cast<std::uint32_t>(c), -at.distance * perCell, at.normal, at.v});
        }
    }
}

/// Takes what is known of a node: of several surfaces the first that it is inside, else the first
/// that it is closely before.
void ColliderImages::add(InsideBlock& block, const Inside& found)
{
    const std::uint64_t bit = std::uint64_t{1} << found.node;
    const bool isInside = found.depth >= 0;
    if (found.depth <= -ImageNodes::kOwn || block.nodes & bit || (block.known & bit && !isInside))
        return;
    block.nodes |= isInside ? bit : 0;
    if (found.depth > ImageNodes::kReach || !(physics::dot(found.normal, found.normal) > 0))
        return;
    if (block.known & bit)
        std::erase_if(block.mirrored,
                      [&](const Inside& other) { return other.node == found.node; });
    block.known |= bit;
    block.mirrored.push_back(found);
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
        Image image{inside, {inside.depth, inside.normal}, node.mass, 0};
        float mass[8];
        for (int corner = 0; corner < 8; ++corner) {
            const int up[3] = {corner >> 2, corner >> 1 & 1, corner & 1};
            int at[3];
            for (int axis = 0; axis < 3; ++axis)
                at[axis] = place[axis] + image.nodes.base[axis] + up[axis];
            mass[corner] = isInside(at) ? 0 : around.at(at[0], at[1], at[2]).mass;
        }
        image.nodes.choose(mass, node.mass, inside.depth);
        if (!(image.nodes.share > 0))
            continue;
        const Vec3f& normal = inside.normal;
        image.push = mirroredSpeed(node.v, normal, inside.moving) -
                     physics::dot(velocityAt(image, around), normal);
        images_[own].push_back(image);
    }
}

void ColliderImages::fold(std::size_t own, const NodesAround& around, float* nodes)
{
    const sdk::grid::Block<Nodes> values(nodes);
    /// What a node gets from images.
    struct Sum {
        float mass = 0, most = 0;
        Vec3f impulse{0, 0, 0};
        std::uint32_t collider = 0; ///< that gives most
    };
    Sum sums[kBlockNodes];
    bool any = false;
    for (int o = 0; o < 27; ++o) {
        const std::int32_t number = around.number(o);
        if (number < 0)
            continue;
        const int step[3] = {4 * (o / 9 - 1), 4 * (o / 3 % 3 - 1), 4 * (o % 3 - 1)};
        for (const Image& image : images_[static_cast<std::size_t>(number)]) {
            int place[3];
            placeOf(image.at.node, place);
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
                const float part = image.nodes.weight[corner] * image.nodes.share * image.mass;
                Sum& sum = sums[sdk::grid::cellNumber(at[0], at[1], at[2])];
                sum.mass += part;
                sum.impulse = sum.impulse + part * image.push * image.at.normal;
                if (part > sum.most) {
                    sum.most = part;
                    sum.collider = image.at.collider;
                }
                any = true;
            }
        }
    }
    for (int n = 0; any && n < kBlockNodes; ++n) {
        const Sum& sum = sums[n];
        if (!(sum.mass > 0))
            continue;
        const float mass = values.at<Mass>(n);
        const Vec3f change = (1 / (mass + sum.mass)) * sum.impulse;
        for (int axis = 0; axis < 3; ++axis)
            values.at<Velocity>(n, axis) += change[axis];
        const float speed = physics::length(change);
        if (contact_->record().isOn() && speed > 0)
            given_[own].push_back({n, sum.collider, (1 / speed) * change, momentum(mass, change)});
    }
}

void ColliderImages::extend(std::size_t slot, std::size_t own, const NodesAround& around,
                            float* nodes) const
{
    const Block& block = grid_->blocks[grid_->gridList[slot]];
    ContactRecord& record = contact_->record();
    const sdk::grid::Block<Nodes> values(nodes);
    const auto placed = [&](int node) {
        int place[3];
        placeOf(node, place);
        return state_->cornerOf(block) +
               state_->settings.cellSize * Vec3d{1.0 * place[0], 1.0 * place[1], 1.0 * place[2]};
    };
    // What contact has changed at nodes inside is recorded already.
    for (const Given& given : given_[own])
        record.add(own, given.collider, placed(given.node), given.normal, given.impulse);
    for (const Image& image : images_[own]) {
        if (image.at.depth < 0)
            continue;
        const Vec3f& normal = image.at.normal;
        float along = 0;
        for (int axis = 0; axis < 3; ++axis)
            along += normal[axis] * values.at<Velocity>(image.at.node, axis);
        const float wanted = mirroredSpeed(velocityAt(image, around), normal, image.at.moving);
        const Vec3f change = image.nodes.share * (wanted - along) * normal;
        for (int axis = 0; axis < 3; ++axis)
            values.at<Velocity>(image.at.node, axis) += change[axis];
        if (record.isOn())
            record.add(own, image.at.collider, placed(image.at.node), normal,
                       momentum(image.mass, change));
    }
}

} // namespace floe::mpm
