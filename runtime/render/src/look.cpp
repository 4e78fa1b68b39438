#include "floe/render/scene.hpp"

namespace floe::render {

Look lookOf(std::string_view material)
{
    struct Named {
        std::string_view name;
        Look look;
    };
    // colour, roughness, specular, translucency, smoothing, variation, opacity, colour depth
    static const Named kLooks[] = {
        {"snow", {{0.91f, 0.94f, 0.98f}, 0.75f, 0.03f, 0.40f, 0.68f, 0.03f}},
        {"soil", {{0.115f, 0.068f, 0.038f}, 0.95f, 0.02f, 0.0f, 0.35f, 0.35f}},
        {"mud", {{0.105f, 0.070f, 0.045f}, 0.35f, 0.04f, 0.0f, 0.80f, 0.08f}},
        {"concrete", {{0.36f, 0.355f, 0.345f}, 0.90f, 0.03f, 0.0f, 0.65f, 0.10f}},
        {"metal", {{0.62f, 0.63f, 0.65f}, 0.38f, 0.75f, 0.0f, 1.00f, 0.02f}},
        {"jello", {{0.62f, 0.045f, 0.085f}, 0.28f, 0.05f, 0.70f, 1.00f, 0.01f}},
        {"rubber", {{0.035f, 0.10f, 0.24f}, 0.50f, 0.04f, 0.0f, 0.95f, 0.02f}},
        {"water", {{0.08f, 0.3f, 0.6f}, 0.24f, 0.07f, 0.60f, 1.00f, 0.01f, 0.2f, 0.4f}},
        {"honey", {{0.8f, 0.42f, 0.04f}, 0.26f, 0.04f, 0.75f, 1.00f, 0.02f, 0.35f, 0.015f}},
        {"sand", {{0.56f, 0.39f, 0.215f}, 0.92f, 0.02f, 0.05f, 0.45f, 0.22f}},
    };
    for (const Named& named : kLooks)
        if (named.name == material)
            return named.look;
    return {};
}

std::vector<Look> activationLooks()
{
    // Blue, yellow, green: told apart in small pictures, and by most who see few colours because
    // their lightness differs too.
    Look passive{{0.05f, 0.11f, 0.38f}, 0.9f, 0.02f, 0.0f, 0.4f, 0.10f};
    Look active{{0.95f, 0.62f, 0.04f}, 0.7f, 0.04f, 0.1f, 0.4f, 0.10f};
    Look boundary{{0.06f, 0.42f, 0.16f}, 0.7f, 0.04f, 0.1f, 0.4f, 0.10f};
    return {passive, active, boundary};
}

} // namespace floe::render
