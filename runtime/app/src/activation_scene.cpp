#include "activation_scene.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

namespace floe::app {

namespace {

constexpr double kDomain = 10; // [m]
constexpr int kShapeKinds = 17;

class SceneMaker {
public:
    SceneMaker(const ActivationSceneSettings& settings, const std::string& name)
        : settings_(settings), name_(name), cell_(kDomain / settings.size), random_(settings.seed)
    {}

    Json make()
    {
        scene_ = {{"floe", 1},
                  {"range", {{"start", 1}, {"end", settings_.frames + 1}, {"fps", 24}}},
                  {"nodes", Json::object()},
                  {"links", Json::array()}};
        add("domain", "floe.domain", {{"size", {kDomain, kDomain, kDomain}}, {"friction", 0.5}});
        add("world", "floe.shape.box",
            {{"size", {kDomain, kDomain, kDomain}}, {"voxelSize", 0.5 * cell_}});
        const bool bed = chance(0.6);
        add("record", "floe.activation.record",
            {{"folder", "samples"},
             {"scene", name_},
             {"split", settings_.split},
             {"lookAhead", settings_.lookAhead},
             {"startsAsleep", bed}});
        add("solver", "floe.mpm.solver", {{"cellSize", cell_}});
        link("domain.domain", "solver.domain");
        link("record.activation", "solver.activation");
        if (bed)
            addBed();
        const int bodies = many(bed ? 8 : 20), obstacles = many(40);
        for (int i = 0; i < bodies; ++i)
            addBody("body" + std::to_string(i), i == 0 && !bed);
        for (int i = 0; i < obstacles; ++i)
            addObstacle("obstacle" + std::to_string(i));
        return std::move(scene_);
    }

private:
    using Vector = std::array<double, 3>;

    // The standard library's distributions may differ between its versions; these do not.
    double uniform(double from, double to)
    {
        return from + (to - from) * (static_cast<double>(random_() >> 11) * 0x1p-53);
    }
    int whole(int from, int to)
    {
        return from + static_cast<int>(random_() % static_cast<std::uint64_t>(to - from + 1));
    }
    /// From 1 to `most`, evenly on a logarithmic scale: what is crowded takes the most time.
    int many(int most) { return static_cast<int>(std::exp(uniform(0, std::log(most + 1.0)))); }
    bool chance(double share) { return uniform(0, 1) < share; }
    Vector vector(double from, double to)
    {
        Vector result{};
        for (double& component : result)
            component = uniform(from, to);
        return result;
    }

    void add(const std::string& name, const char* type, Json parameters)
    {
        scene_["nodes"][name] = {{"type", type}, {"version", 1}, {"parameters", parameters}};
    }
    void link(const std::string& from, const std::string& to)
    {
        scene_["links"].push_back({{"from", from}, {"to", to}});
    }

    /// A simple shape in the unit box.
    std::string part(const char* type, Json parameters)
    {
        const std::string name = prefix_ + "_" + std::to_string(parts_++);
        parameters["voxelSize"] = voxel_;
        add(name, (std::string("floe.shape.") + type).c_str(), std::move(parameters));
        return name;
    }
    std::string combined(const char* type, const std::vector<std::string>& shapes,
                         double smooth = 0)
    {
        const std::string name = part(type, {{"smooth", smooth}});
        for (const std::string& shape : shapes)
            link(shape + ".shape", name + ".shapes");
        return name;
    }
    std::string without(const std::string& shape, const std::vector<std::string>& cuts)
    {
        const std::string name = part("difference", Json::object());
        link(shape + ".shape", name + ".shape");
        for (const std::string& cut : cuts)
            link(cut + ".shape", name + ".cut");
        return name;
    }

