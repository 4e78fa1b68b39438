#include "level_set_source.hpp"

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion.hpp"
#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>

namespace floe::emitters {

namespace {

using Point = std::array<double, 3>;

constexpr int kBlock = 4;             // cells along an edge of a block
constexpr double kMaximumCells = 2e9; // in the box around the shape
constexpr uint64_t kMaximumParticles = 1ull << 31;
constexpr int kMaximumFills = 64; // in one frame

floe_transform_key identity()
{
    return {0, {0, 0, 0}, {0, 0, 0, 1}, 1};
}

/// Signed distance of the shape where it stands at a moment, in the world.
class PlacedShape {
public:
    PlacedShape(const sdk::LevelSet& levelSet, const floe_transform_key& key)
        : levelSet_(levelSet), key_(key)
    {}

    class Sampler {
    public:
        explicit Sampler(const PlacedShape& shape)
            : sampler_(shape.levelSet_.sampler()), key_(shape.key_)
        {}
        double distance(const Point& world) const
        {
            return key_.scale * sampler_.distance(sdk::toOwn(key_, world));
        }

    private:
        sdk::LevelSet::Sampler sampler_;
        const floe_transform_key& key_;
    };

    std::array<Point, 2> bounds() const
    {
        const auto own = levelSet_.bounds();
        std::array<Point, 2> box = {Point{1e300, 1e300, 1e300}, Point{-1e300, -1e300, -1e300}};
        for (int corner = 0; corner < 8; ++corner) {
            const Point world = sdk::toWorld(
                key_, {own[corner & 1][0], own[(corner >> 1) & 1][1], own[(corner >> 2) & 1][2]});
            for (std::size_t axis = 0; axis < 3; ++axis) {
                box[0][axis] = std::min(box[0][axis], world[axis]);
                box[1][axis] = std::max(box[1][axis], world[axis]);
            }
        }
        return box;
    }
    Point middle() const
    {
        // The bounds end one voxel after the last one.
        const auto own = levelSet_.bounds();
        const double voxel = levelSet_.voxelSize();
        return sdk::toWorld(key_, {(own[0][0] + own[1][0] - voxel) / 2,
                                   (own[0][1] + own[1][1] - voxel) / 2,
                                   (own[0][2] + own[1][2] - voxel) / 2});
    }

private:
    const sdk::LevelSet& levelSet_;
    floe_transform_key key_;
};

double length(const Point& v)
{
    return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/// -1 to 1, with features about one unit across.
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

/// One filling of the shape with samples.
struct LevelSetSource::Round {
    const PlacedShape& shape;
    double cellSize;
    uint64_t seed;
    double share;  ///< of the samples that is kept, at random
    Point sweep{}; ///< Flow: way of the stream during the frame
    bool fresh;    ///< Flow: nothing has been emitted before
};

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

    // The shape stands where it is when the step begins.
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

    // Fill.
    std::vector<float> positions;
    const auto frameKey = static_cast<uint64_t>(static_cast<int64_t>(std::floor(request.frame)));
    const uint64_t seed = sdk::mixBits(settings_.seed) + 64 * frameKey;
    if (settings_.mode == Mode::Refill && settings_.rate > 0) {
        double fills = std::min<double>(settings_.rate / request.fps, kMaximumFills);
        for (uint64_t n = 0; fills > 0; ++n, fills -= 1)
            sample(context, {placed, cell, seed + n, std::min(fills, 1.0), {}, true}, positions);
    } else if (settings_.mode == Mode::Flow) {
        Point sweep{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            sweep[axis] = settings_.velocity[axis] / request.fps;
        const bool first = request.start || request.frame - 1 < settings_.startFrame;
        sample(context, {placed, cell, seed, 1, sweep, first}, positions);
    } else {
        sample(context, {placed, cell, seed, 1, {}, true}, positions);
    }
    const uint64_t count = positions.size() / 3;
    if (count == 0)
        return {};

    sdk::Value particles = sdk::makeParticles(count);
    const auto x = particles.addAttribute<float>("x", 3);
    const auto v = particles.addAttribute<float>("v", 3);
    const auto volume = particles.addAttribute<float>("volume", 1);
    std::span<float> stiffness, density;
    if (settings_.stiffnessVariation > 0)
        stiffness = particles.addAttribute<float>("stiffnessScale", 1);
    if (settings_.densityVariation > 0)
        density = particles.addAttribute<float>("densityScale", 1);

    const auto share = static_cast<float>(cell * cell * cell / settings_.particlesPerCell);
    const Point middle = placed.middle();
    context.parallelFor(count, 4096, [&](uint64_t begin, uint64_t end) {
        const sdk::VectorField field(field_ ? field_.volume() : floe_volume{});
        const auto varied = [&](const Point& p, double amount, uint64_t stream) {
            const double scale = 1 / settings_.variationWavelength;
            const double noise = patternAt(settings_.variationPattern, p[0] * scale, p[1] * scale,
                                           p[2] * scale, sdk::mixBits(settings_.seed) + stream);
            return static_cast<float>(std::max(1 + amount * noise, 0.05));
        };
        for (uint64_t i = begin; i < end; ++i) {
            const Point p = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
            Point speed = settings_.velocity;
            const Point arm = {p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]};
            const double distance = length(arm);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
                if (distance > 0)
                    speed[axis] += settings_.radialSpeed * arm[axis] / distance;
                speed[axis] += settings_.spin[b] * arm[c] - settings_.spin[c] * arm[b];
            }
            if (transform_ && settings_.inheritance != 0) {
                const Point moved = sdk::toWorld(next, sdk::toOwn(key, p));
                for (std::size_t axis = 0; axis < 3; ++axis)
                    speed[axis] += settings_.inheritance * request.fps * (moved[axis] - p[axis]);
            }
            if (field.valid()) {
                const Point given = field.sampler().vector(p);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    speed[axis] += settings_.fieldScale * given[axis];
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                x[3 * i + axis] = positions[3 * i + axis];
                v[3 * i + axis] = static_cast<float>(speed[axis]);
            }
            volume[i] = share;
            if (!stiffness.empty())
                stiffness[i] = varied(p, settings_.stiffnessVariation, 101);
            if (!density.empty())
                density[i] = varied(p, settings_.densityVariation, 202);
        }
    });
    return particles;
}

void LevelSetSource::sample(const sdk::Context& context, const Round& round,
                            std::vector<float>& positions) const
{
    const double cell = round.cellSize;
    const double sweepLength = length(round.sweep);
    // Points along the stream's way that stand for all of it: no further apart than half a cell.
    const double stations = std::ceil(2 * sweepLength / cell);
    const auto shapeBox = round.shape.bounds();
    auto box = shapeBox;
    std::array<int64_t, 3> first{}, blocks{};
    double cells = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box[0][axis] += std::min(round.sweep[axis], 0.0);
        box[1][axis] += std::max(round.sweep[axis], 0.0);
        const double low = std::floor(box[0][axis] / (kBlock * cell));
        const double high = std::floor(box[1][axis] / (kBlock * cell));
        cells *= (high - low + 1) * kBlock;
        if (!(std::fabs(low) < 1e15 && cells <= kMaximumCells)) {
            char text[160];
            std::snprintf(text, sizeof text,
                          "solver cells of %.3g m are too small for this shape: its box holds "
                          "%.2g of them; use larger cells or a smaller shape",
                          cell, cells);
            throw sdk::Failure(text, FLOE_OUT_OF_MEMORY);
        }
        first[axis] = static_cast<int64_t>(low);
        blocks[axis] = static_cast<int64_t>(high - low) + 1;
    }

