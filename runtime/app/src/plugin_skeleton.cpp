#include "plugin_skeleton.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cctype>

namespace floe::app {
namespace {

// @ID@, @LIBRARY@, @LABEL@ and @SOURCE@ are replaced.

constexpr const char* kManifest = R"json({
  "format": 1,
  "id": "@ID@",
  "version": "0.1.0",
  "label": "@LABEL@",
  "vendor": "",
  "license": "",
  "abi": {"major": 1, "minor": 0},
  "library": "@LIBRARY@",
  "nodes": [
    {
      "type": "@ID@.ripples",
      "version": 1,
      "label": "Ripples",
      "category": "Meshes",
      "aliases": ["sheet", "waves"],
      "help": "A square sheet with round ripples.",
      "role": "value",
      "backends": {"cpu": true, "cuda": "none"},
      "parameters": [
        {"name": "size", "type": "float", "default": 2, "min": 0.001, "max": 10000, "softMax": 10, "unit": "m", "label": "Size", "help": "Length of a side."},
        {"name": "amplitude", "type": "float", "default": 0.1, "min": 0, "max": 1000, "softMax": 1, "unit": "m", "label": "Amplitude", "help": "Height of the ripples."},
        {"name": "wavelength", "type": "float", "default": 0.5, "min": 0.001, "max": 1000, "softMin": 0.05, "softMax": 2, "unit": "m", "label": "Wavelength", "help": "From one crest to the next."},
        {"name": "cells", "type": "int", "default": 64, "min": 1, "max": 2000, "softMax": 256, "label": "Cells", "help": "Squares along a side."}
      ],
      "inputs": [],
      "outputs": [{"name": "mesh", "label": "Mesh", "kind": "mesh", "help": "The sheet, seen from above."}]
    }
  ]
}
)json";

constexpr const char* kCmake = R"cmake(cmake_minimum_required(VERSION 3.22)
project(@LIBRARY@ LANGUAGES @LANGUAGE@)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
find_package(Floe REQUIRED)

floe_add_plugin(@LIBRARY@ SOURCES @SOURCE@@LINK@)
)cmake";

constexpr const char* kReadme = R"md(# @LABEL@

A plugin for Floe with one node type, `@ID@.ripples`.

    cmake -B build && cmake --build build       # add -D CMAKE_PREFIX_PATH=... if Floe is elsewhere
    floe plugin check build/floe-plugins/@LIBRARY@
    FLOE_PLUGIN_PATH=$PWD/build/floe-plugins floe plugin list

`plugin.json` says what the node looks like: sockets, parameters, help; `translations/fr.json` beside
it can say that in French, and so on. `@SOURCE@` makes it work.
To make it your own, change one, then the other, and check again; `floe plugin check` tells where
they disagree.
`cmake --install build` puts the plugin where Floe finds it by itself.
How everything works: share/doc/floe/sdk.md in the folder where Floe is installed.
)md";

