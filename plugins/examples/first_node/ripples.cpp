// The smallest node in C++: a sheet with ripples, as a mesh.
#include "floe/sdk/node.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace {

namespace sdk = floe::sdk;

class RipplesNode final : public sdk::Node {
public:
    static constexpr const char* kType = "example.meshes.ripples";

    void cook(sdk::Context& context) override
    {
        const double size = context.number("size");
        const double amplitude = context.number("amplitude");
        const double wave = 2 * std::numbers::pi / context.number("wavelength");
        const auto cells = static_cast<uint32_t>(context.integer("cells"));

        const uint32_t row = cells + 1; // points in a row
        std::vector<float> points;
        points.reserve(3 * std::size_t{row} * row);
        for (uint32_t j = 0; j < row; ++j)
            for (uint32_t i = 0; i < row; ++i) {
                const double x = (double(i) / cells - 0.5) * size;
                const double z = (double(j) / cells - 0.5) * size;
                const double y = amplitude * std::cos(wave * std::hypot(x, z));
                points.insert(points.end(), {float(x), float(y), float(z)});
            }

        std::vector<uint32_t> triangles;
        triangles.reserve(6 * std::size_t{cells} * cells);
        for (uint32_t j = 0; j < cells; ++j)
            for (uint32_t i = 0; i < cells; ++i) {
                const uint32_t a = j * row + i, b = a + 1, c = a + row, d = c + 1;
                triangles.insert(triangles.end(), {a, c, b, b, c, d});
            }
        context.setOutput("mesh", sdk::makeMesh(points, triangles));
    }
};

} // namespace

FLOE_PLUGIN("example.meshes", "1.0.0", RipplesNode)