    const sdk::SubCells cut = sdk::subCells(settings_.particlesPerCell);
    const auto columns = static_cast<std::size_t>(blocks[0] * blocks[1]);
    std::vector<std::vector<float>> found(columns);
    std::atomic<uint64_t> total{0};
    std::atomic<bool> failed{false};
    context.parallelFor(columns, 1, [&](uint64_t begin, uint64_t end) {
        const PlacedShape::Sampler shape(round.shape);
        const double shell = settings_.shell;
        // Distance to everything the shape sweeps over; a lower bound of the true one outside.
        // Only stations that have `p` in their box, `margin` around it, are looked at: a point is
        // near a few of a fast jet's thousands. Without one the distance is more than `margin`.
        const auto distanceAt = [&](const Point& p, double margin) {
            double low = 0, high = 1;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double a = p[axis] - shapeBox[1][axis] - margin;
                const double b = p[axis] - shapeBox[0][axis] + margin;
                const double way = round.sweep[axis];
                if (way != 0) {
                    low = std::max(low, std::min(a / way, b / way));
                    high = std::min(high, std::max(a / way, b / way));
                } else if (a > 0 || b < 0) {
                    return std::numeric_limits<double>::infinity();
                }
            }
            double distance = std::numeric_limits<double>::infinity();
            for (double s = std::ceil(low * stations); s <= high * stations; s += 1) {
                const double t = stations > 0 ? s / stations : 0;
                distance = std::min(
                    distance, shape.distance({p[0] - t * round.sweep[0], p[1] - t * round.sweep[1],
                                              p[2] - t * round.sweep[2]}));
            }
            return distance;
        };
        const auto keep = [&](const Point& p) {
            const double distance = distanceAt(p, 0);
            if (!(distance < 0) || (shell > 0 && distance < -shell))
                return false;
            // What is still here from the frame before came from upstream.
            return round.fresh || stations == 0 ||
                   !(distanceAt(
                         {p[0] - round.sweep[0], p[1] - round.sweep[1], p[2] - round.sweep[2]}, 0) <
                     0);
        };
        try {
            for (uint64_t column = begin; column < end; ++column) {
                if (failed || context.cancelled())
                    return;
                auto& out = found[column];
                const int64_t bi = first[0] + static_cast<int64_t>(column) / blocks[1];
                const int64_t bj = first[1] + static_cast<int64_t>(column) % blocks[1];
                for (int64_t bk = first[2]; bk < first[2] + blocks[2]; ++bk) {
                    const double half = 0.5 * kBlock;
                    const double reach = std::sqrt(3.0) * half * cell;
                    if (distanceAt({(bi * kBlock + half) * cell, (bj * kBlock + half) * cell,
                                    (bk * kBlock + half) * cell},
                                   reach) > reach)
                        continue;
                    for (int n = 0; n < kBlock * kBlock * kBlock; ++n) {
                        const int64_t i = bi * kBlock + n / 16, j = bj * kBlock + n / 4 % 4;
                        const int64_t k = bk * kBlock + n % 4;
                        if (distanceAt({(i + 0.5) * cell, (j + 0.5) * cell, (k + 0.5) * cell},
                                       cell) > 0.87 * cell)
                            continue;
                        sdk::forEachSample(
                            cut, round.seed, settings_.jitter, i, j, k,
                            [&](double a, double b, double c, sdk::RandomSequence& random) {
                                if (round.share < 1 && random.uniform() >= round.share)
                                    return;
                                // Rounded first, so that what is tested is what is stored.
                                const std::array<float, 3> stored = {static_cast<float>(a * cell),
                                                                     static_cast<float>(b * cell),
                                                                     static_cast<float>(c * cell)};
                                if (keep({stored[0], stored[1], stored[2]}))
                                    for (const float part : stored)
                                        out.push_back(part);
                            });
                    }
                }
                if (total.fetch_add(out.size() / 3) > kMaximumParticles)
                    failed = true;
            }
        } catch (const std::bad_alloc&) {
            failed = true;
        }
    });
    context.throwIfCancelled();
    if (failed)
        throw sdk::Failure("the shape holds too many particles for this machine; use larger "
                           "cells, fewer particles a cell or a smaller shape",
                           FLOE_OUT_OF_MEMORY);
    positions.reserve(positions.size() + 3 * total);
    for (auto& part : found) {
        positions.insert(positions.end(), part.begin(), part.end());
        std::vector<float>().swap(part);
    }
}

} // namespace floe::emitters
