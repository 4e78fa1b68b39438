#include "debris_node.hpp"
#include "node_values.hpp"
#include "spray.hpp"

#include "floe/sdk/time_scale.hpp"
#include "floe/sdk/world/obstacles.hpp"

#include <cmath>
#include <numbers>

namespace floe::secondary {

class SecondaryNode final : public sdk::Node {
public:
    static constexpr const char* kType = "floe.secondary";

    void cook(sdk::Context& context) override
    {
        SpraySettings settings;
        settings.rate = context.number("rate");
        settings.minimumSpeed = context.number("minimumSpeed");
        settings.fullSpeed = context.number("fullSpeed");
        settings.minimumStretch = context.number("minimumStretch");
        settings.fullStretch = context.number("fullStretch");
        settings.spread = context.number("spread");
        settings.lifetime = context.number("lifetime");
        settings.drag = context.number("drag");
        settings.gravity = context.vector("gravity");
        settings.seed = static_cast<uint64_t>(context.integer("seed"));
        settings.foam = context.number("foam");
        settings.foamLifetime = context.number("foamLifetime");
        settings.buoyancy = context.number("buoyancy");
        settings.bubbleDrag = context.number("bubbleDrag");
        settings.maximumCount = static_cast<uint64_t>(context.integer("maximumCount"));

        const sdk::Value particles = context.input("particles");
        const Body body = bodyOf(particles);

        if (context.isStart()) {
            spray_ = {};
        } else if (!body.id.empty()) {
            const sdk::world::Obstacles obstacles(context.inputs("colliders"),
                                                  context.input("domain"), context.frame());
            settings.domain = obstacles.domain();
            const double seconds = context.number("timeScale") / context.fps();
            const Spray::Tally tally = spray_.step(
                body, settings, std::llround(context.frame()), seconds,
                [&](const Point& p) { return obstacles.at(p); },
                [&](uint64_t count, uint64_t grain,
                    const std::function<void(uint64_t, uint64_t)>& part) {
                    context.parallelFor(count, grain, part);
                });
            context.statistic("born", static_cast<double>(tally.born));
            context.statistic("ended", static_cast<double>(tally.ended));
            if (tally.leftOut > 0 && !hasWarned_) {
                context.warn("there are as many droplets as 'maximumCount' allows; later ones are "
                             "left out");
                hasWarned_ = true;
            }
        }
        context.statistic("particles", static_cast<double>(spray_.droplets().size()));
        output(context);
    }

    void save(sdk::Context&, sdk::Writer& writer) override
    {
        writer.value(spray_.bornSoFar());
        writer.array(spray_.droplets());
    }

    void load(sdk::Context&, sdk::Reader& reader) override
    {
        const auto born = reader.value<uint64_t>();
        spray_.restore(reader.array<Droplet>(), born);
    }

private:
    void output(sdk::Context& context) const
    {
        const std::vector<Droplet>& droplets = spray_.droplets();
        sdk::Value particles = sdk::makeParticles(droplets.size());
        const auto x = particles.addAttribute<float>("x", 3);
        const auto v = particles.addAttribute<float>("v", 3);
        const auto id = particles.addAttribute<uint64_t>("id", 1);
        const auto material = particles.addAttribute<uint32_t>("material", 1);
        const auto volume = particles.addAttribute<float>("volume", 1);
        const auto age = particles.addAttribute<float>("age", 1);
        const auto ball =
            static_cast<float>(std::numbers::pi / 6 * std::pow(context.number("size"), 3));
        for (std::size_t i = 0; i < droplets.size(); ++i) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                x[3 * i + axis] = static_cast<float>(droplets[i].x[axis]);
                v[3 * i + axis] = static_cast<float>(droplets[i].v[axis]);
            }
            id[i] = droplets[i].id;
            material[i] = static_cast<uint32_t>(droplets[i].kind);
            volume[i] = ball;
            age[i] = droplets[i].age;
        }
        sdk::Value materials = sdk::makeRecord("materials");
        materials.set("0", lookOf(context.string("name"), context.vector("color")));
        const sdk::Vector foamColour = context.vector("foamColor");
        if (context.number("foam") > 0) {
            materials.set("1", lookOf("Foam", foamColour));
            materials.set("2", lookOf("Bubbles", foamColour));
        }
        particles.set("materials", materials);
        sdk::setTimeScale(particles, context);
        context.setOutput("particles", particles);
    }

    Spray spray_;
    bool hasWarned_ = false;
};

} // namespace floe::secondary

FLOE_PLUGIN("floe.secondary", "0.1.0", floe::secondary::SecondaryNode, floe::secondary::DebrisNode)
