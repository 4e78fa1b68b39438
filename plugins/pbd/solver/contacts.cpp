#include "contacts.hpp"

#include "contact.hpp"
#include "contact_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

constexpr double kRestingWay = 8;   ///< of what weight moves in a substep
constexpr std::size_t kChunk = 512; ///< of candidates whose contacts are gathered together
constexpr std::uint32_t kLiquids = 0xfffffffeu; ///< the group of all liquid particles

std::uint32_t moverOf(const Scene& scene, std::uint32_t particle)
{
    return scene.isRigid(particle)
               ? static_cast<std::uint32_t>(scene.particles.size()) + scene.particles.body[particle]
               : particle;
}

/// Geometry of two particles (Jia 2017, section 4.2). @return false: they are far apart
bool meet(const Scene& scene, const Pair& pair, Contact& contact)
{
    const Particles& particles = scene.particles;
    const Vec3f between = toFloat(particles.x[pair.first] - particles.x[pair.second]);
    const float distance = physics::length(between);
    const float ra = particles.radius[pair.first], rb = particles.radius[pair.second];
    if (distance > (1 + kMargin) * (ra + rb))
        return false;
    const RestParticle* a = scene.restOf(pair.first);
    const RestParticle* b = scene.restOf(pair.second);
    const Vec3f apart = distance > 0 ? (1 / distance) * between : Vec3f{0, 1, 0};
    contact.normal = apart;
    contact.gap = distance - ra - rb;
    contact.overlapLimit = 0.2f * std::min(ra, rb);
    if (a || b) {
        // Out of the body whose surface is nearer, as its own gradient has it.
        const bool byA = a && (!b || std::abs(a->distance) < std::abs(b->distance));
        const auto turned = [&](const RestParticle& rest, std::uint32_t particle) {
            const Body& body = scene.bodies[particles.body[particle]];
            return toFloat(body.turnAt(particle - body.first) * toDouble(rest.gradient));
        };
        const Vec3f out = byA ? -1.0f * turned(*a, pair.first) : turned(*b, pair.second);
        if ((!a || !a->boundary) && (!b || !b->boundary)) {
            if (contact.gap > 0)
                return false;
            contact.normal = out;
            contact.gap = -std::max(a ? std::abs(a->distance) : 0, b ? std::abs(b->distance) : 0);
        } else if (const float along = physics::dot(apart, out); along < 0) {
            contact.normal = apart - 2 * along * out;
        }
    }
    return true;
}

/// Moving what passes each other apart changes its angular momentum, by p x (va - vb) where p is
/// mass times way: the bodies' spins take it up, both by the same change. What has no spin, and
/// what a collider moves, does not.
void keepSpin(Scene& scene, const Motion& motion, const Contact& contact, const Vec3d& pushed)
{
    if (contact.b >= kSurface)
        return;
    const auto velocityOf = [&](std::uint32_t i) {
        return scene.isRigid(i) ? scene.bodies[scene.particles.body[i]].v
                                : toDouble(scene.particles.v[i]);
    };
    const Vec3d gained = physics::cross(pushed, velocityOf(contact.a) - velocityOf(contact.b));
    Mat3d inertia{};
    for (const std::uint32_t i : {contact.a, contact.b})
        if (scene.isRigid(i))
            inertia = inertia + motion.inertia[scene.particles.body[i]];
    const double volume = physics::determinant(inertia);
    if (!(volume > 0))
        return;
    const Vec3d turn = (1 / volume) * (physics::transpose(physics::cofactor(inertia)) * gained);
    for (const std::uint32_t i : {contact.a, contact.b})
        if (scene.isRigid(i)) {
            Vec3d& spin = scene.bodies[scene.particles.body[i]].angularMomentum;
            spin = spin - motion.inertia[scene.particles.body[i]] * turn;
        }
}

} // namespace

