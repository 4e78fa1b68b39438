#include "particle_source.hpp"

#include "floe/sdk/emission_region.hpp"
#include "floe/sdk/motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <string>

namespace floe::particles {

namespace {

constexpr uint64_t kMaximumParticles = 1ull << 31;

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

/// Where and how fast the given particles are emitted.
class ParticleSource::Motions {
public:
    Motions(const ParticleSource& source, const floe_emission& request)
        : settings_(source.settings_), x_(source.particles_.attribute<float>("x", 3)),
          v_(source.particles_.attribute<float>("v", 3)), back_(request.start ? 0 : 1 / request.fps)
    {
        if (source.transform_)
            pose_ = sdk::interpolate(source.transform_.transform(), request.frame);
    }

    struct Motion {
        std::array<float, 3> x, v;
    };
    /// @throws Failure  a position or velocity that is not finite
    Motion operator[](uint64_t i) const
    {
        sdk::Vector position = {x_[3 * i], x_[3 * i + 1], x_[3 * i + 2]};
        sdk::Vector speed{};
        if (!v_.empty())
            speed = {v_[3 * i], v_[3 * i + 1], v_[3 * i + 2]};
        if (!isFinite(position))
            refuse(i, "a position that is not finite");
        if (!isFinite(speed))
            refuse(i, "a velocity that is not finite");
        if (pose_) {
            const double* q = pose_->rotation;
            position = sdk::toWorld(*pose_, position);
            speed = sdk::rotate({q[0], q[1], q[2], q[3]}, speed);
            for (double& part : speed)
                part *= pose_->scale;
        }
        Motion motion{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            speed[axis] = settings_.velocityScale * speed[axis] + settings_.velocity[axis];
            motion.v[axis] = static_cast<float>(speed[axis]);
            motion.x[axis] = static_cast<float>(position[axis] - back_ * speed[axis]);
        }
        return motion;
    }

private:
    const EmissionSettings& settings_;
    std::span<const float> x_, v_;
    double back_; ///< time before that of the given positions [s]
    std::optional<floe_transform_key> pose_;
};

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
    const Motions motions(*this, request);
    const Chosen chosen = choose(request, motions);
    sdk::Value emitted = sdk::makeParticles(chosen.all ? count : chosen.some.size());
    const auto x = emitted.addAttribute<float>("x", 3), v = emitted.addAttribute<float>("v", 3);
    for (uint64_t i = 0; i < x.size() / 3; ++i) {
        const auto motion = motions[chosen[i]];
        std::ranges::copy(motion.x, x.begin() + static_cast<std::ptrdiff_t>(3 * i));
        std::ranges::copy(motion.v, v.begin() + static_cast<std::ptrdiff_t>(3 * i));
    }
    setVolumes(emitted, chosen, request);
    if (const auto given = particles_.attribute<float>("stiffnessScale", 1); !given.empty()) {
        const auto scale = emitted.addAttribute<float>("stiffnessScale", 1);
        for (uint64_t i = 0; i < scale.size(); ++i)
            scale[i] = given[chosen[i]];
    }
    if (!chosen.all) {
        constexpr uint64_t kGroup = 512;
        const auto place = emitted.addAttribute<uint64_t>("place", 1);
        for (uint64_t i = 0; i < place.size(); ++i)
            place[i] = sdk::EmissionRegion::place(chosen[i] / kGroup, chosen[i] % kGroup);
    }
    return emitted;
}

ParticleSource::Chosen ParticleSource::choose(const floe_emission& request,
                                              const Motions& motions) const
{
    const sdk::EmissionRegion region(request);
    Chosen chosen{.all = !region.isPart()};
    for (uint64_t i = 0; i < particles_.particleCount() && !chosen.all; ++i) {
        std::uint8_t inside = 0;
        region.find(motions[i].x.data(), 1, &inside);
        if (inside)
            chosen.some.push_back(i);
    }
    return chosen;
}

void ParticleSource::setVolumes(sdk::Value& emitted, const Chosen& chosen,
                                const floe_emission& request) const
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
    for (uint64_t n = 0; n < volume.size(); ++n) {
        const uint64_t i = chosen[n];
        if (!mass.empty() && !(mass[i] > 0 && std::isfinite(mass[i])))
            refuse(i, "a mass of " + std::to_string(mass[i]) + ", must be above 0");
        double own = std::pow(request.cell_size, 3) / settings_.particlesPerCell;
        if (!given.empty())
            own = enlarged * given[i];
        else if (!radius.empty())
            own = enlarged * 4 / 3 * std::numbers::pi * std::pow(static_cast<double>(radius[i]), 3);
        else if (!mass.empty())
            own = mass[i] / density_;
        volume[n] = static_cast<float>(own);
        if (!(volume[n] > 0 && std::isfinite(volume[n])))
            refuse(i, "a volume of " + std::to_string(own) + " m^3, must be above 0");
        if (!scale)
            continue;
        const double factor = massDecides ? mass[i] / (own * density_) : double{denser[i]};
        (*scale)[n] = static_cast<float>(factor);
        if (!((*scale)[n] > 0 && std::isfinite((*scale)[n])))
            refuse(i, "a density of " + std::to_string(factor * density_) +
                          " kg/m^3, must be above 0");
    }
}

} // namespace floe::particles
