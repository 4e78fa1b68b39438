#include "moved_value.hpp"

#include "floe/sdk/sharing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <string>

namespace floe::gaussians {

namespace {

constexpr std::size_t kAtOnce = 512; // Gaussians: the same batches for any number of threads

Following followingOf(const std::string& name)
{
    return name == "full" ? Following::Full : name == "rigid" ? Following::Rigid : Following::Fixed;
}

/// Adds an attribute of chosen rows.
void addRows(sdk::Value& to, const char* name, std::span<const float> from, std::size_t components,
             std::span<const std::size_t> rows)
{
    float* row = to.addAttribute<float>(name, static_cast<uint32_t>(components)).data();
    for (const std::size_t i : rows)
        row = std::copy_n(from.data() + components * i, components, row);
}

} // namespace

int64_t threadNanoseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1'000'000'000 * static_cast<int64_t>(now.tv_sec) + now.tv_nsec;
}

const SetView& RestingGaussians::take(const sdk::Value& gaussians, const char* input)
{
    if (!whole_ || gaussians_.get() != gaussians.get()) {
        whole_.reset();
        left_ = {};
        gaussians_ = gaussians;
        whole_.emplace(gaussians_, input);
    }
    return *whole_;
}

void RestingGaussians::keep(std::vector<std::size_t> numbers)
{
    if (numbers_ == numbers)
        return;
    numbers_ = std::move(numbers);
    left_ = {};
}

void RestingGaussians::keepAll()
{
    if (numbers_)
        left_ = {};
    numbers_.reset();
}

const sdk::Value& RestingGaussians::left()
{
    if (left_)
        return left_;
    if (!numbers_ && !whole_->isTurned()) {
        left_ = gaussians_;
        return left_;
    }
    const std::size_t count = numbers_ ? numbers_->size() : whole_->count();
    sdk::Value rows = sdk::makeParticles(count);
    const auto add = [&](const char* name, std::span<const float> from, std::size_t components) {
        if (numbers_)
            addRows(rows, name, from, components, *numbers_);
        else
            std::ranges::copy(
                from, rows.addAttribute<float>(name, static_cast<uint32_t>(components)).begin());
    };
    add("scale", whole_->scale, 3);
    add("rotation", whole_->rotation, 4);
    add("opacity", whole_->opacity, 1);
    add("sh", whole_->sh, whole_->shComponents());
    for (const SetView::Property& property : whole_->properties)
        add(property.name, property.values, 1);
    left_ = std::move(rows);
    return left_;
}

FollowingSettings::FollowingSettings(const sdk::Context& context, int degree)
    : covariance(followingOf(context.string("covariance"))),
      turning(context.boolean("rotateColors") && degree > 0),
      maxStretch(static_cast<float>(context.number("maxStretch")))
{}

sdk::Value movedValue(sdk::Context& context, RestingGaussians& rest,
                      const FollowingSettings& settings, int64_t began,
                      const std::function<void(const Carried&)>& carried)
{
    const sdk::Value& left = rest.left();
    const std::size_t count = left.particleCount();
    sdk::Value moved = sdk::makeParticles(count);
    const auto restScale = left.attribute<float>("scale", 3),
               restRotation = left.attribute<float>("rotation", 4);
    const auto x = moved.addAttribute<float>("x", 3), v = moved.addAttribute<float>("v", 3);
    std::span<float> scale, rotation, turn;
    if (settings.covariance != Following::Fixed) {
        scale = moved.addAttribute<float>("scale", 3);
        rotation = moved.addAttribute<float>("rotation", 4);
    } else {
        sdk::shareAttribute<float>(moved, "scale", 3, left);
        sdk::shareAttribute<float>(moved, "rotation", 4, left);
    }
    sdk::shareAttribute<float>(moved, "opacity", 1, left);
    sdk::shareAttribute<float>(moved, "sh",
                               static_cast<uint32_t>(3 * coefficientsOf(rest.degree())), left);
    if (settings.turning)
        turn = moved.addAttribute<float>("shRotation", 4);
    for (const SetView::Property& property : rest.properties())
        sdk::shareAttribute<float>(moved, property.name, 1, left);

    std::atomic<int64_t> spent = 0, deforming = 0;
    const auto move = [&](std::size_t begin, std::size_t end) {
        std::array<float, 9 * kAtOnce> F;
        std::array<float, 3 * kAtOnce> unusedScale;
        std::array<float, 4 * kAtOnce> unusedRotation;
        carried({begin, end, &x[3 * begin], &v[3 * begin],
                 settings.needsGradients() ? F.data() : nullptr});
        if (!settings.needsGradients())
            return;
        const int64_t before = threadNanoseconds();
        deform({end - begin, F.data(), &restScale[3 * begin], &restRotation[4 * begin],
                settings.covariance, settings.maxStretch,
                scale.empty() ? unusedScale.data() : &scale[3 * begin],
                rotation.empty() ? unusedRotation.data() : &rotation[4 * begin],
                settings.turning ? &turn[4 * begin] : nullptr});
        deforming += threadNanoseconds() - before;
    };
    const std::size_t batches = (count + kAtOnce - 1) / kAtOnce;
    const int64_t prepared = threadNanoseconds() - began;
    context.parallelFor(batches, 2, [&](uint64_t first, uint64_t last) {
        const int64_t before = threadNanoseconds();
        for (std::size_t batch = first; batch < last; ++batch)
            move(kAtOnce * batch, std::min(kAtOnce * (batch + 1), count));
        spent += threadNanoseconds() - before;
    });
    context.throwIfCancelled();
    context.statistic("processorSeconds", 1e-9 * static_cast<double>(prepared + spent));
    context.statistic("deformingSeconds", 1e-9 * static_cast<double>(deforming));
    return moved;
}

} // namespace floe::gaussians
