#pragma once

#include "floe/base/json.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/data/volume.hpp"
#include "floe/plugin/cook_context.hpp"
#include "floe/plugin/loaded_plugin.hpp"
#include "floe/plugin/node_instance.hpp"
#include "floe/sdk/records.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace floe::test {

using Vec = std::array<double, 3>;

/// A parameter as a function of the frame; constants convert.
class Setting {
public:
    Setting(double value) : at_([value](double) { return plugin::Parameter(value); }) {}
    Setting(int value) : at_([value](double) { return plugin::Parameter(std::int64_t{value}); }) {}
    Setting(bool value) : at_([value](double) { return plugin::Parameter(value); }) {}
    Setting(const char* value)
        : at_([text = std::string(value)](double) { return plugin::Parameter(text); })
    {}
    Setting(const std::string& value) : Setting(value.c_str()) {}
    Setting(const Vec& value) : at_([value](double) { return plugin::Parameter(value); }) {}
    Setting(std::function<plugin::Parameter(double)> at) : at_(std::move(at)) {}
    plugin::Parameter at(double frame) const { return at_(frame); }

private:
    std::function<plugin::Parameter(double)> at_;
};

/// A parameter that changes with the frame.
inline Setting animated(std::function<plugin::Parameter(double)> at)
{
    return Setting(std::move(at));
}

/// What a node gets, and what it gave.
struct CookedNode : plugin::Environment {
    std::map<std::string, Setting, std::less<>> settings; ///< on top of the manifest's defaults
    std::map<std::string, std::vector<ValueRef>, std::less<>> links;

    std::map<std::string, ValueRef, std::less<>> outputs;
    std::vector<std::string> warnings;

    std::optional<plugin::Parameter> parameter(std::string_view name, double frame) override
    {
        const auto found = settings.find(name);
        if (found == settings.end())
            return {};
        return found->second.at(frame);
    }
    std::span<const ValueRef> inputs(std::string_view socket) override
    {
        const auto found = links.find(socket);
        if (found == links.end())
            return {};
        return found->second;
    }
    bool setOutput(std::string_view socket, ValueRef value) override
    {
        outputs.insert_or_assign(std::string(socket), std::move(value));
        return true;
    }
    void message(std::int32_t level, const std::string& text) override
    {
        if (level == FLOE_LEVEL_WARNING)
            warnings.push_back(text);
    }

    const VolumeValue& shape() const { return expect<VolumeValue>(outputs.at("shape")); }
    ValueRef output(const std::string& name) const { return outputs.at(name); }
    const RecordValue& record(const std::string& name) const
    {
        return expect<RecordValue>(outputs.at(name));
    }
};

using Settings = std::map<std::string, Setting, std::less<>>;
using Links = std::map<std::string, std::vector<ValueRef>, std::less<>>;

/// Loads the built plugin that has a node type and cooks one node of it: settings over the
/// manifest's defaults. @throws what the node fails with
CookedNode cook(const std::string& type, const Settings& settings = {}, const Links& links = {},
                double frame = 1);

/// A solver, frame by frame.
class RunningNode {
public:
    RunningNode(const std::string& type, const Settings& settings = {});
    /// @throws what the node fails with
    CookedNode cook(const Links& links, double frame, bool start = false);
    std::string save();
    void load(const std::string& state);

private:
    Settings settings_;
    plugin::NodeInstance node_;
};

/// Makes particles of two materials: (1, 0, 0) where `first` says so, (0, 1, 0.5) elsewhere.
inline void giveTwoMaterials(ParticlesValue& particles,
                             const std::function<bool(std::size_t)>& first)
{
    const auto material = particles.add<std::uint32_t>("material", 1);
    for (std::size_t i = 0; i < material.size(); ++i)
        material[i] = first(i) ? 0 : 1;
    const auto record = [](const Vec& colour) {
        auto made = make<RecordValue>("material");
        made->setField("color", make<VectorValue>(colour));
        return made;
    };
    auto materials = make<RecordValue>("materials");
    materials->setField("0", record({1, 0, 0}));
    materials->setField("1", record({0, 1, 0.5}));
    particles.setField("materials", materials);
}

/// Cooks a shape and gives its level set.
inline ValueRef shape(const std::string& type, const Settings& settings = {},
                      const Links& links = {})
{
    return cook(type, settings, links).output("shape");
}

/// Signed distances of a volume, at world positions.
class Distances {
public:
    explicit Distances(ValueRef volume);
    double at(const Vec& position) const;
    Vec gradient(const Vec& position) const;
    double voxelSize() const;
    double background() const;
    bool mayMeetSurface(const Vec& center, double radius) const;
    /// Volume [m^3] of the inside, by the share of each cell of edge `cell` that is inside.
    double insideVolume(double cell) const;

private:
    ValueRef volume_;
};

/// Asks an emitter record for the particles of a frame; null when there are none.
struct EmissionRequest {
    double cellSize = 0.05;
    double frame = 1;
    bool start = true;
    double fps = 24;
    const floe_emission_region* region = nullptr;
};
Ref<const ParticlesValue> emit(const ValueRef& emitter, const EmissionRequest& request);

/// Volume that a mesh encloses; negative when it is inside out.
double meshVolume(const MeshValue& mesh);
/// Number of edges that do not have exactly one triangle on each side.
std::size_t openEdges(const MeshValue& mesh);

/// A ball of triangles, closed; `holes` triangles around the first points are left out.
Ref<MeshValue> ballMesh(double radius, int rings, int leftOut = 0);

/// Makes read_mesh, read_volume, read_image and read_particles give these values for these paths.
void serveFiles(std::map<std::string, ValueRef> files);

} // namespace floe::test
