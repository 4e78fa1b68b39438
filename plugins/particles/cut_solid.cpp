#include "cut_solid.hpp"

#include "pieces.hpp"

#include "floe/sdk/physics/vec.hpp"
#include "floe/sdk/world/nearest_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace floe::particles {

namespace {

using sdk::world::NearestPoints;

/// The label of what is outside of the solid; kNoPiece is inside, but of no piece.
constexpr uint32_t kOutside = kNoPiece - 1;

/// Labels of samples on a grid around a solid.
struct Samples {
    Vec3d origin;
    double voxelSize = 0;
    std::array<std::size_t, 3> count{}; ///< along each axis; z fastest
    std::vector<uint32_t> label;

    std::size_t stride(int axis) const
    {
        return axis == 2 ? 1 : axis == 1 ? count[2] : count[1] * count[2];
    }
    Vec3d place(std::size_t sample) const
    {
        const std::size_t i = sample / (count[1] * count[2]);
        return {origin.x + voxelSize * static_cast<double>(i),
                origin.y + voxelSize * static_cast<double>(sample / count[2] % count[1]),
                origin.z + voxelSize * static_cast<double>(sample % count[2])};
    }
};

NearestPoints::Point pointOf(const Vec3d& x)
{
    return {x.x, x.y, x.z};
}

/// The seeds of every label by themselves, for distances to each.
class Seeds {
public:
    Seeds(std::span<const float> x, std::span<const uint32_t> labels, uint32_t pieces)
    {
        std::vector<std::vector<NearestPoints::Point>> points(pieces + 1);
        std::vector<NearestPoints::Point> all;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            all.push_back({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
            points[std::min(labels[i], pieces)].push_back(all.back());
        }
        all_ = std::make_unique<NearestPoints>(std::move(all));
        for (auto& one : points)
            trees_.push_back(std::make_unique<NearestPoints>(std::move(one)));
    }
    const NearestPoints& all() const { return *all_; }
    double distance(uint32_t label, const Vec3d& to, std::vector<NearestPoints::Found>& found) const
    {
        trees_[std::min<std::size_t>(label, trees_.size() - 1)]->find(pointOf(to), 1, found);
        return found.empty() ? std::numeric_limits<double>::infinity()
                             : std::sqrt(found.front().distance2);
    }

private:
    std::unique_ptr<NearestPoints> all_;
    std::vector<std::unique_ptr<NearestPoints>> trees_; ///< the last one's: of no piece
};

Samples sample(const sdk::Context& context, const SolidMesh& solid, const Seeds& seeds,
               std::span<const uint32_t> labels, double voxelSize)
{
    Samples samples;
    samples.voxelSize = voxelSize;
    const Vec3d low = solid.surface().low(), size = solid.surface().high() - low;
    // Shares of a voxel that keep samples off faces of round coordinates.
    constexpr double kOff[3] = {1.4142, 1.3179, 1.2599};
    double total = 1;
    for (int axis = 0; axis < 3; ++axis) {
        samples.origin[axis] = low[axis] - kOff[axis] * voxelSize;
        const double count = std::ceil(size[axis] / voxelSize) + 4;
        total *= count;
        samples.count[static_cast<std::size_t>(axis)] =
            static_cast<std::size_t>(std::min(count, kMaxSamples));
    }
    if (total > kMaxSamples)
        throw sdk::Failure("'voxelSize' of " + std::to_string(voxelSize) + " m takes " +
                               std::to_string(static_cast<uint64_t>(std::min(total, 1e18))) +
                               " samples of the mesh, more than " +
                               std::to_string(static_cast<uint64_t>(kMaxSamples)) + "; make it " +
                               std::to_string(std::cbrt(total / kMaxSamples)) + " times larger",
                           FLOE_BAD_ARGUMENT);
    samples.label.assign(samples.count[0] * samples.count[1] * samples.count[2], kOutside);
    context.parallelFor(samples.count[0] * samples.count[1], 16, [&](uint64_t begin, uint64_t end) {
        std::vector<SolidMesh::Crossing> crossings;
        std::vector<NearestPoints::Found> found;
        for (uint64_t column = begin; column < end && !context.cancelled(); ++column) {
            const std::size_t first = column * samples.count[2];
            const Vec3d foot = samples.place(first);
            solid.crossings(foot.x, foot.y, crossings);
            int winding = 0;
            std::size_t next = 0;
            for (std::size_t k = 0; k < samples.count[2]; ++k) {
                const Vec3d x = samples.place(first + k);
                for (; next < crossings.size() && crossings[next].z <= x.z; ++next)
                    winding += crossings[next].turn;
                if (winding <= 0)
                    continue;
                seeds.all().find(pointOf(x), 1, found);
                samples.label[first + k] = labels[found.front().point];
            }
        }
    });
    context.throwIfCancelled();
    return samples;
}

/// A corner of a tetrahedron: its sample, and which corner of the cell it is (bits z, y, x from the
/// lowest).
struct Corner {
    std::size_t sample;
    uint32_t bits, label;
};

/// Where the tetrahedra are cut, and the polygons between them.
class Cuts {
public:
    struct Edge {
        std::size_t sample[2];
        uint32_t label[2];
    };
    struct Polygon {
        uint32_t label[2]; ///< its normal points from the first to the second
        uint32_t count;
        std::array<uint32_t, 4> points;
    };

