/// What acts on nodes and particles from outside: forces, colliders and the walls of the domain.
#pragma once

#include "layout.hpp"

#include <floe/sdk/physics/vec.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace floe::mpm {

using Vec3d = physics::Vec3<double>;

/// Points in or near one block, component by component. Positions are offsets [m] from a corner
/// that is known in double precision, so that far from the world's origin nothing is lost.
struct PointBatch {
    static constexpr int kMost = kBlockNodes;
    int count = 0;
    Vec3d corner;                  ///< world [m]
    alignas(64) float x[3][kMost]; ///< offset from the corner [m]
    alignas(64) float v[3][kMost]; ///< velocity [m/s]
    alignas(64) float mass[kMost]; ///< [kg]; 0: an empty node, whose velocity does not matter
};

/// An acceleration field. Called from many threads at once.
class Force {
public:
    virtual ~Force() = default;
    /// Changes batch.v by what the force does from `time` to `time + dt`.
    virtual void apply(PointBatch& batch, double time, float dt) const = 0;
};

enum class Contact { stick, slip, separate };
enum class ParticleContact { none, bounce, remove };

/// What a collider says about a batch of points.
struct ColliderSample {
    alignas(64) float distance[PointBatch::kMost];  ///< signed, negative inside [m]
    alignas(64) float normal[3][PointBatch::kMost]; ///< unit, outwards; 0 deep inside
    alignas(64) float v[3][PointBatch::kMost];      ///< of the collider there [m/s]
};

/// A solid obstacle. `moveTo` is called alone, the rest from many threads at once.
class Collider {
public:
    Collider() = default;
    Collider(const Collider&) = delete;
    Collider& operator=(const Collider&) = delete;
    virtual ~Collider() = default;
    const std::uint64_t id = nextId(); ///< no other collider ever has it
    /// Takes the pose and velocity of the step from `time` to `time + dt`.
    virtual void moveTo(double time, double dt) = 0;
    /// False only when no point of the ball is inside the collider: a cheap test, once a block.
    virtual bool mayTouch(const Vec3d& center, double radius) const = 0;
    /// Points without mass may be left out (distance above zero, the rest undefined).
    virtual void sample(const PointBatch& points, ColliderSample& out) const = 0;
    /// Whether, as long as it lives, it neither moves nor changes its shape: what it says of a
    /// point may be kept.
    virtual bool rests() const { return false; }
    /// No point of it is faster in this step; 0: it rests, infinity: not known [m/s].
    virtual double topSpeed() const { return 0; }
    /// speed[i] = how fast it is at points at most `reach` [m] outside it, else 0 [m/s].
    virtual void speedNear(const PointBatch& points, double reach, float* speed) const
    {
        (void)reach;
        std::fill_n(speed, points.count, 0.0f);
    }

    Contact contact = Contact::separate;
    float friction = 0; ///< Coulomb's coefficient, >= 0; for `separate`
    ParticleContact particles = ParticleContact::none;

private:
    static std::uint64_t nextId();
};

/// Applies a collider to the velocities of nodes inside it.
///
/// stick: the collider's velocity. slip: no velocity along the normal. separate: only an
/// approaching node is stopped, and friction takes up to mu times the stopped speed from the
/// sliding (Stomakhin et al. 2013, section 8).
void applyContact(const ColliderSample& sample, Contact contact, float friction, PointBatch& nodes);

enum class Face { open, slip, stick, separate };

/// An oriented box around the simulation. Unbounded unless `bounded`.
struct Domain {
    bool bounded = false;
    Vec3d center{0, 0, 0};
    Vec3d halfSize{1, 1, 1}; ///< [m]
    physics::Mat3<double> axes =
        physics::Mat3<double>::identity(); ///< columns: the box's axes in the world
    std::array<Face, 6> faces{};           ///< xMin xMax yMin yMax zMin zMax
    float friction = 0;                    ///< for `separate`

    /// May a node or particle in the ball be on or beyond a face that is not open (walls) or is
    /// open?
    bool nearWall(const Vec3d& center, double radius) const;
    bool nearOpenFace(const Vec3d& center, double radius) const;
    /// What a collider says of nodes near walls, as if it went on behind them: an obstacle that
    /// ends at a wall leaves no gap there. Nodes on or beyond a wall outside the collider are asked
    /// where their mirror images are; and where the shortest way out of the collider leads through
    /// a wall there is none, and the normal is 0.
    /// @param cell  the grid's [m]: ways that end within a quarter of it from a wall end there
    void sampleWithin(const Collider& collider, const PointBatch& nodes, double cell,
                      ColliderSample& out) const;
    /// The walls' effect on nodes on or beyond them.
    void applyWalls(PointBatch& nodes) const;
    bool sameAs(const Domain& other) const;
    /// True in `outside[i]` for points beyond an open face.
    void findOutside(const PointBatch& points, bool* outside) const;
};

} // namespace floe::mpm
