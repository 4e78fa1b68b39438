#include "contacts.hpp"

#include "contact.hpp"
#include "contact_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

/// Of projections one after the other: heaps converge fastest with about this. Friction does
/// without, or piles creep.
constexpr float kSweepRelaxation = 1.3f;
constexpr double kRestingWay = 8; ///< of what weight moves in a substep
/// Of a cloth's particles, how far apart at rest those are that may touch, in sums of radii.
constexpr float kNeighbours = 1.5f;
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

struct Order {
    bool operator()(const auto& l, const auto& r) const
    {
        return l.a != r.a ? l.a < r.a : l.b < r.b;
    }
};

/// Whether a pair's contact is projected after the others': both move by themselves.
bool isSwept(const Scene& scene, const Pair& pair)
{
    return !scene.isRigid(pair.first) && !scene.isRigid(pair.second);
}

bool isWithin(const Vec3d& x, const Vec3d& low, const Vec3d& high)
{
    return x.x >= low.x && x.y >= low.y && x.z >= low.z && x.x <= high.x && x.y <= high.y &&
           x.z <= high.z;
}

/// Whether two particles are of one cloth, and neighbours there: these do not touch.
bool areNeighbours(const Scene& scene, const Pair& pair)
{
    const std::uint32_t number = scene.particles.body[pair.first];
    if (number == kNoBody || number != scene.particles.body[pair.second])
        return false;
    const Body& body = scene.bodies[number];
    const RestParticle& a = body.rest->particles[pair.first - body.first];
    const RestParticle& b = body.rest->particles[pair.second - body.first];
    return physics::length(a.offset - b.offset) < kNeighbours * (a.radius + b.radius);
}

/// Contacts of pairs in a substep.
class Meeting {
public:
    Meeting(const Scene& scene, const Motion& motion, const SolverSettings& settings,
            const Sleep& sleep, double dt)
        : scene_(scene), motion_(motion), settings_(settings), sleep_(sleep), dt_(dt)
    {}

    /// Appends the contact of a pair. @return false: there is none
    bool add(const Pair& pair, std::vector<Contact>& found) const
    {
        const Particles& particles = scene_.particles;
        Contact contact{};
        if ((stays(pair.first) && stays(pair.second)) || !meet(scene_, pair, contact))
            return false;
        contact.a = pair.first;
        contact.b = pair.second;
        const float ra = particles.radius[pair.first], rb = particles.radius[pair.second];
        if (!isSwept(scene_, pair)) {
            const float offset = ra + 0.5f * contact.gap;
            const Vec3d at =
                particles.x[pair.first] - toDouble(std::min(offset, ra) * contact.normal);
            contact.armA = armOf(scene_, pair.first, at);
            contact.armB = armOf(scene_, pair.second, at);
        }
        const Vec3f u = motion_.at(scene_, pair.first, contact.armA) -
                        motion_.at(scene_, pair.second, contact.armB);
        const float un = physics::dot(contact.normal, u);
        if (contact.gap + std::min(un, 0.0f) > kTouching * std::min(ra, rb))
            return false;
        const Material& ma = scene_.materials[particles.material[pair.first]];
        const Material& mb = scene_.materials[particles.material[pair.second]];
        contact.staticFriction = std::sqrt(ma.staticFriction * mb.staticFriction);
        contact.kineticFriction = std::sqrt(ma.kineticFriction * mb.kineticFriction);
        contact.bounce =
            bounceOf(std::max(ma.restitution, mb.restitution), un, contact.gap, settings_, dt_);
        found.push_back(contact);
        return true;
    }

private:
    bool stays(std::uint32_t particle) const
    {
        return sleep_.isAsleep(particle) || scene_.isHeld(particle);
    }

    const Scene& scene_;
    const Motion& motion_;
    const SolverSettings& settings_;
    const Sleep& sleep_;
    double dt_;
};

/// Gives a contact the first guess of what is remembered of it.
void recall(Contact& contact, const Contacts::Push& push)
{
    // What pushed once only was an impact, and does not push again.
    contact.before = push.lambda;
    contact.lambda = std::min(push.lambda, push.before);
    const float part = push.lambda > 0 ? contact.lambda / push.lambda : 0;
    contact.friction =
        part * (push.friction - physics::dot(push.friction, contact.normal) * contact.normal);
}

