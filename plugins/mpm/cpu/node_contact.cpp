#include "node_contact.hpp"

#include "collider_image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace floe::mpm {

PointBatch NodeContact::nodesOf(const Block& block, const float* nodes) const
{
    PointBatch batch;
    batch.count = kBlockNodes;
    batch.corner = state_->cornerOf(block);
    const sdk::grid::Block<const Nodes> values(nodes);
    for (int n = 0; n < kBlockNodes; ++n) {
        const int index[3] = {n / 16, n / 4 % 4, n % 4};
        for (int axis = 0; axis < 3; ++axis) {
            batch.x[axis][n] = static_cast<float>(index[axis] * state_->settings.cellSize);
            batch.v[axis][n] = values.at<Velocity>(n, axis);
        }
        batch.mass[n] = values.at<Mass>(n);
    }
    return batch;
}

void NodeContact::findCoupled(const Block& block, const float* nodes, double time, double dt,
                              std::vector<CoupledContact::Node>& found) const
{
    PointBatch batch = nodesOf(block, nodes);
    for (const auto& force : state_->surroundings.forces)
        force->apply(batch, time, static_cast<float>(dt));
    coupled_->findNodes(batch, found);
}

void NodeContact::apply(Block& block, float* nodes, std::size_t slot, double time, double dt,
                        std::uint64_t left, std::span<const MovingSample> known) const
{
    const Ball ball = ballAround(block);
    const bool walls = state_->surroundings.domain.nearWall(ball.center, ball.radius);
    PointBatch batch;
    batch.count = 0;
    const auto fill = [&] {
        if (batch.count > 0)
            return;
        batch = nodesOf(block, nodes);
        for (std::uint64_t rest = left; rest != 0; rest &= rest - 1)
            batch.mass[std::countr_zero(rest)] = 0;
    };
    if (!state_->surroundings.forces.empty())
        fill();
    for (const auto& force : state_->surroundings.forces)
        force->apply(batch, time, static_cast<float>(dt));
    if (coupled_->any())
        coupled_->forget(slot);
    record_->forget(slot);
    const auto& colliders = state_->surroundings.colliders;
    const auto numberOf = [&colliders](const std::shared_ptr<Collider>& collider) {
        return static_cast<std::uint32_t>(&collider - colliders.data());
    };
    for (const auto& collider : colliders) {
        if (collider->isThin())
            continue; // thin_walls.hpp
        if (const int bodies = coupled_->any() ? coupled_->find(*collider) : -1; bodies >= 0) {
            if (!coupled_->mayTouch(bodies, ball.center, ball.radius))
                continue;
            fill();
            coupled_->apply(bodies, slot, batch);
            continue;
        }
        ColliderSample moving;
        const auto taken = std::find_if(known.begin(), known.end(), [&](const MovingSample& some) {
            return some.collider == collider->id;
        });
        const ColliderSample* sample = taken != known.end()
                                           ? &taken->nodes
                                           : sampleOf(block, *collider, walls, fill, batch, moving);
        if (!sample)
            continue;
        fill();
        if (!record_->isOn()) {
            applyContact(*sample, collider->contact, collider->friction, batch);
            continue;
        }
        const PointBatch before = batch;
        applyContact(*sample, collider->contact, collider->friction, batch);
        record_->add(slot, numberOf(collider), *sample, before, batch);
    }
    if (walls) {
        fill();
        state_->surroundings.domain.applyWalls(batch);
    }
    const sdk::grid::Block<Nodes> values(nodes);
    for (int n = 0; n < batch.count; ++n)
        if (batch.mass[n] > 0)
            for (int axis = 0; axis < 3; ++axis)
                values.at<Velocity>(n, axis) = batch.v[axis][n];
}

float NodeContact::marginOf(const Collider& collider) const
{
    return state_->mirrors(collider)
               ? ImageNodes::kOwn * static_cast<float>(state_->settings.cellSize)
               : 0;
}

NodeContact::Ball NodeContact::ballAround(const Block& block) const
{
    const double h = state_->settings.cellSize;
    return {state_->cornerOf(block) + (1.5 * h) * Vec3d{1, 1, 1}, 1.5 * std::sqrt(3.0) * h * 1.001};
}

/// @param fill  makes `nodes` their batch, if it is not yet
template <class Fill>
const ColliderSample* NodeContact::sampleOf(Block& block, const Collider& collider, bool walls,
                                            const Fill& fill, PointBatch& nodes,
                                            ColliderSample& moving) const
{
    const Ball ball = ballAround(block);
    if (collider.rests()) {
        const auto known =
            std::find_if(block.contacts.begin(), block.contacts.end(),
                         [&](const StaticContact& c) { return c.collider == collider.id; });
        if (known != block.contacts.end())
            return known->nodes.get();
        if (collider.mayTouch(ball.center, ball.radius + marginOf(collider)))
            fill();
        return remember(block, collider, walls, nodes);
    }
    if (!collider.mayTouch(ball.center, ball.radius + marginOf(collider)))
        return nullptr;
    fill();
    nodes.margin = marginOf(collider);
    sample(collider, nodes, walls, moving);
    return &moving;
}

