#include "scene.hpp"

#include "motion_rules.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

Mat3d Scene::inverseInertia(const Body& body, const Mat3d& R)
{
    return inverseInertiaOf(body.rest->inertia, R);
}

std::uint32_t Scene::addBody(std::shared_ptr<const RestBody> rest, std::uint32_t material,
                             const Placed& placed, bool rigid, float frequency, float damping)
{
    const auto number = static_cast<std::uint32_t>(bodies.size());
    Body body;
    body.first = static_cast<std::uint32_t>(particles.size());
    body.rigid = rigid;
    body.piece.body = number;
    body.frequency = frequency;
    body.damping = damping;
    body.R = placed.R;
    body.x = placed.x + placed.R * rest->center;
    body.v = placed.v;
    body.angularMomentum = body.R * (rest->inertia * (physics::transpose(body.R) * placed.spin));
    if (!rigid)
        body.turns.assign(rest->regions.size(), placed.R);
    body.rest = std::move(rest);
    for (const RestParticle& particle : body.rest->particles) {
        const Vec3d arm = body.R * toDouble(particle.offset);
        particles.x.push_back(body.x + arm);
        particles.v.push_back(toFloat(placed.v + physics::cross(placed.spin, arm)));
        particles.radius.push_back(particle.radius);
        particles.mass.push_back(particle.mass);
        particles.material.push_back(material);
        particles.body.push_back(number);
        particles.id.push_back(nextId++);
    }
    bodies.push_back(std::move(body));
    return number;
}

std::vector<std::uint32_t> Scene::breakBody(std::uint32_t number)
{
    const Body whole = bodies[number];
    const Vec3d spin = inverseInertia(whole) * whole.angularMomentum;
    std::vector<std::uint32_t> pieces;
    std::uint32_t first = whole.first;
    for (std::uint32_t k = 0; k < whole.rest->pieces.size(); ++k) {
        Body body = whole;
        body.rest = whole.rest->pieces[k];
        body.first = first;
        body.blow = 0;
        const Vec3d arm = whole.R * (body.rest->center - whole.rest->center);
        body.x = whole.x + arm;
        body.v = whole.v + physics::cross(spin, arm);
        body.angularMomentum = body.R * (body.rest->inertia * (physics::transpose(body.R) * spin));
        body.piece.path[body.piece.depth++] = k;
        const std::uint32_t own = k == 0 ? number : static_cast<std::uint32_t>(bodies.size());
        const auto count = static_cast<std::uint32_t>(body.rest->particles.size());
        std::fill_n(particles.body.begin() + first, count, own);
        first += count;
        if (k == 0)
            bodies[number] = std::move(body);
        else
            bodies.push_back(std::move(body));
        pieces.push_back(own);
    }
    return pieces;
}

std::uint32_t Scene::addSheet(const std::shared_ptr<const Cloth>& cloth, std::uint32_t material,
                              const Placed& placed, float damping, float tear)
{
    const std::shared_ptr<const RestBody> rest(cloth, &cloth->body);
    const std::size_t first = particles.size();
    const std::uint32_t number = addBody(rest, material, placed, false, 1, damping);
    Body& body = bodies[number];
    body.sheet = std::shared_ptr<const RestSheet>(cloth, &cloth->sheet);
    body.tear = tear;
    body.torn.assign(body.sheet->parts(), 0);
    for (std::size_t k = 0; k < rest->particles.size(); ++k)
        if (body.sheet->pinned[k]) {
            particles.mass[first + k] = INFINITY;
            particles.v[first + k] = {0, 0, 0};
        }
    return number;
}

void Scene::addParticle(const Vec3d& x, const Vec3f& v, float radius, std::uint32_t material)
{
    particles.x.push_back(x);
    particles.v.push_back(v);
    particles.radius.push_back(radius);
    particles.mass.push_back(materials[material].density * 8 * radius * radius * radius);
    particles.material.push_back(material);
    particles.body.push_back(kNoBody);
    particles.id.push_back(nextId++);
}

void Scene::remove(const std::vector<std::uint8_t>& gone)
{
    std::size_t kept = 0;
    const auto keep = [&](auto& values, std::size_t i) {
        values[kept] = values[i];
    };
    for (std::size_t i = 0; i < particles.size(); ++i) {
        if (gone[i] && particles.body[i] == kNoBody)
            continue;
        keep(particles.x, i);
        keep(particles.v, i);
        keep(particles.radius, i);
        keep(particles.mass, i);
        keep(particles.material, i);
        keep(particles.body, i);
        keep(particles.id, i);
        ++kept;
    }
    particles.x.resize(kept);
    particles.v.resize(kept);
    particles.radius.resize(kept);
    particles.mass.resize(kept);
    particles.material.resize(kept);
    particles.body.resize(kept);
    particles.id.resize(kept);
}

void Scene::followPose(const Body& body)
{
    const Vec3d spin = inverseInertia(body) * body.angularMomentum;
    const BodyState state{body.x, body.R, body.v, body.angularMomentum};
    for (std::size_t k = 0; k < body.rest->particles.size(); ++k)
        placeOnBody(state, spin, body.rest->particles[k].offset, particles.x[body.first + k],
                    particles.v[body.first + k]);
}

} // namespace floe::pbd
