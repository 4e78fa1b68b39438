// Candidates: who may touch until somebody has left his margin, and what is remembered of them.
#include "contacts.hpp"

#include "contact_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

/// Of a cloth's particles, how far apart at rest those are that may touch, in sums of radii.
constexpr float kNeighbours = 1.5f;
constexpr std::uint32_t kLiquids = 0xfffffffeu; ///< the group of all liquid particles

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
    const Vec3d low = searched_.lowest(), high = searched_.highest();
    for (std::size_t i = 0; i < particles.size(); ++i) {
        if (sleep.isAsleep(i))
            continue;
        if (!staysNear(particles.x[i], searched_.x[i], particles.radius[i]) ||
            !isWithin(particles.x[i], low, high))
            return false;
    }
    return true;
}

bool Contacts::update(const Scene& scene, const SolverSettings& settings, const Sleep& sleep,
                      Executor& executor, const PairFinder& finder)
{
    const bool holds = this->holds(scene, sleep);
    if (!holds)
        beginSearch(scene, sleep);
    const bool searches = !holds || (searches_ == 0 && !searched_.x.empty()); // or just loaded
    if (searches) {
        search(
            scene, finder ? finder : [&](const Spheres& spheres) {
                return pbd::findPairs(spheres, settings.search, executor);
            });
        ++searches_;
    }
    known_ = true;
    return searches;
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

void Contacts::search(const Scene& scene, const PairFinder& finder)
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
    for (const Pair& found : finder({center, radius, group})) {
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
    std::sort(all.begin(), all.end(), ContactOrder());
    return all;
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

} // namespace floe::pbd
