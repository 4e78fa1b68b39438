// Bodies that break where blows are too hard.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace floe::pbd {

namespace {

/// The piece that holds a joint: the one with the nearest particle.
/// @param anchor  from the whole's centre, at rest [m]
std::uint32_t pieceNear(const RestBody& whole, const Vec3d& anchor)
{
    std::uint32_t best = 0;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0, i = 0; k < whole.pieces.size(); ++k)
        for (std::size_t n = 0; n < whole.pieces[k]->particles.size(); ++n, ++i)
            if (const double way = physics::length(toDouble(whole.particles[i].offset) - anchor);
                way < nearest) {
                nearest = way;
                best = k;
            }
    return best;
}

bool mayBreak(const Body& body)
{
    return body.strength < INFINITY && !body.rest->pieces.empty();
}

} // namespace

bool Solver::mayBreak() const
{
    return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                       [](const Body& body) { return pbd::mayBreak(body); });
}

/// Of each body: impulse of its contacts in this substep [N s].
std::vector<double> Solver::blows(double dt) const
{
    std::vector<double> blow(scene.bodies.size(), 0);
    for (const Contact& contact : contacts_.active())
        for (const std::uint32_t i : {contact.a, contact.b})
            if (i < kSurface && scene.particles.body[i] != kNoBody)
                blow[scene.particles.body[i]] += double{contact.lambda} / dt;
    return blow;
}

bool Solver::breakBodies(const std::vector<double>& blow, const std::function<void()>& begin)
{
    bool broke = false;
    for (std::uint32_t b = 0; b < blow.size(); ++b) {
        const std::shared_ptr<const RestBody> whole = scene.bodies[b].rest;
        // A substep ends where two touch, and the next one stops them: a blow falls into both.
        if (const Body& body = scene.bodies[b];
            !pbd::mayBreak(body) || !(blow[b] + body.blow > double{body.strength} * whole->mass))
            continue;
        if (!broke && begin)
            begin();
        sleep_.wake(scene, scene.bodies[b].first);
        const std::vector<std::uint32_t> pieces = scene.breakBody(b);
        for (Joint& joint : joints)
            for (JointSide* side : {&joint.a, &joint.b}) {
                if (side->body != b)
                    continue;
                const std::uint32_t k = pieceNear(*whole, side->anchor);
                side->body = pieces[k];
                side->anchor = side->anchor - (whole->pieces[k]->center - whole->center);
            }
        broke = true;
        ++broken_;
    }
    if (broke)
        changed();
    for (std::size_t b = 0; b < blow.size() && !broke; ++b)
        if (pbd::mayBreak(scene.bodies[b]))
            scene.bodies[b].blow = blow[b];
    return broke;
}

} // namespace floe::pbd
