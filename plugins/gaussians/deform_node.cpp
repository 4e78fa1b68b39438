#include "nodes.hpp"

#include <algorithm>
#include <cmath>

namespace floe::gaussians {

namespace {

constexpr uint64_t kNone = ~uint64_t{0};

/// For each Gaussian, the number of the particle that carries it; kNone where it is gone.
std::vector<uint64_t> carriersOf(std::size_t count, std::span<const uint64_t> ids, uint64_t first)
{
    std::vector<uint64_t> carriers(count, kNone);
    for (uint64_t p = 0; p < ids.size(); ++p)
        if (ids[p] >= first && ids[p] - first < count)
            carriers[ids[p] - first] = p;
    return carriers;
}

/// On the first frame the particles are where the Gaussians are, or these are others.
void checkTie(const sdk::Context& context, std::span<const float> rest, std::span<const float> x,
              const std::vector<uint64_t>& carriers, double cellSize)
{
    if (context.frame() > context.raw()->range_start || !(cellSize > 0))
        return;
    for (std::size_t i = 0; i < carriers.size(); ++i) {
        if (carriers[i] == kNone)
            continue;
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (std::abs(x[3 * carriers[i] + axis] - rest[3 * i + axis]) > cellSize)
                throw sdk::Failure("the particles are not those of these Gaussians: particle " +
                                       std::to_string(i) +
                                       " begins elsewhere; link the Gaussian emitter to the solver "
                                       "before other emitters, link what is emitted before to "
                                       "'before', or set 'firstId' to its number",
                                   FLOE_BAD_ARGUMENT);
    }
}

} // namespace

void DeformGaussians::cook(sdk::Context& context)
{
    const int64_t began = threadNanoseconds();
    const sdk::Value particles = context.input("particles");
    const SetView& set = rest_.take(context.input("gaussians"), "gaussians");
    const auto ids = particles.attribute<uint64_t>("id", 1);
    const auto x = particles.attribute<float>("x", 3), v = particles.attribute<float>("v", 3);
    if (particles.particleCount() > 0 && (ids.empty() || x.empty()))
        throw sdk::Failure("the particles on 'particles' have no attribute id or x; link a solver",
                           FLOE_WRONG_KIND);
    const FollowingSettings settings(context, set.degree);
    const bool needed = settings.needsGradients();
    const auto F = particles.attribute<float>("F", 9);
    if (F.empty() && needed && particles.particleCount() > 0)
        throw sdk::Failure("the particles have no deformation gradients F: switch the solver's "
                           "'outputDeformation' on, or set 'covariance' to fixed and "
                           "'rotateColors' off",
                           FLOE_WRONG_KIND);

    auto first = static_cast<uint64_t>(context.integer("firstId"));
    for (const sdk::Value& before : context.inputs("before"))
        first += before.particleCount();
    std::vector<uint64_t> carriers = carriersOf(set.count(), ids, first);
    const sdk::Value cellSize = particles.field("cellSize");
    checkTie(context, set.x, x, carriers, cellSize ? cellSize.number() : 0);
    if (const auto gone = std::ranges::count(carriers, kNone); gone > 0) {
        std::vector<std::size_t> left;
        left.reserve(carriers.size() - static_cast<std::size_t>(gone));
        for (std::size_t i = 0; i < carriers.size(); ++i)
            if (carriers[i] != kNone)
                left.push_back(i);
        std::erase(carriers, kNone);
        rest_.keep(std::move(left));
    } else {
        rest_.keepAll();
    }
    context.statistic("gaussians", static_cast<double>(carriers.size()));
    context.statistic("gone", static_cast<double>(set.count() - carriers.size()));

    const auto carried = [&](const Carried& now) {
        for (std::size_t n = now.begin; n < now.end; ++n) {
            const uint64_t p = carriers[n];
            const std::size_t to = n - now.begin;
            std::copy_n(&x[3 * p], 3, now.x + 3 * to);
            if (v.empty())
                std::fill_n(now.v + 3 * to, 3, 0.0f);
            else
                std::copy_n(&v[3 * p], 3, now.v + 3 * to);
            if (now.F)
                std::copy_n(&F[9 * p], 9, now.F + 9 * to);
        }
    };
    context.setOutput("gaussians", movedValue(context, rest_, settings, began, carried));
}

} // namespace floe::gaussians
