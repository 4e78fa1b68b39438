/// Nodes inside a surface of contact `slip` or `separate` mirror the velocity before it, like nodes
/// behind a wall of the domain that slips (floe/sdk/world/mirror.hpp), but along the normal alone,
/// and for a surface of any shape.
///
/// The image of a node at the depth d is at the height d before the surface, between nodes. Those
/// of them that are before the collider themselves stand for it, weighted as by interpolation. Near
/// the surface, and in corners, they lie higher than the image, on average: a share of the node,
/// the ratio of these heights, then counts as mirrored, and the rest as on the surface, where the
/// component along the normal is 0. So the velocity along the normal is 0 at the surface.
///
/// A node closely before the surface is its own image in part: the less, the higher it is.
///
/// First the nodes before the collider get the mirrored mass and momentum of those shares, as if
/// the image of all matter were there too: its pressure is what the collider answers with. After
/// contact the nodes inside get the mirrored component. Components along the surface stay what they
/// are: the image of what turns with a round surface would be slower than what it is the image of.
///
/// A surface that matter may leave, `separate`, mirrors only what presses on it. What is stopped so
/// is rubbed, as contact does: the speed lost to friction is up to its coefficient times that.
///
/// For kernels too.
#pragma once

#include <floe/sdk/physics/vec.hpp>
#include <floe/sdk/world/mirror.hpp>

#include <cmath>
#include <cstdint>

namespace floe::mpm {

/// The nodes that stand for the image of a node inside a collider: corners of a cell, z fastest.
struct ImageNodes {
    /// Deeper nodes are not mirrored: no particle before the collider feels them. Images are so
    /// less than four cells away, within a block or beside it [cells].
    static constexpr float kReach = 1.99f;
    /// Nodes before the surface are images of themselves up to this height [cells].
    static constexpr float kOwn = 0.5f;

    int base[3];     ///< the first corner, from the node
    float weight[8]; ///< of the corners
    float height[8]; ///< of the corners before the surface, if that is even [cells]
    float share = 0; ///< of the node that is mirrored, in [0, 1]

    /// @param depth  of the node, in (-kOwn, kReach] [cells]  @param normal  unit, outwards
    FLOE_HD ImageNodes(float depth, physics::Vec3<float> normal)
    {
        if (depth < 0)
            normal = {0, 0, 0};
        float fraction[3];
        for (int axis = 0; axis < 3; ++axis) {
            const float at = 2 * depth * normal[axis];
            base[axis] = static_cast<int>(floorf(at));
            fraction[axis] = at - static_cast<float>(base[axis]);
        }
        for (int corner = 0; corner < 8; ++corner) {
            const int up[3] = {corner >> 2, corner >> 1 & 1, corner & 1};
            weight[corner] = 1;
            height[corner] = -depth;
            for (int axis = 0; axis < 3; ++axis) {
                weight[corner] *= up[axis] ? fraction[axis] : 1 - fraction[axis];
                height[corner] += static_cast<float>(base[axis] + up[axis]) * normal[axis];
            }
        }
    }

    /// Drops corners that cannot stand for it, and finds the share.
    /// @param mass  of the corners, 0 inside colliders  @param own  the node's, > 0
    FLOE_HD void choose(const float (&mass)[8], float own, float depth)
    {
        float sum = 0, mean = 0;
        for (int corner = 0; corner < 8; ++corner) {
            // Nodes with next to no mass say next to nothing: whether they have any may be
            // rounding.
            const bool stands = mass[corner] > 0 && height[corner] > 0;
            weight[corner] *= stands ? mass[corner] / (mass[corner] + kNegligible * own) : 0;
            sum += weight[corner];
            mean += weight[corner] * height[corner];
        }
        if (depth < 0)
            share = 1 + depth / kOwn;
        else
            share = sum > kLeast ? fminf(depth * sum / mean, 1.0f) : 0;
        for (float& w : weight)
            w = share > 0 ? w / sum : 0;
    }

private:
    static constexpr float kLeast = 1e-3f;      ///< sum of weights below which there is no image
    static constexpr float kNegligible = 1e-4f; ///< of masses
};

/// Whether nodes inside a surface mirror those before it.
FLOE_HD bool mirrors(sdk::world::Contact contact)
{
    return contact == sdk::world::Contact::slip || contact == sdk::world::Contact::separate;
}

/// Whether nodes behind a side of a domain do; of those that slip the ones that MirrorWalls leaves.
FLOE_HD bool mirrors(const sdk::world::Domain& domain, int face)
{
    return domain.isWall(face) && mirrors(domain.faces[face]) &&
           !sdk::world::MirrorWalls::mirrors(domain, face);
}

/// The surface that a node is inside, or closely before.
struct InsideOf {
    float depth; ///< [cells]
    physics::Vec3<float> normal, moving;
    sdk::world::Contact contact;
    float friction; ///< of `separate`

