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
            if (!(mass[n] > 0) || !(sample->distance[n] * perCell < ImageNodes::kOwn))
                continue;
            const SurfacePoint at = sample->at(n);
            add(inside,
                {n,
                 static_cast<std::uint32_t>(c),
                 {-at.distance * perCell, at.normal, at.v, collider.contact, collider.friction}});
        }
    }
    const Domain& domain = state_->surroundings.domain;
    for (int face = 0; face < 6; ++face) {
        if (!state_->mirrors(face))
            continue;
        const sdk::world::Wall wall(domain, face, state_->cornerOf(block));
        const auto h = static_cast<float>(state_->settings.cellSize);
        float lowest = wall.corner;
        for (int axis = 0; axis < 3; ++axis)
            lowest += std::min(wall.inwards[axis] * (kBlockEdge - 1) * h, 0.0f);
        for (int n = 0; lowest < ImageNodes::kOwn * h && n < kBlockNodes; ++n) {
            if (!(mass[n] > 0))
                continue;
            int place[3];
            placeOf(n, place);
            Vec3f offset;
            for (int axis = 0; axis < 3; ++axis)
                offset[axis] = static_cast<float>(place[axis] * state_->settings.cellSize);
            add(inside, {n,
                         kWall,
                         {-wall.distance(offset) * perCell,
                          wall.inwards,
                          {0, 0, 0},
                          wall.contact,
                          wall.friction}});
        }
    }
}

void ColliderImages::list(std::span<const std::uint8_t> concerned)
{
    near_.clear();
    reached_.clear();
    isReached_.assign(inside_.size(), 0);
    for (std::size_t slot = 0; slot < inside_.size(); ++slot) {
        if (inside_[slot].mirrored.empty())
            continue;
        near_.push_back(static_cast<std::uint32_t>(slot));
        for (const std::int32_t n : grid_->blocks[grid_->gridList[slot]].neighbour) {
            const std::int32_t beside = n < 0 ? -1 : grid_->blocks[n].nodes;
            if (beside >= 0 && concerned[static_cast<std::size_t>(beside)] == 1)
                isReached_[static_cast<std::size_t>(beside)] = 1;
        }
    }
    for (std::size_t slot = 0; slot < isReached_.size(); ++slot)
        if (isReached_[slot])
            reached_.push_back(static_cast<std::uint32_t>(slot));
}

/// Takes what is known of a node: of several surfaces the first that it is inside, else the first
/// that it is closely before.
void ColliderImages::add(InsideBlock& block, const Inside& found)
{
    const std::uint64_t bit = std::uint64_t{1} << found.node;
    const InsideOf& of = found.of;
    const bool isInside = of.depth >= 0;
    if (of.depth <= -ImageNodes::kOwn || block.nodes & bit || (block.known & bit && !isInside))
        return;
    block.nodes |= isInside ? bit : 0;
    if (of.depth > ImageNodes::kReach || !(physics::dot(of.normal, of.normal) > 0))
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
        Image image{inside, {inside.of.depth, inside.of.normal}, node.mass, 0, node.v};
        float mass[8];
        for (int corner = 0; corner < 8; ++corner) {
            const int up[3] = {corner >> 2, corner >> 1 & 1, corner & 1};
            int at[3];
            for (int axis = 0; axis < 3; ++axis)
                at[axis] = place[axis] + image.nodes.base[axis] + up[axis];
            mass[corner] = isInside(at) ? 0 : around.at(at[0], at[1], at[2]).mass;
        }
        image.nodes.choose(mass, node.mass, inside.of.depth);
        if (!(image.nodes.share > 0))
            continue;
        image.push = inside.of.mirroredSpeed(node.v) -
                     physics::dot(velocityAt(image, around), inside.of.normal);
        if (inside.of.counts(image.push))
            images_[own].push_back(image);
    }
}

void ColliderImages::fold(std::size_t own, const NodesAround& around, float* nodes)
{
    const sdk::grid::Block<Nodes> values(nodes);
    /// What a node gets from images.
    struct Sum {
        FromImages all;
        float most = 0;
        std::uint32_t collider = kWall; ///< that gives most
    };
    Sum sums[kBlockNodes];
    bool given = false;
    for (int o = 0; o < 27; ++o) {
        const std::int32_t number = around.number(o);
        if (number < 0)
            continue;
        const int step[3] = {4 * (o / 9 - 1), 4 * (o / 3 % 3 - 1), 4 * (o % 3 - 1)};
        for (const Image& image : images_[static_cast<std::size_t>(number)]) {
            int first[3];
            placeOf(image.at.node, first);
            bool any = true;
            for (int axis = 0; axis < 3; ++axis) {
                first[axis] += step[axis] + image.nodes.base[axis];
                any = any && first[axis] >= -1 && first[axis] < kBlockEdge;
            }
            for (int corner = 0; any && corner < 8; ++corner) {
                const int up[3] = {corner >> 2, corner >> 1 & 1, corner & 1};
                int at[3];
                bool here = image.nodes.weight[corner] > 0;
                for (int axis = 0; axis < 3; ++axis) {
                    at[axis] = first[axis] + up[axis];
                    here = here && at[axis] >= 0 && at[axis] < kBlockEdge;
                }
                if (!here)
                    continue;
                const float part = image.nodes.weight[corner] * image.nodes.share * image.mass;
                Sum& sum = sums[sdk::grid::cellNumber(at[0], at[1], at[2])];
                sum.all.add(image.at.of, part, image.push);
                if (part > sum.most) {
                    sum.most = part;
                    sum.collider = image.at.collider;
                }
                given = true;
            }
        }
    }
    for (int n = 0; given && n < kBlockNodes; ++n) {
        const Sum& sum = sums[n];
        if (!(sum.all.mass > 0))
            continue;
        const Vec3f before{values.at<Velocity>(n, 0), values.at<Velocity>(n, 1),
                           values.at<Velocity>(n, 2)};
        const float mass = values.at<Mass>(n);
        const Vec3f v = sum.all.applied(before, mass);
        for (int axis = 0; axis < 3; ++axis)
            values.at<Velocity>(n, axis) = v[axis];
        const float pushed = physics::length(sum.all.impulse);
        if (contact_->record().isOn() && sum.collider != kWall && pushed > 0)
            given_[own].push_back(
                {n, sum.collider, (1 / pushed) * sum.all.impulse, momentum(mass, v - before)});
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
        if (image.at.of.depth < 0)
            continue;
        const Vec3f old{values.at<Velocity>(image.at.node, 0),
                        values.at<Velocity>(image.at.node, 1),
                        values.at<Velocity>(image.at.node, 2)};
        const Vec3f v =
            image.at.of.extended(old, image.before, image.nodes.share, velocityAt(image, around));
        for (int axis = 0; axis < 3; ++axis)
            values.at<Velocity>(image.at.node, axis) = v[axis];
        if (record.isOn() && image.at.collider != kWall)
            record.add(own, image.at.collider, placed(image.at.node), image.at.of.normal,
                       momentum(image.mass, v - old));
    }
}

} // namespace floe::mpm
