#include "particle_source.hpp"

#include "floe/sdk/motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

namespace floe::particles {

namespace {

constexpr uint64_t kMaximumParticles = 1ull << 31;

floe_transform_key identity()
{
    return {0, {0, 0, 0}, {0, 0, 0, 1}, 1};
}

[[noreturn]] void refuse(uint64_t particle, const std::string& what)
{
    throw sdk::Failure("input 'particles': particle " + std::to_string(particle) + " has " + what,
                       FLOE_BAD_ARGUMENT);
}

bool isFinite(const sdk::Vector& v)
{
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

} // namespace

const floe_emitter_interface ParticleSource::kTable = {
    sizeof(floe_emitter_interface),
    [](void* self, const floe_context* raw, const floe_emission* request,
       floe_value** particles) -> floe_status {
        return sdk::detail::guarded(raw, [&] {
            sdk::Context context(raw);
            const sdk::Value made = static_cast<ParticleSource*>(self)->emit(context, *request);
            if (made) {
                sdk::host().values->retain(made.get());
                *particles = const_cast<floe_value*>(made.get());
            }
        });
    }};

ParticleSource::ParticleSource(const EmissionSettings& settings, sdk::Value particles,
                               sdk::Value transform, double density)
    : settings_(settings), particles_(std::move(particles)), transform_(std::move(transform)),
      density_(density)
{
    const uint64_t count = particles_.particleCount();
    if (count > kMaximumParticles)
        throw sdk::Failure("input 'particles' holds more than 2^31 particles", FLOE_OUT_OF_MEMORY);
    if (count > 0 && particles_.attribute<float>("x", 3).empty())
        throw sdk::Failure("input 'particles' has no positions: an attribute x of three numbers",
                           FLOE_WRONG_KIND);
    particles_.attribute<float>("v", 3); // each throws for another type
    for (const char* name : {"volume", "pscale", "mass", "stiffnessScale", "densityScale"})
        particles_.attribute<float>(name, 1);
}

bool ParticleSource::emitsAt(const floe_emission& request) const
{
    if (!settings_.everyFrame)
        return request.start ? request.frame >= settings_.startFrame
                             : request.frame - 1 < settings_.startFrame &&
                                   settings_.startFrame <= request.frame;
    const bool ends = settings_.endFrame >= settings_.startFrame;
    return request.frame >= settings_.startFrame && (!ends || request.frame <= settings_.endFrame);
}

sdk::Value ParticleSource::emit(sdk::Context&, const floe_emission& request) const
{
    const uint64_t count = particles_.particleCount();
    if (!emitsAt(request) || count == 0)
        return {};
    if (!(request.cell_size > 0) || !(request.fps > 0))
        throw sdk::Failure("the solver gave no cell size", FLOE_BAD_ARGUMENT);
    sdk::Value emitted = sdk::makeParticles(count);
    setMotion(emitted, request);
    setVolumes(emitted, request);
    const auto stiffness = particles_.attribute<float>("stiffnessScale", 1);
    if (!stiffness.empty())
        std::ranges::copy(stiffness, emitted.addAttribute<float>("stiffnessScale", 1).begin());
    return emitted;
}

void ParticleSource::setMotion(sdk::Value& emitted, const floe_emission& request) const
{
    const auto x = particles_.attribute<float>("x", 3);
    const auto v = particles_.attribute<float>("v", 3);
    const auto toX = emitted.addAttribute<float>("x", 3);
    const auto toV = emitted.addAttribute<float>("v", 3);
    const floe_transform_key pose =
        transform_ ? sdk::interpolate(transform_.transform(), request.frame) : identity();
    const double back = request.start ? 0 : 1 / request.fps;
    for (uint64_t i = 0; i < x.size() / 3; ++i) {
        sdk::Vector position = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        sdk::Vector speed{};
        if (!v.empty())
            speed = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
        if (!isFinite(position))
            refuse(i, "a position that is not finite");
        if (!isFinite(speed))
            refuse(i, "a velocity that is not finite");
        if (transform_) {
            position = sdk::toWorld(pose, position);
            speed = sdk::rotate(
                {pose.rotation[0], pose.rotation[1], pose.rotation[2], pose.rotation[3]}, speed);
            for (double& part : speed)
                part *= pose.scale;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            speed[axis] = settings_.velocityScale * speed[axis] + settings_.velocity[axis];
            toV[3 * i + axis] = static_cast<float>(speed[axis]);
            toX[3 * i + axis] = static_cast<float>(position[axis] - back * speed[axis]);
        }
    }
}

void ParticleSource::setVolumes(sdk::Value& emitted, const floe_emission& request) const
{
    const auto given = particles_.attribute<float>("volume", 1);
    const auto radius = particles_.attribute<float>("pscale", 1);
    const auto mass = particles_.attribute<float>("mass", 1);
    const auto denser = particles_.attribute<float>("densityScale", 1);
    const auto volume = emitted.addAttribute<float>("volume", 1);
    const bool massDecides = !mass.empty() && (!given.empty() || !radius.empty());
    std::optional<std::span<float>> scale;
    if (massDecides || !denser.empty())
        scale = emitted.addAttribute<float>("densityScale", 1);
    const double pose =
        transform_ ? sdk::interpolate(transform_.transform(), request.frame).scale : 1;
    const double enlarged = pose * pose * pose;
    for (uint64_t i = 0; i < volume.size(); ++i) {
        if (!mass.empty() && !(mass[i] > 0 && std::isfinite(mass[i])))
            refuse(i, "a mass of " + std::to_string(mass[i]) + ", must be above 0");
        double own = std::pow(request.cell_size, 3) / settings_.particlesPerCell;
        if (!given.empty())
            own = enlarged * given[i];
        else if (!radius.empty())
            own = enlarged * 4 / 3 * std::numbers::pi * std::pow(static_cast<double>(radius[i]), 3);
        else if (!mass.empty())
            own = mass[i] / density_;
        volume[i] = static_cast<float>(own);
        if (!(volume[i] > 0 && std::isfinite(volume[i])))
            refuse(i, "a volume of " + std::to_string(own) + " m^3, must be above 0");
        if (!scale)
            continue;
        const double factor = massDecides ? mass[i] / (own * density_) : double{denser[i]};
        (*scale)[i] = static_cast<float>(factor);
        if (!((*scale)[i] > 0 && std::isfinite((*scale)[i])))
            refuse(i, "a density of " + std::to_string(factor * density_) +
                          " kg/m^3, must be above 0");
    }
}

} // namespace floe::particles
