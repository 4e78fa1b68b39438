// What forces, colliders and walls do to nodes and particles.

#include "solver.hpp"

#include <algorithm>
#include <cmath>

namespace floe::mpm {

PointBatch Solver::nodesOf(const Block& block, const float* nodes) const
{
    PointBatch batch;
    batch.count = kBlockNodes;
    batch.corner = cornerOf(block);
    for (int n = 0; n < kBlockNodes; ++n) {
        const int index[3] = {n / 16, n / 4 % 4, n % 4};
        for (int axis = 0; axis < 3; ++axis) {
            batch.x[axis][n] = static_cast<float>(index[axis] * settings_.cellSize);
            batch.v[axis][n] = nodes[4 * n + axis];
        }
        batch.mass[n] = nodes[4 * n + 3];
    }
    return batch;
}

void Solver::applyHooks(Block& block, float* nodes, double dt) const
{
    const double h = settings_.cellSize;
    const Vec3d corner = cornerOf(block);
    const Vec3d center = corner + (1.5 * h) * Vec3d{1, 1, 1};
    const double radius = 1.5 * std::sqrt(3.0) * h * 1.001;

    const bool walls = domain_.nearWall(center, radius);
    PointBatch batch;
    batch.count = 0;
    const auto fill = [&] {
        if (batch.count == 0)
            batch = nodesOf(block, nodes);
    };
    if (!forces_.empty())
        fill();
    for (const auto& force : forces_)
        force->apply(batch, time_, static_cast<float>(dt));
    for (const auto& collider : colliders_) {
        ColliderSample moving;
        const ColliderSample* sample = &moving;
        if (collider->rests()) {
            const auto known =
                std::find_if(block.contacts.begin(), block.contacts.end(),
                             [&](const RestingContact& c) { return c.collider == collider->id; });
            if (known != block.contacts.end()) {
                sample = known->nodes.get();
            } else {
                if (collider->mayTouch(center, radius))
                    fill();
                sample = remember(block, *collider, walls, batch);
            }
            if (!sample)
                continue;
            fill();
        } else {
            if (!collider->mayTouch(center, radius))
                continue;
            fill();
            sampleNodes(*collider, batch, walls, moving);
        }
        applyContact(*sample, collider->contact, collider->friction, batch);
    }
    if (walls) {
        fill();
        domain_.applyWalls(batch);
    }
    for (int n = 0; n < batch.count; ++n)
        if (batch.mass[n] > 0)
            for (int axis = 0; axis < 3; ++axis)
                nodes[4 * n + axis] = batch.v[axis][n];
}

void Solver::sampleNodes(const Collider& collider, const PointBatch& nodes, bool walls,
                         ColliderSample& out) const
{
    if (walls)
        domain_.sampleWithin(collider, nodes, settings_.cellSize, out);
    else
        collider.sample(nodes, out);
}

void Solver::setDomain(const Domain& domain)
{
    if (!domain.sameAs(domain_)) // what resting colliders say near its walls changes
        for (Block& block : blocks_)
            block.contacts.clear();
    domain_ = domain;
}

/// Asks a resting collider about a block's nodes, once and for all.
/// @param nodes  where they are; empty when none can be inside
/// @return null when none is
const ColliderSample* Solver::remember(Block& block, const Collider& collider, bool walls,
                                       PointBatch& nodes) const
{
    std::erase_if(block.contacts, [&](const RestingContact& known) {
        return std::none_of(colliders_.begin(), colliders_.end(),
                            [&](const auto& c) { return c->id == known.collider; });
    });
    Pooled<ColliderSample> sample;
    if (nodes.count > 0) {
        float mass[kBlockNodes];
        std::copy_n(nodes.mass, kBlockNodes, mass);
        std::fill_n(nodes.mass, kBlockNodes, 1.0f); // nodes that are empty now may not be later
        sample = makePooled<ColliderSample>(contactPool_);
        sampleNodes(collider, nodes, walls, *sample);
        std::copy_n(mass, kBlockNodes, nodes.mass);
        if (std::none_of(sample->distance, sample->distance + kBlockNodes,
                         [](float d) { return d <= 0; }))
            sample.reset();
    }
    block.contacts.push_back({collider.id, std::move(sample)});
    return block.contacts.back().nodes.get();
}

void Solver::contactParticles(Block& block, std::uint32_t& left, std::uint32_t& eaten) const
{
    const double h = settings_.cellSize;
    const Vec3d corner = cornerOf(block);
    const Vec3d center = corner + (2.5 * h) * Vec3d{1, 1, 1};
    const double radius = 3.01 * std::sqrt(3.0) * h;
    const bool open = domain_.nearOpenFace(center, radius);
    bool any = open;
    for (const auto& c : colliders_)
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
            domain_.findOutside(batch, outside);
        for (const auto& c : colliders_) {
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
            ++(outside[lane] ? left : eaten);
            const float keep[3] = {bin.rowAt(row::x)[lane], bin.rowAt(row::x + 1)[lane],
                                   bin.rowAt(row::x + 2)[lane]};
            clearLane(bin, lane, initialStateOf(bin.material));
            for (int axis = 0; axis < 3; ++axis)
                bin.rowAt(row::x + axis)[lane] = keep[axis];
        }
    }
}

} // namespace floe::mpm
