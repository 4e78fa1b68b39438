#include "floe/view/gaussians.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace floe::view {

namespace {

constexpr double kOutside = 0.005;       // share beyond each side of the box
constexpr std::size_t kLooked = 100'000; // Gaussians at most; that many show the box

std::uint32_t componentsOf(const ParticlesValue& particles, const char* name)
{
    const Attribute* found = particles.find(name);
    return found && found->element == Element::float32 ? found->components : 0;
}

int degreeOf(const ParticlesValue& particles)
{
    for (int degree = 0; degree <= 3; ++degree)
        if (componentsOf(particles, "sh") ==
            3 * static_cast<std::uint32_t>((degree + 1) * (degree + 1)))
            return degree;
    return -1;
}

template <class T>
std::span<const T> valuesOf(const ParticlesValue& particles, const char* name)
{
    return {static_cast<const T*>(particles.find(name)->data.data()), particles.count()};
}

} // namespace

bool isGaussians(const ParticlesValue& particles)
{
    return componentsOf(particles, "x") == 3 && componentsOf(particles, "scale") == 3 &&
           componentsOf(particles, "rotation") == 4 && componentsOf(particles, "opacity") == 1 &&
           degreeOf(particles) >= 0;
}

bool drawnAsGaussians(const ParticlesValue& particles, const std::string& colourBy)
{
    return isGaussians(particles) && (colourBy == "material" || !particles.find(colourBy));
}

render::GaussianSet gaussianSet(const ParticlesValue& particles)
{
    using Float4 = std::array<float, 4>;
    render::GaussianSet set;
    set.positions = valuesOf<render::Float3>(particles, "x");
    set.scales = valuesOf<render::Float3>(particles, "scale");
    set.rotations = valuesOf<Float4>(particles, "rotation");
    set.opacities = valuesOf<float>(particles, "opacity");
    set.degree = degreeOf(particles);
    const Attribute& harmonics = *particles.find("sh");
    set.harmonics = {static_cast<const float*>(harmonics.data.data()),
                     particles.count() * harmonics.components};
    set.harmonicsRevision = harmonics.data.serial();
    if (componentsOf(particles, "shRotation") == 4)
        set.turns = valuesOf<Float4>(particles, "shRotation");
    return set;
}

render::Bounds boundsOf(const render::GaussianSet& set)
{
    render::Bounds bounds;
    const std::size_t step = set.positions.size() / kLooked + 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<float> places;
        for (std::size_t i = 0; i < set.positions.size(); i += step)
            if (std::isfinite(set.positions[i][axis]))
                places.push_back(set.positions[i][axis]);
        if (places.empty()) {
            bounds.low[axis] = bounds.high[axis] = std::numeric_limits<float>::quiet_NaN();
            continue;
        }
        const auto outside =
            static_cast<std::ptrdiff_t>(kOutside * static_cast<double>(places.size()));
        const auto low = places.begin() + outside, high = places.end() - 1 - outside;
        std::nth_element(places.begin(), low, places.end());
        bounds.low[axis] = *low;
        std::nth_element(places.begin(), high, places.end());
        bounds.high[axis] = *high;
    }
    return bounds;
}

} // namespace floe::view
