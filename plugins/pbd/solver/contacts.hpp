/// What touches what, from step to step: candidates, geometry, and impulses that are remembered.
#pragma once

#include "contact_rules.hpp"
#include "motion.hpp"
#include "settings.hpp"
#include "sleep.hpp"
#include "surroundings.hpp"
#include "sweep.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace floe::pbd {

/// Contacts of a scene. Everything is the same for any number of threads.
///
/// Contacts of particles that move by themselves are projected one after the other (Gauss-Seidel):
/// a heap of grains holds with far fewer iterations. Those with a rigid body, which has very many,
/// are projected at once: each side's inverse mass counts as many times as it has such contacts
/// (mass splitting, Tonge et al. 2012), which averages them as the thesis does and keeps momentum,
/// which the thesis's averaging does not. Impulses on the two sides are always equal and opposite.
class Contacts {
public:
    /// Forgets all candidates: particles have come, gone or been moved.
    void invalidate() { known_ = false; }
    /// After Scene::remove(): what the others remember stays.
    void remove(const std::vector<std::uint8_t>& gone);

    /// Finds what touches at positions x or will at x + predicted motion. Who is near what moves is
    /// woken; those who sleep on weigh infinitely much.
    void find(const Scene& scene, Motion& motion, const SolverSettings& settings, double dt,
              const Surroundings& around, Sleep& sleep, sdk::parallel::Executor& executor);
    /// The first part of find(): searches for candidates where somebody has left his margin, or the
    /// state was just loaded. @return whether it did
    /// @param finder  of pairs; empty: findPairs()
    bool update(const Scene& scene, const SolverSettings& settings, const Sleep& sleep,
                sdk::parallel::Executor& executor, const PairFinder& finder = {});
    /// All sleep: nothing touches.
    void rest() { active_.clear(); }
    /// Moves overlapping matter apart: position, not displacement. Bodies' particles follow later.
    void stabilise(Scene& scene, const Motion& motion, const SolverSettings& settings,
                   sdk::parallel::Executor& executor);
    /// Applies what was needed in both of the last two substeps as a first guess.
    void warmStart(const Scene& scene, Motion& motion, sdk::parallel::Executor& executor);
    /// Projects all once.
    void project(const Scene& scene, Motion& motion, const SolverSettings& settings,
                 sdk::parallel::Executor& executor);
    /// Keeps impulses for the next substep: of contacts at rest only. Those of an impact, which two
    /// or three substeps stop, would throw apart what has just been stopped.
    void remember(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                  const Sleep& sleep, double dt);

    /// Makes what is remembered fit substeps that are longer by this factor: for the same force,
    /// multipliers grow with its square.
    void rescale(double factor);

    const std::vector<Contact>& active() const { return active_; }
    /// Of particles that are not a rigid body's with the surroundings, by their numbers.
    std::span<Contact> withSurroundings()
    {
        return std::span(active_).subspan(surfaces_, swept_ - surfaces_);
    }
    /// How deep grains that touch overlap, in radii of the smaller, on average; 0: none touch.
    double overlapOfGrains(const Scene& scene) const;
    std::size_t searches() const { return searches_; }
    /// Particles that a collider takes, found by the last find(): sorted numbers.
    const std::vector<std::uint32_t>& taken() const { return taken_; }

    using Push = pbd::Push;
    /// What must be kept for a run to go on bit for bit.
    struct Memory {
        std::uint32_t a, b;
        Push push;
    };
    /// By a, then b.
    std::vector<Memory> memory() const;
    void setMemory(std::vector<Memory> memory)
    {
        memory_ = std::move(memory);
        dormant_.clear();
        push_.clear();
    }
    /// What a solver on a device needs, and gives back at the end of a frame.
    std::span<const Pair> candidates() const { return candidates_; }
    std::span<const Pair> sweptCandidates() const { return sweptCandidates_; }
    const SweepOrder& sweepOrder() const { return sweep_; }
    std::span<const Push> sweptPushes() const { return push_; }
    std::span<const Memory> otherPushes() const { return memory_; } ///< by a, then b
    /// @param swept  of sweptCandidates()  @param others  by a, then b
    void setPushes(std::vector<Push> swept, std::vector<Memory> others)
    {
        push_ = std::move(swept);
        memory_ = std::move(others);
    }