    /// Returns the speed along the normal of a mirror image of `v`.
    FLOE_HD float mirroredSpeed(const physics::Vec3<float>& v) const
    {
        return physics::dot(moving + moving - v, normal);
    }
    /// Whether the image of what moves so counts. @param push  by which the image is faster along
    /// the normal than what stands for it [m/s]
    FLOE_HD bool counts(float push) const
    {
        return contact != sdk::world::Contact::separate || push > 0;
    }
    FLOE_HD float rubs() const { return contact == sdk::world::Contact::separate ? friction : 0; }
    /// Returns the velocity of the node, once it is known before the surface.
    /// @param v       after contact  @param before  before all contact
    /// @param share   of the node that is mirrored  @param image  velocity of its image
    FLOE_HD physics::Vec3<float> extended(const physics::Vec3<float>& v,
                                          const physics::Vec3<float>& before, float share,
                                          const physics::Vec3<float>& image) const;
};

/// Returns a velocity that has lost up to `loss` of the speed at which it slides.
FLOE_HD physics::Vec3<float> rubbed(const physics::Vec3<float>& v,
                                    const physics::Vec3<float>& slide, float loss)
{
    const float speed = physics::length(slide);
    return loss > 0 && speed > 0 ? v - fminf(loss / speed, 1.0f) * slide : v;
}

FLOE_HD physics::Vec3<float> InsideOf::extended(const physics::Vec3<float>& v,
                                                const physics::Vec3<float>& before, float share,
                                                const physics::Vec3<float>& image) const
{
    const physics::Vec3<float> w =
        v + share * (mirroredSpeed(image) - physics::dot(v, normal)) * normal;
    if (!(rubs() > 0))
        return w;
    // As far as contact has not stopped it, which comes with friction of its own.
    const physics::Vec3<float> u = w - moving;
    const float along = physics::dot(u, normal), fell = physics::dot(before - moving, normal),
                stopped = fmaxf(along - fell, 0.0f) - fmaxf(-fell, 0.0f);
    return rubbed(w, u - along * normal, friction * stopped);
}

/// What a node before surfaces gets from the images for which it stands.
struct FromImages {
    float mass = 0;
    physics::Vec3<float> impulse{0, 0, 0}; ///< for it and the images [kg m/s]
    physics::Vec3<float> moving{0, 0, 0};  ///< velocity of the surfaces, times mass
    float rub = 0;                         ///< friction times impulse

    FLOE_HD void add(const InsideOf& inside, float part, float push)
    {
        mass += part;
        impulse = impulse + part * push * inside.normal;
        moving = moving + part * inside.moving;
        rub += part * inside.rubs() * push;
    }
    /// Returns the velocity that a node has with them. @param own  its mass
    FLOE_HD physics::Vec3<float> applied(const physics::Vec3<float>& v, float own) const
    {
        const float all = own + mass, pushed = physics::length(impulse);
        const physics::Vec3<float> w = v + (1 / all) * impulse;
        if (!(rub > 0 && pushed > 0))
            return w;
        const physics::Vec3<float> normal = (1 / pushed) * impulse, u = w - (1 / mass) * moving;
        return rubbed(w, u - physics::dot(u, normal) * normal, rub / all);
    }
};

} // namespace floe::mpm
