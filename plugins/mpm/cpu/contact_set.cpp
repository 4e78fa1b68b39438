#include "contact_set.hpp"

#include <cmath>

namespace floe::mpm {

namespace {

using physics::dot;
using physics::length;

Vec3d vectorAt(const float* vectors, std::uint32_t index)
{
    return {vectors[4 * index], vectors[4 * index + 1], vectors[4 * index + 2]};
}
void store(float* vectors, std::uint32_t index, const Vec3d& a)
{
    for (int axis = 0; axis < 3; ++axis)
        vectors[4 * index + static_cast<std::uint32_t>(axis)] = static_cast<float>(a[axis]);
}
bool isZero(const Vec3d& a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

} // namespace

void ContactSet::reset(std::size_t blocks)
{
    blocks_.assign(blocks, Block{});
}

void ContactSet::findDirections(const Block& block, Node& node)
{
    node.held = 0;
    for (std::uint32_t t = node.first; t < node.first + node.count; ++t) {
        const Touch& touch = block.touches[t];
        if (!touch.holds)
            continue;
        if (touch.sticks) {
            node.held = 3;
            for (int axis = 0; axis < 3; ++axis) {
                node.direction[axis] = {0, 0, 0};
                node.direction[axis][axis] = 1;
                node.speed[axis] = touch.velocity[axis];
            }
            return;
        }
        Vec3d direction = touch.normal;
        double speed = dot(touch.normal, touch.velocity);
        for (int k = 0; k < node.held; ++k) {
            const double along = dot(touch.normal, node.direction[k]);
            direction = direction - along * node.direction[k];
            speed -= along * node.speed[k];
        }
        const double size = length(direction);
        if (size < 0.05 || node.held == 3) // the same direction again
            continue;
        node.direction[node.held] = (1 / size) * direction;
        node.speed[node.held] = speed / size;
        ++node.held;
    }
}

void ContactSet::add(std::size_t index, std::vector<Touch> touches, std::vector<Node> nodes,
                     const float* velocity)
{
    Block& block = blocks_[index];
    block.touches = std::move(touches);
    block.nodes = std::move(nodes);
    for (Node& node : block.nodes) {
        const Vec3d v = vectorAt(velocity, node.index);
        for (std::uint32_t t = node.first; t < node.first + node.count; ++t) {
            Touch& touch = block.touches[t];
            const bool full = touch.contact == Contact::stick || isZero(touch.normal);
            touch.holds =
                full || touch.contact == Contact::slip || dot(v - touch.velocity, touch.normal) < 0;
            touch.sticks =
                full || (touch.holds && touch.contact == Contact::separate && touch.friction > 0);
        }
        findDirections(block, node);
    }
}

void ContactSet::project(std::size_t index, float* vectors) const
{
    for (const Node& node : blocks_[index].nodes) {
        Vec3d a = vectorAt(vectors, node.index);
        for (int k = 0; k < node.held; ++k)
            a = a - dot(a, node.direction[k]) * node.direction[k];
        if (node.held == 3)
            a = {0, 0, 0};
        store(vectors, node.index, a);
    }
}

void ContactSet::hold(std::size_t index, float* velocities) const
{
    for (const Node& node : blocks_[index].nodes)
        hold(node, velocities);
}

void ContactSet::hold(const Node& node, float* velocities)
{
    Vec3d v = vectorAt(velocities, node.index);
    for (int k = 0; k < node.held; ++k)
        v = v + (node.speed[k] - dot(v, node.direction[k])) * node.direction[k];
    store(velocities, node.index, v);
}

void ContactSet::addFriction(std::size_t index, double factor, float* vectors) const
{
    const Block& block = blocks_[index];
    for (const Node& node : block.nodes) {
        Vec3d sum = vectorAt(vectors, node.index);
        for (std::uint32_t t = node.first; t < node.first + node.count; ++t)
            sum = sum + factor * block.touches[t].impulse;
        store(vectors, node.index, sum);
    }
}

ContactSet::Change ContactSet::update(std::size_t index, double tolerance, float* velocity,
                                      const float* lacking)
{
    Change change;
    Block& block = blocks_[index];
    for (Node& node : block.nodes) {
        const Vec3d v = vectorAt(velocity, node.index), R = vectorAt(lacking, node.index);
        const double mass = velocity[4 * node.index + 3];
        bool changed = false;
        for (std::uint32_t t = node.first; t < node.first + node.count; ++t) {
            Touch& touch = block.touches[t];
            if (touch.contact != Contact::separate || isZero(touch.normal))
                continue;
            const Vec3d relative = v - touch.velocity, before = touch.impulse;
            const double slack = mass * tolerance;
            if (!touch.holds) {
                if (dot(relative, touch.normal) * mass >= -slack || touch.released)
                    continue;
                touch.holds = changed = true;
                touch.sticks = touch.friction > 0;
                continue;
            }
            const double push = dot(R, touch.normal);
            if (push < -slack) {
                touch.holds = touch.sticks = false;
                touch.released = true;
                touch.impulse = {0, 0, 0};
                changed = true;
            } else if (touch.friction > 0) {
                const double most = touch.friction * std::max(push, 0.0);
                if (touch.sticks) {
                    const Vec3d sideways = R - push * touch.normal;
                    const double needed = length(sideways);
                    if (needed > most * (1 + 1e-6) + slack && touch.stops < 2) {
                        touch.sticks = false;
                        touch.impulse = (most / needed) * sideways;
                        changed = true;
                    }
                } else {
                    const Vec3d slide = relative - dot(relative, touch.normal) * touch.normal;
                    const double speed = length(slide), last = length(touch.impulse);
                    if (last > 0 && dot(slide, touch.impulse) <= 0)
                        touch.impulse = (most / last) * touch.impulse;
                    else if (speed * mass > slack && last == 0)
                        touch.impulse = (-most / speed) * slide;
                    else if (last > 0) {
                        touch.sticks = changed = true;
                        ++touch.stops;
                        touch.impulse = {0, 0, 0};
                    }
                }
            }
            const Vec3d difference = touch.impulse - before;
            change.friction += dot(difference, difference) / mass;
        }
        if (changed) {
            findDirections(block, node);
            hold(node, velocity);
        }
        change.freedom = change.freedom || changed;
    }
    return change;
}

} // namespace floe::mpm
