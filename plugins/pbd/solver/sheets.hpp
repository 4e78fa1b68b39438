/// Cloth and ropes: what keeps them from stretching, shearing and bending.
#pragma once

#include "block_system.hpp"
#include "contacts.hpp"
#include "joints.hpp"
#include "motion.hpp"
#include "sheet_rules.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace floe::pbd {

/// Every iteration takes one step of Newton's method on the implicit Euler step of a whole cloth or
/// rope (Baraff and Witkin 1998), after what else has moved its particles: stiffness is physical,
/// whatever the number of iterations and substeps. The tension's own stiffness is kept where it is
/// positive, so that the system is definite. A rope's is solved exactly, by elimination; a cloth's
/// by conjugate gradients. What is tied to a particle moves along in its solve: a light rope bears
/// a heavy body. What touches a rope is in its solve, too: found apart from it, the one would undo
/// what the other does, and a stiff rope would take energy out of that. Linear momentum is kept to
/// rounding where nothing is pinned.
///
/// Impulses begin at zero in every substep. Beginning with those of the last one would integrate
/// what the solves leave, which makes modes that converge slowly grow.
class Sheets {
public:
    /// Before the iterations of a substep.
    void begin(const Scene& scene);
    enum class Which { All, Ropes };
    /// @param surroundings  Contacts::withSurroundings(); impulses of ropes' are added to
    void project(const Scene& scene, const std::vector<Joint>& joints, Joints& joined,
                 std::span<Contact> surroundings, Which which, Motion& motion, double dt,
                 sdk::parallel::Executor& executor);
    /// After a substep: takes relative velocity along edges from what is damped, and tears what is
    /// stretched too far.
    static void finish(Scene& scene, double dt, sdk::parallel::Executor& executor);

    /// A cloth, that air pushes by its faces.
    static bool hasFaces(const Body& body) { return body.sheet && !body.sheet->rope; }
    /// Wind on cloth: a face takes of the air's change of velocity what is along its normal, and so
    /// does not feel air that streams along it.
    /// @param change  of each particle's velocity, were it carried along by itself [m/s]
    static void blow(Scene& scene, const std::vector<Vec3f>& change);

    /// How well cloth was solved since the last takeSolves().
    struct Solves {
        std::size_t all = 0, left = 0; ///< solves; those that ended far from their solution
        std::uint32_t body = kNoBody;  ///< the first that had one
    };
    Solves takeSolves() { return std::exchange(solves_, {}); }

    /// Adds solves of a device.
    void add(const Solves& solves)
    {
        solves_.all += solves.all;
        solves_.left += solves.left;
        solves_.body = std::min(solves_.body, solves.body);
    }

    /// What the solve of a sheet is made of, and its memory.
    struct System {
        std::shared_ptr<const RestSheet> rest;
        std::vector<std::uint32_t> torn;  ///< as `bend` has it: 1 or 0
        std::vector<double> bend;         ///< of every light entry [N/m]
        std::vector<std::uint32_t> begin; ///< of each particle's shares, and the end
        std::vector<SheetShare> shares;
        std::vector<std::uint32_t> entry; ///< of each part's pairs of corners, row by row
        BlockMatrix matrix;               ///< [kg]

        /// For a body, unless it is made for it already.
        void make(const Body& body);
    };

private:
    /// Of a sheet on the CPU.
    struct Work {
        ConjugateGradients gradients;
        std::vector<Vec3d> place, ahead, right, move, exerted; ///< one a particle
        bool begun = false;                                    ///< has been solved in this substep
        std::vector<std::uint32_t> tie, held;
        std::vector<SheetPull> pulls;
        std::vector<RopeTouch> touches;
        std::vector<double> banded;
    };
    static SheetRows rowsOf(System& system, Work& work, const std::vector<JointTie>& ties,
                            const float* weight);
    bool solveRope(const SheetRows& rows, Work& work, std::uint32_t first, const Motion& motion,
                   std::span<Contact> surroundings);
    void solveCloth(const SheetRows& rows, Work& work, std::uint32_t body,
                    sdk::parallel::Executor& executor);

    std::vector<System> systems_; ///< one a body
    std::vector<Work> work_;      ///< the same
    Solves solves_;
};

} // namespace floe::pbd
