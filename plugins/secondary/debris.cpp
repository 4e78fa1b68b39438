#include "debris.hpp"

#include "foam.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::secondary {

namespace {

constexpr int kMaxAtOnce = 256;     // chips from one particle in a frame
constexpr float kFreeFlight = 0.1f; // [s] before a chip may strike the body that it comes from
constexpr int kMaxSteps = 32;       // of one chip's flight in a frame
constexpr double kSurface = 0.5;    // share of a cell's matter at a surface
constexpr double kRest = 3;         // a bounce of less than gravity gives in so many steps is none

double dot(const Point& a, const Point& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double length(const Point& a)
{
    return std::hypot(a[0], a[1], a[2]);
}

/// Integral of d^(power - 1) between the two sizes.
double moment(const ChipSizes& sizes, double power)
{
    return std::fabs(power) < 1e-9
               ? std::log(sizes.largest / sizes.smallest)
               : (std::pow(sizes.largest, power) - std::pow(sizes.smallest, power)) / power;
}

/// A point in the unit ball.
Point inBall(sdk::RandomSequence& random)
{
    for (;;) {
        Point p;
        for (double& part : p)
            part = 2 * random.uniform() - 1;
        if (dot(p, p) <= 1)
            return p;
    }
}

/// Unit vector out of the body, down the slope of its fill; 0 where that has none.
Point outOf(const CellField& cells, const Point& at)
{
    Point out{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Point low = at, high = at;
        low[axis] -= 0.5 * cells.cellSize(), high[axis] += 0.5 * cells.cellSize();
        out[axis] = double{cells.fill(low)} - double{cells.fill(high)};
    }
    const double size = length(out);
    for (double& part : out)
        part = size > 1e-6 ? part / size : 0;
    return out;
}

/// Uniform over all orientations (Shoemake 1992).
void turnAnyhow(Chip& chip, sdk::RandomSequence& random)
{
    const double share = random.uniform();
    const double a = 2 * std::numbers::pi * random.uniform();
    const double b = 2 * std::numbers::pi * random.uniform();
    chip.orientation[0] = std::sqrt(1 - share) * std::sin(a);
    chip.orientation[1] = std::sqrt(1 - share) * std::cos(a);
    chip.orientation[2] = std::sqrt(share) * std::sin(b);
    chip.orientation[3] = std::sqrt(share) * std::cos(b);
}

void turn(Chip& chip, double seconds)
{
    const Point w = {chip.spin[0], chip.spin[1], chip.spin[2]};
    const double speed = length(w), half = 0.5 * speed * seconds;
    if (!(half > 0))
        return;
    const double s = std::sin(half) / speed, c = std::cos(half);
    const double a[4] = {s * w[0], s * w[1], s * w[2], c};
    const double(&b)[4] = chip.orientation;
    const double q[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                         a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                         a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                         a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i)
        chip.orientation[i] = q[i] / size;
}

/// A chip against something that moves at `velocity`.
void strike(Chip& chip, const Point& normal, const Point& velocity, const DebrisSettings& settings,
            double seconds)
{
    Point relative;
    for (std::size_t axis = 0; axis < 3; ++axis)
        relative[axis] = chip.flight.v[axis] - velocity[axis];
    const double approach = -dot(relative, normal);
    if (!(approach > 0))
        return;
    const bool rests =
        settings.bounce * approach < kRest * std::fabs(dot(settings.gravity, normal)) * seconds;
    relative = rebound(relative, normal, rests ? 0 : settings.bounce, settings.friction);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        chip.flight.v[axis] = velocity[axis] + relative[axis];
        chip.spin[axis] *= std::max(0.0, 1 - settings.friction);
    }
}

/// One part of a frame's flight. @return false: it has ended
bool advance(Chip& chip, const CellField& cells, const DebrisSettings& settings, double seconds,
             double frame, const Obstruct& obstruct)
{
    fly(chip.flight, settings.gravity, settings.drag, seconds);
    wrap(chip.flight, settings.domain);
    turn(chip, seconds);
    chip.flight.age += static_cast<float>(seconds);
    Point at = {chip.flight.x[0], chip.flight.x[1], chip.flight.x[2]};
    if (chip.flight.age > kFreeFlight)
        if (const double depth = double{cells.fill(at)} - kSurface; depth > 0) {
            const Point out = outOf(cells, at);
            for (std::size_t axis = 0; axis < 3; ++axis)
                at[axis] += depth * cells.cellSize() * out[axis];
            strike(chip, out, cells.velocity(at), settings, seconds);
        }
    const bool goesOn = obstruct(at, 0.5 * chip.size, [&](const Point& normal, const Point& way) {
        Point velocity;
        for (std::size_t axis = 0; axis < 3; ++axis)
            velocity[axis] = way[axis] / frame;
        strike(chip, normal, velocity, settings, seconds);
    });
    std::ranges::copy(at, chip.flight.x);
    return goesOn && chip.flight.age < chip.flight.lifetime;
}

} // namespace

double ChipSizes::at(double draw) const
{
    const double ratio = largest / smallest;
    return std::fabs(exponent) < 1e-9
               ? smallest * std::pow(ratio, draw)
               : smallest * std::pow(1 - draw * (1 - std::pow(ratio, -exponent)), -1 / exponent);
}

