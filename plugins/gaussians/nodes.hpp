#pragma once

#include "moved_value.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/world/particle_binding.hpp"

#include <memory>

namespace floe::gaussians {

/// Reads Gaussians from a file, checks, moves and crops them.
class GaussiansFile final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.file";
    void cook(sdk::Context& context) override;
};

/// Reads Gaussians from a numbered file for every frame, as GaussiansFile does.
class GaussianSequence final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.sequence";
    void cook(sdk::Context& context) override;
};

/// Covers a mesh with flat Gaussians.
class GaussiansFromMesh final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.mesh";
    void cook(sdk::Context& context) override;
};

/// Parts a set in two by place, opacity and size.
class SelectGaussians final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.select";
    void cook(sdk::Context& context) override;
};

/// Adds Gaussians to the inside of a set.
class FillGaussians final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.fill";
    void cook(sdk::Context& context) override;
};

/// Splits or shortens what is too long.
class BoundSpikes final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.spikes";
    void cook(sdk::Context& context) override;
};

/// Gives Gaussians to a solver as particles.
class GaussianEmitter final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.emitter";
    void cook(sdk::Context& context) override;
};

/// Bends and twists points and a mesh with a lattice, as particles that Gaussians can follow.
class LatticeNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.lattice";
    void cook(sdk::Context& context) override;
};

/// Moves Gaussians with the particles that an emitter made of them.
class DeformGaussians final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.deform";
    void cook(sdk::Context& context) override;

private:
    RestingGaussians rest_;
};

/// Moves Gaussians with the nearest particles of any solver, bound at a rest frame.
class FollowParticles final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.follow";
    void cook(sdk::Context& context) override;
    void save(sdk::Context& context, sdk::Writer& writer) override;
    void load(sdk::Context& context, sdk::Reader& reader) override;

private:
    RestingGaussians rest_;
    std::unique_ptr<sdk::world::ParticleBinding> binding_; ///< none before the rest frame
};

/// Writes Gaussians, one file a frame.
class WriteGaussians final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.gaussians.write";
    void cook(sdk::Context& context) override;
    void finish(sdk::Context& context) override;
};

} // namespace floe::gaussians
