// The node: reads its inputs, advances from frame to frame, and saves its state.

#include "dust.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/parallel/host.hpp"
#include "floe/sdk/world/emission.hpp"
#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace example {

class DustNode final : public floe::sdk::Node {
public:
    static constexpr const char* kType = "example.solver.dust";

    void cook(floe::sdk::Context& context) override
    {
        if (context.isStart())
            dust_ = Dust(context.number("cellSize"));
        const World world = worldOf(context);
        const auto emitters = context.inputs("emitters");
        emit(context, emitters);
        if (!context.isStart())
            advance(context, world);
        output(context, emitters);
    }

    void save(floe::sdk::Context&, floe::sdk::Writer& writer) override
    {
        writer.value(time_);
        writer.value(nextId_);
        dust_.save(writer);
    }
    void load(floe::sdk::Context&, floe::sdk::Reader& reader) override
    {
        time_ = reader.value<double>();
        nextId_ = reader.value<std::uint64_t>();
        dust_ = Dust::load(reader);
    }

private:
    World worldOf(const floe::sdk::Context& context) const
    {
        FrameClock clock;
        clock.begin = time_;
        clock.first = context.isStart() ? context.frame() : context.frame() - 1;
        clock.fps = context.fps();
        World world;
        const auto own = context.vector("gravity");
        world.gravity = {own[0], own[1], own[2]};
        world.sharing = context.number("sharing");
        for (const auto& record : context.inputs("colliders"))
            world.colliders.push_back(colliderOf(record, clock));
        for (const auto& record : context.inputs("forces"))
            if (auto force = forceOf(record, world.gravity))
                world.forces.push_back(std::move(force));
        if (const auto record = context.input("domain"))
            world.domain = domainOf(record);
        return world;
    }

    void emit(const floe::sdk::Context& context, const std::vector<floe::sdk::Value>& emitters)
    {
        for (std::size_t m = 0; m < emitters.size(); ++m) {
            const Emission given =
                askEmitter(context, emitters[m], dust_.cellSize(), context.fps());
            for (std::size_t i = 0; i < given.count; ++i) {
                Grain grain{};
                if (given.v)
                    grain.v = {given.v[3 * i], given.v[3 * i + 1], given.v[3 * i + 2]};
                grain.id = nextId_++;
                grain.volume = given.volume[i];
                grain.material = static_cast<std::uint32_t>(m);
                dust_.add({given.x[3 * i], given.x[3 * i + 1], given.x[3 * i + 2]}, grain);
            }
        }
        dust_.rebin();
    }

    /// Advances in steps in which no grain moves farther than half a cell.
    void advance(floe::sdk::Context& context, const World& world)
    {
        floe::sdk::parallel::HostExecutor executor;
        executor.context = &context;
        const double frame = 1 / context.fps();
        float top = 0;
        for (std::size_t b = 0; b < dust_.size(); ++b)
            for (const Grain& grain : dust_[b].particles)
                top = std::max(top, floe::physics::length(grain.v));
        const double way = (top + floe::physics::length(world.gravity) * frame) * frame;
        const double steps = std::clamp(std::ceil(2 * way / dust_.cellSize()), 1.0, 1000.0);
        const double begin = time_, dt = frame / steps;
        for (int i = 0; i < steps; ++i) {
            context.throwIfCancelled();
            step(dust_, world, begin + i * dt, dt, executor);
            floe::sdk::world::requireNoFault(world.forces);
        }
        time_ = begin + frame;
        context.statistic("substeps", steps);
    }

    void output(floe::sdk::Context& context, const std::vector<floe::sdk::Value>& emitters) const
    {
        const std::size_t count = dust_.particles();
        context.statistic("particles", static_cast<double>(count));
        context.statistic("blocks", static_cast<double>(dust_.size()));
        auto particles = floe::sdk::makeParticles(count);
        const auto x = particles.addAttribute<float>("x", 3);
        const auto v = particles.addAttribute<float>("v", 3);
        const auto id = particles.addAttribute<std::uint64_t>("id", 1);
        const auto material = particles.addAttribute<std::uint32_t>("material", 1);
        const auto volume = particles.addAttribute<float>("volume", 1);
        std::size_t i = 0;
        for (std::size_t b = 0; b < dust_.size(); ++b)
            for (const Grain& grain : dust_[b].particles) {
                const Vec3d at = dust_.placeOf(dust_[b], grain);
                for (int axis = 0; axis < 3; ++axis) {
                    const std::size_t k = 3 * i + static_cast<std::size_t>(axis);
                    x[k] = static_cast<float>(at[axis]);
                    v[k] = grain.v[axis];
                }
                id[i] = grain.id;
                material[i] = grain.material;
                volume[i++] = grain.volume;
            }
        auto materials = floe::sdk::makeRecord("materials");
        for (std::size_t m = 0; m < emitters.size(); ++m)
            materials.set(std::to_string(m).c_str(), emitters[m].require("material"));
        particles.set("materials", materials);
        particles.set("cellSize", floe::sdk::makeNumber(dust_.cellSize()));
        context.setOutput("particles", particles);
    }

    Dust dust_{1};
    double time_ = 0; ///< [s]
    std::uint64_t nextId_ = 0;
};

} // namespace example

FLOE_PLUGIN("example.dust", "1.0.0", example::DustNode)