double ChipSizes::meanVolume() const
{
    const double cubed = largest > smallest ? moment(*this, 3 - exponent) / moment(*this, -exponent)
                                            : std::pow(smallest, 3);
    return std::numbers::pi / 6 * cubed;
}

Point rebound(const Point& velocity, const Point& normal, double bounce, double friction)
{
    const double approach = -dot(velocity, normal);
    if (!(approach > 0))
        return velocity;
    Point along;
    for (std::size_t axis = 0; axis < 3; ++axis)
        along[axis] = velocity[axis] + approach * normal[axis];
    const double speed = length(along);
    // Coulomb's cone holds for the impulses of the collision.
    const double left =
        speed > 0 ? std::max(0.0, 1 - friction * (1 + bounce) * approach / speed) : 0;
    Point after;
    for (std::size_t axis = 0; axis < 3; ++axis)
        after[axis] = left * along[axis] + bounce * approach * normal[axis];
    return after;
}

void Debris::restore(std::vector<Chip> chips, std::vector<Broken> broken, uint64_t bornSoFar)
{
    chips_ = std::move(chips);
    broken_ = std::move(broken);
    born_ = bornSoFar;
}

/// Brings what has broken up to date. Particles that are gone are forgotten.
std::vector<Debris::Parent> Debris::breakUp(const Solid& body, const DebrisSettings& settings)
{
    std::vector<std::pair<uint64_t, std::size_t>> order;
    order.reserve(body.id.size());
    for (std::size_t i = 0; i < body.id.size(); ++i)
        order.emplace_back(body.id[i], i);
    std::ranges::sort(order);
    std::vector<Parent> parents;
    std::vector<Broken> now;
    now.reserve(order.size());
    brokenVolume_ = 0;
    auto before = broken_.begin();
    for (const auto& [id, i] : order) {
        while (before != broken_.end() && before->id < id)
            ++before;
        const float damage = body.damage[i];
        const bool known = before != broken_.end() && before->id == id;
        Broken particle = known ? *before : Broken{id, damage, 0};
        const auto share = static_cast<float>(
            ramp(double{damage} - double{particle.first}, settings.start, settings.full));
        if (share > particle.share) {
            const double volume = double{body.volume[i]} * (double{share} - particle.share);
            brokenVolume_ += volume;
            parents.push_back({i, volume});
            particle.share = share;
        }
        now.push_back(particle);
    }
    broken_ = std::move(now);
    return parents;
}

Debris::Tally Debris::step(const Solid& body, const DebrisSettings& settings, int64_t frame,
                           double seconds, const Obstruct& obstruct, const ForRange& forRange)
{
    Tally tally;
    CellField cells(body.x, body.v, body.cellSize,
                    sdk::world::Period(settings.domain, body.cellSize));
    cells.measure(forRange);

    std::vector<uint8_t> ends(chips_.size());
    forRange(chips_.size(), 256, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) {
            Chip& chip = chips_[i];
            const Point v = {chip.flight.v[0], chip.flight.v[1], chip.flight.v[2]};
            const double way = (length(v) + length(settings.gravity) * seconds) * seconds;
            const int steps = static_cast<int>(
                std::clamp(std::ceil(2 * way / body.cellSize), 1.0, double{kMaxSteps}));
            for (int n = 0; n < steps && !ends[i]; ++n)
                ends[i] = !advance(chip, cells, settings, seconds / steps, seconds, obstruct);
        }
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < chips_.size(); ++i)
        if (!ends[i])
            chips_[kept++] = chips_[i];
    tally.ended = chips_.size() - kept;
    chips_.resize(kept);

    const double each = settings.sizes.meanVolume();
    for (const Parent& parent : breakUp(body, settings)) { // by id
        const std::size_t i = parent.particle;
        const Point from = {body.x[3 * i], body.x[3 * i + 1], body.x[3 * i + 2]};
        const double expected = settings.share * parent.volume / each * cells.openness(from);
        if (!(expected > 0))
            continue;
        sdk::RandomSequence random(
            sdk::hashPoint(settings.seed, static_cast<int64_t>(body.id[i]), frame, 1));
        const auto count =
            static_cast<int>(std::min<double>(std::floor(expected + random.uniform()), kMaxAtOnce));
        const Point out = outOf(cells, from);
        for (int n = 0; n < count; ++n) {
            if (chips_.size() >= settings.maximumCount) {
                ++tally.leftOut;
                continue;
            }
            Chip chip{};
            chip.size = settings.sizes.at(random.uniform());
            Point burst = inBall(random);
            if (dot(burst, out) < 0)
                for (double& part : burst)
                    part = -part;
            const Point spin = inBall(random);
            turnAnyhow(chip, random);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                chip.flight.x[axis] = from[axis] + 0.5 * body.cellSize * (random.uniform() - 0.5);
                chip.flight.v[axis] = body.v[3 * i + axis] + settings.burst * burst[axis];
                chip.spin[axis] = settings.spin * spin[axis];
            }
            chip.flight.id = born_++;
            chip.flight.lifetime = static_cast<float>(settings.lifetime * (0.5 + random.uniform()));
            ++tally.born;
            // It left at a random time of the frame.
            if (advance(chip, cells, settings, random.uniform() * seconds, seconds, obstruct))
                chips_.push_back(chip);
            else
                ++tally.ended;
        }
    }
    return tally;
}

} // namespace floe::secondary