    /// The last search.
    struct Searched {
        std::vector<Vec3d> x; ///< where everybody was [m]; empty: there is to be one
        /// Who was in this box took part; all that were awake were well inside [m].
        Vec3d low{-INFINITY, -INFINITY, -INFINITY}, high{INFINITY, INFINITY, INFINITY};
        double inside = 0; ///< from its faces: whoever is awake has all his candidates there [m]

        Vec3d lowest() const { return low + Vec3d{inside, inside, inside}; }
        Vec3d highest() const { return high - Vec3d{inside, inside, inside}; }
    };
    Searched searched() const { return known_ ? searched_ : Searched(); }
    void setSearched(Searched searched)
    {
        known_ = !searched.x.empty();
        searched_ = std::move(searched);
        candidates_.clear();
        sweptCandidates_.clear();
        push_.clear();
        searches_ = 0;
    }

private:
    bool holds(const Scene& scene, const Sleep& sleep) const;
    void beginSearch(const Scene& scene, const Sleep& sleep);
    void search(const Scene& scene, const PairFinder& finder);
    /// @param sleep  whose sleepers are left out; null: nobody is
    void findSurfaces(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                      double dt, const Surroundings& around, const Sleep* sleep,
                      sdk::parallel::Executor& executor);
    void findPairs(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                   double dt, const Sleep& sleep, sdk::parallel::Executor& executor);
    void findSwept(const Scene& scene, const Motion& motion, const SolverSettings& settings,
                   double dt, const Sleep& sleep, sdk::parallel::Executor& executor);
    /// Wakes who is touched by a surface that moves or was lost.
    void wakeBySurfaces(const Scene& scene, Sleep& sleep);
    void gather(std::size_t chunks);
    void recallAll();
    void shareMass(const Scene& scene);
    void projectSwept(Motion& motion, sdk::parallel::Executor& executor);
    void apply(const Scene& scene, Motion& motion, sdk::parallel::Executor& executor) const;
    float contactsOf(const Scene& scene, std::uint32_t particle) const;
    /// Calls work(contact) for all that are not with a rigid body, one after the other as far as
    /// they share particles.
    template <class Work>
    void sweep(const Work& work, sdk::parallel::Executor& executor);

    bool known_ = false;
    Searched searched_;
    std::vector<Pair> candidates_;      ///< with a rigid body, ascending
    std::vector<Pair> sweptCandidates_; ///< of the others, in the order of sweep_
    SweepOrder sweep_;
    std::vector<Push> push_;      ///< of sweptCandidates_, or empty
    std::vector<Memory> memory_;  ///< of the other contacts that pushed, by a, then b
    std::vector<Memory> dormant_; ///< of those who took no part in the search, in that order
    // First those with a rigid body, by a, then b; from surfaces_ on those of other particles with
    // surroundings, by a; from swept_ on those of other pairs, cell by cell.
    std::vector<Contact> active_;
    std::size_t surfaces_ = 0, swept_ = 0;
    std::vector<std::size_t> cellBegin_;      ///< of the cells of sweep_ in active_, and their end
    std::vector<std::vector<Contact>> found_; ///< kept for its memory
    std::vector<std::uint32_t> taken_;
    // Contacts before surfaces_ of every mover: a particle, or particles.size() + a body. Twice the
    // contact's number, and 1 where it is the second side.
    std::vector<std::uint32_t> begin_, incident_;
    std::size_t searches_ = 0;
};

} // namespace floe::pbd
