#include "body_record.hpp"

#include "bodies/fracture.hpp"

#include "floe/sdk/motion.hpp"
#include "floe/sdk/world/records.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>

namespace floe::pbd {

double numberWithin(const sdk::Value& record, const char* name, double low, double high,
                    const std::string& of)
{
    const double value = record.require(name).number();
    if (value >= low && value <= high)
        return value;
    char text[128];
    std::snprintf(text, sizeof text, "%s is %.6g, must be between %.6g and %.6g", name, value, low,
                  high);
    throw sdk::Failure(of + ": " + text, FLOE_BAD_ARGUMENT);
}

void readFriction(Material& material, const sdk::Value& record, const std::string& of)
{
    material.staticFriction = static_cast<float>(numberWithin(record, "friction", 0, 100, of));
    material.kineticFriction =
        static_cast<float>(numberWithin(record, "slidingFriction", 0, 100, of));
    if (record.field("restitution"))
        material.restitution = static_cast<float>(numberWithin(record, "restitution", 0, 1, of));
}

Mat3d rotationOf(const Vec3d& degrees)
{
    const sdk::Quaternion q = sdk::fromEuler({degrees.x, degrees.y, degrees.z});
    Mat3d R;
    for (int axis = 0; axis < 3; ++axis)
        R.setColumn(axis,
                    sdk::world::rotate(q.data(), Vec3d{axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0,
                                                       axis == 2 ? 1.0 : 0}));
    return R;
}

BodyDescription::BodyDescription(const sdk::Value& record)
{
    const std::string of = "body '" + record.require("name").string() + "'";
    material.kind = Material::Kind::body;
    material.density = static_cast<float>(numberWithin(record, "density", 1e-3, 1e6, of));
    readFriction(material, record, of);
    shape.voxel = numberWithin(record, "voxel", 1e-6, 1e6, of);
    shape.density = material.density;
    const double merge = numberWithin(record, "merge", 0, 1000, of);
    shape.mergeThreshold = merge > 0 ? -merge : -INFINITY;
    soft = record.require("soft").boolean();
    shape.skinned = soft;
    frequency = static_cast<float>(numberWithin(record, "frequency", 1e-3, 1e6, of));
    damping = static_cast<float>(numberWithin(record, "damping", 0, 1e6, of));
    if (record.field("regions") && soft)
        shape.regions = static_cast<int>(numberWithin(record, "regions", 1, 32, of));
    if (record.field("pieces") && !soft) {
        constexpr double kMaxPieces = 10000;
        shape.pieces = static_cast<int>(numberWithin(record, "pieces", 0, kMaxCells, of));
        shape.generations =
            static_cast<int>(numberWithin(record, "generations", 1, PieceOf::kMaxDepth, of));
        shape.seed = static_cast<std::uint64_t>(numberWithin(record, "seed", 0, 1e9, of));
        strength = static_cast<float>(numberWithin(record, "strength", 0, 1e6, of));
        if (std::pow(shape.pieces, shape.generations) > kMaxPieces)
            throw sdk::Failure(of + ": " + std::to_string(shape.pieces) +
                                   " pieces that break again are more than 10000; choose fewer "
                                   "pieces or generations",
                               FLOE_BAD_ARGUMENT);
        if (shape.pieces < 2 && !record.field("parts"))
            strength = INFINITY;
    }
    const auto vector = [&](const char* name) {
        return sdk::world::vectorOf(record, name);
    };
    const Vec3d position = vector("position"), degrees = vector("rotation");
    const Vec3d spacing = vector("spacing"), copies = vector("copies"), spin = vector("spin");
    Scene::Placed placed;
    placed.R = rotationOf(degrees);
    placed.v = vector("velocity");
    placed.spin = (3.14159265358979323846 / 180) * spin;
    double many = 1;
    for (int axis = 0; axis < 3; ++axis)
        many *= copies[axis] >= 1 ? std::floor(copies[axis]) : 1;
    if (!(many <= kMaxCopies))
        throw sdk::Failure(of + ": more than 100000 copies; choose fewer", FLOE_BAD_ARGUMENT);
    const auto along = [&](int axis) {
        return std::max(1, static_cast<int>(copies[axis]));
    };
    for (int z = 0; z < along(2); ++z)
        for (int y = 0; y < along(1); ++y)
            for (int x = 0; x < along(0); ++x) {
                placed.x = position + Vec3d{x * spacing.x, y * spacing.y, z * spacing.z};
                places.push_back(placed);
            }
}

std::shared_ptr<const RestBody> BodyDescription::makeRest(const sdk::Value& record,
                                                          sdk::parallel::Executor& executor) const
{
    const auto trianglesOf = [](const floe_mesh& mesh) {
        return Triangles{{mesh.points, std::size_t{3} * mesh.point_count},
                         {mesh.triangles, std::size_t{3} * mesh.triangle_count}};
    };
    BodySettings settings = shape;
    Triangles parts;
    const sdk::Value given = soft ? sdk::Value() : record.field("parts");
    if (given) {
        parts = trianglesOf(given.mesh());
        settings.parts = &parts;
    }
    try {
        return std::make_shared<RestBody>(
            makeRestBody(trianglesOf(record.require("mesh").mesh()), settings, executor));
    } catch (const std::invalid_argument& e) {
        throw sdk::Failure("body '" + record.require("name").string() + "': " + e.what(),
                           FLOE_BAD_ARGUMENT);
    }
}

Material materialOf(const sdk::Value& record)
{
    const std::string of = "material '" + record.require("name").string() + "'";
    const std::string law = record.require("law").string();
    Material material;
    material.density = static_cast<float>(numberWithin(record, "density", 1e-3, 1e6, of));
    if (law == "grains") {
        readFriction(material, record.require("parameters"), of);
    } else if (law == "positionLiquid") {
        material.kind = Material::Kind::liquid;
        material.staticFriction = material.kineticFriction = 0;
        const sdk::Value parameters = record.require("parameters");
        const auto number = [&](const char* name) {
            return static_cast<float>(numberWithin(parameters, name, 0, 1e6, of));
        };
        material.viscosity = number("viscosity");
        material.smoothing = number("smoothing");
        if (parameters.field("vorticity"))
            material.vorticity = number("vorticity");
        if (parameters.field("surfaceTension"))
            material.surfaceTension = number("surfaceTension");
        if (parameters.field("contactAngle")) {
            const double angle = numberWithin(parameters, "contactAngle", 30, 180, of);
            material.wetting =
                angle < 180
                    ? static_cast<float>(0.5 + 0.5 * std::cos(angle * std::numbers::pi / 180))
                    : 0;
        }
    } else if (law == "liquid") { // of the material point method
        material.kind = Material::Kind::liquid;
        material.staticFriction = material.kineticFriction = 0;
        material.smoothing = 5;
        const sdk::Value parameters = record.require("parameters");
        if (parameters.field("viscosity"))
            material.viscosity =
                static_cast<float>(numberWithin(parameters, "viscosity", 0, 1e6, of));
    }
    return material;
}

} // namespace floe::pbd