void Contacts::remove(const std::vector<std::uint8_t>& gone)
{
    std::vector<std::uint32_t> number(gone.size());
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < gone.size(); ++i)
        number[i] = gone[i] ? kSurface - 1 : next++;
    std::erase_if(memory_, [&](Memory& memory) {
        const bool surface = memory.b >= kSurface;
        if (gone[memory.a] || (!surface && gone[memory.b]))
            return true;
        memory.a = number[memory.a];
        if (!surface)
            memory.b = number[memory.b];
        return false;
    });
    invalidate();
}

void Contacts::search(const Scene& scene, const SolverSettings& settings, Executor& executor)
{
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    const Vec3d origin = searched_.empty() ? Vec3d{0, 0, 0} : searched_.front();
    const auto isLiquid = [&](std::size_t i) {
        return particles.body[i] == kNoBody &&
               scene.materials[particles.material[i]].kind == Material::Kind::liquid;
    };
    // Particles of liquids meet solid ones only: those that none can reach are left out.
    Vec3d low{INFINITY, INFINITY, INFINITY}, high = -1.0 * low;
    float largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const float r = (1 + kMargin) * particles.radius[i];
        largest = std::max(largest, r);
        for (int axis = 0; axis < 3 && !isLiquid(i); ++axis) {
            low[axis] = std::min(low[axis], searched_[i][axis] - r);
            high[axis] = std::max(high[axis], searched_[i][axis] + r);
        }
    }
    std::vector<Vec3f> center;
    std::vector<float> radius;
    std::vector<std::uint32_t> group, number;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool liquid = isLiquid(i);
        const Vec3d& x = searched_[i];
        bool near = true;
        for (int axis = 0; axis < 3 && liquid; ++axis)
            near = near && x[axis] > low[axis] - largest && x[axis] < high[axis] + largest;
        if (!near)
            continue;
        number.push_back(i);
        center.push_back(toFloat(x - origin));
        radius.push_back((1 + kMargin) * particles.radius[i]);
        group.push_back(liquid ? kLiquids : particles.body[i]);
    }
    static_assert(kNoBody == kNoGroup);
    candidates_ = findPairs({center, radius, group}, settings.search, executor);
    for (Pair& pair : candidates_) // ascending, as the numbers are
        pair = {number[pair.first], number[pair.second]};
}

