/// One step of the semi-implicit integrator: backward Euler on the velocities of the nodes.
///
/// Finds v with
///
///     m_i (v_i - v*_i) + d/dv_i sum_p V_p Psi_p((1 + dt grad v) F_p) = contact
///
/// where v* includes everything but stress and contact (Stomakhin et al. 2013, section 6, whose
/// single linear solve is the first iteration here). Newton's method: the tangent of each particle,
/// projected to be positive (Teran et al. 2005), is applied matrix-free; the linear systems are
/// solved by conjugate gradients, preconditioned by mass, which conserves momentum to rounding
/// after any number of iterations. Stress is taken after the return map of the step's strain (Klar
/// et al. 2016, section 6.2), so matter that yields within a step does not bounce elastically.
///
/// Where a full Newton step overshoots, a line search finds a shorter one at which the residual no
/// longer opposes it (Crisfield 1991, section 9.2): sand and clay have no energy to search by.
///
/// Of several ranks each solves for the nodes of its grid blocks, with the arenas of others in each
/// product. Sums are over the blocks that a rank owns, and exact (exact_sum.hpp): they are the same
/// numbers on any number of ranks, so all decide alike.
#pragma once

#include "contact_set.hpp"
#include "halo.hpp"
#include "node_contact.hpp"
#include "transfer.hpp"

namespace floe::mpm {

class ImplicitSolve {
public:
    /// @param halo  null: one rank
    ImplicitSolve(CpuState& state, const BlockGrid& grid, Transfers& transfers,
                  const NodeContact& contact, Halo* halo)
        : state_(&state), grid_(&grid), transfers_(&transfers), contact_(&contact), halo_(halo)
    {}

    /// Call before the first step() after scatter(0): takes the nodes' velocities at its start.
    void prepare();
    /// Takes momentum from the arenas and leaves the velocities of the step's end in the nodes.
    /// @return false when no solution was found; the nodes are then invalid
    /// @throws std::invalid_argument  a third-party material
    bool step(double time, double dt);

    std::size_t bytes() const;

private:
    using Field = std::vector<float>; ///< kBlockNodes nodes of four floats for each grid block

    template <class Body>
    void overBlocks(Body&& body); ///< body(block, first float of it)
    /// Sums what body(block, first float) returns over the blocks of all ranks, each once.
    template <class Body>
    double sumOver(Body&& body);

    bool isOwn(std::size_t i) const;
    void predict();
    void findContacts();
    std::vector<ContactSet::Touch> touchesOf(const Block& block, const float* masses,
                                             std::vector<ContactSet::Node>& nodes) const;
    void findForces(const Field& velocity); ///< force_ and the tangents
    void multiply(const Field& direction);  ///< product_
    void findResidual();                    ///< residual_, of velocity_ with force_; unprojected
    double freeNorm();                      ///< of the residual along degrees of freedom [m/s]
    double changeNorm();                    ///< of velocity_ - predicted_ [m/s]
    bool updateContacts(double tolerance);
    void solveLinear(double share); ///< direction_
    double slope();                 ///< residual . direction
    double search();
    void spread(const Field& from, bool product);

    CpuState* state_;
    const BlockGrid* grid_;
    Transfers* transfers_;
    const NodeContact* contact_;
    Halo* halo_;
    double time_ = 0, dt_ = 0, mass_ = 0;
    int left_ = 0; ///< linear iterations left
    ContactSet contacts_;
    Field begin_;     ///< velocities and masses at the step's start
    Field predicted_; ///< v*
    Field velocity_, force_, residual_, direction_, search_, product_, rest_;
    std::vector<float> tangents_;
    std::vector<std::size_t> firstBin_; ///< of each scattered block
};

} // namespace floe::mpm
