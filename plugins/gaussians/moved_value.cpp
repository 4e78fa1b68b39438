#include "moved_value.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>

namespace floe::gaussians {

namespace {

constexpr std::size_t kAtOnce = 256; // Gaussians: the same batches for any number of threads

Following followingOf(const std::string& name)
{
    return name == "full" ? Following::Full : name == "rigid" ? Following::Rigid : Following::Fixed;
}

/// Processor time of this thread [ns].
int64_t threadNanoseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1'000'000'000 * static_cast<int64_t>(now.tv_sec) + now.tv_nsec;
}

/// Copies rows of kept Gaussians.
void gather(std::span<const float> from, std::size_t components, std::span<const std::size_t> kept,
            float* to)
{
    for (const std::size_t i : kept) {
        std::copy_n(from.data() + components * i, components, to);
        to += components;
    }
}

} // namespace

FollowingSettings::FollowingSettings(const sdk::Context& context, const SetView& set)
    : covariance(followingOf(context.string("covariance"))),
      turning(context.boolean("rotateColors") && set.degree > 0),
      maxStretch(static_cast<float>(context.number("maxStretch")))
{}

sdk::Value movedValue(sdk::Context& context, const SetView& set, std::span<const std::size_t> kept,
                      const FollowingSettings& settings,
                      const std::function<void(const Carried&)>& carried)
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
    std::vector<std::span<float>> properties;
    for (const SetView::Property& property : set.properties)
        properties.push_back(moved.addAttribute<float>(property.name, 1));
    std::atomic<int64_t> spent = 0, deforming = 0;
    const auto move = [&](std::size_t begin, std::size_t end) {
        std::array<float, 9 * kAtOnce> F;
        std::array<float, 3 * kAtOnce> restScale;
        std::array<float, 4 * kAtOnce> restRotation;
        const auto those = kept.subspan(begin, end - begin);
        carried({begin, end, &x[3 * begin], &v[3 * begin],
                 settings.needsGradients() ? F.data() : nullptr});
        const int64_t before = threadNanoseconds();
        gather(set.scale, 3, those, restScale.data());
        gather(set.rotation, 4, those, restRotation.data());
        if (settings.needsGradients()) {
            deform({those.size(), F.data(), restScale.data(), restRotation.data(),
                    settings.covariance, settings.maxStretch, &scale[3 * begin],
                    &rotation[4 * begin], settings.turning ? &turn[4 * begin] : nullptr});
        } else {
            std::copy_n(restScale.data(), 3 * those.size(), &scale[3 * begin]);
            std::copy_n(restRotation.data(), 4 * those.size(), &rotation[4 * begin]);
        }
        deforming += threadNanoseconds() - before;
        gather(set.opacity, 1, those, &opacity[begin]);
        gather(set.sh, components, those, &sh[components * begin]);
        for (std::size_t p = 0; p < properties.size(); ++p)
            gather(set.properties[p].values, 1, those, &properties[p][begin]);
    };
    const std::size_t batches = (kept.size() + kAtOnce - 1) / kAtOnce;
    context.parallelFor(batches, 4, [&](uint64_t first, uint64_t last) {
        const int64_t before = threadNanoseconds();
        for (std::size_t batch = first; batch < last; ++batch)
            move(kAtOnce * batch, std::min(kAtOnce * (batch + 1), kept.size()));
        spent += threadNanoseconds() - before;
    });
    context.throwIfCancelled();
    context.statistic("processorSeconds", 1e-9 * static_cast<double>(spent));
    context.statistic("deformingSeconds", 1e-9 * static_cast<double>(deforming));
    return moved;
}

} // namespace floe::gaussians
