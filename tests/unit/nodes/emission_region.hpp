/// Part of space for an emitter, as a solver on several ranks asks for it.
#pragma once

#include "cooked_node.hpp"

#include "floe/sdk/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace floe::test {

/// Cubes of space, of which every `of`th in a hash's order is in the region.
class Cubes {
public:
    Cubes(double edge, int of, int which) : edge_(edge), of_(of), which_(which)
    {
        table.struct_size = sizeof table;
        table.self = this;
        table.meets = [](const void* self, const double low[3], const double high[3]) -> int32_t {
            const auto& cubes = *static_cast<const Cubes*>(self);
            for (double x = cubes.at(low[0]); x <= cubes.at(high[0]); x += 1)
                for (double y = cubes.at(low[1]); y <= cubes.at(high[1]); y += 1)
                    for (double z = cubes.at(low[2]); z <= cubes.at(high[2]); z += 1)
                        if (cubes.holds(x, y, z))
                            return 1;
            return 0;
        };
        table.find = [](const void* self, const float* x, uint64_t count, uint8_t* inside) {
            const auto& cubes = *static_cast<const Cubes*>(self);
            for (uint64_t i = 0; i < count; ++i, x += 3)
                inside[i] = cubes.holds(cubes.at(x[0]), cubes.at(x[1]), cubes.at(x[2]));
        };
    }
    Cubes(const Cubes&) = delete;
    Cubes& operator=(const Cubes&) = delete;

    floe_emission_region table{};

private:
    double at(double x) const { return std::floor(x / edge_); }
    bool holds(double x, double y, double z) const
    {
        const auto n = static_cast<int64_t>(x + 3 * y + 7 * z);
        return (n % of_ + of_) % of_ == which_;
    }

    double edge_;
    int of_, which_;
};

/// Expects that the particles of regions are those of all of space, each once, by their places.
inline void expectPartsOfTheWhole(const ValueRef& emitter, EmissionRequest request, double edge,
                                  int of)
{
    const auto whole = emit(emitter, request);
    ASSERT_TRUE(whole);
    std::vector<Ref<const ParticlesValue>> parts;
    struct Source {
        std::uint64_t place;
        std::size_t part, index;
    };
    std::vector<Source> all;
    for (int which = 0; which < of; ++which) {
        const Cubes cubes(edge, of, which);
        request.region = &cubes.table;
        const auto part = emit(emitter, request);
        if (!part)
            continue;
        const auto x = part->get<float>("x", 3);
        std::vector<uint8_t> inside(part->count());
        cubes.table.find(&cubes, x.data(), part->count(), inside.data());
        EXPECT_EQ(std::count(inside.begin(), inside.end(), 0), 0) << "outside of the region";
        EXPECT_LT(part->count(), whole->count());
        const auto place = part->get<std::uint64_t>("place", 1);
        ASSERT_EQ(place.size(), part->count());
        for (std::size_t i = 0; i < place.size(); ++i) {
            ASSERT_TRUE(i == 0 || place[i - 1] < place[i]);
            all.push_back({place[i], parts.size(), i});
        }
        parts.push_back(part);
    }
    EXPECT_GT(parts.size(), 1u);
    ASSERT_EQ(all.size(), whole->count());
    std::sort(all.begin(), all.end(),
              [](const Source& a, const Source& b) { return a.place < b.place; });
    for (const Attribute& attribute : whole->attributes()) {
        const std::size_t bytes = elementBytes(attribute.element) * attribute.components;
        const auto* expected = static_cast<const char*>(attribute.data.data());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Attribute* own = parts[all[i].part]->find(attribute.name);
            ASSERT_TRUE(own) << attribute.name;
            ASSERT_EQ(0,
                      std::memcmp(static_cast<const char*>(own->data.data()) + all[i].index * bytes,
                                  expected + i * bytes, bytes))
                << attribute.name << " of particle " << i;
        }
    }
}

} // namespace floe::test
