#include "checkpoint.hpp"

#include <algorithm>

namespace floe::pbd {

namespace {

struct SavedBody {
    std::uint32_t first, rigid;
    float frequency, damping;
    Vec3d x, v, angularMomentum;
    Mat3d R;
    double blow;
    PieceOf piece;
};

/// Sides of a joint, which pieces of bodies take over.
struct SavedJoint {
    std::uint32_t body[2];
    Vec3d anchor[2];
};

[[noreturn]] void refuse(const char* what)
{
    throw sdk::Failure(std::string("the saved state ") + what +
                           "; start again from the first frame",
                       FLOE_IO_FAILED);
}

/// The body at rest that a piece is. @throws Failure  there is none
std::shared_ptr<const RestBody> restOf(const Body& begun, const PieceOf& piece)
{
    std::shared_ptr<const RestBody> rest = begun.rest;
    if (piece.depth > PieceOf::kMaxDepth)
        refuse("is damaged");
    for (std::uint32_t k = 0; k < piece.depth; ++k) {
        if (piece.path[k] >= rest->pieces.size())
            refuse("has other pieces of bodies than are linked");
        rest = rest->pieces[piece.path[k]];
    }
    return rest;
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
                          body.angularMomentum, body.R, body.blow, body.piece});
    writer.array(bodies);
    writer.array(solver.contacts().memory());
    const Contacts::Searched searched = solver.contacts().searched();
    writer.array(searched.x);
    writer.value(searched.low);
    writer.value(searched.high);
    writer.value(searched.inside);
    writer.value<std::uint64_t>(solver.counts().leftDomain);
    writer.value<std::uint64_t>(solver.counts().taken);
    writer.value<std::uint64_t>(solver.counts().broken);
    writer.value(solver.lastStep());
    std::vector<std::uint8_t> torn, broken;
    for (const Body& body : solver.scene.bodies)
        torn.insert(torn.end(), body.torn.begin(), body.torn.end());
    for (const Joint& joint : solver.joints)
        broken.push_back(joint.broken);
    writer.array(torn);
    writer.array(broken);
    std::vector<SavedJoint> sides;
    for (const Joint& joint : solver.joints)
        sides.push_back({{joint.a.body, joint.b.body}, {joint.a.anchor, joint.b.anchor}});
    writer.array(sides);
    std::vector<Mat3d> turns;
    for (const Body& body : solver.scene.bodies)
        turns.insert(turns.end(), body.turns.begin(), body.turns.end());
    writer.array(turns);
    const Sleep::State& sleep = solver.sleep().state();
    writer.array(sleep.place);
    writer.array(sleep.calm);
    writer.array(sleep.load);
    writer.array(sleep.asleep);
    writer.value(sleep.gravity);
    writer.array(sleep.materials);
    writer.array(sleep.grips);
    writer.value(sleep.sinceCheck);
    writer.value<std::uint64_t>(solver.thinWalls().leaked());
    writer.array(solver.thinWalls().poses());
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
    if (bodies.size() < start.bodies.size())
        refuse("has other bodies than are linked");
    solver.scene.bodies.clear();
    std::vector<std::uint32_t> owner(count, kNoBody);
    std::size_t owned = 0, begunWith = 0;
    for (const Body& body : start.bodies)
        begunWith += body.rest->particles.size();
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const SavedBody& saved = bodies[b];
        if (saved.piece.body >= start.bodies.size() ||
            (b < start.bodies.size() && saved.piece.body != b))
            refuse("has other bodies than are linked");
        const Body& begun = start.bodies[saved.piece.body];
        const auto rest = restOf(begun, saved.piece);
        const std::size_t own = rest->particles.size();
        if (saved.first > count || own > count - saved.first)
            refuse("has other bodies than are linked");
        std::fill_n(owner.begin() + saved.first, own, static_cast<std::uint32_t>(b));
        owned += own;
        Body body;
        body.rest = rest;
        body.piece = saved.piece;
        body.blow = saved.blow;
        body.strength = begun.strength;
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
    if (owner != particles.body || owned != begunWith)
        refuse("has other bodies than are linked");
    if (std::any_of(particles.material.begin(), particles.material.end(),
                    [&](std::uint32_t m) { return m >= materials; }))
        refuse("has materials that are no longer linked");
    auto memory = reader.array<Contacts::Memory>();
    Contacts::Searched searched;
    searched.x = reader.array<Vec3d>();
    searched.low = reader.value<Vec3d>();
    searched.high = reader.value<Vec3d>();
    searched.inside = reader.value<double>();
    for (const Contacts::Memory& contact : memory)
        if (contact.a >= count || (contact.b < kSurface && contact.b >= count))
            refuse("is damaged");
    if (!searched.x.empty() && searched.x.size() != count)
        refuse("is damaged");
    solver.scene.particles = std::move(particles);
    solver.changed();
    solver.contacts().setMemory(std::move(memory));
    solver.contacts().setSearched(std::move(searched));
    Solver::Counts counts;
    for (std::size_t* number : {&counts.leftDomain, &counts.taken, &counts.broken})
        *number = static_cast<std::size_t>(reader.value<std::uint64_t>());
    solver.setCounts(counts);
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
    const auto sides = reader.array<SavedJoint>();
    if (sides.size() != solver.joints.size())
        refuse("has other joints than are linked");
    for (std::size_t k = 0; k < sides.size(); ++k)
        for (std::size_t s = 0; s < 2; ++s) {
            JointSide& side = s == 0 ? solver.joints[k].a : solver.joints[k].b;
            const std::uint32_t body = sides[k].body[s];
            if ((body == kNoBody) != (side.body == kNoBody) ||
                (body != kNoBody && (body >= bodies.size() || !solver.scene.bodies[body].rigid)))
                refuse("has other joints than are linked");
            side.body = body;
            side.anchor = sides[k].anchor[s];
        }
    const auto turns = reader.array<Mat3d>();
    std::size_t used = 0;
    for (Body& body : solver.scene.bodies) {
        const std::size_t own = body.rigid ? 0 : body.rest->regions.size();
        if (own > turns.size() - used)
            refuse("has other bodies than are linked");
        const auto first = turns.begin() + static_cast<std::ptrdiff_t>(used);
        body.turns.assign(first, first + static_cast<std::ptrdiff_t>(own));
        used += own;
    }
    if (used != turns.size())
        refuse("has other bodies than are linked");
    Sleep::State sleep;
    sleep.place = reader.array<Vec3d>();
    sleep.calm = reader.array<float>();
    sleep.load = reader.array<float>();
    sleep.asleep = reader.array<std::uint8_t>();
    sleep.gravity = reader.value<Vec3d>();
    sleep.materials = reader.array<Material>();
    sleep.grips = reader.array<float>();
    sleep.sinceCheck = reader.value<double>();
    const std::size_t known = sleep.place.size();
    if ((known != 0 && known != count) || sleep.calm.size() != known ||
        sleep.load.size() != known || sleep.asleep.size() != known ||
        std::any_of(sleep.asleep.begin(), sleep.asleep.end(),
                    [](std::uint8_t one) { return one > 1; }))
        refuse("is damaged");
    solver.sleep().setState(std::move(sleep));
    const auto leaked = reader.value<std::uint64_t>();
    solver.thinWalls().restore(leaked, reader.array<floe_transform_key>());
}

} // namespace floe::pbd
