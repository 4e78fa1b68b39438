#include "sleep.hpp"

#include "contacts.hpp"
#include "sleep_rules.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace floe::pbd {

namespace {

constexpr double kCheck = 0.04; ///< between checks [s]

/// What of colliders and walls holds things where they are, but for their places.
std::vector<float> gripsOf(const Surroundings& around)
{
    std::vector<float> grips;
    for (const auto& collider : around.colliders) {
        grips.push_back(static_cast<float>(collider->contact));
        grips.push_back(collider->friction);
    }
    if (around.domain && around.domain->bounded) {
        grips.push_back(around.domain->friction);
        for (int face = 0; face < 6; ++face)
            grips.push_back(static_cast<float>(around.domain->faces[face]));
    }
    return grips;
}

/// Sets of bodies that hang together.
class Islands {
public:
    explicit Islands(std::size_t bodies) : parent_(bodies)
    {
        for (std::uint32_t b = 0; b < bodies; ++b)
            parent_[b] = b;
    }
    std::uint32_t of(std::uint32_t body)
    {
        while (parent_[body] != body)
            body = parent_[body] = parent_[parent_[body]];
        return body;
    }
    /// The lower number stands for both.
    void join(std::uint32_t a, std::uint32_t b)
    {
        a = of(a);
        b = of(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::uint32_t> parent_;
};

} // namespace

void Sleep::setState(State state)
{
    state_ = std::move(state);
    on_ = !state_.place.empty();
    count_ = static_cast<std::size_t>(
        std::count(state_.asleep.begin(), state_.asleep.end(), std::uint8_t{1}));
    stirs_ = std::find(state_.calm.begin(), state_.calm.end(), 0.0f) != state_.calm.end();
}

void Sleep::begin(const Scene& scene, const SolverSettings& settings, const Surroundings& around,
                  std::span<const Joint> joints, bool allowed, double dt)
{
    if (!allowed || state_.place.size() > scene.particles.size()) {
        state_ = {};
        count_ = 0;
    }
    on_ = allowed;
    checks_ = false;
    if (!on_)
        return;
    grow(scene);
    readJoints(scene, joints);
    const Vec3d changed = state_.gravity - settings.gravity;
    const std::vector<float> grips = gripsOf(around);
    if (count_ > 0 && (physics::dot(changed, changed) > 0 || state_.materials != scene.materials ||
                       state_.grips != grips))
        wakeAll();
    state_.gravity = settings.gravity;
    state_.materials = scene.materials;
    state_.grips = grips;
    state_.sinceCheck += dt;
    checks_ = state_.sinceCheck >= kCheck;
    if (checks_)
        state_.sinceCheck = 0;
}

/// What a motor turns and what hangs on cloth or ropes, which never sleep, does not either.
void Sleep::readJoints(const Scene& scene, std::span<const Joint> joints)
{
    jointed_.clear();
    driven_.assign(joints.empty() ? 0 : scene.bodies.size(), 0);
    for (const Joint& joint : joints) {
        if (joint.broken)
            continue;
        const bool drives =
            joint.motor || joint.a.particle != kNoBody || joint.b.particle != kNoBody;
        for (const JointSide* side : {&joint.a, &joint.b})
            if (side->body != kNoBody && drives) {
                driven_[side->body] = 1;
                wake(scene, scene.bodies[side->body].first);
            }
        if (joint.a.body != kNoBody && joint.b.body != kNoBody)
            jointed_.push_back({joint.a.body, joint.b.body});
    }
}

void Sleep::grow(const Scene& scene)
{
    if (!on_)
        return;
    const Particles& particles = scene.particles;
    state_.place.insert(state_.place.end(),
                        particles.x.begin() + static_cast<std::ptrdiff_t>(state_.place.size()),
                        particles.x.end());
    state_.calm.resize(particles.size());
    state_.load.resize(particles.size());
    state_.asleep.resize(particles.size());
}

void Sleep::remove(const std::vector<std::uint8_t>& gone)
{
    if (!on_)
        return;
    const auto compact = [&](auto& array) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < array.size(); ++i)
            if (!gone[i])
                array[kept++] = array[i];
        array.resize(kept);
    };
    compact(state_.place);
    compact(state_.calm);
    compact(state_.load);
    compact(state_.asleep);
    count_ = static_cast<std::size_t>(
        std::count(state_.asleep.begin(), state_.asleep.end(), std::uint8_t{1}));
}

bool Sleep::mayWake(const Scene& scene, const SolverSettings& settings, std::uint32_t sleeper,
                    std::uint32_t other, float lambda, double dt) const
{
    return state_.calm[other] == 0 ||
           isPushedHard(forceOf(lambda, dt), state_.load[sleeper],
                        double{scene.particles.mass[sleeper]}, physics::length(settings.gravity));
}

void Sleep::wakeAll()
{
    for (std::size_t i = 0; i < state_.asleep.size(); ++i)
        if (state_.asleep[i]) {
            state_.asleep[i] = 0;
            state_.calm[i] = kWoken;
        }
    count_ = 0;
}

