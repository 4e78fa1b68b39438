// Contacts of pairs among the candidates.
#include "contacts.hpp"

#include "contact_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

constexpr std::size_t kChunk = 512; ///< of candidates whose contacts are gathered together

/// Geometry of two particles. @return false: they are far apart
bool meet(const Scene& scene, const Pair& pair, Contact& contact)
{
    const Particles& particles = scene.particles;
    const auto turned = [&](bool second) {
        const std::uint32_t particle = second ? pair.second : pair.first;
        const Body& body = scene.bodies[particles.body[particle]];
        return toFloat(body.turnAt(particle - body.first) *
                       toDouble(scene.restOf(particle)->gradient));
    };
    return meetPair(toFloat(particles.x[pair.first] - particles.x[pair.second]),
                    particles.radius[pair.first], particles.radius[pair.second],
                    scene.restOf(pair.first), scene.restOf(pair.second), turned, contact);
}

/// Contacts of pairs in a substep.
class Meeting {
public:
    Meeting(const Scene& scene, const Motion& motion, const SolverSettings& settings,
            const Sleep& sleep, double dt)
        : scene_(scene), motion_(motion), sleep_(sleep),
          resting_(restingApproach(settings.gravity, dt))
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
            const Vec3d at = touchOfPair(contact, particles.x[pair.first], ra);
            contact.armA = armOf(scene_, pair.first, at);
            contact.armB = armOf(scene_, pair.second, at);
        }
        const Vec3f u = motion_.at(scene_, pair.first, contact.armA) -
                        motion_.at(scene_, pair.second, contact.armB);
        if (!touchPair(contact, u, std::min(ra, rb),
                       scene_.materials[particles.material[pair.first]],
                       scene_.materials[particles.material[pair.second]], resting_))
            return false;
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
    const Sleep& sleep_;
    float resting_;
};

} // namespace

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
    std::inplace_merge(active_.begin(), active_.begin() + ofRigid, active_.end(), ContactOrder());
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
    const ContactOrder order;
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

} // namespace floe::pbd
