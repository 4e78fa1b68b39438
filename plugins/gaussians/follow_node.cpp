#include "nodes.hpp"

#include <algorithm>

namespace floe::gaussians {

void FollowParticles::cook(sdk::Context& context)
{
    const int64_t began = threadNanoseconds();
    const sdk::Value rest = context.input("gaussians"), particles = context.input("particles");
    const SetView& set = rest_.take(rest, "gaussians");
    if (context.isStart())
        binding_.reset();
    if (!binding_ && context.frame() >= context.number("restFrame") &&
        particles.particleCount() > 0) {
        sdk::world::BindingSettings bound;
        bound.particles = static_cast<std::size_t>(context.integer("boundParticles"));
        binding_ = std::make_unique<sdk::world::ParticleBinding>(context, bound, set.x, particles);
        if (binding_->farPoints() > 0)
            context.warn(std::to_string(binding_->farPoints()) + " of " +
                         std::to_string(set.count()) +
                         " Gaussians are far from all particles and follow them roughly; they "
                         "should lie where the particles are at the rest frame");
        context.statistic("bound particles", static_cast<double>(binding_->boundParticles()));
    }
    if (!binding_) {
        context.setOutput("gaussians", rest);
        return;
    }
    if (binding_->points() != set.count())
        throw sdk::Failure("there are " + std::to_string(set.count()) + " Gaussians where " +
                               std::to_string(binding_->points()) +
                               " were bound: link a set that stays the same, at rest",
                           FLOE_BAD_ARGUMENT);
    const FollowingSettings settings(context, set.degree);
    const sdk::world::ParticleBinding::Moved moved =
        binding_->move(context, particles, settings.needsGradients());
    const auto carried = [&](const Carried& now) {
        const std::size_t number = now.end - now.begin;
        std::copy_n(moved.x.data() + 3 * now.begin, 3 * number, now.x);
        std::copy_n(moved.v.data() + 3 * now.begin, 3 * number, now.v);
        if (now.F)
            std::copy_n(moved.gradients.data() + 9 * now.begin, 9 * number, now.F);
    };
    context.statistic("lost", static_cast<double>(binding_->lostPoints()));
    context.setOutput("gaussians", movedValue(context, rest_, settings, began, carried));
}

void FollowParticles::save(sdk::Context&, sdk::Writer& writer)
{
    writer.value<uint8_t>(binding_ ? 1 : 0);
    if (binding_)
        binding_->save(writer);
}

void FollowParticles::load(sdk::Context&, sdk::Reader& reader)
{
    binding_.reset();
    if (reader.value<uint8_t>() != 0)
        binding_ = std::make_unique<sdk::world::ParticleBinding>(reader);
}

} // namespace floe::gaussians
