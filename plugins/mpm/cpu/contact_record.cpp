#include "contact_record.hpp"

#include <utility>

namespace floe::mpm {

void ContactRecord::switchOn(bool on)
{
    if (on == on_)
        return;
    on_ = on;
    steps_.clear();
    sums_.clear();
}

void ContactRecord::begin(std::size_t slots)
{
    if (!on_)
        return;
    for (auto& some : steps_)
        some.clear();
    steps_.resize(slots);
}

void ContactRecord::grow(std::size_t slots)
{
    if (on_)
        steps_.resize(slots);
}

void ContactRecord::forget(std::size_t slot)
{
    if (on_)
        steps_[slot].clear();
}

void ContactRecord::add(std::size_t slot, std::uint32_t collider, const ColliderSample& sample,
                        const PointBatch& before, const PointBatch& after)
{
    ColliderPush sum{.collider = collider};
    for (int i = 0; i < after.count; ++i) {
        if (!(after.mass[i] > 0) || sample.distance[i] > 0)
            continue;
        const auto v = before.velocity(i), w = after.velocity(i), n = sample.at(i).normal;
        Vec3d impulse;
        for (int axis = 0; axis < 3; ++axis)
            impulse[axis] = double{after.mass[i]} * (double{w[axis]} - double{v[axis]});
        const double size = physics::length(impulse);
        const Vec3d at = after.corner + Vec3d{after.x[0][i], after.x[1][i], after.x[2][i]};
        sum.weight += size;
        sum.point = sum.point + size * at;
        sum.normal = sum.normal + size * Vec3d{n.x, n.y, n.z};
        sum.impulse = sum.impulse + impulse;
        sum.moment = sum.moment + physics::cross(at, impulse);
    }
    if (sum.weight > 0)
        steps_[slot].push_back(sum);
}

void ContactRecord::endStep()
{
    for (auto& some : steps_) {
        for (const ColliderPush& push : some) {
            ColliderPush& sum =
                sums_.try_emplace(push.collider, ColliderPush{push.collider}).first->second;
            sum.weight += push.weight;
            sum.point = sum.point + push.point;
            sum.normal = sum.normal + push.normal;
            sum.impulse = sum.impulse + push.impulse;
            sum.moment = sum.moment + push.moment;
        }
        some.clear();
    }
}

std::vector<ColliderPush> ContactRecord::take()
{
    std::vector<ColliderPush> all;
    for (const auto& [collider, sum] : std::exchange(sums_, {}))
        all.push_back(sum);
    return all;
}

} // namespace floe::mpm
