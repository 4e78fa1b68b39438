#include "nodes.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>

namespace floe::particles {

using sdk::world::BindingSettings;
using sdk::world::Deformation;
using sdk::world::ParticleBinding;

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
        const floe_mesh rest = mesh.mesh();
        const std::span points(rest.points, 3 * std::size_t{rest.point_count});
        binding_ = std::make_unique<ParticleBinding>(context, settings, points, particles);
        triangles_.assign(rest.triangles, rest.triangles + 3 * std::size_t{rest.triangle_count});
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
    const ParticleBinding::Moved moved = binding_->move(context, particles);
    floe_mesh now{};
    now.struct_size = sizeof now;
    now.point_count = static_cast<uint32_t>(binding_->points());
    now.points = moved.x.data();
    now.triangle_count = static_cast<uint32_t>(triangles_.size() / 3);
    now.triangles = triangles_.data();
    now.velocities = moved.v.data();
    const floe_mesh given = mesh.mesh();
    const bool painted = given.colours && given.point_count == now.point_count;
    const std::vector<float> colours =
        painted ? std::vector<float>() : binding_->colours(particles);
    now.colours = painted ? given.colours : colours.empty() ? nullptr : colours.data();
    context.setOutput("mesh", sdk::made(sdk::host().values->make_mesh(&now)));
    context.statistic("lost points", static_cast<double>(binding_->lostPoints()));
}

void DeformedMeshNode::save(sdk::Context&, sdk::Writer& writer)
{
    writer.value<uint8_t>(binding_ ? 1 : 0);
    if (!binding_)
        return;
    binding_->save(writer);
    writer.array(triangles_);
}

void DeformedMeshNode::load(sdk::Context&, sdk::Reader& reader)
{
    binding_.reset();
    if (reader.value<uint8_t>() == 0)
        return;
    binding_ = std::make_unique<ParticleBinding>(reader);
    triangles_ = reader.array<uint32_t>();
    if (std::ranges::any_of(triangles_, [&](uint32_t p) { return p >= binding_->points(); }))
        throw sdk::Failure("the saved binding is damaged", FLOE_IO_FAILED);
}

} // namespace floe::particles
