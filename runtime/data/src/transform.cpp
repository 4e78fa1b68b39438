#include "floe/data/transform.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace floe {

namespace {

using Quaternion = std::array<double, 4>;

double dot(const Quaternion& a, const Quaternion& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

bool isFinite(const TransformKey& key)
{
    double sum = key.frame + key.scale;
    for (const double component : key.position)
        sum += component;
    for (const double component : key.rotation)
        sum += component;
    return std::isfinite(sum);
}

Quaternion slerp(const Quaternion& a, Quaternion b, double t)
{
    double cosine = dot(a, b);
    if (cosine < 0) { // q and -q are one rotation: take the nearer
        cosine = -cosine;
        for (double& component : b)
            component = -component;
    }
    double wa = 1 - t;
    double wb = t;
    if (cosine < 1 - 1e-9) { // nearer than this the sine loses its digits and a line is exact
        const double angle = std::acos(cosine);
        wa = std::sin((1 - t) * angle) / std::sin(angle);
        wb = std::sin(t * angle) / std::sin(angle);
    }
    Quaternion result;
    for (int i = 0; i < 4; ++i)
        result[i] = wa * a[i] + wb * b[i];
    const double length = std::sqrt(dot(result, result));
    for (double& component : result)
        component /= length;
    return result;
}

} // namespace

TransformValue::TransformValue(std::span<const TransformKey> keys) : Value(kKind), keys_(keys)
{
    if (keys.empty())
        throw InputError({}, "a transform needs at least one key");
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        TransformKey& key = keys_[i];
        const auto refuse = [i](const std::string& why) {
            throw InputError({}, "key " + std::to_string(i) + " of a transform " + why);
        };
        if (!isFinite(key))
            refuse("has numbers that are not finite");
        if (i > 0 && !(key.frame > keys_[i - 1].frame))
            refuse("is not later than the one before");
        if (!(key.scale > 0))
            refuse("has a scale that is not positive");
        const double length = std::sqrt(dot(key.rotation, key.rotation));
        if (!(length > 1e-6 && length < 1e6))
            refuse("has a rotation that is not a unit quaternion");
        // Already unit: keep the bits as they are.
        if (std::abs(length - 1) > 1e-12)
            for (double& component : key.rotation)
                component /= length;
    }
    account(keys_.bytes());
}

TransformKey TransformValue::at(double frame) const
{
    const auto all = keys_.span();
    const auto after = std::ranges::upper_bound(all, frame, {}, &TransformKey::frame);
    TransformKey result;
    if (after == all.begin()) {
        result = all.front();
    } else if (after == all.end()) {
        result = all.back();
    } else {
        const TransformKey& a = *(after - 1);
        const TransformKey& b = *after;
        const double t = (frame - a.frame) / (b.frame - a.frame);
        for (int i = 0; i < 3; ++i)
            result.position[i] = a.position[i] + t * (b.position[i] - a.position[i]);
        result.rotation = slerp(a.rotation, b.rotation, t);
        result.scale = a.scale + t * (b.scale - a.scale);
    }
    result.frame = frame;
    return result;
}

std::array<double, 16> TransformValue::matrixAt(double frame) const
{
    const TransformKey key = at(frame);
    const auto [x, y, z, w] = key.rotation;
    const double s = key.scale;
    return {s * (1 - 2 * (y * y + z * z)),
            s * 2 * (x * y - z * w),
            s * 2 * (x * z + y * w),
            key.position[0],
            s * 2 * (x * y + z * w),
            s * (1 - 2 * (x * x + z * z)),
            s * 2 * (y * z - x * w),
            key.position[1],
            s * 2 * (x * z - y * w),
            s * 2 * (y * z + x * w),
            s * (1 - 2 * (x * x + y * y)),
            key.position[2],
            0,
            0,
            0,
            1};
}

} // namespace floe
