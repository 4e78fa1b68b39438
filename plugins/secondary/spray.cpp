#include "spray.hpp"

#include "foam.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace floe::secondary {

namespace {

constexpr int kMaxAtOnce = 16;      // droplets from one particle in a frame
constexpr float kFreeFlight = 0.1f; // [s] before a droplet may fall back into the body
constexpr uint32_t kBodyCount = 4;  // particles in a cell that count as a body: half of the usual 8

} // namespace

void wrap(Droplet& droplet, const sdk::world::Domain& domain)
{
    for (int axis = 0; axis < 3; ++axis)
        droplet.x[axis] = domain.wrapped(axis, droplet.x[axis]);
}

void fly(Droplet& droplet, const Point& gravity, double drag, double seconds)
{
    // v = g / k + (v0 - g / k) e^(-kt); for small k t a series, which avoids cancellation.
    const double kt = drag * seconds;
    const double decay = std::exp(-kt);
    const double s = kt > 1e-4 ? -std::expm1(-kt) / drag : seconds * (1 - kt / 2 + kt * kt / 6);
    const double fall = kt > 1e-4 ? (seconds - s) / drag : seconds * seconds * (0.5 - kt / 6);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        droplet.x[axis] += droplet.v[axis] * s + gravity[axis] * fall;
        droplet.v[axis] = droplet.v[axis] * decay + gravity[axis] * s;
    }
}

void Spray::restore(std::vector<Droplet> droplets, uint64_t bornSoFar)
{
    droplets_ = std::move(droplets);
    born_ = bornSoFar;
}

Spray::Tally Spray::step(const Body& body, const SpraySettings& settings, int64_t frame,
                         double seconds, const std::function<bool(const Point&)>& isBlocked,
                         const ForRange& forRange)
{
    Tally tally;
    CellField cells(body.x, body.v, body.cellSize,
                    sdk::world::Period(settings.domain, body.cellSize));
    cells.measure(forRange);

    // Droplets in flight, and foam.
    std::vector<uint8_t> ends(droplets_.size());
    forRange(droplets_.size(), 1024, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) {
            Droplet& droplet = droplets_[i];
            if (droplet.kind != Droplet::Kind::Spray) {
                drift(droplet, cells, settings, seconds);
                wrap(droplet, settings.domain);
                ends[i] = !(droplet.age < droplet.lifetime) ||
                          isBlocked({droplet.x[0], droplet.x[1], droplet.x[2]});
                continue;
            }
            fly(droplet, settings.gravity, settings.drag, seconds);
            wrap(droplet, settings.domain);
            droplet.age += static_cast<float>(seconds);
            const Point at = {droplet.x[0], droplet.x[1], droplet.x[2]};
            const bool fallen = droplet.age > kFreeFlight && cells.count(at) >= kBodyCount;
            ends[i] = !(droplet.age < droplet.lifetime) || isBlocked(at) ||
                      (fallen && !landed(droplet, cells, settings));
        }
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < droplets_.size(); ++i)
        if (!ends[i])
            droplets_[kept++] = droplets_[i];
    tally.ended = droplets_.size() - kept;
    droplets_.resize(kept);

    // New droplets.
    const std::size_t count = body.id.size();
    const auto randomOf = [&](std::size_t i) {
        return sdk::RandomSequence(
            sdk::hashPoint(settings.seed, static_cast<int64_t>(body.id[i]), frame, 0));
    };
    std::vector<uint8_t> births(count);
    forRange(count, 4096, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) {
            const double speed = std::hypot(body.v[3 * i], body.v[3 * i + 1], body.v[3 * i + 2]);
            if (!(speed > settings.minimumSpeed))
                continue;
            const Point at = {body.x[3 * i], body.x[3 * i + 1], body.x[3 * i + 2]};
            const double torn =
                cells.openness(at) * ramp(speed, settings.minimumSpeed, settings.fullSpeed) *
                ramp(cells.stretchRate(at), settings.minimumStretch, settings.fullStretch);
            const double trapped = trappedAir(cells, at, speed, settings);
            const double expected = settings.rate * seconds * (torn + trapped);
            if (!(expected > 0))
                continue;
            sdk::RandomSequence random = randomOf(i);
            births[i] = static_cast<uint8_t>(
                std::min<double>(std::floor(expected + random.uniform()), kMaxAtOnce));
        }
    });
    std::vector<std::pair<uint64_t, std::size_t>> parents; // by id, in any order
    for (std::size_t i = 0; i < count; ++i)
        if (births[i] > 0)
            parents.emplace_back(body.id[i], i);
    std::sort(parents.begin(), parents.end());
    for (const auto& [id, i] : parents) {
        sdk::RandomSequence random = randomOf(i);
        random.uniform(); // was used for the number of droplets
        const double speed = std::hypot(body.v[3 * i], body.v[3 * i + 1], body.v[3 * i + 2]);
        for (int n = 0; n < births[i]; ++n) {
            if (droplets_.size() >= settings.maximumCount) {
                ++tally.leftOut;
                continue;
            }
            Droplet droplet{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                droplet.x[axis] =
                    body.x[3 * i + axis] + 0.5 * body.cellSize * (random.uniform() - 0.5);
                droplet.v[axis] =
                    body.v[3 * i + axis] + settings.spread * speed * (2 * random.uniform() - 1);
            }
            droplet.id = born_++;
            droplet.lifetime = static_cast<float>(settings.lifetime * (0.5 + random.uniform()));
            // Where it is squeezed, a body traps air.
            if (settings.foam > 0 &&
                cells.stretchRate({body.x[3 * i], body.x[3 * i + 1], body.x[3 * i + 2]}) < 0) {
                droplet.kind = Droplet::Kind::Foam;
                droplet.lifetime = foamLifetime(settings, random.uniform());
                ++tally.born;
                droplets_.push_back(droplet);
                continue;
            }
            // It left at a random time of the frame.
            const double since = random.uniform() * seconds;
            fly(droplet, settings.gravity, settings.drag, since);
            wrap(droplet, settings.domain);
            droplet.age = static_cast<float>(since);
            ++tally.born;
            if (isBlocked({droplet.x[0], droplet.x[1], droplet.x[2]}))
                ++tally.ended;
            else
                droplets_.push_back(droplet);
        }
    }
    return tally;
}

} // namespace floe::secondary
