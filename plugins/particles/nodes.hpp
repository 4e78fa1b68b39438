#pragma once

#include "passive_particles.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/world/particle_binding.hpp"

#include <memory>

/// The node types of this plugin, one class each; parameters and sockets are in plugin.json.
#define FLOE_PARTICLES_NODE(Class, Type)                                                           \
    class Class final : public sdk::Node {                                                         \
    public:                                                                                        \
        static constexpr const char* kType = Type;                                                 \
        void cook(sdk::Context& context) override;                                                 \
    };

namespace floe::particles {

// file_nodes.cpp
FLOE_PARTICLES_NODE(FileNode, "floe.particles.file")
FLOE_PARTICLES_NODE(SequenceNode, "floe.particles.sequence")

// emitter_node.cpp
FLOE_PARTICLES_NODE(EmitterNode, "floe.emitter.particles")

// merge_node.cpp
FLOE_PARTICLES_NODE(MergeNode, "floe.particles.merge")

// expression_nodes.cpp
FLOE_PARTICLES_NODE(FilterNode, "floe.particles.filter")
FLOE_PARTICLES_NODE(AttributeNode, "floe.particles.attribute")

// blur_node.cpp
FLOE_PARTICLES_NODE(BlurNode, "floe.particles.blur")

/// A mesh that follows particles; keeps the binding that it makes at its rest frame.
class DeformedMeshNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.mesh.deform";
    void cook(sdk::Context& context) override;
    void save(sdk::Context& context, sdk::Writer& writer) override;
    void load(sdk::Context& context, sdk::Reader& reader) override;

private:
    std::unique_ptr<sdk::world::ParticleBinding> binding_; ///< none before the rest frame
    std::vector<uint32_t> triangles_;                      ///< of the mesh that is bound
};

/// Particles that go with those of a simulation; keeps them from frame to frame.
class PassiveNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.passive";
    void cook(sdk::Context& context) override;
    void save(sdk::Context& context, sdk::Writer& writer) override;
    void load(sdk::Context& context, sdk::Reader& reader) override;

private:
    PassiveParticles passive_;
};

} // namespace floe::particles

#undef FLOE_PARTICLES_NODE
