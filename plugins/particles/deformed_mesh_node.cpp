#include "nodes.hpp"

#include <memory>
#include <string>

namespace floe::particles {

void DeformedMeshNode::cook(sdk::Context& context)
{
    BindingSettings settings;
    settings.particles = static_cast<std::size_t>(context.integer("boundParticles"));
    settings.deformation = context.string("deformation") == "gradient" ? Deformation::Gradient
                                                                       : Deformation::Neighbours;
    const double restFrame = context.number("restFrame");
    const sdk::Value mesh = context.input("mesh"), particles = context.input("particles");
    if (context.isStart())
        binding_.reset();
    if (!binding_ && context.frame() >= restFrame && particles.particleCount() > 0) {
        binding_ = std::make_unique<Binding>(context, settings, mesh.mesh(), particles);
        if (binding_->farPoints() > 0)
            context.warn(std::to_string(binding_->farPoints()) + " of " +
                         std::to_string(mesh.mesh().point_count) +
                         " points of the mesh are far from all particles and follow them "
                         "roughly; the mesh should lie where the particles are at the rest frame");
        context.statistic("bound particles", static_cast<double>(binding_->boundParticles()));
    }
    if (!binding_) {
        context.setOutput("mesh", mesh);
        return;
    }
    context.setOutput("mesh", binding_->deform(context, particles));
    context.statistic("lost points", static_cast<double>(binding_->lostPoints()));
}

void DeformedMeshNode::save(sdk::Context&, sdk::Writer& writer)
{
    writer.value<uint8_t>(binding_ ? 1 : 0);
    if (binding_)
        binding_->save(writer);
}

void DeformedMeshNode::load(sdk::Context&, sdk::Reader& reader)
{
    binding_.reset();
    if (reader.value<uint8_t>() != 0)
        binding_ = std::make_unique<Binding>(reader);
}

} // namespace floe::particles
