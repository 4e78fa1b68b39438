#include "level_set_source.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace floe::emitters {

namespace {

constexpr int kMaximumFills = 64; // in one frame

floe_transform_key identity()
{
    return {0, {0, 0, 0}, {0, 0, 0, 1}, 1};
}

double length(const Point& v)
{
    return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/// Returns -1 to 1, with features about one unit across.
double patternAt(Pattern pattern, double x, double y, double z, uint64_t seed)
{
    switch (pattern) {
    case Pattern::Patches:
        return sdk::fractalNoise(x, y, z, seed, 3) < 0 ? -1 : 1;
    case Pattern::Cells:
        return static_cast<double>(sdk::voronoiCell(x, y, z, seed) % 3) - 1;
    case Pattern::Smooth:
        break;
    }
    return sdk::fractalNoise(x, y, z, seed, 3);
}

} // namespace

const floe_emitter_interface LevelSetSource::kTable = {
    sizeof(floe_emitter_interface),
    [](void* self, const floe_context* raw, const floe_emission* request,
       floe_value** particles) -> floe_status {
        return sdk::detail::guarded(raw, [&] {
            sdk::Context context(raw);
            const sdk::Value made = static_cast<LevelSetSource*>(self)->emit(context, *request);
            if (made) {
                sdk::host().values->retain(made.get());
                *particles = const_cast<floe_value*>(made.get());
            }
        });
    }};

LevelSetSource::LevelSetSource(const EmissionSettings& settings, sdk::Value shape,
                               sdk::Value transform, sdk::Value field)
    : settings_(settings), shape_(std::move(shape)), transform_(std::move(transform)),
      field_(std::move(field))
{
    const sdk::LevelSet levelSet(shape_.volume());
    if (!levelSet.valid())
        throw sdk::Failure("input 'shape' is not a grid of distances", FLOE_WRONG_KIND);
    if (field_ && !sdk::VectorField(field_.volume()).valid())
        throw sdk::Failure("input 'velocityField' is not a grid of vectors", FLOE_WRONG_KIND);
    const double known = -levelSet.grid().tree().root().minimum();
    if (settings_.shell > 0 && settings_.shell > known && !levelSet.empty()) {
        char text[200];
        std::snprintf(text, sizeof text,
                      "'thickness' is %.3g m, but this level set knows distances no deeper "
                      "than %.3g m; cut an offset copy out of the shape instead",
                      settings_.shell, known);
        throw sdk::Failure(text, FLOE_BAD_ARGUMENT);
    }
}

bool LevelSetSource::emitsAt(const floe_emission& request) const
{
    if (settings_.mode == Mode::Once)
        return request.start ? request.frame >= settings_.startFrame
                             : request.frame - 1 < settings_.startFrame &&
                                   settings_.startFrame <= request.frame;
    const bool ends = settings_.endFrame >= settings_.startFrame;
    return request.frame >= settings_.startFrame && (!ends || request.frame <= settings_.endFrame);
}

sdk::Value LevelSetSource::emit(sdk::Context& context, const floe_emission& request) const
{
    if (!emitsAt(request))
        return {};
    const sdk::LevelSet levelSet(shape_.volume());
    if (levelSet.empty()) {
        context.warn("the shape is empty: there is nothing to emit");
        return {};
    }
    const double cell = request.cell_size;
    if (!(cell > 0) || !(request.fps > 0))
        throw sdk::Failure("the solver gave no cell size", FLOE_BAD_ARGUMENT);

    // The shape has its pose at the start of the step.
    const double now = request.start ? request.frame : request.frame - 1;
    floe_transform_key key = identity(), next = identity();
    if (transform_) {
        key = sdk::interpolate(transform_.transform(), now);
        next = sdk::interpolate(transform_.transform(), now + 1);
    }
    if (levelSet.voxelSize() * key.scale > 4 * cell) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "the shape's voxels of %.3g m are larger than four solver cells of %.3g m; "
                      "give the shape a smaller voxelSize",
                      levelSet.voxelSize() * key.scale, cell);
        throw sdk::Failure(text, FLOE_BAD_ARGUMENT);
    }
    const PlacedShape placed(levelSet, key);
    const Samples samples = sample(context, request, placed);
    const std::vector<float>& positions = samples.x;
    const uint64_t count = positions.size() / 3;
    if (count == 0)
        return {};

    sdk::Value particles = sdk::makeParticles(count);
    const auto x = particles.addAttribute<float>("x", 3);
    std::ranges::copy(positions, x.begin());
    const auto v = particles.addAttribute<float>("v", 3);
    const auto volume = particles.addAttribute<float>("volume", 1);
    std::ranges::fill(volume, static_cast<float>(cell * cell * cell / settings_.particlesPerCell));
    setVelocities(context, v, positions, {key, next, placed.middle(), request.fps});
    if (settings_.stiffnessVariation > 0)
        setVariation(context, particles.addAttribute<float>("stiffnessScale", 1), positions,
                     settings_.stiffnessVariation, 101);
    if (settings_.densityVariation > 0)
        setVariation(context, particles.addAttribute<float>("densityScale", 1), positions,
                     settings_.densityVariation, 202);
    if (!samples.place.empty())
        std::ranges::copy(samples.place, particles.addAttribute<uint64_t>("place", 1).begin());
    return particles;
}