void Sleep::wake(const Scene& scene, std::uint32_t particle)
{
    if (!isAsleep(particle))
        return;
    const auto wakeOne = [&](std::size_t i) {
        state_.asleep[i] = 0;
        state_.calm[i] = kWoken;
        --count_;
    };
    if (!scene.isRigid(particle)) {
        wakeOne(particle);
        return;
    }
    std::vector<std::uint32_t> bodies{scene.particles.body[particle]};
    while (!bodies.empty()) {
        const std::uint32_t number = bodies.back();
        const Body& body = scene.bodies[number];
        bodies.pop_back();
        if (!isAsleep(body))
            continue;
        for (std::size_t k = 0; k < body.rest->particles.size(); ++k)
            wakeOne(body.first + k);
        for (const auto& [a, b] : jointed_)
            if (a == number || b == number)
                bodies.push_back(a + b - number);
    }
}

void Sleep::end(Scene& scene, const SolverSettings& settings, std::span<const Contact> contacts,
                double dt, sdk::parallel::Executor& executor)
{
    if (!on_)
        return;
    Particles& particles = scene.particles;
    std::atomic<bool> stirs = false;
    executor.parallelFor(particles.size(), 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            if (state_.asleep[i])
                continue;
            if (staysAt(state_.place[i], particles.x[i], particles.radius[i], scene.isRigid(i))) {
                state_.calm[i] += static_cast<float>(dt);
                continue;
            }
            state_.place[i] = particles.x[i];
            state_.calm[i] = 0;
            stirs = true;
        }
    });
    stirs_ = stirs;
    if (!checks_)
        return;
    const auto after = static_cast<float>(settings.sleepAfter);
    std::vector<std::uint8_t> kept(particles.size()); // awake
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (!state_.asleep[i])
            state_.load[i] = 0;
    for (const Contact& contact : contacts) {
        const float force = forceOf(contact.lambda, dt);
        const bool surface = contact.b >= kSurface;
        for (const auto& [one, other] :
             {std::pair(contact.a, contact.b), std::pair(contact.b, contact.a)}) {
            if (one >= kSurface || state_.asleep[one])
                continue;
            state_.load[one] = std::max(state_.load[one], force);
            kept[one] = kept[one] || keepsAwake(contact, surface ? 0 : state_.calm[other],
                                                !surface && state_.asleep[other], after);
        }
    }
    weighBodies(scene, settings, contacts, dt);
    restBodies(scene, contacts, kept, after);
    for (std::size_t i = 0; i < particles.size(); ++i) {
        if (state_.asleep[i] || kept[i] || state_.calm[i] < after || particles.body[i] != kNoBody ||
            scene.isLiquid(i))
            continue;
        state_.asleep[i] = 1;
        particles.v[i] = {0, 0, 0};
        ++count_;
    }
}

/// Notes all that pushes bodies that are awake, and wakes those asleep that bear much more than
/// when they fell asleep.
void Sleep::weighBodies(const Scene& scene, const SolverSettings& settings,
                        std::span<const Contact> contacts, double dt)
{
    std::vector<float> force(scene.bodies.size(), 0);
    for (const Contact& contact : contacts)
        for (const std::uint32_t i : {contact.a, contact.b})
            if (i < kSurface && scene.isRigid(i))
                force[scene.particles.body[i]] += forceOf(contact.lambda, dt);
    const double gravity = physics::length(settings.gravity);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        if (!body.rigid)
            continue;
        float& load = state_.load[body.first];
        if (!isAsleep(body))
            load = force[b];
        else if (isPushedHard(force[b], load, body.rest->mass, gravity))
            wake(scene, body.first);
    }
}

/// Lets islands of bodies that are all calm fall asleep. Those that sleep already part islands as
/// the ground does.
void Sleep::restBodies(Scene& scene, std::span<const Contact> contacts,
                       const std::vector<std::uint8_t>& kept, float after)
{
    const auto count = static_cast<std::uint32_t>(scene.bodies.size());
    Islands islands(count);
    for (const Contact& contact : contacts)
        if (contact.lambda > 0 && contact.b < kSurface && scene.isRigid(contact.a) &&
            scene.isRigid(contact.b) && !isAsleep(contact.a) && !isAsleep(contact.b))
            islands.join(scene.particles.body[contact.a], scene.particles.body[contact.b]);
    for (const auto& [a, b] : jointed_)
        islands.join(a, b);
    const auto isCalm = [&](std::uint32_t number) {
        const Body& body = scene.bodies[number];
        if (number < driven_.size() && driven_[number])
            return false;
        for (std::size_t i = body.first; i < body.first + body.rest->particles.size(); ++i)
            if (kept[i] || state_.calm[i] < after)
                return false;
        return true;
    };
    std::vector<std::uint8_t> stirs(count, 0);
    for (std::uint32_t b = 0; b < count; ++b)
        if (scene.bodies[b].rigid && !isAsleep(scene.bodies[b]) && !isCalm(b))
            stirs[islands.of(b)] = 1;
    for (std::uint32_t b = 0; b < count; ++b) {
        Body& body = scene.bodies[b];
        if (!body.rigid || isAsleep(body) || stirs[islands.of(b)])
            continue;
        body.v = body.angularMomentum = {0, 0, 0};
        for (std::size_t i = body.first; i < body.first + body.rest->particles.size(); ++i) {
            state_.asleep[i] = 1;
            scene.particles.v[i] = {0, 0, 0};
            ++count_;
        }
    }
}

} // namespace floe::pbd
