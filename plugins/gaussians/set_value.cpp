#include "set_value.hpp"

#include <algorithm>

namespace floe::gaussians {

namespace {

/// Returns the components of an attribute of floats; 0 when there is none.
uint32_t componentsOf(const sdk::Value& particles, const char* name)
{
    floe_attribute view{};
    view.struct_size = sizeof view;
    const bool found = particles && particles.kind() == FLOE_KIND_PARTICLES &&
                       sdk::host().values->get_attribute(particles.get(), name, &view) == FLOE_OK &&
                       view.element == FLOE_FLOAT32;
    return found ? view.components : 0;
}

/// Returns the degree of the harmonics; -1 when there are none.
int degreeIn(const sdk::Value& particles)
{
    for (int degree = 0; degree <= kMaxDegree; ++degree)
        if (componentsOf(particles, "sh") == 3 * coefficientsOf(degree))
            return degree;
    return -1;
}

} // namespace

bool isGaussians(const sdk::Value& particles)
{
    return componentsOf(particles, "x") == 3 && componentsOf(particles, "scale") == 3 &&
           componentsOf(particles, "rotation") == 4 && componentsOf(particles, "opacity") == 1 &&
           degreeIn(particles) >= 0;
}

void requireGaussians(const sdk::Value& particles, const char* input)
{
    if (!isGaussians(particles))
        throw sdk::Failure(std::string("the particles on '") + input +
                               "' are not Gaussians: they lack one of the attributes x, scale, "
                               "rotation, opacity and sh; link a Gaussians node",
                           FLOE_WRONG_KIND);
}

GaussianSet setOf(const sdk::Value& particles, const char* input)
{
    requireGaussians(particles, input);
    GaussianSet set;
    set.degree = degreeIn(particles);
    set.resize(particles.particleCount());
    const auto copy = [&](const char* name, uint32_t components, std::vector<float>& to) {
        std::ranges::copy(particles.attribute<float>(name, components), to.begin());
    };
    copy("x", 3, set.x);
    copy("scale", 3, set.scale);
    copy("rotation", 4, set.rotation);
    copy("opacity", 1, set.opacity);
    copy("sh", static_cast<uint32_t>(set.shComponents()), set.sh);
    if (componentsOf(particles, "shRotation") == 4 && set.degree > 0) {
        const auto turns = particles.attribute<float>("shRotation", 4);
        for (std::size_t i = 0; i < set.count(); ++i) {
            Quaternion q;
            std::copy_n(&turns[4 * i], 4, q.begin());
            if (normalise(q) && q != kNoTurn)
                HarmonicsRotation(matrixOf(q)).apply(&set.sh[set.shComponents() * i], set.degree);
        }
    }
    return set;
}

sdk::Value valueOf(const GaussianSet& set)
{
    sdk::Value particles = sdk::makeParticles(set.count());
    std::ranges::copy(set.x, particles.addAttribute<float>("x", 3).begin());
    std::ranges::copy(set.scale, particles.addAttribute<float>("scale", 3).begin());
    std::ranges::copy(set.rotation, particles.addAttribute<float>("rotation", 4).begin());
    std::ranges::copy(set.opacity, particles.addAttribute<float>("opacity", 1).begin());
    std::ranges::copy(
        set.sh,
        particles.addAttribute<float>("sh", static_cast<uint32_t>(set.shComponents())).begin());
    return particles;
}

} // namespace floe::gaussians