Samples LevelSetSource::sample(const sdk::Context& context, const floe_emission& request,
                               const PlacedShape& shape) const
{
    const auto frame = static_cast<uint64_t>(static_cast<int64_t>(std::floor(request.frame)));
    Filling filling{.shape = shape,
                    .cellSize = request.cell_size,
                    .samplesPerCell = settings_.particlesPerCell,
                    .jitter = settings_.jitter,
                    .shell = settings_.shell,
                    .seed = sdk::mixBits(settings_.seed) + 64 * frame,
                    .region = sdk::EmissionRegion(request)};
    Samples samples;
    if (settings_.mode == Mode::Refill && settings_.rate > 0) {
        double fills = std::min<double>(settings_.rate / request.fps, kMaximumFills);
        for (; fills > 0; ++filling.seed, fills -= 1) {
            filling.share = std::min(fills, 1.0);
            filling.firstGroup += fill(context, filling, samples);
        }
        return samples;
    }
    if (settings_.mode == Mode::Flow) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            filling.sweep[axis] = settings_.velocity[axis] / request.fps;
        filling.fresh = request.start || request.frame - 1 < settings_.startFrame;
    }
    fill(context, filling, samples);
    return samples;
}

void LevelSetSource::setVelocities(const sdk::Context& context, std::span<float> velocities,
                                   std::span<const float> positions, const Motion& motion) const
{
    context.parallelFor(positions.size() / 3, 4096, [&](uint64_t begin, uint64_t end) {
        const sdk::VectorField field(field_ ? field_.volume() : floe_volume{});
        for (uint64_t i = begin; i < end; ++i) {
            const Point p = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
            Point speed = settings_.velocity;
            const Point arm = {p[0] - motion.middle[0], p[1] - motion.middle[1],
                               p[2] - motion.middle[2]};
            const double distance = length(arm);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
                if (distance > 0)
                    speed[axis] += settings_.radialSpeed * arm[axis] / distance;
                speed[axis] += settings_.spin[b] * arm[c] - settings_.spin[c] * arm[b];
            }
            if (transform_ && settings_.inheritance != 0) {
                const Point moved = sdk::toWorld(motion.next, sdk::toOwn(motion.now, p));
                for (std::size_t axis = 0; axis < 3; ++axis)
                    speed[axis] += settings_.inheritance * motion.fps * (moved[axis] - p[axis]);
            }
            if (field.valid()) {
                const Point given = field.sampler().vector(p);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    speed[axis] += settings_.fieldScale * given[axis];
            }
            for (std::size_t axis = 0; axis < 3; ++axis)
                velocities[3 * i + axis] = static_cast<float>(speed[axis]);
        }
    });
}

void LevelSetSource::setVariation(const sdk::Context& context, std::span<float> scales,
                                  std::span<const float> positions, double amount,
                                  uint64_t stream) const
{
    const double unit = 1 / settings_.variationWavelength;
    const uint64_t seed = sdk::mixBits(settings_.seed) + stream;
    context.parallelFor(scales.size(), 4096, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) {
            const double noise =
                patternAt(settings_.variationPattern, positions[3 * i] * unit,
                          positions[3 * i + 1] * unit, positions[3 * i + 2] * unit, seed);
            scales[i] = static_cast<float>(std::max(1 + amount * noise, 0.05));
        }
    });
}

} // namespace floe::emitters
