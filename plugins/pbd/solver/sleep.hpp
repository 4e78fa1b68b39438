/// Grains and rigid bodies at rest, which cost nothing until something disturbs them.
#pragma once

#include "joints.hpp"
#include "motion.hpp"
#include "settings.hpp"
#include "surroundings.hpp"

#include "neighbours/pairs.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace floe::pbd {

struct Contact;

/// Free grains fall asleep when they, and all that they touch, have stayed where they are for a
/// while; rigid bodies when all that hang together by contacts and joints have. They then bear what
/// lies on them as if they were held, and take part in nothing. One is woken by a particle beside
/// it that moves off, by a push much harder than those it bore, and by a surface that moves or is
/// gone; a body by what it is jointed to; all are, when gravity, a material or the grip of a
/// surface changes. Whoever is woken moves first, then wakes his neighbours. The same for any
/// number of threads.
class Sleep {
public:
    /// What must be kept for a run to go on bit for bit: nothing, or an entry a particle. A rigid
    /// body is calm as the least calm of its particles; its load is that of its first one.
    struct State {
        std::vector<Vec3d> place;         ///< that it stays near [m]
        std::vector<float> calm;          ///< for how long it has [s]
        std::vector<float> load;          ///< at the last check: hardest push; a body's: all [N]
        std::vector<std::uint8_t> asleep; ///< 1 or 0
        Vec3d gravity{0, 0, 0};
        std::vector<Material> materials;
        std::vector<float> grips; ///< of surfaces: how each holds on
        double sinceCheck = 0;    ///< [s]
    };
    const State& state() const { return state_; }
    void setState(State state);
    /// Of particles, as a solver on a device has them. Inline, as vectors have another name in its
    /// sources.
    void setParticles(std::vector<Vec3d> place, std::vector<float> calm, std::vector<float> load,
                      std::vector<std::uint8_t> asleep)
    {
        state_.place = std::move(place);
        state_.calm = std::move(calm);
        state_.load = std::move(load);
        state_.asleep = std::move(asleep);
        count_ = static_cast<std::size_t>(
            std::count(state_.asleep.begin(), state_.asleep.end(), std::uint8_t{1}));
    }
    /// A solver on a device took a substep, and keeps what is of particles meanwhile.
    /// @param count  of those asleep  @param stirs  somebody has just left his place
    void tell(std::size_t count, bool stirs)
    {
        count_ = count;
        stirs_ = stirs;
    }

    /// Begins a substep. @param allowed  false: all are woken
    void begin(const Scene& scene, const SolverSettings& settings, const Surroundings& around,
               std::span<const Joint> joints, bool allowed, double dt);
    /// Particles were added.
    void grow(const Scene& scene);
    /// After Scene::remove().
    void remove(const std::vector<std::uint8_t>& gone);

    bool isAsleep(std::size_t particle) const { return count_ > 0 && state_.asleep[particle] != 0; }
    bool isAsleep(const Body& body) const { return isAsleep(body.first); } ///< a rigid one
    std::size_t count() const { return count_; }                           ///< of those asleep
    bool isOn() const { return on_; } ///< anybody may fall asleep
    /// A substep in which surfaces are looked at, and grains may fall asleep.
    bool checks() const { return checks_; }
    /// Whether wakeByPairs() may wake anybody in this substep.
    bool mayWakeByPairs() const { return count_ > 0 && (stirs_ || checks_); }
    /// Whether surfaces are looked for around those asleep, too: one may move, or be gone.
    bool looksAtSurfaces(const Surroundings& around) const
    {
        return count_ > 0 && (checks_ || !around.rest());
    }

    /// Wakes who is beside somebody that moves, or is pushed hard by him.
    /// @param pushed  called with a pair's number: multiplier of its contact in the last substep
    ///                [kg m]
    template <class Pushed>
    void wakeByPairs(const Scene& scene, const SolverSettings& settings,
                     std::span<const Pair> pairs, const Pushed& pushed, double dt,
                     sdk::parallel::Executor& executor);
    /// Wakes a particle; of a rigid body, all of it and what it is jointed to.
    void wake(const Scene& scene, std::uint32_t particle);

    /// Ends a substep: positions are the new ones. Who falls asleep has no velocity any more.
    void end(Scene& scene, const SolverSettings& settings, std::span<const Contact> contacts,
             double dt, sdk::parallel::Executor& executor);

private:
    bool mayWake(const Scene& scene, const SolverSettings& settings, std::uint32_t sleeper,
                 std::uint32_t other, float lambda, double dt) const;
    void wakeAll();
    void readJoints(const Scene& scene, std::span<const Joint> joints);
    void weighBodies(const Scene& scene, const SolverSettings& settings,
                     std::span<const Contact> contacts, double dt);
    void restBodies(Scene& scene, std::span<const Contact> contacts,
                    const std::vector<std::uint8_t>& kept, float after);

    State state_;
    std::vector<std::array<std::uint32_t, 2>> jointed_; ///< rigid bodies
    std::vector<std::uint8_t> driven_;                  ///< rigid bodies that never sleep
    std::size_t count_ = 0;
    bool on_ = false, checks_ = false;
    bool stirs_ = true; ///< somebody has just left his place
};

template <class Pushed>
void Sleep::wakeByPairs(const Scene& scene, const SolverSettings& settings,
                        std::span<const Pair> pairs, const Pushed& pushed, double dt,
                        sdk::parallel::Executor& executor)
{
    if (!mayWakeByPairs())
        return;
    constexpr std::size_t kChunk = 8192;
    const std::size_t chunks = (pairs.size() + kChunk - 1) / kChunk;
    std::vector<std::vector<std::uint32_t>> woken(chunks);
    executor.parallelFor(chunks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t chunk = begin; chunk < end; ++chunk)
            for (std::size_t k = chunk * kChunk; k < std::min(pairs.size(), (chunk + 1) * kChunk);
                 ++k) {
                const std::uint32_t a = pairs[k].first, b = pairs[k].second;
                if (state_.asleep[a] == state_.asleep[b])
                    continue;
                const std::uint32_t sleeper = state_.asleep[a] ? a : b;
                if (mayWake(scene, settings, sleeper, a + b - sleeper, pushed(k), dt))
                    woken[chunk].push_back(sleeper);
            }
    });
    for (const auto& some : woken)
        for (const std::uint32_t particle : some)
            wake(scene, particle);
}

} // namespace floe::pbd