constexpr const char* kCpp = R"cpp(#include "floe/sdk/node.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace {

namespace sdk = floe::sdk;

class RipplesNode final : public sdk::Node {
public:
    static constexpr const char* kType = "@ID@.ripples";

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

FLOE_PLUGIN("@ID@", "0.1.0", RipplesNode)
)cpp";

constexpr const char* kC = R"c(#include "floe/sdk/floe.h"

#include <math.h>
#include <stdlib.h>

/* Fills points (3 a point) and triangles (3 a triangle) of a sheet of cells x cells squares. */
static void make_sheet(double size, double amplitude, double wavelength, uint32_t cells,
                       float* points, uint32_t* triangles)
{
    const double wave = 2 * 3.14159265358979323846 / wavelength;
    const uint32_t row = cells + 1; /* points in a row */
    for (uint32_t j = 0; j < row; ++j)
        for (uint32_t i = 0; i < row; ++i) {
            const double x = ((double)i / cells - 0.5) * size;
            const double z = ((double)j / cells - 0.5) * size;
            *points++ = (float)x;
            *points++ = (float)(amplitude * cos(wave * sqrt(x * x + z * z)));
            *points++ = (float)z;
        }
    for (uint32_t j = 0; j < cells; ++j)
        for (uint32_t i = 0; i < cells; ++i) {
            const uint32_t a = j * row + i, b = a + 1, c = a + row, d = c + 1;
            const uint32_t corners[6] = {a, c, b, b, c, d};
            for (int k = 0; k < 6; ++k)
                *triangles++ = corners[k];
        }
}

static floe_status cook(void* node, const floe_context* context)
{
    (void)node;
    double size = 0, amplitude = 0, wavelength = 0;
    int64_t cells = 0;
    floe_status status = context->number(context, "size", context->frame, &size);
    if (status == FLOE_OK)
        status = context->number(context, "amplitude", context->frame, &amplitude);
    if (status == FLOE_OK)
        status = context->number(context, "wavelength", context->frame, &wavelength);
    if (status == FLOE_OK)
        status = context->integer(context, "cells", context->frame, &cells);
    if (status != FLOE_OK)
        return status; /* the host has said why */

    const size_t point_count = (size_t)(cells + 1) * (size_t)(cells + 1);
    const size_t triangle_count = 2 * (size_t)cells * (size_t)cells;
    float* points = malloc(3 * point_count * sizeof *points);
    uint32_t* triangles = malloc(3 * triangle_count * sizeof *triangles);
    status = FLOE_OUT_OF_MEMORY;
    if (points && triangles) {
        make_sheet(size, amplitude, wavelength, (uint32_t)cells, points, triangles);
        floe_mesh mesh = {0};
        mesh.struct_size = sizeof mesh;
        mesh.point_count = (uint32_t)point_count;
        mesh.points = points;
        mesh.triangle_count = (uint32_t)triangle_count;
        mesh.triangles = triangles;
        floe_value* value = context->host->values->make_mesh(&mesh);
        if (value)
            status = context->set_output(context, "mesh", value);
        context->host->values->release(value);
    }
    free(triangles);
    free(points);
    return status;
}

/* The node keeps nothing between calls. One that does allocates it here and frees it in destroy. */
static int nothing;
static floe_status create(const floe_host* host, void** node)
{
    (void)host;
    *node = &nothing;
    return FLOE_OK;
}
static void destroy(void* node)
{
    (void)node;
}

static const floe_node_class kRipples = {
    .struct_size = sizeof(floe_node_class),
    .type = "@ID@.ripples",
    .create = create,
    .destroy = destroy,
    .cook = cook,
};
static const floe_node_class* const kNodes[] = {&kRipples};
static const floe_plugin kPlugin = {
    .struct_size = sizeof(floe_plugin),
    .abi_major = FLOE_ABI_MAJOR,
    .abi_minor = FLOE_ABI_MINOR,
    .id = "@ID@",
    .version = "0.1.0",
    .node_class_count = 1,
    .node_classes = kNodes,
};

FLOE_EXPORT const floe_plugin* floe_plugin_entry(void)
{
    return &kPlugin;
}
)c";

bool isLowerWord(const std::string& word)
{
    return !word.empty() && std::islower(static_cast<unsigned char>(word[0])) &&
           std::ranges::all_of(word, [](unsigned char letter) {
               return std::islower(letter) || std::isdigit(letter) || letter == '_';
           });
}

} // namespace

SkeletonNames skeletonNames(const std::string& name)
{
    SkeletonNames names;
    names.id = name.find('.') == std::string::npos ? "my." + name : name;
    bool good = names.id.size() <= 100;
    std::string last;
    for (std::size_t begin = 0; begin <= names.id.size();) {
        const std::size_t end = std::min(names.id.find('.', begin), names.id.size());
        last = names.id.substr(begin, end - begin);
        good = good && isLowerWord(last);
        begin = end + 1;
    }
    if (!good)
        throw InputError({}, "'" + name + "' cannot be the name of a plugin",
                         "give lower-case words with dots between, such as studio.waves");
    names.library = names.id;
    std::ranges::replace(names.library, '.', '_');
    names.label = last;
    names.label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(last[0])));
    std::ranges::replace(names.label, '_', ' ');
    return names;
}

std::vector<SkeletonFile> skeleton(const SkeletonNames& names, bool inC)
{
    const std::string source = names.library + (inC ? ".c" : ".cpp");
    const std::pair<std::string, std::string> replacements[] = {
        {"@ID@", names.id},   {"@LIBRARY@", names.library},      {"@LABEL@", names.label},
        {"@SOURCE@", source}, {"@LANGUAGE@", inC ? "C" : "CXX"}, {"@LINK@", inC ? " LINK m" : ""},
    };
    const auto filled = [&](std::string text) {
        for (const auto& [mark, value] : replacements)
            for (std::size_t at; (at = text.find(mark)) != std::string::npos;)
                text.replace(at, mark.size(), value);
        return text;
    };
    return {{"plugin.json", filled(kManifest)},
            {source, filled(inC ? kC : kCpp)},
            {"CMakeLists.txt", filled(kCmake)},
            {"README.md", filled(kReadme)}};
}

} // namespace floe::app
