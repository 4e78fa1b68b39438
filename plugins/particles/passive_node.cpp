#include "nodes.hpp"

#include "attributes.hpp"

#include "floe/sdk/world/obstacles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace floe::particles {

namespace {

/// Cells twice as large as the particles are apart, where no solver says how large its own are.
double cellSizeOf(const sdk::Value& particles, std::span<const float> volume)
{
    if (const sdk::Value cellSize = particles.field("cellSize"))
        return cellSize.number();
    const double sum = std::accumulate(volume.begin(), volume.end(), 0.0);
    return 2 * std::cbrt(sum / static_cast<double>(std::max<std::size_t>(volume.size(), 1)));
}

/// @return an attribute of particles that are still being made; empty when there is none
template <class Element>
std::span<Element> changing(sdk::Value& made, const char* name, uint32_t components)
{
    const std::span<const Element> there = made.attribute<Element>(name, components);
    return {const_cast<Element*>(there.data()), there.size()};
}

} // namespace

void PassiveNode::cook(sdk::Context& context)
{
    const sdk::Value particles = context.input("particles");
    PassiveParticles::Simulated simulated;
    simulated.x = particles.attribute<float>("x", 3);
    simulated.id = particles.attribute<uint64_t>("id", 1);
    simulated.volume = particles.attribute<float>("volume", 1);
    PassiveParticles::Settings settings;
    settings.count = static_cast<uint32_t>(context.integer("count"));
    settings.seed = static_cast<uint64_t>(context.integer("seed"));
    settings.cellSize = cellSizeOf(particles, simulated.volume);
    const std::vector<sdk::Value> colliders = context.inputs("colliders");
    const sdk::world::Obstacles obstacles(colliders, context.input("domain"), context.frame());
    settings.domain = obstacles.domain();
    if (!colliders.empty() || settings.domain.bounded)
        settings.pushOut = [&obstacles](Point& p) {
            obstacles.pushOut(p);
        };
    const uint64_t count = particles.particleCount();
    if (count > 0 && (simulated.x.empty() || simulated.id.empty()))
        throw sdk::Failure("input 'particles' has no x or id; link a solver's, or a sequence of "
                           "them",
                           FLOE_WRONG_KIND);
    if (count > 0 && !(settings.cellSize > 0))
        throw sdk::Failure("input 'particles' has neither cellSize nor a volume, which say how far "
                           "apart its particles are",
                           FLOE_WRONG_KIND);
    if (count > std::numeric_limits<uint32_t>::max() / (settings.count + 1))
        throw sdk::Failure("there would be more than four billion particles; lower 'count'",
                           FLOE_BAD_ARGUMENT);
    if (context.isStart())
        passive_ = {};
    if (count == 0)
        settings.cellSize = 1; // of a field of nothing
    PassiveParticles::Tally tally;
    try {
        tally = passive_.step(
            simulated, settings,
            [&](uint64_t all, uint64_t grain, const std::function<void(uint64_t, uint64_t)>& part) {
                context.parallelFor(all, grain, part);
            });
    } catch (const std::invalid_argument& error) {
        throw sdk::Failure(std::string("input 'particles': ") + error.what(), FLOE_BAD_ARGUMENT);
    }
    context.throwIfCancelled();

    // What their parents have, after those, and then what is their own.
    const std::vector<Passive>& passive = passive_.passive();
    const uint64_t shown = context.boolean("simulated") ? count : 0;
    std::vector<uint32_t> sources(shown);
    std::iota(sources.begin(), sources.end(), 0u);
    sources.insert(sources.end(), passive_.parents().begin(), passive_.parents().end());
    sdk::Value made = pick(context, particles, sources);
    const std::span<float> x = changing<float>(made, "x", 3);
    const std::span<float> v = changing<float>(made, "v", 3);
    const std::span<float> volume = changing<float>(made, "volume", 1);
    const std::span<uint64_t> id = changing<uint64_t>(made, "id", 1);
    const uint64_t share = settings.count + 1;
    if (std::ranges::any_of(simulated.id, [&](uint64_t old) {
            return old > std::numeric_limits<uint64_t>::max() / share - 1;
        }))
        throw sdk::Failure("the particles' ids are too large to be made unique; let Merge "
                           "particles make new ones",
                           FLOE_BAD_ARGUMENT);
    for (uint64_t& old : id)
        old *= share;
    const float part = 1 / static_cast<float>(settings.count + (shown > 0 ? 1 : 0));
    for (float& whole : volume)
        whole *= part;
    const sdk::Value timeScale = particles.field("timeScale");
    const double rate = context.fps() / (timeScale ? timeScale.number() : 1);
    for (std::size_t i = 0; i < passive.size(); ++i) {
        const std::size_t at = shown + i;
        std::copy_n(passive[i].x, 3, &x[3 * at]);
        id[at] += passive[i].number + 1;
        for (std::size_t axis = 0; axis < 3 && !v.empty() && !passive[i].isNew; ++axis)
            v[3 * at + axis] = static_cast<float>(rate * passive[i].moved[axis]);
    }
    context.statistic("particles", static_cast<double>(sources.size()));
    context.statistic("passive", static_cast<double>(passive.size()));
    context.statistic("born", static_cast<double>(tally.born));
    context.statistic("ended", static_cast<double>(tally.ended));
    context.statistic("alone", static_cast<double>(tally.alone));
    context.setOutput("particles", made);
}

void PassiveNode::save(sdk::Context&, sdk::Writer& writer)
{
    const PassiveParticles::State& state = passive_.state();
    writer.array(state.passive);
    writer.array(state.id);
    writer.array(state.x);
}

void PassiveNode::load(sdk::Context&, sdk::Reader& reader)
{
    PassiveParticles::State state;
    state.passive = reader.array<Passive>();
    state.id = reader.array<uint64_t>();
    state.x = reader.array<float>();
    try {
        passive_.restore(std::move(state));
    } catch (const std::invalid_argument& error) {
        throw sdk::Failure(error.what(), FLOE_IO_FAILED);
    }
}

} // namespace floe::particles