void Contacts::find(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                    double dt, const Surroundings& around, Executor& executor)
{
    const Particles& particles = scene.particles;
    // Candidates hold while nobody has left his margin.
    bool holds = known_ && searched_.size() == particles.size();
    for (std::size_t i = 0; holds && i < particles.size(); ++i) {
        const Vec3f way = toFloat(particles.x[i] - searched_[i]);
        holds = physics::length(way) < kMargin * particles.radius[i];
    }
    if (!holds) {
        searched_ = particles.x;
        search(scene, settings, executor);
        ++searches_;
    } else if (candidates_.empty() && searches_ == 0 && !searched_.empty()) {
        search(scene, settings, executor); // just loaded
        ++searches_;
    }
    known_ = true;

    std::vector<std::vector<Contact>> found;
    findSurfaces(scene, motion, settings, dt, around, found, executor);
    const std::size_t surfaces = found.size();
    const std::size_t chunks = (candidates_.size() + kChunk - 1) / kChunk;
    found.resize(surfaces + chunks);
    executor.parallelFor(chunks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t chunk = begin; chunk < end; ++chunk) {
            const std::size_t last = std::min(candidates_.size(), (chunk + 1) * kChunk);
            for (std::size_t k = chunk * kChunk; k < last; ++k) {
                const Pair& pair = candidates_[k];
                Contact contact{};
                if ((scene.isHeld(pair.first) && scene.isHeld(pair.second)) ||
                    !meet(scene, pair, contact))
                    continue;
                contact.a = pair.first;
                contact.b = pair.second;
                const float ra = particles.radius[pair.first], rb = particles.radius[pair.second];
                const float offset = ra + 0.5f * contact.gap;
                const Vec3d at =
                    particles.x[pair.first] - toDouble(std::min(offset, ra) * contact.normal);
                contact.armA = armOf(scene, pair.first, at);
                contact.armB = armOf(scene, pair.second, at);
                const Vec3f u = motion.at(scene, pair.first, contact.armA) -
                                motion.at(scene, pair.second, contact.armB);
                const float un = physics::dot(contact.normal, u);
                if (contact.gap + std::min(un, 0.0f) > kTouching * std::min(ra, rb))
                    continue;
                const Material& ma = scene.materials[particles.material[pair.first]];
                const Material& mb = scene.materials[particles.material[pair.second]];
                contact.staticFriction = std::sqrt(ma.staticFriction * mb.staticFriction);
                contact.kineticFriction = std::sqrt(ma.kineticFriction * mb.kineticFriction);
                contact.bounce = bounceOf(std::max(ma.restitution, mb.restitution), un, contact.gap,
                                          settings, dt);
                found[surfaces + chunk].push_back(contact);
            }
        }
    });
    active_.clear();
    for (const auto& some : found)
        active_.insert(active_.end(), some.begin(), some.end());
    const auto order = [](const auto& l, const auto& r) {
        return l.a != r.a ? l.a < r.a : l.b < r.b;
    };
    // Surfaces come first and pairs after them, each in order.
    const std::size_t pairs = [&] {
        std::size_t sum = 0;
        for (std::size_t k = 0; k < surfaces; ++k)
            sum += found[k].size();
        return sum;
    }();
    std::inplace_merge(active_.begin(), active_.begin() + static_cast<std::ptrdiff_t>(pairs),
                       active_.end(), order);
    std::size_t known = 0;
    for (Contact& contact : active_) {
        while (known < memory_.size() && order(memory_[known], contact))
            ++known;
        if (known == memory_.size() || memory_[known].a != contact.a ||
            memory_[known].b != contact.b)
            continue;
        // What pushed once only was an impact, and does not push again.
        contact.before = memory_[known].lambda;
        contact.lambda = std::min(memory_[known].lambda, memory_[known].before);
        const float part = memory_[known].lambda > 0 ? contact.lambda / memory_[known].lambda : 0;
        const Vec3f& f = memory_[known].friction;
        contact.friction = part * (f - physics::dot(f, contact.normal) * contact.normal);
    }
    shareMass(scene, executor);
}

void Contacts::shareMass(const Scene& scene, Executor&)
{
    const std::size_t movers = scene.particles.size() + scene.bodies.size();
    begin_.assign(movers + 1, 0);
    for (const Contact& contact : active_) {
        ++begin_[moverOf(scene, contact.a) + 1];
        if (contact.b < kSurface)
            ++begin_[moverOf(scene, contact.b) + 1];
    }
    for (std::size_t m = 0; m < movers; ++m)
        begin_[m + 1] += begin_[m];
    incident_.resize(begin_[movers]);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t k = 0; k < active_.size(); ++k) {
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

void Contacts::stabilise(Scene& scene, const Motion& motion, const SolverSettings& settings,
                         Executor& executor)
{
    Motion moved = motion; // weights; displacements of the correction alone
    std::fill(moved.particle.begin(), moved.particle.end(), Vec3f{0, 0, 0});
    std::fill(moved.body.begin(), moved.body.end(), Vec3d{0, 0, 0});
    std::fill(moved.turn.begin(), moved.turn.end(), Vec3d{0, 0, 0});
    bool any = false;
    std::vector<Vec3f> pushed(active_.size());
    for (int k = 0; k < settings.stabilisations; ++k) {
        executor.parallelFor(active_.size(), 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) {
                Contact& contact = active_[c];
                const bool surface = contact.b >= kSurface;
                Vec3f u = moved.at(scene, contact.a, contact.armA);
                if (!surface)
                    u = u - moved.at(scene, contact.b, contact.armB);
                const auto allowed =
                    static_cast<float>(settings.slop) * scene.particles.radius[contact.a];
                const float overlap = -(contact.gap + physics::dot(contact.normal, u)) - allowed;
                contact.impulse = {0, 0, 0};
                if (overlap <= 0)
                    continue;
                float yields = contactsOf(scene, contact.a) *
                               moved.yields(scene, contact.a, contact.armA, contact.normal);
                if (!surface)
                    yields += contactsOf(scene, contact.b) *
                              moved.yields(scene, contact.b, contact.armB, contact.normal);
                contact.impulse =
                    (std::min(overlap, contact.overlapLimit) / yields) * contact.normal;
                pushed[c] = pushed[c] + contact.impulse;
            }
        });
        apply(scene, moved, executor);
    }
    for (Contact& contact : active_) {
        Vec3f u = moved.at(scene, contact.a, contact.armA);
        if (contact.b < kSurface)
            u = u - moved.at(scene, contact.b, contact.armB);
        const float change = physics::dot(contact.normal, u);
        contact.gap += change;
        any = any || change != 0;
    }
    if (!any)
        return;
    for (std::size_t c = 0; c < active_.size(); ++c)
        if (pushed[c].x != 0 || pushed[c].y != 0 || pushed[c].z != 0)
            keepSpin(scene, moved, active_[c], toDouble(pushed[c]));
    for (std::size_t i = 0; i < scene.particles.size(); ++i)
        if (!scene.isRigid(i))
            scene.particles.x[i] = scene.particles.x[i] + toDouble(moved.particle[i]);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        if (scene.bodies[b].rigid) {
            scene.bodies[b].x = scene.bodies[b].x + moved.body[b];
            scene.bodies[b].R =
                gramSchmidtRotation(rotationAbout(moved.turn[b]) * scene.bodies[b].R);
        }
}

