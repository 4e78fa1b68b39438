#include "set_value.hpp"

#include "set_view.hpp"

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

/// Numbers of each particle that a set keeps under their names.
std::vector<SetView::Property> propertiesOf(const sdk::Value& particles)
{
    std::vector<SetView::Property> properties;
    uint64_t count = 0;
    uint32_t attributes = 0;
    sdk::host().values->get_particles(particles.get(), &count, &attributes);
    for (uint32_t i = 0; i < attributes && properties.size() < kMaxProperties; ++i) {
        floe_attribute view{};
        view.struct_size = sizeof view;
        if (sdk::host().values->get_attribute_at(particles.get(), i, &view) != FLOE_OK ||
            view.element != FLOE_FLOAT32 || view.components != 1 || view.space != FLOE_SPACE_HOST ||
            !isPropertyName(view.name))
            continue;
        properties.push_back({view.name, {static_cast<const float*>(view.data), count}});
    }
    return properties;
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

SetView::SetView(const sdk::Value& particles, const char* input)
{
    requireGaussians(particles, input);
    degree = degreeIn(particles);
    x = particles.attribute<float>("x", 3);
    scale = particles.attribute<float>("scale", 3);
    rotation = particles.attribute<float>("rotation", 4);
    opacity = particles.attribute<float>("opacity", 1);
    sh = particles.attribute<float>("sh", static_cast<uint32_t>(shComponents()));
    properties = propertiesOf(particles);
    if (componentsOf(particles, "shRotation") != 4 || degree == 0)
        return;
    const auto turns = particles.attribute<float>("shRotation", 4);
    turned_.emplace(sh.begin(), sh.end());
    for (std::size_t i = 0; i < count(); ++i) {
        Quaternion q;
        std::copy_n(&turns[4 * i], 4, q.begin());
        if (normalise(q) && q != kNoTurn)
            HarmonicsRotation(matrixOf(q)).apply(&(*turned_)[shComponents() * i], degree);
    }
    sh = *turned_;
}

GaussianSet setOf(const sdk::Value& particles, const char* input)
{
    const SetView view(particles, input);
    GaussianSet set;
    set.degree = view.degree;
    const auto copy = [](std::span<const float> from) {
        return std::vector<float>(from.begin(), from.end());
    };
    set.x = copy(view.x);
    set.scale = copy(view.scale);
    set.rotation = copy(view.rotation);
    set.opacity = copy(view.opacity);
    set.sh = copy(view.sh);
    for (const SetView::Property& property : view.properties)
        set.properties.push_back({property.name, copy(property.values)});
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
    for (const Property& property : set.properties)
        std::ranges::copy(property.values,
                          particles.addAttribute<float>(property.name.c_str(), 1).begin());
    return particles;
}

} // namespace floe::gaussians