    explicit Cuts(const Samples& samples) : samples_(samples)
    {
        for (std::size_t i = 0; i + 1 < samples.count[0]; ++i)
            for (std::size_t j = 0; j + 1 < samples.count[1]; ++j)
                for (std::size_t k = 0; k + 1 < samples.count[2]; ++k)
                    cell((i * samples.count[1] + j) * samples.count[2] + k);
    }

    const std::vector<Polygon>& polygons() const { return polygons_; }
    /// Returns the places of all points [m].
    std::vector<Vec3d> place(const sdk::Context& context, const SolidMesh& solid,
                             const Seeds& seeds) const;
    /// Moves the points of seams half way to the mean of their neighbours, so many times. Those on
    /// the surface of the solid stay.
    void smooth(const sdk::Context& context, int steps, std::vector<Vec3d>& places) const;

private:
    enum class Kind : uint8_t { Edge, Face, Inside };
    struct Point {
        Kind kind;
        uint32_t number; ///< in edges_, faces_ or insides_
    };
    using Map = std::unordered_map<uint64_t, uint32_t>;
    using Tetrahedron = std::array<Corner, 4>;

    void cell(std::size_t base)
    {
        std::array<uint32_t, 8> label;
        bool mixed = false;
        for (uint32_t bits = 0; bits < 8; ++bits) {
            label[bits] = samples_.label[at(base, bits)];
            mixed = mixed || label[bits] != label[0];
        }
        if (!mixed)
            return;
        // Kuhn's six: from corner to corner, one axis after another.
        constexpr uint32_t kAxes[6][3] = {{4, 2, 1}, {2, 1, 4}, {1, 4, 2},
                                          {2, 4, 1}, {4, 1, 2}, {1, 2, 4}};
        for (uint32_t n = 0; n < 6; ++n) {
            Tetrahedron corners;
            uint32_t bits = 0;
            for (std::size_t c = 0; c < 4; ++c) {
                corners[c] = {at(base, bits), bits, label[bits]};
                bits |= c < 3 ? kAxes[n][c] : 0;
            }
            if (n >= 3) // odd permutations of the axes: turned the other way
                std::swap(corners[2], corners[3]);
            tetrahedron(corners, base, n);
        }
    }

    std::size_t at(std::size_t base, uint32_t bits) const
    {
        return base + (bits & 4 ? samples_.stride(0) : 0) + (bits & 2 ? samples_.stride(1) : 0) +
               (bits & 1);
    }

