#include "debris_node.hpp"

#include "node_values.hpp"
#include "shards.hpp"

#include "floe/sdk/time_scale.hpp"
#include "floe/sdk/world/obstacles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::secondary {

namespace {

DebrisSettings settingsOf(sdk::Context& context)
{
    DebrisSettings settings;
    settings.share = context.number("share");
    settings.start = context.number("start");
    settings.full = context.number("full");
    settings.sizes.smallest = context.number("smallest");
    settings.sizes.largest = std::max(context.number("largest"), settings.sizes.smallest);
    settings.sizes.exponent = context.number("fineness");
    settings.burst = context.number("burst");
    settings.spin = 2 * std::numbers::pi * context.number("spin");
    settings.lifetime = context.number("lifetime");
    settings.drag = context.number("drag");
    settings.bounce = context.number("bounce");
    settings.friction = context.number("friction");
    settings.gravity = context.vector("gravity");
    settings.seed = static_cast<uint64_t>(context.integer("seed"));
    settings.maximumCount = static_cast<uint64_t>(context.integer("maximumCount"));
    return settings;
}

Debris::Solid solidOf(const sdk::Value& particles, const std::string& damage)
{
    Debris::Solid body{bodyOf(particles), {}, {}};
    body.damage = particles.attribute<float>(damage.c_str(), 1);
    body.volume = particles.attribute<float>("volume", 1);
    if (particles.particleCount() > 0 && body.damage.empty())
        throw sdk::Failure("input 'particles' has no attribute '" + damage +
                               "' with one number per particle; name another one in 'damage', or "
                               "make it with Attribute expression",
                           FLOE_WRONG_KIND);
    if (particles.particleCount() > 0 && body.volume.empty())
        throw sdk::Failure("input 'particles' has no volume, which says how much breaks",
                           FLOE_WRONG_KIND);
    return body;
}

sdk::Value meshOf(const std::vector<Chip>& chips, const sdk::Vector& colour)
{
    const Shards shards = shardsOf(chips);
    std::vector<float> colours(shards.points.size());
    for (std::size_t i = 0; i < colours.size(); ++i)
        colours[i] = static_cast<float>(colour[i % 3]);
    floe_mesh mesh{};
    mesh.struct_size = sizeof mesh;
    mesh.point_count = static_cast<uint32_t>(shards.points.size() / 3);
    mesh.points = shards.points.data();
    mesh.triangle_count = static_cast<uint32_t>(shards.triangles.size() / 3);
    mesh.triangles = shards.triangles.data();
    mesh.velocities = shards.velocities.data();
    mesh.colours = colours.data();
    return sdk::made(sdk::host().values->make_mesh(&mesh));
}

} // namespace

void DebrisNode::cook(sdk::Context& context)
{
    const sdk::Value particles = context.input("particles");
    const Debris::Solid body = solidOf(particles, context.string("damage"));
    if (context.isStart())
        debris_ = {};
    if (!body.id.empty()) {
        DebrisSettings settings = settingsOf(context);
        const sdk::world::Obstacles obstacles(context.inputs("colliders"), context.input("domain"),
                                              context.frame());
        settings.domain = obstacles.domain();
        const Debris::Tally tally = debris_.step(
            body, settings, std::llround(context.frame()),
            context.number("timeScale") / context.fps(),
            [&](Point& at, double radius, const auto& struck) {
                return obstacles.pushOut(at, radius, struck) || !obstacles.at(at);
            },
            [&](uint64_t count, uint64_t grain,
                const std::function<void(uint64_t, uint64_t)>& part) {
                context.parallelFor(count, grain, part);
            });
        context.statistic("born", static_cast<double>(tally.born));
        context.statistic("ended", static_cast<double>(tally.ended));
        context.statistic("brokenVolume", debris_.brokenVolume());
        if (tally.leftOut > 0 && !hasWarned_) {
            context.warn("there are as many chips as 'maximumCount' allows; later ones are left "
                         "out");
            hasWarned_ = true;
        }
    }
    context.statistic("particles", static_cast<double>(debris_.chips().size()));
    output(context);
}

void DebrisNode::save(sdk::Context&, sdk::Writer& writer)
{
    writer.value(debris_.bornSoFar());
    writer.array(debris_.chips());
    writer.array(debris_.broken());
}

void DebrisNode::load(sdk::Context&, sdk::Reader& reader)
{
    const auto born = reader.value<uint64_t>();
    std::vector<Chip> chips = reader.array<Chip>();
    debris_.restore(std::move(chips), reader.array<Broken>(), born);
}

void DebrisNode::output(sdk::Context& context) const
{
    const std::vector<Chip>& chips = debris_.chips();
    sdk::Value particles = sdk::makeParticles(chips.size());
    const auto x = particles.addAttribute<float>("x", 3);
    const auto v = particles.addAttribute<float>("v", 3);
    const auto id = particles.addAttribute<uint64_t>("id", 1);
    const auto material = particles.addAttribute<uint32_t>("material", 1);
    const auto volume = particles.addAttribute<float>("volume", 1);
    const auto age = particles.addAttribute<float>("age", 1);
    const auto orient = particles.addAttribute<float>("orient", 4);
    const auto spin = particles.addAttribute<float>("w", 3);
    for (std::size_t i = 0; i < chips.size(); ++i) {
        const Chip& chip = chips[i];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            x[3 * i + axis] = static_cast<float>(chip.flight.x[axis]);
            v[3 * i + axis] = static_cast<float>(chip.flight.v[axis]);
            spin[3 * i + axis] = static_cast<float>(chip.spin[axis]);
        }
        for (std::size_t part = 0; part < 4; ++part)
            orient[4 * i + part] = static_cast<float>(chip.orientation[part]);
        id[i] = chip.flight.id;
        material[i] = 0;
        volume[i] = static_cast<float>(std::numbers::pi / 6 * std::pow(chip.size, 3));
        age[i] = chip.flight.age;
    }
    sdk::Value materials = sdk::makeRecord("materials");
    materials.set("0", lookOf(context.string("name"), context.vector("color")));
    particles.set("materials", materials);
    sdk::setTimeScale(particles, context);
    particles.set("shownBy", sdk::makeString("mesh")); // views draw blocks, or balls, not both
    context.setOutput("particles", particles);
    context.setOutput("mesh", context.boolean("shards") ? meshOf(chips, context.vector("color"))
                                                        : sdk::makeMesh({}, {}));
}

} // namespace floe::secondary
