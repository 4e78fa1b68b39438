#include "moved_value.hpp"

#include <algorithm>

namespace floe::gaussians {

namespace {

Following followingOf(const std::string& name)
{
    return name == "full" ? Following::Full : name == "rigid" ? Following::Rigid : Following::Fixed;
}

} // namespace

FollowingSettings::FollowingSettings(const sdk::Context& context, const GaussianSet& set)
    : covariance(followingOf(context.string("covariance"))),
      turning(context.boolean("rotateColors") && set.degree > 0),
      maxStretch(static_cast<float>(context.number("maxStretch")))
{}

sdk::Value movedValue(const sdk::Context& context, const GaussianSet& set,
                      std::span<const std::size_t> kept, const FollowingSettings& settings,
                      const std::function<Carried(std::size_t)>& carried)
{
    sdk::Value moved = sdk::makeParticles(kept.size());
    const auto components = static_cast<uint32_t>(set.shComponents());
    const auto x = moved.addAttribute<float>("x", 3), v = moved.addAttribute<float>("v", 3),
               scale = moved.addAttribute<float>("scale", 3),
               rotation = moved.addAttribute<float>("rotation", 4),
               opacity = moved.addAttribute<float>("opacity", 1),
               sh = moved.addAttribute<float>("sh", components);
    const auto turn =
        settings.turning ? moved.addAttribute<float>("shRotation", 4) : std::span<float>{};
    context.parallelFor(kept.size(), 1024, [&](uint64_t begin, uint64_t end) {
        for (uint64_t n = begin; n < end; ++n) {
            const std::size_t i = kept[n];
            const Carried at = carried(n);
            std::copy_n(at.x, 3, &x[3 * n]);
            if (at.v)
                std::copy_n(at.v, 3, &v[3 * n]);
            else
                std::fill_n(&v[3 * n], 3, 0.0f);
            opacity[n] = set.opacity[i];
            std::copy_n(&set.sh[components * i], components, &sh[components * n]);
            const Deformed now = deformed(at.F, settings.covariance, &set.scale[3 * i],
                                          &set.rotation[4 * i], settings.maxStretch);
            std::copy_n(now.scale.begin(), 3, &scale[3 * n]);
            std::copy_n(now.rotation.begin(), 4, &rotation[4 * n]);
            if (settings.turning)
                std::copy_n(now.turn.begin(), 4, &turn[4 * n]);
        }
    });
    context.throwIfCancelled();
    return moved;
}

} // namespace floe::gaussians
