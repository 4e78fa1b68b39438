#pragma once

#include "layout.hpp"
#include "linear.hpp"

#include <vector>

namespace floe::render {

/// A scene's particles and meshes on the device. Buffers are kept between pictures: the same place
/// of the scene uses the same buffers.
class Geometry {
public:
    explicit Geometry(std::shared_ptr<Device> device) : device_(std::move(device)) {}

    /// Computes the bounds of everything (cheap; reads positions, not the device).
    void measure(const Scene& scene);
    /// Returns the bounds of shadow casters in the world; empty without any.
    const Bounds& bounds() const { return bounds_; }
    const Bounds& particleBounds() const { return particleBounds_; }
    const Bounds& clearBounds() const { return clearBounds_; } ///< with a margin for smoothing
    float maxRadius() const { return maxRadius_; }

    /// Copies changed data to the device.
    void upload(const Scene& scene);
    /// Makes the descriptors for one picture; after Layout::reset().
    void describe(const Scene& scene, Layout& layout);

    /// One draw call per set that has such particles.
    enum class Part { All, Opaque, Skin, Volume, ClearShadow };
    void drawParticles(VkCommandBuffer commands, VkPipelineLayout layout, Part part) const;
    /// Picture: opaque ones, with their looks; Shadow: those of them that cast one; Clear: the
    /// others, with what they absorb; Visibility: all, with their numbers among all that is drawn,
    /// which go on after those of the particle sets.
    enum class MeshUse { Picture, Shadow, Clear, Visibility };
    void drawMeshes(VkCommandBuffer commands, VkPipelineLayout layout, const Scene& scene,
                    MeshUse use) const;
    std::uint64_t particleCount() const { return particleCount_; }
    std::uint64_t opaqueCount() const { return opaqueCount_; } ///< sets with opaque particles
    bool hasParticles() const { return opaqueCount_ > 0; }     ///< opaque ones
    bool hasClear() const { return clearRadius_ > 0; }
    float clearRadius() const { return clearRadius_; } ///< maximum over clear particles [m]
    bool hasMeshes() const { return !meshes_.empty(); }
    bool hasClearMeshes() const { return hasClearMeshes_; }
    bool hasAnyClear() const { return hasClear() || hasClearMeshes_; }

private:
    struct SetBuffers {
        GrowingBuffer positions, indices, scalars, ids;
        GrowingBuffer table{VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT};
        Bounds bounds = kNoBounds;
        std::uint64_t revision = 0;
        std::uint64_t count = 0;
        ColourBy colourBy = ColourBy::Constant;
        bool hasIds = false;
        bool hasOpaque = false;
        bool hasClear = false;
        bool holds(const ParticleSet& set) const; // compares its revision
    };
    struct MeshBuffers {
        GrowingBuffer vertices{VK_BUFFER_USAGE_VERTEX_BUFFER_BIT};
        Bounds bounds = kNoBounds; // before the transform
        std::uint64_t revision = 0;
        std::uint32_t vertexCount = 0;
        bool stale = true;
    };
    /// Push constants of shaders/particles.glsl.
    struct SetConstants {
        float radius;
        std::uint32_t colourBy, lastLook, flags;
        float low, scale;
        std::uint32_t first;
        std::uint32_t every;
        std::uint32_t object;
    };
    struct Draw {
        VkDescriptorSet set;
        SetConstants constants;
        std::uint32_t vertices;
        bool hasOpaque, hasClear;
    };
    void uploadSet(const ParticleSet& set, SetBuffers& buffers, bool clear);

    std::shared_ptr<Device> device_;
    Buffer staging_;
    std::vector<SetBuffers> sets_;
    std::vector<MeshBuffers> meshes_;
    std::vector<Draw> draws_;
    Bounds bounds_ = kNoBounds;
    Bounds particleBounds_ = kNoBounds;
    Bounds clearBounds_ = kNoBounds;
    float maxRadius_ = 0;
    float clearRadius_ = 0;
    bool hasClearMeshes_ = false;
    std::uint64_t particleCount_ = 0;
    std::uint64_t opaqueCount_ = 0;
};

} // namespace floe::render
