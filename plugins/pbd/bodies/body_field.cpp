#include "body_field.hpp"

#include "distance.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

constexpr int kPadding = 3;    ///< voxels around the mesh
constexpr float kExact = 2.0f; ///< voxels from the surface
constexpr float kFar = 1e6f;   ///< voxels: where no voxel is inside, there is no distance

/// Distance from a point to a triangle (Ericson 2005, section 5.1.5).
float distanceTo(const Vec3f& p, const Vec3f& a, const Vec3f& b, const Vec3f& c)
{
    using physics::dot;
    const Vec3f ab = b - a, ac = c - a, ap = p - a;
    const float d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
        return physics::length(ap);
    const Vec3f bp = p - b;
    const float d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
        return physics::length(bp);
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return physics::length(ap - (d1 / (d1 - d3)) * ab);
    const Vec3f cp = p - c;
    const float d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
        return physics::length(cp);
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return physics::length(ap - (d2 / (d2 - d6)) * ac);
    const float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return physics::length(bp - ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b));
    const float scale = 1 / (va + vb + vc);
    return physics::length(ap - (vb * scale) * ab - (vc * scale) * ac);
}

} // namespace

BodyField::BodyField(const RestBody& body, sdk::parallel::Executor& executor)
{
    const Triangles mesh{{&body.meshPoints[0].x, 3 * body.meshPoints.size()}, body.triangles};
    const VoxelGrid grid = placeGrid(mesh, 2 * double{body.boundaryRadius}, kPadding);
    const VoxelSet voxels = voxelise(mesh, grid, executor);
    const DistanceField field = signedDistances(voxels, executor);
    edge_ = static_cast<float>(grid.edge);
    size_ = grid.size;
    for (std::size_t axis = 0; axis < 3; ++axis)
        origin_[axis] = static_cast<float>(grid.origin[axis] + 0.5 * grid.edge);
    distance_.resize(field.distance.size());
    for (std::size_t i = 0; i < distance_.size(); ++i)
        distance_[i] = edge_ * std::clamp(field.distance[i], -kFar, kFar);
    // Layers are independent, and a triangle is near few of them.
    const float band = kExact * edge_;
    executor.parallelFor(
        static_cast<std::size_t>(size_[2]), 1, [&](std::size_t from, std::size_t to) {
            std::vector<float> nearest(static_cast<std::size_t>(size_[0]) *
                                       static_cast<std::size_t>(size_[1]));
            for (std::size_t layer = from; layer < to; ++layer) {
                const auto z = static_cast<int>(layer);
                const float height = origin_[2] + edge_ * static_cast<float>(z);
                std::fill(nearest.begin(), nearest.end(), band);
                for (std::size_t t = 0; t + 2 < body.triangles.size(); t += 3) {
                    const Vec3f& a = body.meshPoints[body.triangles[t]];
                    const Vec3f& b = body.meshPoints[body.triangles[t + 1]];
                    const Vec3f& c = body.meshPoints[body.triangles[t + 2]];
                    if (std::min({a.z, b.z, c.z}) > height + band ||
                        std::max({a.z, b.z, c.z}) < height - band)
                        continue;
                    int low[2], high[2];
                    for (int axis = 0; axis < 2; ++axis) {
                        const auto k = static_cast<std::size_t>(axis);
                        const float first = std::min({a[axis], b[axis], c[axis]}) - band;
                        const float last = std::max({a[axis], b[axis], c[axis]}) + band;
                        low[axis] =
                            std::clamp(static_cast<int>(std::floor((first - origin_[k]) / edge_)),
                                       0, size_[k] - 1);
                        high[axis] =
                            std::clamp(static_cast<int>(std::ceil((last - origin_[k]) / edge_)), 0,
                                       size_[k] - 1);
                    }
                    for (int y = low[1]; y <= high[1]; ++y)
                        for (int x = low[0]; x <= high[0]; ++x) {
                            float& best = nearest[static_cast<std::size_t>(y * size_[0] + x)];
                            best = std::min(
                                best,
                                distanceTo({origin_[0] + edge_ * static_cast<float>(x),
                                            origin_[1] + edge_ * static_cast<float>(y), height},
                                           a, b, c));
                        }
                }
                for (int y = 0; y < size_[1]; ++y)
                    for (int x = 0; x < size_[0]; ++x) {
                        const float exact = nearest[static_cast<std::size_t>(y * size_[0] + x)];
                        if (exact < band)
                            distance_[voxels.number(x, y, z)] =
                                voxels.test(x, y, z) ? -exact : exact;
                    }
            }
        });
}

float BodyField::at(const Vec3f& x, Vec3f& gradient) const
{
    int cell[3];
    float part[3], outside2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const auto k = static_cast<std::size_t>(axis);
        const float q = (x[axis] - origin_[k]) / edge_;
        const auto last = static_cast<float>(size_[k] - 1);
        const float beyond = std::max({-q, q - last, 0.0f});
        outside2 += beyond * beyond;
        cell[axis] =
            std::clamp(static_cast<int>(std::floor(std::clamp(q, 0.0f, last))), 0, size_[k] - 2);
        part[axis] = std::clamp(q - static_cast<float>(cell[axis]), 0.0f, 1.0f);
    }
    gradient = {0, 0, 0};
    if (outside2 > 0) // the mesh ends kPadding voxels before the grid
        return edge_ * (std::sqrt(outside2) + kPadding - 1);
    const auto row = static_cast<std::size_t>(size_[0]);
    const std::size_t layer = row * static_cast<std::size_t>(size_[1]);
    const float* first = distance_.data() + static_cast<std::size_t>(cell[2]) * layer +
                         static_cast<std::size_t>(cell[1]) * row +
                         static_cast<std::size_t>(cell[0]);
    float sum = 0;
    for (int k = 0; k < 8; ++k) {
        const bool far[3] = {(k & 1) != 0, (k & 2) != 0, (k & 4) != 0};
        const float value = first[(far[0] ? 1 : 0) + (far[1] ? row : 0) + (far[2] ? layer : 0)];
        float weight[3];
        for (int axis = 0; axis < 3; ++axis)
            weight[axis] = far[axis] ? part[axis] : 1 - part[axis];
        sum += weight[0] * weight[1] * weight[2] * value;
        gradient.x += (far[0] ? value : -value) * weight[1] * weight[2];
        gradient.y += (far[1] ? value : -value) * weight[0] * weight[2];
        gradient.z += (far[2] ? value : -value) * weight[0] * weight[1];
    }
    gradient = (1 / edge_) * gradient;
    return sum;
}

} // namespace floe::pbd
