#include "contacts.hpp"

#include "contact.hpp"
#include "contact_geometry.hpp"
#include "sleep_rules.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

std::uint32_t moverOf(const Scene& scene, std::uint32_t particle)
{
    return scene.isRigid(particle)
               ? static_cast<std::uint32_t>(scene.particles.size()) + scene.particles.body[particle]
               : particle;
}

/// Displacement for an impulse, both sides together, of what is not a rigid body [1/kg].
float yieldOf(const Motion& motion, const Contact& contact)
{
    return motion.weight[contact.a] + (contact.b < kSurface ? motion.weight[contact.b] : 0);
}

/// Moves both sides apart.
void push(Motion& motion, const Contact& contact, const Vec3f& impulse)
{
    motion.particle[contact.a] = motion.particle[contact.a] + motion.weight[contact.a] * impulse;
    if (contact.b < kSurface)
        motion.particle[contact.b] =
            motion.particle[contact.b] - motion.weight[contact.b] * impulse;
}

/// The spins of bodies take up what moving them apart changes.
void keepSpin(Scene& scene, const Motion& motion, const Contact& contact, const Vec3d& pushed)
{
    if (contact.b >= kSurface)
        return;
    const auto velocityOf = [&](std::uint32_t i) {
        return scene.isRigid(i) ? scene.bodies[scene.particles.body[i]].v
                                : toDouble(scene.particles.v[i]);
    };
    Mat3d inertia{};
    for (const std::uint32_t i : {contact.a, contact.b})
        if (scene.isRigid(i))
            inertia = inertia + motion.inertia[scene.particles.body[i]];
    Vec3d turn;
    if (!spinOfPush(pushed, velocityOf(contact.a) - velocityOf(contact.b), inertia, turn))
        return;
    for (const std::uint32_t i : {contact.a, contact.b})
        if (scene.isRigid(i)) {
            Vec3d& spin = scene.bodies[scene.particles.body[i]].angularMomentum;
            spin = spin - motion.inertia[scene.particles.body[i]] * turn;
        }
}

} // namespace

void Contacts::find(const Scene& scene, Motion& motion, const SolverSettings& settings, double dt,
                    const Surroundings& around, Sleep& sleep, Executor& executor)
{
    const Particles& particles = scene.particles;
    active_.clear();
    const bool all = sleep.looksAtSurfaces(around);
    if (all) {
        findSurfaces(scene, motion, settings, dt, around, nullptr, executor);
        wakeBySurfaces(scene, sleep);
    }
    update(scene, settings, sleep, executor);
    const auto nothing = [](std::size_t) {
        return 0.0f;
    };
    sleep.wakeByPairs(scene, settings, candidates_, nothing, dt, executor);
    sleep.wakeByPairs(
        scene, settings, sweptCandidates_, [&](std::size_t k) { return push_[k].lambda; }, dt,
        executor);
    if (all)
        std::erase_if(active_, [&](const Contact& contact) { return sleep.isAsleep(contact.a); });
    else
        findSurfaces(scene, motion, settings, dt, around, &sleep, executor);
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (sleep.isAsleep(i))
            motion.weight[i] = 0;
    for (std::size_t b = 0; b < scene.bodies.size() && sleep.count() > 0; ++b)
        if (scene.bodies[b].rigid && sleep.isAsleep(scene.bodies[b])) {
            motion.bodyWeight[b] = 0;
            motion.turnWeight[b] = {};
        }
    findPairs(scene, motion, settings, dt, sleep, executor);
    recallAll();
    shareMass(scene);
    findSwept(scene, motion, settings, dt, sleep, executor);
}

