#pragma once

#include "temporary_folder.hpp"

#include "floe/base/json.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/document.hpp"
#include "floe/graph/node_type.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace floe::graph {

/// A plugin with one node of each shape that the checks tell apart.
inline const char* const kSampleManifest = R"json({
  "format": 1, "id": "test.nodes", "version": "1.2.0", "label": "Test", "vendor": "Floe",
  "license": "Apache-2.0", "abi": {"major": 1, "minor": 0}, "library": "test_nodes",
  "nodes": [
    {"type": "test.sphere", "version": 1, "label": "Sphere", "category": "Shapes",
     "aliases": ["ball"], "help": "A ball.", "role": "value",
     "backends": {"cpu": true, "cuda": "none"},
     "parameters": [
       {"name": "radius", "type": "float", "default": 0.5, "min": 0, "max": 1000, "unit": "m",
        "label": "Radius", "help": "Of the ball."},
       {"name": "center", "type": "vector", "default": [0, 1, 0], "unit": "m"},
       {"name": "color", "type": "colour", "default": [1, 1, 1], "min": 0},
       {"name": "count", "type": "int", "default": 3, "min": 1, "max": 64},
       {"name": "smooth", "type": "bool", "default": true},
       {"name": "mode", "type": "choice", "default": "stick",
        "choices": [{"value": "stick"}, {"value": "slip", "label": "Slip"}]},
       {"name": "title", "type": "string", "default": ""},
       {"name": "output", "type": "string", "widget": "output", "default": "a.%04d.vdb"},
       {"name": "image", "type": "path", "default": ""},
       {"name": "fixed", "type": "float", "default": 1, "animatable": false},
       {"name": "voxelSize", "type": "float", "default": 0, "min": 0,
        "automatic": {"follows": "cellSize", "times": 0.5, "otherwise": 0.02}}],
     "outputs": [{"name": "shape", "kind": "volume"}],
     "presets": [{"name": "big", "label": "Big", "values": {"radius": 10}}]},
    {"type": "test.union", "version": 1, "category": "Shapes",
     "inputs": [{"name": "a", "kind": "volume", "required": true},
                {"name": "b", "kind": "volume"}],
     "outputs": [{"name": "shape", "kind": "volume"}]},
    {"type": "test.snow", "version": 1, "category": "Materials",
     "parameters": [{"name": "poissonRatio", "type": "float", "default": 0.2, "min": 0,
                     "max": 0.49}],
     "outputs": [{"name": "material", "kind": "material"}]},
    {"type": "test.emitter", "version": 2, "category": "Emitters",
     "parameters": [{"name": "density", "type": "float", "default": 400, "min": 0},
                    {"name": "jitter", "type": "float", "default": 1}],
     "inputs": [{"name": "shape", "kind": ["volume", "mesh"], "required": true},
                {"name": "material", "kind": "material"}],
     "outputs": [{"name": "emitter", "kind": "emitter"}],
     "upgrades": [{"from": 1, "renameParameters": {"rho": "density"},
                   "renameInputs": {"geometry": "shape"}, "defaults": {"jitter": 0}}]},
    {"type": "test.solver", "version": 1, "category": "Solvers", "role": "solver",
     "parameters": [{"name": "cellSize", "type": "float", "default": 0.1, "animatable": false}],
     "inputs": [{"name": "emitters", "kind": "emitter", "multiple": true}],
     "outputs": [{"name": "particles", "kind": "particles"}]}
  ]})json";

inline TypeLibrary sampleTypes()
{
    TypeLibrary types;
    for (const Fault& fault :
         types.addManifest(parseJson(kSampleManifest, "plugin.json"), "/plugins/test/plugin.json"))
        ADD_FAILURE() << fault.text();
    return types;
}

/// A document of the given entries: `document(R"("nodes": {...})")`.
inline Document document(const std::string& entries, const std::string& path = "t.floe.json")
{
    return Document::parse("{\"floe\": 1, " + entries + "}", path);
}

inline std::vector<Fault> faultsOf(const std::string& entries)
{
    return check(document(entries), sampleTypes());
}

/// The texts, one a line: what a person sees.
inline std::string texts(const std::vector<Fault>& faults)
{
    std::string result;
    for (const Fault& fault : faults)
        result += fault.text() + "\n";
    return result;
}

using test::TemporaryFolder;

} // namespace floe::graph