    /// @param corners  the volume spanned by the ways from the first to the others is positive
    void tetrahedron(Tetrahedron corners, std::size_t base, uint32_t number)
    {
        std::array<std::size_t, 4> same{}; // corners of the same label
        for (std::size_t i = 0; i < 4; ++i)
            for (const Corner& other : corners)
                same[i] += other.label == corners[i].label ? 1 : 0;
        const std::size_t most = *std::ranges::max_element(same);
        if (most == 4)
            return;
        // The lonely corner first of three to one; else a pair first. Ties by label, then sample.
        const auto rank = [&](std::size_t i) {
            const std::size_t size = most == 3 ? same[i] : 4 - same[i];
            return std::tuple(size, corners[i].label, corners[i].sample);
        };
        std::array<std::size_t, 4> order = {0, 1, 2, 3};
        std::ranges::sort(order, {}, rank);
        bool odd = false;
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j)
                odd ^= order[i] > order[j];
        if (odd && (most == 3 || most == 1))
            std::swap(order[2], order[3]);
        else if (odd)
            std::swap(order[0], order[1]);
        const Corner i = corners[order[0]], j = corners[order[1]], k = corners[order[2]],
                     l = corners[order[3]];
        if (most == 3) {
            add(i, j, {edge(i, j), edge(i, k), edge(i, l)}, 3);
        } else if (most == 2 && k.label == l.label) {
            add(i, k, {edge(i, k), edge(i, l), edge(j, l), edge(j, k)}, 4);
        } else if (most == 2) {
            const uint32_t ikl = face(i, k, l), jkl = face(j, k, l);
            add(i, k, {edge(i, k), ikl, jkl, edge(j, k)}, 4);
            add(i, l, {edge(i, l), edge(j, l), jkl, ikl}, 4);
            add(k, l, {edge(k, l), ikl, jkl}, 3);
        } else {
            const uint32_t ijk = face(i, j, k), ijl = face(i, j, l), ikl = face(i, k, l),
                           jkl = face(j, k, l);
            const uint32_t middle = inside({ijk, ijl, ikl, jkl}, base, number);
            add(i, j, {edge(i, j), ijk, middle, ijl}, 4);
            add(i, k, {edge(i, k), ikl, middle, ijk}, 4);
            add(i, l, {edge(i, l), ijl, middle, ikl}, 4);
            add(j, k, {edge(j, k), ijk, middle, jkl}, 4);
            add(j, l, {edge(j, l), jkl, middle, ijl}, 4);
            add(k, l, {edge(k, l), ikl, middle, jkl}, 4);
        }
    }

    void add(const Corner& from, const Corner& to, const std::array<uint32_t, 4>& points,
             uint32_t count)
    {
        polygons_.push_back({{from.label, to.label}, count, points});
    }

    uint32_t known(Map& map, uint64_t key, Kind kind, std::size_t number)
    {
        const auto [found, isNew] = map.try_emplace(key, static_cast<uint32_t>(points_.size()));
        if (isNew) {
            if (points_.size() >= kOutside)
                throw sdk::Failure("the pieces take too many points; make 'voxelSize' larger",
                                   FLOE_BAD_ARGUMENT);
            points_.push_back({kind, static_cast<uint32_t>(number)});
        }
        return found->second;
    }

    uint32_t edge(Corner a, Corner b)
    {
        if (b.sample < a.sample)
            std::swap(a, b);
        const uint32_t point =
            known(edgeAt_, 8 * a.sample + (a.bits ^ b.bits), Kind::Edge, edges_.size());
        if (points_[point].number == edges_.size() && points_[point].kind == Kind::Edge)
            edges_.push_back({{a.sample, b.sample}, {a.label, b.label}});
        return point;
    }

    uint32_t face(Corner a, Corner b, Corner c)
    {
        if (b.sample < a.sample)
            std::swap(a, b);
        if (c.sample < b.sample)
            std::swap(b, c);
        if (b.sample < a.sample)
            std::swap(a, b);
        const std::array<uint32_t, 3> edges = {edge(a, b), edge(a, c), edge(b, c)};
        const uint64_t key = 64 * a.sample + 8 * (a.bits ^ b.bits) + (b.bits ^ c.bits);
        const uint32_t point = known(faceAt_, key, Kind::Face, faces_.size());
        if (points_[point].number == faces_.size() && points_[point].kind == Kind::Face)
            faces_.push_back(edges);
        return point;
    }

    uint32_t inside(const std::array<uint32_t, 4>& faces, std::size_t base, uint32_t number)
    {
        const uint32_t point = known(insideAt_, 8 * base + number, Kind::Inside, insides_.size());
        insides_.push_back(faces); // a tetrahedron is met once
        return point;
    }

    /// Returns whether a point is on the surface of the solid.
    bool isOuter(uint32_t point) const
    {
        const uint32_t number = points_[point].number;
        const auto any = [this](const auto& points) {
            return std::ranges::any_of(points, [this](uint32_t p) { return isOuter(p); });
        };
        if (points_[point].kind == Kind::Edge)
            return edges_[number].label[0] == kOutside || edges_[number].label[1] == kOutside;
        return points_[point].kind == Kind::Face ? any(faces_[number]) : any(insides_[number]);
    }