void Contacts::wakeBySurfaces(const Scene& scene, Sleep& sleep)
{
    const ContactOrder order;
    std::vector<std::uint32_t> woken;
    std::size_t known = 0;
    // Both are in order: what is remembered of a sleeper and is not found was lost.
    const auto skip = [&](const auto& until) {
        for (; known < memory_.size() && until(memory_[known]); ++known)
            if (memory_[known].b >= kSurface && sleep.isAsleep(memory_[known].a))
                woken.push_back(memory_[known].a);
    };
    for (const Contact& contact : active_) {
        skip([&](const Memory& memory) { return order(memory, contact); });
        if (known < memory_.size() && !order(contact, memory_[known]))
            ++known;
        if (sleep.isAsleep(contact.a) && wakesBySurface(contact, scene.particles.radius[contact.a]))
            woken.push_back(contact.a);
    }
    skip([](const Memory&) { return true; });
    for (const std::uint32_t particle : woken)
        sleep.wake(scene, particle);
}

void Contacts::shareMass(const Scene& scene)
{
    const std::size_t movers = scene.particles.size() + scene.bodies.size();
    begin_.assign(movers + 1, 0);
    for (std::size_t k = 0; k < surfaces_; ++k) {
        ++begin_[moverOf(scene, active_[k].a) + 1];
        if (active_[k].b < kSurface)
            ++begin_[moverOf(scene, active_[k].b) + 1];
    }
    for (std::size_t m = 0; m < movers; ++m)
        begin_[m + 1] += begin_[m];
    incident_.resize(begin_[movers]);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t k = 0; k < surfaces_; ++k) {
        incident_[next[moverOf(scene, active_[k].a)]++] = 2 * k;
        if (active_[k].b < kSurface)
            incident_[next[moverOf(scene, active_[k].b)]++] = 2 * k + 1;
    }
}

float Contacts::contactsOf(const Scene& scene, std::uint32_t particle) const
{
    const std::uint32_t mover = moverOf(scene, particle);
    return static_cast<float>(begin_[mover + 1] - begin_[mover]);
}

/// Adds each mover's impulses, always in the same order.
void Contacts::apply(const Scene& scene, Motion& motion, Executor& executor) const
{
    const std::size_t count = scene.particles.size();
    executor.parallelFor(begin_.size() - 1, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) {
            if (begin_[m] == begin_[m + 1])
                continue;
            Vec3d push{0, 0, 0}, turn{0, 0, 0};
            for (std::uint32_t k = begin_[m]; k < begin_[m + 1]; ++k) {
                const Contact& contact = active_[incident_[k] / 2];
                const bool second = incident_[k] & 1;
                const Vec3d impulse =
                    second ? -1.0 * toDouble(contact.impulse) : toDouble(contact.impulse);
                push = push + impulse;
                if (m >= count)
                    turn = turn +
                           physics::cross(toDouble(second ? contact.armB : contact.armA), impulse);
            }
            if (m < count) {
                motion.particle[m] = motion.particle[m] + toFloat(double{motion.weight[m]} * push);
            } else {
                const std::size_t b = m - count;
                motion.body[b] = motion.body[b] + double{motion.bodyWeight[b]} * push;
                motion.turn[b] = motion.turn[b] + motion.turnWeight[b] * turn;
            }
        }
    });
}

template <class Work>
void Contacts::sweep(const Work& work, Executor& executor)
{
    for (int colour = 0; colour < SweepOrder::kColours; ++colour) {
        const std::size_t first = sweep_.colour(colour);
        executor.parallelFor(
            sweep_.colour(colour + 1) - first, 4, [&](std::size_t begin, std::size_t end) {
                for (std::size_t k = cellBegin_[first + begin]; k < cellBegin_[first + end]; ++k)
                    work(active_[k]);
            });
    }
    // Those of one particle follow one another, and go to whoever has the first.
    executor.parallelFor(swept_ - surfaces_, 256, [&](std::size_t begin, std::size_t end) {
        const auto goesOn = [&](std::size_t k) {
            return k > surfaces_ && k < swept_ && active_[k].a == active_[k - 1].a;
        };
        std::size_t k = surfaces_ + begin;
        while (k < surfaces_ + end && goesOn(k))
            ++k;
        for (; k < surfaces_ + end || (k > surfaces_ + begin && goesOn(k)); ++k)
            work(active_[k]);
    });
}