/// Overlap is left to stabilise(): correcting it here would give it speed.
float gapOf(const Contact& contact)
{
    return contact.bounce > 0 ? -contact.bounce : std::max(contact.gap, 0.0f);
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
    setMemory(memory());
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

/// Whether everybody is where the last search's candidates hold.
bool Contacts::holds(const Scene& scene, const Sleep& sleep) const
{
    const Particles& particles = scene.particles;
    if (!known_ || searched_.x.size() != particles.size())
        return false;
    const Vec3d rim{searched_.inside, searched_.inside, searched_.inside};
    const Vec3d low = searched_.low + rim, high = searched_.high - rim;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        if (sleep.isAsleep(i))
            continue;
        const Vec3f way = toFloat(particles.x[i] - searched_.x[i]);
        if (!(physics::length(way) < kMargin * particles.radius[i]) ||
            !isWithin(particles.x[i], low, high))
            return false;
    }
    return true;
}

/// Begins a search: among all, or where many sleep, around those that are awake.
void Contacts::beginSearch(const Scene& scene, const Sleep& sleep)
{
    // Who is awake wakes another two and a half radii away, and he has neighbours as far.
    constexpr double kInside = 6, kAround = 12; // largest radii
    const Particles& particles = scene.particles;
    searched_ = {.x = particles.x};
    if (2 * sleep.count() < particles.size())
        return;
    Vec3d low{INFINITY, INFINITY, INFINITY}, high = -1.0 * low;
    double largest = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        largest = std::max(largest, double{particles.radius[i]});
        for (int axis = 0; axis < 3 && !sleep.isAsleep(i); ++axis) {
            low[axis] = std::min(low[axis], particles.x[i][axis]);
            high[axis] = std::max(high[axis], particles.x[i][axis]);
        }
    }
    const double reach = (1 + double{kMargin}) * largest;
    const Vec3d rim{kAround * reach, kAround * reach, kAround * reach};
    searched_.low = low - rim;
    searched_.high = high + rim;
    searched_.inside = (kAround - kInside) * reach;
}

void Contacts::search(const Scene& scene, const SolverSettings& settings, Executor& executor)
{
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    const std::vector<Vec3d>& place = searched_.x;
    const Vec3d origin = place.empty() ? Vec3d{0, 0, 0} : place.front();
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
            low[axis] = std::min(low[axis], place[i][axis] - r);
            high[axis] = std::max(high[axis], place[i][axis] + r);
        }
    }
    std::vector<Vec3f> center;
    std::vector<float> radius;
    std::vector<std::uint32_t> group, number;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool liquid = isLiquid(i);
        const Vec3d& x = place[i];
        bool near = isWithin(x, searched_.low, searched_.high);
        for (int axis = 0; axis < 3 && liquid; ++axis)
            near = near && x[axis] > low[axis] - largest && x[axis] < high[axis] + largest;
        if (!near)
            continue;
        number.push_back(i);
        center.push_back(toFloat(x - origin));
        radius.push_back((1 + kMargin) * particles.radius[i]);
        const std::uint32_t body = particles.body[i];
        const bool all =
            body != kNoBody && scene.bodies[body].sheet && scene.bodies[body].sheet->meetsItself;
        group.push_back(liquid ? kLiquids : all ? kNoGroup : body);
    }
    static_assert(kNoBody == kNoGroup);
    setMemory(memory());
    candidates_.clear();
    sweptCandidates_.clear();
    for (const Pair& found : pbd::findPairs({center, radius, group}, settings.search, executor)) {
        const Pair pair{number[found.first], number[found.second]}; // ascending, as numbers are
        if (!areNeighbours(scene, pair))
            (isSwept(scene, pair) ? sweptCandidates_ : candidates_).push_back(pair);
    }
    sweep_.sort(sweptCandidates_, place);
    push_.resize(sweptCandidates_.size());
    std::vector<std::uint32_t> begin(count + 1); // of what is remembered of a particle
    for (const Memory& memory : memory_)
        ++begin[memory.a + 1];
    for (std::size_t i = 0; i < count; ++i)
        begin[i + 1] += begin[i];
    for (std::size_t k = 0; k < push_.size(); ++k) {
        const Pair& pair = sweptCandidates_[k];
        for (std::uint32_t m = begin[pair.first]; m < begin[pair.first + 1]; ++m)
            if (memory_[m].b == pair.second)
                push_[k] = memory_[m].push;
    }
    const auto tookPart = [&](std::uint32_t i) {
        return isWithin(place[i], searched_.low, searched_.high);
    };
    std::erase_if(memory_, [&](const Memory& memory) {
        if (memory.b >= kSurface || !isSwept(scene, {memory.a, memory.b}))
            return false;
        if (!tookPart(memory.a) || !tookPart(memory.b))
            dormant_.push_back(memory);
        return true;
    });
}

std::vector<Contacts::Memory> Contacts::memory() const
{
    std::vector<Memory> all = memory_;
    all.insert(all.end(), dormant_.begin(), dormant_.end());
    for (std::size_t k = 0; k < push_.size(); ++k)
        if (push_[k].lambda > 0)
            all.push_back({sweptCandidates_[k].first, sweptCandidates_[k].second, push_[k]});
    std::sort(all.begin(), all.end(), Order());
    return all;
}

