#include "checkpoint.hpp"

#include <algorithm>

namespace floe::pbd {

namespace {

struct SavedBody {
    std::uint32_t first, rigid;
    float frequency, damping;
    Vec3d x, v, angularMomentum;
    Mat3d R;
};

[[noreturn]] void refuse(const char* what)
{
    throw sdk::Failure(std::string("the saved state ") + what +
                           "; start again from the first frame",
                       FLOE_IO_FAILED);
}

} // namespace

void saveState(const Solver& solver, sdk::Writer& writer)
{
    const Particles& particles = solver.scene.particles;
    writer.value(solver.scene.nextId);
    writer.array(particles.x);
    writer.array(particles.v);
    writer.array(particles.radius);
    writer.array(particles.mass);
    writer.array(particles.material);
    writer.array(particles.body);
    writer.array(particles.id);
    std::vector<SavedBody> bodies;
    for (const Body& body : solver.scene.bodies)
        bodies.push_back({body.first, body.rigid, body.frequency, body.damping, body.x, body.v,
                          body.angularMomentum, body.R});
    writer.array(bodies);
    writer.array(solver.contacts().memory());
    writer.array(solver.contacts().searched());
    writer.value<std::uint64_t>(solver.counts().leftDomain);
    writer.value<std::uint64_t>(solver.counts().taken);
    writer.value(solver.lastStep());
    std::vector<std::uint8_t> torn, broken;
    for (const Body& body : solver.scene.bodies)
        torn.insert(torn.end(), body.torn.begin(), body.torn.end());
    for (const Joint& joint : solver.joints)
        broken.push_back(joint.broken);
    writer.array(torn);
    writer.array(broken);
}

void loadState(Solver& solver, const Scene& start, std::size_t materials, sdk::Reader& reader)
{
    Particles particles;
    solver.scene.nextId = reader.value<std::uint64_t>();
    particles.x = reader.array<Vec3d>();
    particles.v = reader.array<Vec3f>();
    particles.radius = reader.array<float>();
    particles.mass = reader.array<float>();
    particles.material = reader.array<std::uint32_t>();
    particles.body = reader.array<std::uint32_t>();
    particles.id = reader.array<std::uint64_t>();
    const std::size_t count = particles.size();
    if (particles.v.size() != count || particles.radius.size() != count ||
        particles.mass.size() != count || particles.material.size() != count ||
        particles.body.size() != count || particles.id.size() != count)
        refuse("is damaged");
    const auto bodies = reader.array<SavedBody>();
    if (bodies.size() != start.bodies.size())
        refuse("has other bodies than are linked");
    solver.scene.bodies.clear();
    std::vector<std::uint32_t> owner(count, kNoBody);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const SavedBody& saved = bodies[b];
        const Body& begun = start.bodies[b];
        const std::size_t own = begun.rest->particles.size();
        if (saved.first > count || own > count - saved.first)
            refuse("has other bodies than are linked");
        std::fill_n(owner.begin() + saved.first, own, static_cast<std::uint32_t>(b));
        Body body;
        body.rest = begun.rest;
        body.sheet = begun.sheet;
        body.tear = begun.tear;
        body.torn = begun.torn;
        body.first = saved.first;
        body.rigid = saved.rigid != 0;
        if (!body.rigid && !body.sheet && body.rest->skin.size() != body.rest->meshPoints.size())
            refuse("has a soft body that is rigid now");
        body.frequency = saved.frequency;
        body.damping = saved.damping;
        body.x = saved.x;
        body.v = saved.v;
        body.angularMomentum = saved.angularMomentum;
        body.R = saved.R;
        solver.scene.bodies.push_back(std::move(body));
    }
    if (owner != particles.body)
        refuse("has other bodies than are linked");
    if (std::any_of(particles.material.begin(), particles.material.end(),
                    [&](std::uint32_t m) { return m >= materials; }))
        refuse("has materials that are no longer linked");
    auto memory = reader.array<Contacts::Memory>();
    auto searched = reader.array<Vec3d>();
    for (const Contacts::Memory& contact : memory)
        if (contact.a >= count || (contact.b < kSurface && contact.b >= count))
            refuse("is damaged");
    if (!searched.empty() && searched.size() != count)
        refuse("is damaged");
    solver.scene.particles = std::move(particles);
    solver.changed();
    solver.contacts().setMemory(std::move(memory));
    solver.contacts().setSearched(std::move(searched));
    const auto left = reader.value<std::uint64_t>(), taken = reader.value<std::uint64_t>();
    solver.setCounts({static_cast<std::size_t>(left), static_cast<std::size_t>(taken), 0});
    solver.setLastStep(reader.value<double>());
    const auto torn = reader.array<std::uint8_t>(), broken = reader.array<std::uint8_t>();
    std::size_t parts = 0;
    for (const Body& body : solver.scene.bodies)
        parts += body.torn.size();
    if (torn.size() != parts || broken.size() != solver.joints.size())
        refuse("has other bodies or joints than are linked");
    std::size_t next = 0;
    for (Body& body : solver.scene.bodies)
        for (std::uint8_t& part : body.torn)
            part = torn[next++];
    for (std::size_t k = 0; k < broken.size(); ++k)
        solver.joints[k].broken = broken[k] != 0;
}

} // namespace floe::pbd