void Contacts::stabilise(Scene& scene, const Motion& motion, const SolverSettings& settings,
                         Executor& executor)
{
    if (active_.empty())
        return;
    Motion moved = motion; // weights; displacements of the correction alone
    std::fill(moved.particle.begin(), moved.particle.end(), Vec3f{0, 0, 0});
    std::fill(moved.body.begin(), moved.body.end(), Vec3d{0, 0, 0});
    std::fill(moved.turn.begin(), moved.turn.end(), Vec3d{0, 0, 0});
    /// How far the two sides are to move apart. A rope's particles stay where its solve has them:
    /// moved one by one, they would stretch it.
    const auto excess = [&](const Contact& contact) {
        const std::uint32_t body = scene.particles.body[contact.a];
        if (contact.b >= kSurface && body != kNoBody && scene.bodies[body].sheet &&
            scene.bodies[body].sheet->rope)
            return 0.0f;
        Vec3f u = moved.at(scene, contact.a, contact.armA);
        if (contact.b < kSurface)
            u = u - moved.at(scene, contact.b, contact.armB);
        return excessOf(contact, u, static_cast<float>(settings.slop),
                        scene.particles.radius[contact.a]);
    };
    std::vector<Vec3f> pushed(surfaces_);
    for (int k = 0; k < settings.stabilisations; ++k) {
        sweep(
            [&](const Contact& contact) {
                const float overlap = excess(contact);
                if (overlap <= 0)
                    return;
                push(moved, contact, (overlap / yieldOf(moved, contact)) * contact.normal);
            },
            executor);
        executor.parallelFor(surfaces_, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) {
                Contact& contact = active_[c];
                const float overlap = excess(contact);
                contact.impulse = {0, 0, 0};
                if (overlap <= 0)
                    continue;
                float yields = contactsOf(scene, contact.a) *
                               moved.yields(scene, contact.a, contact.armA, contact.normal);
                if (contact.b < kSurface)
                    yields += contactsOf(scene, contact.b) *
                              moved.yields(scene, contact.b, contact.armB, contact.normal);
                contact.impulse = (overlap / yields) * contact.normal;
                pushed[c] = pushed[c] + contact.impulse;
            }
        });
        apply(scene, moved, executor);
    }
    executor.parallelFor(active_.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            Contact& contact = active_[c];
            Vec3f u = moved.at(scene, contact.a, contact.armA);
            if (contact.b < kSurface)
                u = u - moved.at(scene, contact.b, contact.armB);
            contact.gap += physics::dot(contact.normal, u);
        }
    });
    for (std::size_t c = 0; c < surfaces_; ++c)
        if (pushed[c].x != 0 || pushed[c].y != 0 || pushed[c].z != 0)
            keepSpin(scene, moved, active_[c], toDouble(pushed[c]));
    for (std::size_t i = 0; i < scene.particles.size(); ++i)
        if (!scene.isRigid(i))
            scene.particles.x[i] = scene.particles.x[i] + toDouble(moved.particle[i]);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        if (scene.bodies[b].rigid && physics::dot(moved.body[b], moved.body[b]) +
                                             physics::dot(moved.turn[b], moved.turn[b]) >
                                         0) {
            scene.bodies[b].x = scene.bodies[b].x + moved.body[b];
            scene.bodies[b].R = turned(scene.bodies[b].R, moved.turn[b]);
        }
}

void Contacts::warmStart(const Scene& scene, Motion& motion, Executor& executor)
{
    sweep(
        [&](const Contact& contact) {
            if (contact.lambda > 0)
                push(motion, contact, contact.lambda * contact.normal + contact.friction);
        },
        executor);
    for (std::size_t c = 0; c < surfaces_; ++c)
        active_[c].impulse = active_[c].lambda * active_[c].normal + active_[c].friction;
    apply(scene, motion, executor);
}

void Contacts::projectSwept(Motion& motion, Executor& executor)
{
    sweep(
        [&](Contact& contact) {
            const Vec3f u = motion.particle[contact.a] -
                            (contact.b >= kSurface ? contact.surface : motion.particle[contact.b]);
            push(motion, contact, pbd::projectSwept(contact, u, yieldOf(motion, contact)));
        },
        executor);
}

