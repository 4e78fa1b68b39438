#include "motion/filling.hpp"
#include "nodes.hpp"
#include "set_value.hpp"

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/records.h"

#include <algorithm>

namespace floe::gaussians {

namespace {

/// The object behind the emitter record: Gaussians and what fills the space between them, at once,
/// on one frame; of several ranks, each is given its own.
class GaussianSource {
public:
    GaussianSource(sdk::Value gaussians, sdk::Value shape, const sdk::Context& context)
        : gaussians_(std::move(gaussians)), shape_(std::move(shape)),
          samplesACell_(static_cast<int>(context.integer("particlesPerCell"))),
          seed_(static_cast<uint64_t>(context.integer("seed"))),
          startFrame_(context.number("startFrame")), velocity_(context.vector("velocity"))
    {}

    sdk::Value emit(sdk::Context& context, const floe_emission& request) const
    {
        const bool now = request.start
                             ? request.frame >= startFrame_
                             : request.frame - 1 < startFrame_ && startFrame_ <= request.frame;
        if (!now || gaussians_.particleCount() == 0)
            return {};
        const auto cancel = [&] {
            context.throwIfCancelled();
        };
        const sdk::EmissionRegion region(request);
        Matter matter;
        const auto positions = gaussians_.attribute<float>("x", 3);
        if (shape_) {
            const sdk::LevelSet levelSet(shape_.volume());
            const auto sampler = levelSet.sampler();
            const Inside inside = {levelSet.bounds(), [&](const std::array<double, 3>& place) {
                                       return sampler.distance(place) < 0;
                                   }};
            matter = matterOf(positions, request.cell_size, levelSet.empty() ? nullptr : &inside,
                              samplesACell_, seed_, cancel, &region);
        } else {
            matter = matterOf(positions, request.cell_size, nullptr, 1, seed_, cancel, &region);
        }
        sdk::Value particles = sdk::makeParticles(matter.volume.size());
        std::ranges::copy(matter.x, particles.addAttribute<float>("x", 3).begin());
        std::ranges::copy(matter.volume, particles.addAttribute<float>("volume", 1).begin());
        const auto v = particles.addAttribute<float>("v", 3);
        for (std::size_t i = 0; i < v.size(); ++i)
            v[i] = static_cast<float>(velocity_[i % 3]);
        if (region.isPart())
            std::ranges::copy(matter.place, particles.addAttribute<uint64_t>("place", 1).begin());
        return particles;
    }

    static const floe_emitter_interface kTable;

private:
    sdk::Value gaussians_, shape_;
    int samplesACell_;
    uint64_t seed_;
    double startFrame_;
    sdk::Vector velocity_;
};

const floe_emitter_interface GaussianSource::kTable = {
    sizeof(floe_emitter_interface),
    [](void* self, const floe_context* raw, const floe_emission* request,
       floe_value** particles) -> floe_status {
        return sdk::detail::guarded(raw, [&] {
            sdk::Context context(raw);
            const sdk::Value made = static_cast<GaussianSource*>(self)->emit(context, *request);
            if (made) {
                sdk::host().values->retain(made.get());
                *particles = const_cast<floe_value*>(made.get());
            }
        });
    }};

} // namespace

void GaussianEmitter::cook(sdk::Context& context)
{
    const sdk::Value gaussians = context.input("gaussians");
    requireGaussians(gaussians, "gaussians");
    const sdk::Value shape = context.input("shape");
    if (shape && !sdk::LevelSet(shape.volume()).valid())
        throw sdk::Failure("input 'shape' is not a grid of distances", FLOE_WRONG_KIND);
    sdk::Value record = sdk::makeRecord("emitter");
    record.set("material", context.input("material"));
    record.set("avoidOverlap", sdk::makeBoolean(false)); // all of them, or ids would not match
    record.set("settled", sdk::makeBoolean(false));
    record.set("source",
               sdk::makeInterface(FLOE_EMITTER_INTERFACE, GaussianSource::kTable,
                                  std::make_unique<GaussianSource>(gaussians, shape, context)));
    context.setOutput("emitter", record);
}

} // namespace floe::gaussians
