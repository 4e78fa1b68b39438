#include "contact_record.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace floe::mpm {

void ContactRecord::choose(const std::optional<sdk::ContactCells>& cells)
{
    if (cells == cells_)
        return;
    cells_ = cells;
    steps_.clear();
    sums_.clear();
}

void ContactRecord::begin(std::size_t slots)
{
    if (!cells_)
        return;
    for (auto& some : steps_)
        some.clear();
    steps_.resize(slots);
}

void ContactRecord::grow(std::size_t slots)
{
    if (cells_)
        steps_.resize(slots);
}

void ContactRecord::forget(std::size_t slot)
{
    if (cells_)
        steps_[slot].clear();
}

void ContactRecord::add(std::size_t slot, std::uint32_t collider, const ColliderSample& sample,
                        const PointBatch& before, const PointBatch& after)
{
    for (int i = 0; i < after.count; ++i) {
        if (!(after.mass[i] > 0) || sample.distance[i] > 0)
            continue;
        const auto v = before.velocity(i), w = after.velocity(i), n = sample.at(i).normal;
        Vec3d impulse;
        for (int axis = 0; axis < 3; ++axis)
            impulse[axis] = double{after.mass[i]} * (double{w[axis]} - double{v[axis]});
        add(slot, collider, after.corner + Vec3d{after.x[0][i], after.x[1][i], after.x[2][i]}, n,
            impulse);
    }
}

void ContactRecord::add(std::size_t slot, std::uint32_t collider, const Vec3d& at,
                        const sdk::world::Vec3f& normal, const Vec3d& impulse)
{
    const double size = physics::length(impulse);
    if (!(size > 0))
        return;
    std::vector<ColliderPush>& sums = steps_[slot];
    const auto cell = cells_->of({at.x, at.y, at.z});
    auto found = std::find_if(sums.begin(), sums.end(), [&](const ColliderPush& push) {
        return push.collider == collider && push.cell == cell;
    });
    if (found == sums.end())
        found = sums.insert(found, {.collider = collider, .cell = cell});
    ColliderPush& sum = *found;
    sum.weight += size;
    sum.point = sum.point + size * at;
    sum.normal = sum.normal + size * Vec3d{normal.x, normal.y, normal.z};
    sum.impulse = sum.impulse + impulse;
    sum.moment = sum.moment + physics::cross(at, impulse);
}

void ContactRecord::endStep()
{
    for (auto& some : steps_) {
        for (const ColliderPush& push : some) {
            const std::pair key{push.collider, push.cell};
            auto found = sums_.find(key);
            if (found == sums_.end()) {
                if (sums_.size() == sdk::kMaxContacts)
                    continue;
                const ColliderPush nothing{.collider = push.collider, .cell = push.cell};
                found = sums_.emplace(key, nothing).first;
            }
            ColliderPush& sum = found->second;
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
    for (const auto& [key, sum] : std::exchange(sums_, {}))
        all.push_back(sum);
    return all;
}

} // namespace floe::mpm
