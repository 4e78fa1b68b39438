#include "set/gaussian_set.hpp"

#include <algorithm>
#include <cmath>

namespace floe::gaussians {

namespace {

constexpr float kFarthest = 1e7f; // [m]
constexpr float kLargest = 1e6f;  // [m]
constexpr float kMaxCoefficient = 1e4f;

/// Also false for what is not a number.
bool within(const float* values, std::size_t count, float low, float high)
{
    return std::all_of(values, values + count,
                       [&](float value) { return value >= low && value <= high; });
}

} // namespace

bool isPropertyName(std::string_view name)
{
    constexpr std::string_view kTaken[] = {"x",          "y",     "z",      "v",        "F",
                                           "J",          "C",     "id",     "material", "state",
                                           "volume",     "scale", "shape",  "rotation", "opacity",
                                           "shRotation", "sh",    "radius", "density",  "sleep"};
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    return !name.empty() && name.size() < 64 && std::all_of(name.begin(), name.end(), allowed) &&
           std::find(std::begin(kTaken), std::end(kTaken), name) == std::end(kTaken);
}

const Property* GaussianSet::property(std::string_view name) const
{
    const auto found = std::find_if(properties.begin(), properties.end(),
                                    [&](const Property& one) { return one.name == name; });
    return found == properties.end() ? nullptr : &*found;
}

void GaussianSet::resize(std::size_t number)
{
    x.resize(3 * number);
    scale.resize(3 * number);
    rotation.resize(4 * number);
    opacity.resize(number);
    sh.resize(shComponents() * number);
    for (Property& property : properties)
        property.values.resize(number);
}

void keepOnly(GaussianSet& set, const std::function<bool(std::size_t)>& keep)
{
    std::size_t kept = 0;
    const std::size_t components = set.shComponents();
    for (std::size_t i = 0; i < set.count(); ++i) {
        if (!keep(i))
            continue;
        const auto move = [&](std::vector<float>& values, std::size_t size) {
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * size), size,
                        values.begin() + static_cast<std::ptrdiff_t>(kept * size));
        };
        if (kept != i) {
            move(set.x, 3);
            move(set.scale, 3);
            move(set.rotation, 4);
            move(set.opacity, 1);
            move(set.sh, components);
            for (Property& property : set.properties)
                move(property.values, 1);
        }
        ++kept;
    }
    set.resize(kept);
}

std::size_t removeUnusable(GaussianSet& set)
{
    const std::size_t before = set.count();
    const std::size_t components = set.shComponents();
    keepOnly(set, [&](std::size_t i) {
        Quaternion q;
        std::copy_n(&set.rotation[4 * i], 4, q.begin());
        if (!within(&set.x[3 * i], 3, -kFarthest, kFarthest) ||
            !within(&set.scale[3 * i], 3, 0, kLargest) || !normalise(q) ||
            !std::isfinite(set.opacity[i]) ||
            !within(&set.sh[components * i], components, -kMaxCoefficient, kMaxCoefficient))
            return false;
        std::transform(q.begin(), q.end(), &set.rotation[4 * i],
                       [](double part) { return static_cast<float>(part); });
        set.opacity[i] = std::clamp(set.opacity[i], 0.0f, 1.0f);
        return true;
    });
    return before - set.count();
}

void place(GaussianSet& set, const Placement& placement)
{
    const Mat3 R = matrixOf(placement.rotation);
    const bool turned = placement.rotation != kNoTurn;
    const HarmonicsRotation harmonics(R);
    const std::size_t components = set.shComponents();
    for (std::size_t i = 0; i < set.count(); ++i) {
        float* x = &set.x[3 * i];
        const Vec3 moved = R * (placement.scale * Vec3{x[0], x[1], x[2]});
        for (int axis = 0; axis < 3; ++axis)
            x[axis] =
                static_cast<float>(moved[axis] + placement.offset[static_cast<std::size_t>(axis)]);
        for (std::size_t axis = 0; axis < 3; ++axis)
            set.scale[3 * i + axis] = static_cast<float>(set.scale[3 * i + axis] * placement.scale);
        if (!turned)
            continue;
        Quaternion q;
        std::copy_n(&set.rotation[4 * i], 4, q.begin());
        q = times(placement.rotation, q);
        std::transform(q.begin(), q.end(), &set.rotation[4 * i],
                       [](double part) { return static_cast<float>(part); });
        harmonics.apply(&set.sh[components * i], set.degree);
    }
}

} // namespace floe::gaussians