    const Samples& samples_;
    std::vector<Point> points_;
    std::vector<Edge> edges_;
    std::vector<std::array<uint32_t, 3>> faces_;   ///< numbers of points on their edges
    std::vector<std::array<uint32_t, 4>> insides_; ///< numbers of points on their faces
    std::vector<Polygon> polygons_;
    Map edgeAt_, faceAt_, insideAt_;
};

/// Returns where an edge is cut.
Vec3d placeOnEdge(const Cuts::Edge& edge, const Samples& samples, const SolidMesh& solid,
                  const Seeds& seeds, std::vector<NearestPoints::Found>& found)
{
    const Vec3d a = samples.place(edge.sample[0]), b = samples.place(edge.sample[1]);
    const auto between = [&](double share, double margin) {
        return a + std::clamp(share, margin, 1 - margin) * (b - a);
    };
    if (edge.label[0] == kOutside || edge.label[1] == kOutside) {
        constexpr double kMargin = 1e-3; // no triangle shrinks to nothing
        const auto hit = solid.surface().crossed(a, b);
        return between(hit ? hit.share : 0.5, kMargin);
    }
    constexpr double kMargin = 0.02;
    const double atA =
        seeds.distance(edge.label[1], a, found) - seeds.distance(edge.label[0], a, found);
    const double atB =
        seeds.distance(edge.label[0], b, found) - seeds.distance(edge.label[1], b, found);
    return between(atA + atB > 0 ? atA / (atA + atB) : 0.5, kMargin);
}

std::vector<Vec3d> Cuts::place(const sdk::Context& context, const SolidMesh& solid,
                               const Seeds& seeds) const
{
    std::vector<Vec3d> places(points_.size());
    const auto each = [&](Kind kind, const auto& work) {
        context.parallelFor(points_.size(), 1024, [&](uint64_t begin, uint64_t end) {
            std::vector<NearestPoints::Found> found;
            for (uint64_t p = begin; p < end; ++p)
                if (points_[p].kind == kind)
                    places[p] = work(points_[p].number, found);
        });
        context.throwIfCancelled();
    };
    each(Kind::Edge, [&](uint32_t number, std::vector<NearestPoints::Found>& found) {
        return placeOnEdge(edges_[number], samples_, solid, seeds, found);
    });
    // Where the surface meets a seam, on the line between the two points of the surface; else in
    // the middle of the three.
    each(Kind::Face, [&](uint32_t number, std::vector<NearestPoints::Found>& found) {
        std::array<uint32_t, 2> outer{};
        std::array<uint32_t, 2> label{};
        std::size_t count = 0;
        Vec3d middle{0, 0, 0};
        for (const uint32_t point : faces_[number]) {
            const Edge& edge = edges_[points_[point].number];
            middle = middle + (1.0 / 3) * places[point];
            if (edge.label[0] != kOutside && edge.label[1] != kOutside)
                continue;
            label[count] = edge.label[0] == kOutside ? edge.label[1] : edge.label[0];
            outer[count++] = point;
        }
        if (count < 2)
            return middle;
        const Vec3d &a = places[outer[0]], &b = places[outer[1]];
        const auto nearer = [&](const Vec3d& x) { // to the first label than to the second
            return seeds.distance(label[1], x, found) - seeds.distance(label[0], x, found);
        };
        const double atA = nearer(a), atB = -nearer(b);
        constexpr double kMargin = 0.02;
        const double share = atA > 0 && atB > 0 ? atA / (atA + atB) : 0.5;
        return a + std::clamp(share, kMargin, 1 - kMargin) * (b - a);
    });
    each(Kind::Inside, [&](uint32_t number, std::vector<NearestPoints::Found>&) {
        const auto& faces = insides_[number];
        const bool outer = std::ranges::any_of(faces, [this](uint32_t p) { return isOuter(p); });
        Vec3d sum{0, 0, 0};
        double count = 0;
        for (const uint32_t face : faces)
            if (!outer || isOuter(face)) {
                sum = sum + places[face];
                count += 1;
            }
        return (1 / count) * sum;
    });
    return places;
}

void Cuts::smooth(const sdk::Context& context, int steps, std::vector<Vec3d>& places) const
{
    std::vector<std::pair<uint32_t, uint32_t>> pairs; // a free point, and a neighbour in a seam
    std::vector<uint8_t> isFree(points_.size());
    for (uint32_t p = 0; p < points_.size(); ++p)
        isFree[p] = isOuter(p) ? 0 : 1;
    for (const Polygon& polygon : polygons_) {
        if (polygon.label[0] == kOutside || polygon.label[1] == kOutside)
            continue;
        for (uint32_t k = 0; k < polygon.count; ++k) {
            const uint32_t a = polygon.points[k], b = polygon.points[(k + 1) % polygon.count];
            if (isFree[a])
                pairs.emplace_back(a, b);
            if (isFree[b])
                pairs.emplace_back(b, a);
        }
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<Vec3d> next(places);
    for (int step = 0; step < steps; ++step) {
        context.throwIfCancelled();
        for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
            Vec3d sum{0, 0, 0};
            for (; end < pairs.size() && pairs[end].first == pairs[begin].first; ++end)
                sum = sum + places[pairs[end].second];
            const uint32_t point = pairs[begin].first;
            next[point] = 0.5 * (places[point] + (1.0 / static_cast<double>(end - begin)) * sum);
        }
        std::swap(places, next);
    }
}

} // namespace

