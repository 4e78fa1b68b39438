#include "foam.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace floe::secondary {

namespace {

constexpr float kLeft = 0.1f;        // share of a cell's liquid below which there is none
constexpr float kInside = 0.9f;      // and from which on it may be a bubble
constexpr float kBubbleAging = 0.1f; // how fast bubbles age, beside foam
constexpr int kSurfaceSteps = 4;
constexpr double kSurfaceStep = 0.5; // [cells] for each share of a cell's liquid

/// Unit vector against gravity; up where there is none.
Point upOf(const SpraySettings& settings)
{
    const Point& g = settings.gravity;
    const double size = std::hypot(g[0], g[1], g[2]);
    return size > 0 ? Point{-g[0] / size, -g[1] / size, -g[2] / size} : Point{0, 1, 0};
}

Point placeOf(const Droplet& droplet)
{
    return {droplet.x[0], droplet.x[1], droplet.x[2]};
}

/// To where half of space is liquid, up or down.
void floatOn(Droplet& droplet, const CellField& cells, const SpraySettings& settings)
{
    const Point up = upOf(settings);
    for (int step = 0; step < kSurfaceSteps; ++step) {
        const double by = kSurfaceStep * cells.cellSize() * (cells.fill(placeOf(droplet)) - 0.5f);
        for (std::size_t axis = 0; axis < 3; ++axis)
            droplet.x[axis] += by * up[axis];
    }
}

Droplet::Kind kindAt(const CellField& cells, const Point& at)
{
    const float fill = cells.fill(at);
    return fill < kLeft                                   ? Droplet::Kind::Spray
           : fill >= kInside && !(cells.openness(at) > 0) ? Droplet::Kind::Bubble
                                                          : Droplet::Kind::Foam;
}

} // namespace

double ramp(double value, double low, double high)
{
    return high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0)
                      : (value >= low ? 1.0 : 0.0);
}

float foamLifetime(const SpraySettings& settings, double draw)
{
    return static_cast<float>(settings.foamLifetime * (0.5 + draw));
}

void drift(Droplet& droplet, const CellField& cells, const SpraySettings& settings, double seconds)
{
    const Point liquid = cells.velocity(placeOf(droplet));
    const bool bubble = droplet.kind == Droplet::Kind::Bubble;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // Implicit, so that any drag is stable.
        droplet.v[axis] =
            bubble ? (droplet.v[axis] + seconds * (settings.bubbleDrag * liquid[axis] -
                                                   settings.buoyancy * settings.gravity[axis])) /
                         (1 + seconds * settings.bubbleDrag)
                   : liquid[axis];
        droplet.x[axis] += seconds * droplet.v[axis];
    }
    droplet.age += static_cast<float>(seconds) * (bubble ? kBubbleAging : 1.0f);
    if (!bubble)
        floatOn(droplet, cells, settings);
    droplet.kind = kindAt(cells, placeOf(droplet));
}

bool landed(Droplet& droplet, const CellField& cells, const SpraySettings& settings)
{
    sdk::RandomSequence random(
        sdk::hashPoint(settings.seed, static_cast<int64_t>(droplet.id), -1, 0));
    if (!(random.uniform() < settings.foam))
        return false;
    droplet.age = 0;
    droplet.lifetime = foamLifetime(settings, random.uniform());
    droplet.kind = kindAt(cells, placeOf(droplet));
    if (droplet.kind == Droplet::Kind::Spray)
        droplet.kind = Droplet::Kind::Foam;
    return true;
}

double trappedAir(const CellField& cells, const Point& at, double speed,
                  const SpraySettings& settings)
{
    if (!(settings.foam > 0))
        return 0;
    return settings.foam * cells.openness(at) *
           ramp(speed, settings.minimumSpeed, settings.fullSpeed) *
           ramp(-cells.stretchRate(at), settings.minimumStretch, settings.fullStretch);
}

} // namespace floe::secondary
