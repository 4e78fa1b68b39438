/// The colours that matter is drawn in.
#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace floe::sdk::world {

/// What a material's or body's record says in `color`, linear RGB from 0 to 1; grey without.
inline physics::Vec3<float> colourOf(const Value& record)
{
    if (!record.field("color"))
        return {0.42f, 0.44f, 0.47f};
    const auto colour = vectorOf(record, "color");
    const auto held = [](double share) {
        return static_cast<float>(std::clamp(share, 0.0, 1.0));
    };
    return {held(colour.x), held(colour.y), held(colour.z)};
}

/// Of the materials in the field `materials` of particles, by their numbers.
inline std::vector<physics::Vec3<float>> materialColours(const Value& particles)
{
    std::vector<physics::Vec3<float>> colours;
    if (const Value materials = particles.field("materials"))
        while (const Value material = materials.field(std::to_string(colours.size()).c_str()))
            colours.push_back(colourOf(material));
    return colours;
}

/// The colour of each particle's material; empty where they do not say what they are made of.
inline std::vector<physics::Vec3<float>> particleColours(const Value& particles)
{
    const auto colours = materialColours(particles);
    const auto material = particles.attribute<uint32_t>("material", 1);
    std::vector<physics::Vec3<float>> result;
    if (colours.empty())
        return result;
    result.reserve(material.size());
    for (const uint32_t number : material)
        result.push_back(colours[std::min<std::size_t>(number, colours.size() - 1)]);
    return result;
}

} // namespace floe::sdk::world
