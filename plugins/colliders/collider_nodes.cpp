#include "surface_velocity.hpp"

#include "floe/sdk/file_pattern.hpp"
#include "floe/sdk/io.h"
#include "floe/sdk/level_set.hpp"
#include "floe/sdk/motion_track.hpp"
#include "floe/sdk/node.hpp"

#include <cmath>
#include <filesystem>
#include <string>
#include <system_error>

namespace floe::colliders {

namespace {

/// Returns the shape's pose at a frame: rotated and scaled about the pivot, then moved.
floe_transform_key poseAt(const sdk::Context& context, double frame)
{
    const sdk::Vector position = context.vector("position", frame);
    const sdk::Vector pivot = context.vector("pivot", frame);
    const sdk::Quaternion q = sdk::fromEuler(context.vector("rotation", frame));
    floe_transform_key key{frame, {}, {q[0], q[1], q[2], q[3]}, context.number("scale", frame)};
    const sdk::Vector turned = sdk::toWorld(key, pivot);
    for (std::size_t axis = 0; axis < 3; ++axis)
        key.position[axis] = position[axis] + pivot[axis] - turned[axis];
    return key;
}

/// Returns the motion over the step that ends at this frame.
sdk::Value motionOf(const sdk::Context& context)
{
    const sdk::Value parent = context.input("transform");
    return sdk::makeTransform(
        sdk::motionTrack(context.frame() - 1, context.frame(), [&](double frame) {
            const floe_transform_key own = poseAt(context, frame);
            return parent ? sdk::compose(sdk::interpolate(parent.transform(), frame), own) : own;
        }));
}

void requireDistances(const sdk::Value& volume, const std::string& name)
{
    const sdk::LevelSet levelSet(volume.volume());
    if (!levelSet.valid())
        throw sdk::Failure(name + " is not a grid of distances", FLOE_WRONG_KIND);
}

/// Makes the fields common to all colliders.
sdk::Value commonRecord(const sdk::Context& context)
{
    sdk::Value record = sdk::makeRecord("collider");
    record.set("transform", motionOf(context));
    record.set("contact", sdk::makeString(context.string("contact")));
    record.set("friction", sdk::makeNumber(context.number("friction")));
    record.set("color", sdk::makeVector(context.vector("color")));
    return record;
}

/// Makes those of the colliders that are level sets.
sdk::Value colliderRecord(const sdk::Context& context, const sdk::Value& shape)
{
    sdk::Value record = commonRecord(context);
    record.set("shape", shape);
    record.set("particles", sdk::makeString(context.string("particles")));
    if (const sdk::Value mesh = context.input("mesh"))
        record.set("mesh", mesh);
    return record;
}

} // namespace

class ColliderNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.collider";

    void cook(sdk::Context& context) override
    {
        const sdk::Value shape = context.input("shape");
        requireDistances(shape, "input 'shape'");
        context.setOutput("collider", colliderRecord(context, shape));
    }
};

/// Triangles that have two sides and need no inside.
class MeshColliderNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.collider.mesh";

    void cook(sdk::Context& context) override
    {
        const sdk::Value linked = context.input("mesh");
        const sdk::Value mesh = linked ? linked : read(context);
        if (mesh.mesh().triangle_count == 0)
            throw sdk::Failure("the mesh has no triangles", FLOE_BAD_ARGUMENT);
        sdk::Value record = commonRecord(context);
        record.set("surface", mesh);
        record.set("mesh", mesh);
        context.setOutput("collider", record);
    }

private:
    /// The same value from frame to frame while the file stays as it is: solvers sort its
    /// triangles only once.
    sdk::Value read(const sdk::Context& context)
    {
        const std::string path = context.string("path");
        if (path.empty())
            throw sdk::Failure("link a mesh, or set 'path' to a mesh file", FLOE_BAD_ARGUMENT);
        std::error_code none;
        const auto changed = std::filesystem::last_write_time(path, none);
        if (read_ && path == path_ && changed == changed_)
            return read_;
        const auto& io = context.extension<floe_io>(FLOE_IO_EXTENSION);
        floe_value* mesh = nullptr;
        sdk::Context::require(io.read_mesh(context.raw(), path.c_str(), &mesh));
        read_ = sdk::Value::own(mesh);
        path_ = path;
        changed_ = changed;
        return read_;
    }

    sdk::Value read_;
    std::string path_;
    std::filesystem::file_time_type changed_;
};

/// Level sets from numbered files; the solver interpolates between frames.
class DeformingColliderNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.collider.deforming";

    void cook(sdk::Context& context) override
    {
        const double now = context.frame();
        const std::string grid = context.string("grid");
        const sdk::Value from = read(context, fileAt(context, now - 1), grid);
        const sdk::Value to = read(context, fileAt(context, now), grid);
        requireDistances(from, "file '" + fileAt(context, now - 1) + "'");
        requireDistances(to, "file '" + fileAt(context, now) + "'");

        sdk::Value record = colliderRecord(context, from);
        record.set("nextShape", to);
        const std::string velocityGrid = context.string("velocityGrid");
        if (velocityGrid.empty()) {
            record.set("velocity", surfaceVelocity(from, to, context.fps()));
        } else {
            const sdk::Value velocity = read(context, fileAt(context, now), velocityGrid);
            if (!sdk::VectorField(velocity.volume()).valid())
                throw sdk::Failure("grid '" + velocityGrid + "' in '" + fileAt(context, now) +
                                       "' holds no vectors",
                                   FLOE_WRONG_KIND);
            record.set("velocity", velocity);
        }
        context.setOutput("collider", record);
    }

private:
    static std::string fileAt(const sdk::Context& context, double frame)
    {
        auto number = static_cast<int64_t>(std::floor(frame + context.number("frameOffset") + 0.5));
        const int64_t first = context.integer("first"), last = context.integer("last");
        number = number < first ? first : last >= first && number > last ? last : number;
        return sdk::numberedPath(context.string("path"), number);
    }

    static sdk::Value read(const sdk::Context& context, const std::string& path,
                           const std::string& grid)
    {
        const auto& io = context.extension<floe_io>(FLOE_IO_EXTENSION);
        floe_value* volume = nullptr;
        sdk::Context::require(io.read_volume(context.raw(), path.c_str(), grid.c_str(), &volume));
        return sdk::Value::own(volume);
    }
};

} // namespace floe::colliders

FLOE_PLUGIN("floe.colliders", "0.1.0", floe::colliders::ColliderNode,
            floe::colliders::MeshColliderNode, floe::colliders::DeformingColliderNode)
