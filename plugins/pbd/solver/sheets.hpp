/// Cloth and ropes: what keeps them from stretching, shearing and bending.
#pragma once

#include "block_system.hpp"
#include "contacts.hpp"
#include "joints.hpp"
#include "motion.hpp"

#include "floe/sdk/parallel/executor.hpp"

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

private:
    /// How a triangle or segment pulls in its present shape.
    struct Pull {
        Vec3d along[2];    ///< triangle: threads, stretched; segment: its direction
        double force[3];   ///< triangle: stress along both, and shear [J]; segment: tension [N]
        double tension[3]; ///< the same, without what is not positive
    };
    /// A part that holds a particle.
    struct Share {
        std::uint32_t part, corner;
    };
    struct System {
        std::shared_ptr<const RestSheet> rest;
        std::vector<std::uint8_t> torn;   ///< as `bend` has it
        std::vector<double> bend;         ///< of every light entry [N/m]
        std::vector<std::uint32_t> begin; ///< of each particle's shares, and the end
        std::vector<Share> shares;
        std::vector<std::uint32_t> entry; ///< of each part's pairs of corners, row by row
        BlockMatrix matrix;               ///< [kg]
        ConjugateGradients gradients;
        std::vector<Vec3d> place, ahead, right, move; ///< one a particle
        bool begun = false;                           ///< has been solved in this substep
        std::vector<Vec3d> exerted; ///< by the sheet in this substep: impulse times dt [kg m]
        std::vector<const Joints::Tie*> tie;
        std::vector<std::uint8_t> held;
        std::vector<Pull> pulls;
    };
    /// Where a rope touches something in a solve.
    struct Touch {
        Contact* contact;
        std::uint32_t particle;
        Vec3d normal;
        double approach;  ///< that is left [m]
        double stiffness; ///< that stops it there [kg]
        bool pushes;
    };
    static std::vector<Touch> touchesOf(System& system, const Body& body, const Motion& motion,
                                        std::span<Contact> surroundings);
    static void solveTouching(System& system, std::vector<Touch>& touches);
    static void build(System& system, const std::shared_ptr<const RestSheet>& rest,
                      std::size_t particles);
    static void keepBends(System& system, const std::vector<std::uint8_t>& torn);
    static void stretch(System& system, sdk::parallel::Executor& executor);
    static void assemble(System& system, const float* weight, double dt,
                         sdk::parallel::Executor& executor);

    std::vector<System> systems_; ///< one a body
    Solves solves_;
};

} // namespace floe::pbd
