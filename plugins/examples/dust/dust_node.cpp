// The node: reads its inputs, advances from frame to frame, and saves its state.

#include "dust.hpp"
#include "dust_ranks.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/parallel/host.hpp"
#include "floe/sdk/world/emission.hpp"
#include "floe/sdk/world/records.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace example {

class DustNode final : public floe::sdk::Node {
public:
    static constexpr const char* kType = "example.solver.dust";

    void cook(floe::sdk::Context& context) override
    {
        ranks_.join(context.raw());
        if (context.isStart()) {
            dust_ = Dust(context.number("cellSize"));
            ranks_.forget();
        }
        const World world = worldOf(context);
        const auto emitters = context.inputs("emitters");
        ranks_.balance(dust_);
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
    /// Of what several ranks have saved, each its own, every rank is given all.
    void load(floe::sdk::Context& context, floe::sdk::Reader& reader) override
    {
        ranks_.join(context.raw());
        ranks_.forget();
        std::optional<Dust> all;
        while (reader.remaining() > 0) {
            time_ = reader.value<double>();
            nextId_ = reader.value<std::uint64_t>();
            const Dust part = Dust::load(reader);
            if (!all)
                all.emplace(part.cellSize());
            for (std::size_t b = 0; b < part.size(); ++b)
                for (const Grain& grain : part[b].particles)
                    all->put(part[b].block, grain);
        }
        dust_ = Dust(all ? all->cellSize() : 1);
        if (all) {
            all->rebin();
            ranks_.take(*all, dust_);
        }
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
            world.domain = domainWithoutPeriod(record);
        return world;
    }

    /// Every rank asks for all grains and keeps its own, so that all count ids alike. (A solver of
    /// more grains than one rank has room for asks for those of a region.)
    void emit(const floe::sdk::Context& context, const std::vector<floe::sdk::Value>& emitters)
    {
        Dust all(dust_.cellSize());
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
                all.add({given.x[3 * i], given.x[3 * i + 1], given.x[3 * i + 2]}, grain);
            }
        }
        all.rebin();
        if (all.size() > 0)
            ranks_.take(all, dust_);
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
        top = static_cast<float>(ranks_.largest(top));
        const double way = (top + floe::physics::length(world.gravity) * frame) * frame;
        const double steps = std::clamp(std::ceil(2 * way / dust_.cellSize()), 1.0, 1000.0);
        const double begin = time_, dt = frame / steps;
        for (int i = 0; i < steps; ++i) {
            if (ranks_.largest(context.cancelled() ? 1 : 0) > 0) // all end, or none
                throw floe::sdk::Failure("", FLOE_CANCELLED);
            step(dust_, world, begin + i * dt, dt, executor);
            ranks_.exchange(dust_);
            floe::sdk::world::requireNoFault(world.forces);
        }
        time_ = begin + frame;
        context.statistic("substeps", steps);
    }

    /// A grain as others see it.
    struct Row {
        float x[3], v[3];
        std::uint64_t id;
        float volume;
        std::uint32_t material;
    };

    std::vector<Row> rows() const
    {
        std::vector<Row> rows;
        for (std::size_t b = 0; b < dust_.size(); ++b)
            for (const Grain& grain : dust_[b].particles) {
                Row row{{}, {}, grain.id, grain.volume, grain.material};
                const Vec3d at = dust_.placeOf(dust_[b], grain);
                for (int axis = 0; axis < 3; ++axis) {
                    row.x[axis] = static_cast<float>(at[axis]);
                    row.v[axis] = grain.v[axis];
                }
                rows.push_back(row);
            }
        return rows;
    }

    void output(floe::sdk::Context& context, const std::vector<floe::sdk::Value>& emitters) const
    {
        const double count = ranks_.sum(static_cast<double>(dust_.particles()));
        context.statistic("particles", count);
        context.statistic("blocks", ranks_.sum(static_cast<double>(dust_.size())));
        // Of several ranks, the first gives the grains of all, or each its own.
        std::vector<Row> given = rows();
        if (!ranks_.inParts("particles"))
            given = ranks_.gather(std::move(given));
        auto particles = floe::sdk::makeParticles(given.size());
        const auto x = particles.addAttribute<float>("x", 3);
        const auto v = particles.addAttribute<float>("v", 3);
        const auto id = particles.addAttribute<std::uint64_t>("id", 1);
        const auto material = particles.addAttribute<std::uint32_t>("material", 1);
        const auto volume = particles.addAttribute<float>("volume", 1);
        for (std::size_t i = 0; i < given.size(); ++i) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                x[3 * i + axis] = given[i].x[axis];
                v[3 * i + axis] = given[i].v[axis];
            }
            id[i] = given[i].id;
            material[i] = given[i].material;
            volume[i] = given[i].volume;
        }
        auto materials = floe::sdk::makeRecord("materials");
        for (std::size_t m = 0; m < emitters.size(); ++m)
            materials.set(std::to_string(m).c_str(), emitters[m].require("material"));
        particles.set("materials", materials);
        particles.set("cellSize", floe::sdk::makeNumber(dust_.cellSize()));
        context.setOutput("particles", particles);
    }

    DustRanks ranks_;
    Dust dust_{1};
    double time_ = 0; ///< [s]
    std::uint64_t nextId_ = 0;
};

} // namespace example

FLOE_PLUGIN("example.dust", "1.0.0", example::DustNode)