    std::string box(double x, double y, double z, double rounding = 0, Vector center = {},
                    Vector rotation = {})
    {
        return part("box", {{"size", {x, y, z}},
                            {"rounding", rounding},
                            {"center", center},
                            {"rotation", rotation}});
    }
    std::string cylinder(double radius, double height, double rounding = 0, Vector center = {},
                         Vector rotation = {})
    {
        return part("cylinder", {{"radius", radius},
                                 {"height", height},
                                 {"rounding", rounding},
                                 {"center", center},
                                 {"rotation", rotation}});
    }
    std::string capsule(double radius, double height, Vector rotation = {}, Vector center = {})
    {
        return part(
            "capsule",
            {{"radius", radius}, {"height", height}, {"center", center}, {"rotation", rotation}});
    }
    std::string sphere(double radius, Vector center = {})
    {
        return part("sphere", {{"radius", radius}, {"center", center}});
    }
    std::string torus(double radius, double tube, Vector center = {}, Vector rotation = {})
    {
        return part(
            "torus",
            {{"radius", radius}, {"tubeRadius", tube}, {"center", center}, {"rotation", rotation}});
    }

    /// One of the seventeen kinds, about one unit long.
    std::string unitShape(int kind)
    {
        switch (kind) {
        case 0:
            return sphere(0.5);
        case 1:
            return box(1, 0.7, 0.8, 0.1);
        case 2:
            return torus(0.36, 0.14);
        case 3:
            return cylinder(0.3, 1, 0.05);
        case 4:
            return capsule(0.22, 0.56);
        case 5: // a slab
            return box(1, 0.2, 1);
        case 6: // a block with holes
            return without(box(0.9, 0.9, 0.9, 0.05),
                           {cylinder(0.22, 1.2), cylinder(0.22, 1.2, 0, {}, {90, 0, 0})});
        case 7: // a stack of rings
            return combined("union", {torus(0.36, 0.13, {0, -0.24, 0}), torus(0.3, 0.13),
                                      torus(0.36, 0.13, {0, 0.24, 0})});
        case 8: // a jack
            return combined("union", {capsule(0.14, 0.7), capsule(0.14, 0.7, {90, 0, 0}),
                                      capsule(0.14, 0.7, {0, 0, 90})});
        case 9: // a star
            return combined("union", {box(1, 0.35, 0.28), box(1, 0.35, 0.28, 0, {}, {0, 60, 0}),
                                      box(1, 0.35, 0.28, 0, {}, {0, 120, 0})});
        case 10: // a bowl
            return without(sphere(0.5), {sphere(0.36), box(1.2, 0.5, 1.2, 0, {0, 0.4, 0})});
        case 11: // a lens
            return combined("intersection",
                            {sphere(0.62, {0, -0.36, 0}), sphere(0.62, {0, 0.36, 0})});
        case 12: // a tube
            return without(cylinder(0.4, 0.9), {cylinder(0.25, 1.2)});
        case 13: { // drops that flow into each other
            std::vector<std::string> drops;
            for (int i = 0; i < 5; ++i)
                drops.push_back(sphere(uniform(0.14, 0.24), vector(-0.28, 0.28)));
            return combined("union", drops, 0.12);
        }
        case 14: { // a rock
            const std::string ball = sphere(0.42);
            const std::string rock = part("noise", {{"amount", 0.1},
                                                    {"wavelength", 0.4},
                                                    {"octaves", 3},
                                                    {"seed", whole(0, 1000000)}});
            link(ball + ".shape", rock + ".shape");
            return rock;
        }
        case 15: // a mug
            return combined("union",
                            {without(cylinder(0.34, 0.8), {cylinder(0.24, 0.8, 0, {0, 0.12, 0})}),
                             torus(0.2, 0.06, {0.36, 0, 0}, {90, 0, 0})});
        default: // a dumbbell
            return combined("union", {capsule(0.12, 0.6), sphere(0.27, {0, -0.34, 0}),
                                      sphere(0.27, {0, 0.34, 0})});
        }
    }