void Contacts::find(const Scene& scene, Motion& motion, const SolverSettings& settings, double dt,
                    const Surroundings& around, Sleep& sleep, Executor& executor)
{
    const Particles& particles = scene.particles;
    active_.clear();
    const bool surfacesMove = std::any_of(around.colliders.begin(), around.colliders.end(),
                                          [](const auto& collider) { return !collider->rests(); });
    const bool all = sleep.count() > 0 && (surfacesMove || sleep.checks());
    if (all) {
        findSurfaces(scene, motion, settings, dt, around, nullptr, executor);
        wakeBySurfaces(scene, sleep);
    }
    const bool holds = this->holds(scene, sleep);
    if (!holds)
        beginSearch(scene, sleep);
    if (!holds || (searches_ == 0 && !searched_.x.empty())) { // or just loaded
        search(scene, settings, executor);
        ++searches_;
    }
    known_ = true;

    const auto nothing = [](std::size_t) {
        return 0.0f;
    };
    sleep.look(scene, settings, candidates_, nothing, dt, executor);
    sleep.look(
        scene, settings, sweptCandidates_, [&](std::size_t k) { return push_[k].lambda; }, dt,
        executor);
    if (all)
        std::erase_if(active_, [&](const Contact& contact) { return sleep.isAsleep(contact.a); });
    else
        findSurfaces(scene, motion, settings, dt, around, &sleep, executor);
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (sleep.isAsleep(i))
            motion.weight[i] = 0;
    findPairs(scene, motion, settings, dt, sleep, executor);
    recallAll();
    shareMass(scene);
    findSwept(scene, motion, settings, dt, sleep, executor);
}

void Contacts::wakeBySurfaces(const Scene& scene, Sleep& sleep)
{
    constexpr float kDeep = 0.3f; // of its radius: there is a surface where none was
    const Order order;
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
        if (!sleep.isAsleep(contact.a))
            continue;
        if (physics::dot(contact.surface, contact.surface) > 0 ||
            contact.gap < -kDeep * scene.particles.radius[contact.a])
            woken.push_back(contact.a);
    }
    skip([](const Memory&) { return true; });
    for (const std::uint32_t particle : woken)
        sleep.wake(particle);
}

/// Appends what was found, in order.
void Contacts::gather(std::size_t chunks)
{
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
        active_.insert(active_.end(), found_[chunk].begin(), found_[chunk].end());
}

/// Contacts with rigid bodies. Surfaces' contacts are there already.
void Contacts::findPairs(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                         double dt, const Sleep& sleep, Executor& executor)
{
    const std::size_t chunks = (candidates_.size() + kChunk - 1) / kChunk;
    const Meeting meeting(scene, motion, settings, sleep, dt);
    found_.resize(std::max(found_.size(), chunks));
    executor.parallelFor(chunks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t chunk = begin; chunk < end; ++chunk) {
            found_[chunk].clear();
            const std::size_t last = std::min(candidates_.size(), (chunk + 1) * kChunk);
            for (std::size_t k = chunk * kChunk; k < last; ++k)
                meeting.add(candidates_[k], found_[chunk]);
        }
    });
    // Surfaces' contacts are in order of particles, and so are pairs.
    const auto rigid = std::stable_partition(active_.begin(), active_.end(),
                                             [&](const Contact& c) { return scene.isRigid(c.a); });
    const auto ofRigid = rigid - active_.begin();
    std::vector<Contact> free(rigid, active_.end());
    active_.erase(rigid, active_.end());
    gather(chunks);
    std::inplace_merge(active_.begin(), active_.begin() + ofRigid, active_.end(), Order());
    surfaces_ = active_.size();
    active_.insert(active_.end(), free.begin(), free.end());
    swept_ = active_.size();
}

