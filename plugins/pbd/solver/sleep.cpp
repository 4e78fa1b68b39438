#include "sleep.hpp"

#include "contacts.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace floe::pbd {

namespace {

constexpr double kCheck = 0.04; ///< between checks [s]
constexpr float kStay = 0.02f;  ///< of its radius: how far one that stays may move
constexpr float kHarder = 1.5f; ///< a push this many times the hardest wakes,
constexpr float kWeights = 2;   ///< beyond so many times the sleeper's weight
constexpr float kWoken = 1e-6f; ///< calm of who was just woken: he has not moved yet [s]

} // namespace

void Sleep::setState(State state)
{
    state_ = std::move(state);
    on_ = !state_.place.empty();
    count_ = static_cast<std::size_t>(
        std::count(state_.asleep.begin(), state_.asleep.end(), std::uint8_t{1}));
    stirs_ = std::find(state_.calm.begin(), state_.calm.end(), 0.0f) != state_.calm.end();
}

void Sleep::begin(const Scene& scene, const SolverSettings& settings, bool allowed, double dt)
{
    if (!allowed || state_.place.size() > scene.particles.size()) {
        state_ = {};
        count_ = 0;
    }
    on_ = allowed;
    checks_ = false;
    if (!on_)
        return;
    grow(scene);
    const Vec3d changed = state_.gravity - settings.gravity;
    if (count_ > 0 && (physics::dot(changed, changed) > 0 || state_.materials != scene.materials))
        for (std::uint32_t i = 0; i < state_.asleep.size(); ++i)
            wake(i);
    state_.gravity = settings.gravity;
    state_.materials = scene.materials;
    state_.sinceCheck += dt;
    checks_ = state_.sinceCheck >= kCheck;
    if (checks_)
        state_.sinceCheck = 0;
}

void Sleep::grow(const Scene& scene)
{
    if (!on_)
        return;
    const Particles& particles = scene.particles;
    state_.place.insert(state_.place.end(),
                        particles.x.begin() + static_cast<std::ptrdiff_t>(state_.place.size()),
                        particles.x.end());
    state_.calm.resize(particles.size());
    state_.load.resize(particles.size());
    state_.asleep.resize(particles.size());
}

void Sleep::remove(const std::vector<std::uint8_t>& gone)
{
    if (!on_)
        return;
    const auto compact = [&](auto& array) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < array.size(); ++i)
            if (!gone[i])
                array[kept++] = array[i];
        array.resize(kept);
    };
    compact(state_.place);
    compact(state_.calm);
    compact(state_.load);
    compact(state_.asleep);
    count_ = static_cast<std::size_t>(
        std::count(state_.asleep.begin(), state_.asleep.end(), std::uint8_t{1}));
}

bool Sleep::mayWake(const Scene& scene, const SolverSettings& settings, std::uint32_t sleeper,
                    std::uint32_t other, float lambda, double dt) const
{
    if (state_.calm[other] == 0)
        return true;
    const auto weight = static_cast<float>(double{scene.particles.mass[sleeper]} *
                                           physics::length(settings.gravity));
    const auto force = static_cast<float>(lambda / (dt * dt));
    return force > kHarder * state_.load[sleeper] + kWeights * weight;
}

void Sleep::wake(std::uint32_t particle)
{
    if (!state_.asleep[particle])
        return;
    state_.asleep[particle] = 0;
    state_.calm[particle] = kWoken;
    --count_;
}

void Sleep::end(Scene& scene, const SolverSettings& settings, std::span<const Contact> contacts,
                double dt, sdk::parallel::Executor& executor)
{
    if (!on_)
        return;
    Particles& particles = scene.particles;
    std::atomic<bool> stirs = false;
    executor.parallelFor(particles.size(), 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            if (state_.asleep[i])
                continue;
            const double way = physics::length(particles.x[i] - state_.place[i]);
            if (way <= kStay * double{particles.radius[i]}) {
                state_.calm[i] += static_cast<float>(dt);
                continue;
            }
            state_.place[i] = particles.x[i];
            state_.calm[i] = 0;
            stirs = true;
        }
    });
    stirs_ = stirs;
    if (!checks_)
        return;
    const auto after = static_cast<float>(settings.sleepAfter);
    std::vector<std::uint8_t> kept(particles.size()); // awake
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (!state_.asleep[i])
            state_.load[i] = 0;
    for (const Contact& contact : contacts) {
        const auto force = static_cast<float>(contact.lambda / (dt * dt));
        const bool surface = contact.b >= kSurface;
        for (const auto& [one, other] :
             {std::pair(contact.a, contact.b), std::pair(contact.b, contact.a)}) {
            if (one >= kSurface || state_.asleep[one])
                continue;
            state_.load[one] = std::max(state_.load[one], force);
            const bool moves = surface ? physics::dot(contact.surface, contact.surface) > 0
                                       : state_.calm[other] < 0.5f * after && !state_.asleep[other];
            kept[one] = kept[one] || moves;
        }
    }
    for (std::size_t i = 0; i < particles.size(); ++i) {
        if (state_.asleep[i] || kept[i] || state_.calm[i] < after || particles.body[i] != kNoBody ||
            scene.isLiquid(i))
            continue;
        state_.asleep[i] = 1;
        particles.v[i] = {0, 0, 0};
        ++count_;
    }
}

} // namespace floe::pbd
