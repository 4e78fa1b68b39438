#include "floe/data/mesh.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace floe {

namespace {

bool allFinite(std::span<const float> numbers)
{
    return std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); });
}

} // namespace

MeshValue::MeshValue(std::span<const float> points, std::span<const std::uint32_t> triangles,
                     std::span<const float> velocities, std::span<const float> colours)
    : MeshValue(compute::Array<float>(points), compute::Array<std::uint32_t>(triangles),
                compute::Array<float>(velocities), compute::Array<float>(colours))
{}

MeshValue::MeshValue(compute::Array<float> points, compute::Array<std::uint32_t> triangles,
                     compute::Array<float> velocities, compute::Array<float> colours)
    : Value(kKind), points_(std::move(points)), triangles_(std::move(triangles)),
      velocities_(std::move(velocities)), colours_(std::move(colours))
{
    constexpr std::size_t kMaxCount = std::numeric_limits<std::uint32_t>::max();
    if (points_.size() % 3 != 0 || triangles_.size() % 3 != 0)
        throw InputError({}, "a mesh needs 3 numbers a point and 3 indices a triangle");
    if (points_.size() / 3 > kMaxCount || triangles_.size() / 3 > kMaxCount)
        throw InputError({}, "a mesh may have at most 4,294,967,295 points and triangles");
    if (!velocities_.empty() && velocities_.size() != points_.size())
        throw InputError({}, "a mesh needs as many velocities as points, or none");
    if (!colours_.empty() && colours_.size() != points_.size())
        throw InputError({}, "a mesh needs as many colours as points, or none");
    if (!std::ranges::all_of(colours_.span(), [](float share) { return share >= 0 && share <= 1; }))
        throw InputError({}, "a mesh has colours that are not between 0 and 1");
    if (!allFinite(points_.span()) || !allFinite(velocities_.span()))
        throw InputError({}, "a mesh has points or velocities that are not finite");
    const std::uint32_t count = pointCount();
    for (const std::uint32_t index : triangles_.span())
        if (index >= count)
            throw InputError({}, "a triangle uses point " + std::to_string(index) +
                                     " of a mesh of " + std::to_string(count) + " points");
    account(points_.bytes() + triangles_.bytes() + velocities_.bytes() + colours_.bytes());
}

std::array<float, 6> MeshValue::bounds() const
{
    if (points_.empty())
        return {};
    std::array<float, 6> box{points_[0], points_[1], points_[2],
                             points_[0], points_[1], points_[2]};
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const std::size_t axis = i % 3;
        box[axis] = std::min(box[axis], points_[i]);
        box[axis + 3] = std::max(box[axis + 3], points_[i]);
    }
    return box;
}

} // namespace floe