const ColliderSample* NodeContact::sampleOf(Block& block, const Collider& collider,
                                            const float* mass, ColliderSample& moving) const
{
    const Ball ball = ballAround(block);
    PointBatch nodes;
    nodes.count = 0;
    const auto fill = [&] {
        const float none[kBlockFloats] = {};
        nodes = nodesOf(block, none);
        std::copy_n(mass, kBlockNodes, nodes.mass);
    };
    const bool walls = state_->surroundings.domain.nearWall(ball.center, ball.radius);
    return sampleOf(block, collider, walls, fill, nodes, moving);
}

void NodeContact::sample(const Collider& collider, const PointBatch& nodes, bool walls,
                         ColliderSample& out) const
{
    if (walls)
        state_->surroundings.domain.sampleWithin(collider, nodes, state_->settings.cellSize, out);
    else
        collider.sample(nodes, out);
}

void NodeContact::forgetWalls(const Domain& next)
{
    if (!next.sameAs(state_->surroundings.domain)) // cached samples near its walls
        for (Block& block : grid_->blocks)
            block.contacts.clear();
}

/// Samples a collider at rest at a block's nodes once, and caches the result.
/// @param nodes  their positions; empty when no node can be inside
/// @return null when no node is inside
const ColliderSample* NodeContact::remember(Block& block, const Collider& collider, bool walls,
                                            PointBatch& nodes) const
{
    std::erase_if(block.contacts, [&](const StaticContact& known) {
        return std::none_of(state_->surroundings.colliders.begin(),
                            state_->surroundings.colliders.end(),
                            [&](const auto& c) { return c->id == known.collider; });
    });
    Pooled<ColliderSample> sample;
    if (nodes.count > 0) {
        nodes.margin = marginOf(collider);
        float mass[kBlockNodes];
        std::copy_n(nodes.mass, kBlockNodes, mass);
        std::fill_n(nodes.mass, kBlockNodes, 1.0f); // nodes without mass now may have some later
        sample = makePooled<ColliderSample>(grid_->contactPool);
        this->sample(collider, nodes, walls, *sample);
        std::copy_n(mass, kBlockNodes, nodes.mass);
        if (std::none_of(sample->distance, sample->distance + kBlockNodes,
                         [&](float d) { return d <= nodes.margin; }))
            sample.reset();
    }
    block.contacts.push_back({collider.id, std::move(sample)});
    return block.contacts.back().nodes.get();
}

bool NodeContact::touchesParticles() const
{
    const Surroundings& around = state_->surroundings;
    return around.domain.bounded ||
           std::any_of(around.colliders.begin(), around.colliders.end(), [](const auto& collider) {
               return collider->particles != ParticleContact::none;
           });
}

bool NodeContact::removesParticles() const
{
    const Surroundings& around = state_->surroundings;
    for (int face = 0; face < 6; ++face)
        if (around.domain.isOpen(face))
            return true;
    return std::any_of(around.colliders.begin(), around.colliders.end(), [](const auto& collider) {
        return collider->particles == ParticleContact::remove;
    });
}

void NodeContact::applyToParticles(Block& block, Deleted& deleted) const
{
    const double h = state_->settings.cellSize;
    const Vec3d corner = state_->cornerOf(block);
    const Vec3d center = corner + (2.5 * h) * Vec3d{1, 1, 1};
    const double radius = 3.01 * std::sqrt(3.0) * h;
    const bool open = state_->surroundings.domain.nearOpenFace(center, radius);
    bool any = open;
    for (const auto& c : state_->surroundings.colliders)
        any = any || (c->particles != ParticleContact::none && c->mayTouch(center, radius));
    if (!any)
        return;
    for (const BinRef& bin : block.bins) {
        PointBatch batch;
        batch.count = bin.count;
        batch.corner = corner;
        for (int lane = 0; lane < bin.count; ++lane) {
            for (int axis = 0; axis < 3; ++axis) {
                batch.x[axis][lane] = static_cast<float>(bin.rowAt(row::x + axis)[lane] * h);
                batch.v[axis][lane] = bin.rowAt(row::v + axis)[lane];
            }
            batch.mass[lane] = bin.rowAt(row::mass)[lane];
        }
        bool outside[kLanes] = {}, inside[kLanes] = {};
        if (open)
            state_->surroundings.domain.findOutside(batch, outside);
        for (const auto& c : state_->surroundings.colliders) {
            if (c->particles == ParticleContact::none || !c->mayTouch(center, radius))
                continue;
            ColliderSample sample;
            c->sample(batch, sample);
            for (int lane = 0; lane < bin.count; ++lane) {
                if (sample.distance[lane] > 0)
                    continue;
                if (c->particles == ParticleContact::remove) {
                    inside[lane] = true;
                    continue;
                }
                batch.setVelocity(
                    lane, sdk::world::bouncedVelocity(batch.velocity(lane), sample.at(lane)));
                for (int axis = 0; axis < 3; ++axis)
                    bin.rowAt(row::v + axis)[lane] = batch.v[axis][lane];
            }
        }
        for (int lane = 0; lane < bin.count; ++lane) {
            if (batch.mass[lane] == 0 || !(outside[lane] || inside[lane]))
                continue;
            ++(outside[lane] ? deleted.leftDomain : deleted.byCollider);
            const float keep[3] = {bin.rowAt(row::x)[lane], bin.rowAt(row::x + 1)[lane],
                                   bin.rowAt(row::x + 2)[lane]};
            clearLane(bin, lane, state_->materials.initialState(bin.material));
            for (int axis = 0; axis < 3; ++axis)
                bin.rowAt(row::x + axis)[lane] = keep[axis];
        }
    }
}

} // namespace floe::mpm