/// Contacts of other pairs.
void Contacts::findSwept(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                         double dt, const Sleep& sleep, Executor& executor)
{
    constexpr std::size_t kCells = 32; // whose contacts are gathered together
    const std::size_t cells = sweep_.cells(), chunks = (cells + kCells - 1) / kCells;
    const Meeting meeting(scene, motion, settings, sleep, dt);
    found_.resize(std::max(found_.size(), chunks));
    cellBegin_.assign(cells + 1, 0);
    executor.parallelFor(chunks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t chunk = begin; chunk < end; ++chunk) {
            auto& found = found_[chunk];
            found.clear();
            for (std::size_t cell = chunk * kCells; cell < std::min(cells, (chunk + 1) * kCells);
                 ++cell) {
                const std::size_t before = found.size();
                for (std::size_t k = sweep_.begin(cell); k < sweep_.begin(cell + 1); ++k)
                    if (meeting.add(sweptCandidates_[k], found)) {
                        found.back().candidate = static_cast<std::uint32_t>(k);
                        recall(found.back(), push_[k]);
                    }
                cellBegin_[cell + 1] = found.size() - before;
            }
        }
    });
    cellBegin_[0] = swept_;
    for (std::size_t cell = 0; cell < cells; ++cell)
        cellBegin_[cell + 1] += cellBegin_[cell];
    active_.resize(cellBegin_[cells]);
    executor.parallelFor(chunks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t chunk = begin; chunk < end; ++chunk)
            std::copy(found_[chunk].begin(), found_[chunk].end(),
                      active_.begin() + static_cast<std::ptrdiff_t>(cellBegin_[chunk * kCells]));
    });
}

/// What is remembered of the contacts that are not swept pairs.
void Contacts::recallAll()
{
    const Order order;
    for (const auto& [first, last] :
         {std::pair(std::size_t{0}, surfaces_), std::pair(surfaces_, swept_)}) {
        std::size_t known = 0;
        for (std::size_t k = first; k < last; ++k) {
            Contact& contact = active_[k];
            while (known < memory_.size() && order(memory_[known], contact))
                ++known;
            if (known < memory_.size() && memory_[known].a == contact.a &&
                memory_[known].b == contact.b)
                recall(contact, memory_[known].push);
        }
    }
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
    /// How far the two sides are to move apart.
    const auto excess = [&](const Contact& contact) {
        Vec3f u = moved.at(scene, contact.a, contact.armA);
        if (contact.b < kSurface)
            u = u - moved.at(scene, contact.b, contact.armB);
        const auto allowed = static_cast<float>(settings.slop) * scene.particles.radius[contact.a];
        return std::min(-(contact.gap + physics::dot(contact.normal, u)) - allowed,
                        contact.overlapLimit);
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
            scene.bodies[b].R =
                gramSchmidtRotation(rotationAbout(moved.turn[b]) * scene.bodies[b].R);
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
            const float yields = yieldOf(motion, contact);
            push(motion, contact,
                 projectContact<float>(contact.normal, u, gapOf(contact), yields,
                                       kSweepRelaxation * yields,
                                       {contact.staticFriction, contact.kineticFriction},
                                       kSweepRelaxation, contact.lambda, contact.friction));
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
            contact.impulse = projectContact<float>(
                n, u, gapOf(contact), normalYield, slideYield,
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

void Contacts::rescale(double factor)
{
    const auto scale = static_cast<float>(factor * factor);
    const auto scaled = [&](Push& push) {
        push.lambda *= scale;
        push.before *= scale;
        push.friction = scale * push.friction;
    };
    for (Memory& memory : memory_)
        scaled(memory.push);
    for (Memory& memory : dormant_)
        scaled(memory.push);
    for (Push& push : push_)
        scaled(push);
}

void Contacts::remember(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                        const Sleep& sleep, double dt)
{
    const auto resting =
        static_cast<float>(kRestingWay * physics::length(settings.gravity) * dt * dt);
    /// @return false: nothing to remember
    const auto rests = [&](const Contact& contact) {
        if (contact.lambda <= 0)
            return false;
        const Vec3f u =
            motion.at(scene, contact.a, contact.armA) -
            (contact.b >= kSurface ? contact.surface : motion.at(scene, contact.b, contact.armB));
        return std::abs(physics::dot(contact.normal, u) + std::max(contact.gap, 0.0f)) <= resting;
    };
    const auto pushOf = [](const Contact& contact) {
        return Push{contact.lambda, contact.before, contact.friction};
    };
    const auto sleeps = [&](const Memory& memory) {
        return memory.b >= kSurface && sleep.isAsleep(memory.a);
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
        std::inplace_merge(memory_.begin(), memory_.begin() + rigid, memory_.end(), Order());
    const auto awake = static_cast<std::ptrdiff_t>(memory_.size());
    memory_.insert(memory_.end(), kept.begin(), kept.end());
    std::inplace_merge(memory_.begin(), memory_.begin() + awake, memory_.end(), Order());
    for (std::size_t k = 0; k < push_.size(); ++k)
        if (!sleep.isAsleep(sweptCandidates_[k].first) ||
            !sleep.isAsleep(sweptCandidates_[k].second))
            push_[k] = {};
    for (std::size_t k = swept_; k < active_.size(); ++k)
        if (rests(active_[k]))
            push_[active_[k].candidate] = pushOf(active_[k]);
}

} // namespace floe::pbd