CutSolid cutSolid(const sdk::Context& context, const SolidMesh& solid, std::span<const float> seeds,
                  std::span<const uint32_t> labels, uint32_t pieces, const CutSettings& settings)
{
    const Seeds trees(seeds, labels, pieces);
    const Samples samples = sample(context, solid, trees, labels, settings.voxelSize);
    const Cuts cuts(samples);
    context.throwIfCancelled();
    std::vector<Vec3d> places = cuts.place(context, solid, trees);
    cuts.smooth(context, settings.smoothing, places);

    // Sides of polygons by piece, in the order of the cells.
    std::vector<std::size_t> begin(pieces + 1, 0);
    for (const Cuts::Polygon& polygon : cuts.polygons())
        for (const uint32_t label : polygon.label)
            if (label < pieces)
                ++begin[label + 1];
    for (uint32_t p = 0; p < pieces; ++p)
        begin[p + 1] += begin[p];
    std::vector<std::pair<std::size_t, int>> sides(begin.back());
    std::vector<std::size_t> filled(begin.begin(), begin.end() - 1);
    for (std::size_t n = 0; n < cuts.polygons().size(); ++n)
        for (int side = 0; side < 2; ++side)
            if (const uint32_t label = cuts.polygons()[n].label[side]; label < pieces)
                sides[filled[label]++] = {n, side};

    CutSolid cut;
    std::vector<uint32_t> numberOf(places.size(), kNoPiece);
    for (uint32_t piece = 0; piece < pieces; ++piece) {
        cut.firstTriangle.push_back(static_cast<uint32_t>(cut.triangles.size() / 3));
        const auto first = static_cast<uint32_t>(cut.points.size() / 3);
        const auto numbered = [&](uint32_t point) {
            if (numberOf[point] == kNoPiece || numberOf[point] < first) {
                numberOf[point] = static_cast<uint32_t>(cut.points.size() / 3);
                for (int axis = 0; axis < 3; ++axis)
                    cut.points.push_back(static_cast<float>(places[point][axis]));
                cut.pieceOfPoint.push_back(piece);
            }
            return numberOf[point];
        };
        for (std::size_t s = begin[piece]; s < begin[piece + 1]; ++s) {
            const Cuts::Polygon& polygon = cuts.polygons()[sides[s].first];
            const bool turned = sides[s].second == 1;
            for (uint32_t k = 1; k + 1 < polygon.count; ++k) {
                const uint32_t a = numbered(polygon.points[0]), b = numbered(polygon.points[k]),
                               c = numbered(polygon.points[k + 1]);
                cut.triangles.insert(cut.triangles.end(), {a, turned ? c : b, turned ? b : c});
                cut.seam.push_back(polygon.label[turned ? 0 : 1] == kOutside ? 0 : 1);
            }
        }
    }
    cut.firstTriangle.push_back(static_cast<uint32_t>(cut.triangles.size() / 3));
    return cut;
}

} // namespace floe::particles