void Contacts::project(const Scene& scene, Motion& motion, const SolverSettings& settings,
                       Executor& executor)
{
    projectSwept(motion, executor);
    executor.parallelFor(surfaces_, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            Contact& contact = active_[c];
            const bool surface = contact.b >= kSurface;
            const Vec3f& n = contact.normal;
            const Vec3f u = motion.at(scene, contact.a, contact.armA) -
                            (surface ? contact.surface : motion.at(scene, contact.b, contact.armB));
            const Vec3f slide = slideOf(u, n);
            const float sharesA = contactsOf(scene, contact.a);
            float normalYield = sharesA * motion.yields(scene, contact.a, contact.armA, n);
            float slideYield = sharesA * motion.yields(scene, contact.a, contact.armA, slide);
            if (!surface) {
                const float sharesB = contactsOf(scene, contact.b);
                normalYield += sharesB * motion.yields(scene, contact.b, contact.armB, n);
                slideYield += sharesB * motion.yields(scene, contact.b, contact.armB, slide);
            }
            contact.impulse = projectContact<float>(
                n, u, contact.mayApproach(), normalYield, slideYield,
                {contact.staticFriction, contact.kineticFriction},
                static_cast<float>(settings.relaxation), contact.lambda, contact.friction);
        }
    });
    apply(scene, motion, executor);
}

double Contacts::overlapOfGrains(const Scene& scene) const
{
    const Particles& particles = scene.particles;
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t k = swept_; k < active_.size(); ++k) {
        const Contact& contact = active_[k];
        if (particles.body[contact.a] != kNoBody || particles.body[contact.b] != kNoBody)
            continue;
        const float r = std::min(particles.radius[contact.a], particles.radius[contact.b]);
        sum += std::max(-contact.gap / r, 0.0f);
        ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

void Contacts::remember(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                        const Sleep& sleep, double dt)
{
    const float resting = restingWay(settings.gravity, dt);
    /// @return false: nothing to remember
    const auto rests = [&](const Contact& contact) {
        if (contact.lambda <= 0)
            return false;
        const Vec3f u =
            motion.at(scene, contact.a, contact.armA) -
            (contact.b >= kSurface ? contact.surface : motion.at(scene, contact.b, contact.armB));
        return restsBy(contact, u, resting);
    };
    const auto sleeps = [&](const Memory& memory) {
        return sleep.isAsleep(memory.a) && (memory.b >= kSurface || sleep.isAsleep(memory.b));
    };
    std::vector<Memory> kept;
    std::copy_if(memory_.begin(), memory_.end(), std::back_inserter(kept), sleeps);
    memory_.clear();
    std::ptrdiff_t rigid = 0;
    for (std::size_t k = 0; k < swept_; ++k) {
        if (k == surfaces_)
            rigid = static_cast<std::ptrdiff_t>(memory_.size());
        const Contact& contact = active_[k];
        if (rests(contact))
            memory_.push_back({contact.a, contact.b, pushOf(contact)});
    }
    if (surfaces_ < swept_)
        std::inplace_merge(memory_.begin(), memory_.begin() + rigid, memory_.end(), ContactOrder());
    const auto awake = static_cast<std::ptrdiff_t>(memory_.size());
    memory_.insert(memory_.end(), kept.begin(), kept.end());
    std::inplace_merge(memory_.begin(), memory_.begin() + awake, memory_.end(), ContactOrder());
    for (std::size_t k = 0; k < push_.size(); ++k)
        if (!sleep.isAsleep(sweptCandidates_[k].first) ||
            !sleep.isAsleep(sweptCandidates_[k].second))
            push_[k] = {};
    for (std::size_t k = swept_; k < active_.size(); ++k)
        if (rests(active_[k]))
            push_[active_[k].candidate] = pushOf(active_[k]);
}

} // namespace floe::pbd