    /// A shape somewhere, inside the domain; gives its node.
    std::string place(const std::string& prefix, bool clipped)
    {
        prefix_ = prefix;
        parts_ = 0;
        const double scale = uniform(0.7, 3.8);
        voxel_ = 0.5 * cell_ / scale;
        const int kinds = kShapeKinds + static_cast<int>(settings_.shapes.size());
        const int kind = whole(0, kinds - 1);
        std::string shape;
        if (kind < kShapeKinds) {
            shape = unitShape(kind);
        } else {
            const auto& file = settings_.shapes[static_cast<std::size_t>(kind - kShapeKinds)];
            const bool volume = file.extension() == ".vdb" || file.extension() == ".nvdb";
            shape = volume ? part("file", {{"path", file.string()}})
                           : part("mesh", {{"path", file.string()}, {"fit", 1}});
        }
        const Vector rotation = vector(0, 360), translation = vector(-kDomain / 2, kDomain / 2);
        voxel_ = 0.5 * cell_;
        const std::string placed =
            part("transform",
                 {{"translation", translation}, {"rotation", rotation}, {"uniformScale", scale}});
        link(shape + ".shape", placed + ".shape");
        return clipped ? combined("intersection", {placed, "world"}) : placed;
    }

    /// Waves of about 100 m/s in the stiffest, whatever the density.
    void addMaterial(const std::string& name)
    {
        constexpr const char* kLaws[] = {"liquid", "snow", "fixedCorotated"};
        const double density = uniform(100, 2000);
        const double young = settings_.stiffness * 1e4 * density * uniform(0.9, 1.1) *
                             std::pow(30.0, -uniform(0, 1));
        add(name, "floe.material",
            {{"law", kLaws[whole(0, 2)]},
             {"name", name},
             {"density", density},
             {"youngModulus", young},
             {"poissonRatio", uniform(0.1, 0.3)},
             {"damping", uniform(0, 0.03)},
             {"viscosity", density * std::pow(10.0, uniform(-4, -0.7))},
             {"bulkModulus", young / 7},
             {"exponent", 7},
             {"snowHardening", uniform(5, 15)}});
    }

    void addEmitter(const std::string& name, const std::string& shape, const Vector& velocity,
                    int startFrame)
    {
        addMaterial(name + "_material");
        add(name, "floe.emitter",
            {{"velocity", velocity},
             {"avoidOverlap", true},
             {"startFrame", startFrame},
             {"seed", whole(0, 1000000)}});
        link(shape + ".shape", name + ".shape");
        link(name + "_material.material", name + ".material");
        link(name + ".emitter", "solver.emitters");
    }

    void addBody(const std::string& name, bool atOnce)
    {
        const std::string shape = place(name, true);
        const double speed = 10 * std::pow(20.0, -uniform(0, 1));
        const int first = atOnce ? 1 : 1 + static_cast<int>(uniform(0, 0.6) * settings_.frames);
        addEmitter(name, shape, vector(-speed, speed), first);
    }

    /// Material that rests on the ground until something hits it.
    void addBed()
    {
        prefix_ = "bed";
        parts_ = 0;
        voxel_ = 0.5 * cell_;
        const double depth = uniform(0.4, 1.6);
        const std::string shape = box(kDomain, depth, kDomain, 0, {0, 0.5 * (depth - kDomain), 0});
        addEmitter("bed", shape, {0, 0, 0}, 1);
    }

    void addObstacle(const std::string& name)
    {
        const std::string shape = place(name, false);
        Json parameters = {{"friction", uniform(0, 1)}, {"particles", "delete"}};
        if (chance(0.2)) {
            // To and fro by up to 2 m, in one to four seconds.
            Json position = Json::array();
            const double period = 24 * uniform(1, 4);
            for (int axis = 0; axis < 3; ++axis) {
                char text[96];
                std::snprintf(text, sizeof text, "%.6g * sin(%.6g * (frame - 1))", uniform(-2, 2),
                              2 * std::numbers::pi / period);
                position.push_back({{"expr", text}});
            }
            parameters["position"] = std::move(position);
            parameters["particles"] = "bounce";
        }
        add(name, "floe.collider", std::move(parameters));
        link(shape + ".shape", name + ".shape");
        link(name + ".collider", "solver.colliders");
    }

    const ActivationSceneSettings& settings_;
    std::string name_;
    double cell_;
    std::mt19937_64 random_;
    Json scene_;
    std::string prefix_;
    int parts_ = 0;
    double voxel_ = 0;
};

} // namespace

Json activationScene(const ActivationSceneSettings& settings, const std::string& name)
{
    return SceneMaker(settings, name).make();
}

} // namespace floe::app
