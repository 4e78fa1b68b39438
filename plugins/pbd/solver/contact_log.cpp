#include "contact_log.hpp"

#include <algorithm>

namespace floe::pbd {

namespace {

ContactLog::Side sideOf(const Scene& scene, std::uint32_t one)
{
    using Kind = ContactLog::Kind;
    if (one >= kSurface + kSides)
        return {Kind::collider, (one - kSurface - kSides) / 4};
    if (one >= kSurface + kWalls)
        return {Kind::wall, one - kSurface - kWalls};
    if (one >= kSurface)
        return {Kind::collider, one - kSurface};
    const std::uint32_t body = scene.particles.body[one];
    return body == kNoBody ? ContactLog::Side{Kind::particles, scene.particles.material[one]}
                           : ContactLog::Side{Kind::body, body};
}

Vec3d pointOf(const Scene& scene, const Contact& contact)
{
    const std::uint32_t i = contact.a;
    if (scene.isRigid(i))
        return scene.bodies[scene.particles.body[i]].x + toDouble(contact.armA);
    const float radius = scene.particles.radius[i];
    return scene.particles.x[i] - toDouble((radius + std::min(contact.gap, 0.0f)) * contact.normal);
}

} // namespace

void ContactLog::clear(sdk::ContactCells cells)
{
    cells_ = cells;
    sums_.clear();
}

void ContactLog::add(const Scene& scene, std::span<const Contact> contacts, double dt)
{
    for (const Contact& contact : contacts) {
        if (!(contact.lambda > 0))
            continue;
        Side a = sideOf(scene, contact.a), b = sideOf(scene, contact.b);
        if (a == b || (a.kind == Kind::particles && b.kind == Kind::particles))
            continue;
        double sign = 1;
        if (b < a) {
            std::swap(a, b);
            sign = -1;
        }
        const Vec3d normal = sign * toDouble(contact.normal);
        const double pushed = double{contact.lambda} / dt;
        const Vec3d impulse = pushed * normal + (sign / dt) * toDouble(contact.friction);
        const Vec3d point = pointOf(scene, contact);
        const std::tuple key{a, b, cells_.of({point.x, point.y, point.z})};
        auto found = sums_.find(key);
        if (found == sums_.end()) {
            if (sums_.size() == sdk::kMaxContacts)
                continue;
            found = sums_.try_emplace(key).first;
            found->second.origin = point;
        }
        Sum& sum = found->second;
        const Vec3d arm = point - sum.origin;
        sum.weight += pushed;
        sum.point = sum.point + pushed * arm;
        sum.normal = sum.normal + pushed * normal;
        sum.impulse = sum.impulse + impulse;
        sum.moment = sum.moment + physics::cross(arm, impulse);
    }
}

std::vector<ContactLog::Entry> ContactLog::entries() const
{
    std::vector<Entry> all;
    for (const auto& [key, sum] : sums_) {
        const Vec3d arm = (1 / sum.weight) * sum.point;
        const double size = physics::length(sum.normal);
        all.push_back({.a = std::get<0>(key),
                       .b = std::get<1>(key),
                       .point = sum.origin + arm,
                       .normal = size > 0 ? (1 / size) * sum.normal : Vec3d{0, 0, 0},
                       .impulse = sum.impulse,
                       .couple = sum.moment - physics::cross(arm, sum.impulse)});
    }
    return all;
}

} // namespace floe::pbd
