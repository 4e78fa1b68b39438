#pragma once

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <string>

namespace floe::output {

/// Base of nodes that write one file per frame: at the end all of them must exist.
class Export : public sdk::Node {
public:
    void finish(sdk::Context& context) override;
};

/// Writes particles, one file per frame, or one of each rank and an index.
class ExportParticles final : public Export {
public:
    static constexpr const char* kType = "floe.output.particles";
    void cook(sdk::Context& context) override;
    void finish(sdk::Context& context) override;
};

/// Writes a mesh, one file per frame.
class ExportMesh final : public Export {
public:
    static constexpr const char* kType = "floe.output.mesh";
    void cook(sdk::Context& context) override;
};

/// Writes a volume, one file per frame.
class ExportVolume final : public Export {
public:
    static constexpr const char* kType = "floe.output.volume";
    void cook(sdk::Context& context) override;
};

/// Writes what a camera sensor's pixels show as COCO labels, one file per frame, joined at the end.
class ExportCoco final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.output.coco";
    void cook(sdk::Context& context) override;
    void finish(sdk::Context& context) override;
};

/// Draws one picture per frame and joins them into a movie at the end.
class Render final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.output.render";
    void cook(sdk::Context& context) override;
    void finish(sdk::Context& context) override;
};

/// Makes a record "camera".
class Camera final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.camera";
    void cook(sdk::Context& context) override;
};

/// Makes a record "light".
class Light final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.light";
    void cook(sdk::Context& context) override;
};

} // namespace floe::output