void Contacts::warmStart(const Scene& scene, Motion& motion, Executor& executor)
{
    for (Contact& contact : active_)
        contact.impulse = contact.lambda * contact.normal + contact.friction;
    apply(scene, motion, executor);
}

void Contacts::project(const Scene& scene, Motion& motion, const SolverSettings& settings,
                       Executor& executor)
{
    executor.parallelFor(active_.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) {
            Contact& contact = active_[c];
            const bool surface = contact.b >= kSurface;
            const Vec3f& n = contact.normal;
            const Vec3f u = motion.at(scene, contact.a, contact.armA) -
                            (surface ? contact.surface : motion.at(scene, contact.b, contact.armB));
            Vec3f slide = u - physics::dot(n, u) * n;
            const float way = physics::length(slide);
            slide = way > 0 ? (1 / way) * slide : n;
            const float sharesA = contactsOf(scene, contact.a);
            float normalYield = sharesA * motion.yields(scene, contact.a, contact.armA, n);
            float slideYield = sharesA * motion.yields(scene, contact.a, contact.armA, slide);
            if (!surface) {
                const float sharesB = contactsOf(scene, contact.b);
                normalYield += sharesB * motion.yields(scene, contact.b, contact.armB, n);
                slideYield += sharesB * motion.yields(scene, contact.b, contact.armB, slide);
            }
            // Overlap is left to stabilise(): correcting it here would give it speed.
            const float gap = contact.bounce > 0 ? -contact.bounce : std::max(contact.gap, 0.0f);
            contact.impulse = projectContact<float>(
                n, u, gap, normalYield, slideYield,
                {contact.staticFriction, contact.kineticFriction},
                static_cast<float>(settings.relaxation), contact.lambda, contact.friction);
        }
    });
    apply(scene, motion, executor);
}

void Contacts::rescale(double factor)
{
    const auto scale = static_cast<float>(factor * factor);
    for (Memory& memory : memory_) {
        memory.lambda *= scale;
        memory.before *= scale;
        memory.friction = scale * memory.friction;
    }
}

void Contacts::remember(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                        double dt)
{
    const auto resting =
        static_cast<float>(kRestingWay * physics::length(settings.gravity) * dt * dt);
    memory_.clear();
    for (const Contact& contact : active_) {
        if (contact.lambda <= 0)
            continue;
        const Vec3f u =
            motion.at(scene, contact.a, contact.armA) -
            (contact.b >= kSurface ? contact.surface : motion.at(scene, contact.b, contact.armB));
        if (std::abs(physics::dot(contact.normal, u) + std::max(contact.gap, 0.0f)) > resting)
            continue;
        memory_.push_back({contact.a, contact.b, contact.lambda, contact.before, contact.friction});
    }
}

} // namespace floe::pbd
