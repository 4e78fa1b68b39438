/// What a solver moves: particles of any size, some of them held together as bodies.
#pragma once

#include "bodies/rest_sheet.hpp"
#include "rotation.hpp"

#include "floe/sdk/physics/vec.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace floe::pbd {

using Mat3d = physics::Mat3<double>;

/// What particles are made of.
struct Material {
    enum class Kind : std::uint32_t { grains, liquid, body };
    Kind kind = Kind::grains;
    float density = 1000;         ///< of a particle's cube [kg/m^3]; of a liquid: at rest
    float staticFriction = 0.5f;  ///< Coulomb's coefficient; of two materials the geometric mean
    float kineticFriction = 0.4f; ///< once it slides
    float restitution = 0;        ///< 0 to 1; of two materials the larger
    float viscosity = 0;          ///< of a liquid: dynamic [Pa s]
    float smoothing = 0;          ///< of a liquid: rate at which neighbours share velocity [1/s]
    float vorticity = 0;          ///< of a liquid: rate at which eddies gain [1/s]
    float surfaceTension = 0;     ///< of a liquid, against air [N/m]
    float wetting = 0;            ///< of a liquid: (1 + cos(contact angle)) / 2; 0: it wets nothing

    bool operator==(const Material&) const = default;
};

inline constexpr std::uint32_t kNoBody = 0xffffffffu;

/// All arrays have one length. Bodies' particles are of the mass and radius that their rest shape
/// gives; free ones stand for a cube of edge 2 r.
struct Particles {
    std::vector<Vec3d> x;                ///< [m]
    std::vector<Vec3f> v;                ///< [m/s]
    std::vector<float> radius;           ///< [m]
    std::vector<float> mass;             ///< [kg]
    std::vector<std::uint32_t> material; ///< number in Scene::materials
    std::vector<std::uint32_t> body;     ///< number in Scene::bodies, or kNoBody
    std::vector<std::uint64_t> id;       ///< never used again

    std::size_t size() const { return x.size(); }
};

/// Which part of a body that was added this is, as pieces are numbered from break to break.
struct PieceOf {
    static constexpr int kMaxDepth = 4;

    std::uint32_t body = kNoBody;                ///< its number at first
    std::uint32_t depth = 0;                     ///< how often it broke
    std::array<std::uint32_t, kMaxDepth> path{}; ///< in RestBody::pieces, from the whole on
};

/// A rigid body, whose state is its pose and momentum and whose particles follow; or a soft one,
/// whose particles are the state and whose pose is fitted to them; or a cloth or rope, which has no
/// pose but a centre.
struct Body {
    std::shared_ptr<const RestBody> rest;
    std::shared_ptr<const RestSheet> sheet; ///< of a cloth or rope; else null
    std::uint32_t first = 0;                ///< of its particles, which follow one another
    bool rigid = true;
    float frequency = 10;           ///< soft: at which particles swing about the rest shape [1/s]
    float damping = 0;              ///< soft: rate at which they lose velocity that deforms [1/s]
    float tear = 0;                 ///< cloth and ropes: strain at which they tear; 0: never
    std::vector<std::uint8_t> torn; ///< one for each of RestSheet::parts()
    Vec3d x{0, 0, 0};               ///< of the centre of mass [m]
    Mat3d R = Mat3d::identity();
    std::vector<Mat3d> turns;       ///< soft: of each of RestBody::regions
    Vec3d v{0, 0, 0};               ///< [m/s]
    Vec3d angularMomentum{0, 0, 0}; ///< rigid: about the centre [kg m^2/s]
    float strength = INFINITY; ///< rigid: impulse of contacts over mass at which it breaks [m/s]
    double blow = 0; ///< of what may break: impulse of its contacts in the last substep [N s]
    PieceOf piece;

    /// How the matter at one of its particles is turned.
    Mat3d turnAt(std::size_t particle) const
    {
        if (turns.empty())
            return R;
        Mat3d mean{};
        for (std::size_t k = 0; k < RestBody::kRegionsOfParticle; ++k)
            mean =
                mean + double{rest->regionShare[particle][k]} * turns[rest->regionsOf[particle][k]];
        return gramSchmidtRotation(mean);
    }
};

struct Scene {
    std::vector<Material> materials;
    std::vector<Body> bodies;
    Particles particles;
    std::uint64_t nextId = 0;

    /// Where a body begins.
    struct Placed {
        Vec3d x{0, 0, 0}; ///< of the mesh's origin [m]
        Mat3d R = Mat3d::identity();
        Vec3d v{0, 0, 0};    ///< of the centre of mass [m/s]
        Vec3d spin{0, 0, 0}; ///< [rad/s]
    };
    /// @return its number
    std::uint32_t addBody(std::shared_ptr<const RestBody> rest, std::uint32_t material,
                          const Placed& placed, bool rigid, float frequency = 10,
                          float damping = 0);
    /// A cloth or rope. Particles that are pinned have an infinite mass: nothing moves them.
    /// @return its number
    std::uint32_t addSheet(const std::shared_ptr<const Cloth>& cloth, std::uint32_t material,
                           const Placed& placed, float damping, float tear);
    void addParticle(const Vec3d& x, const Vec3f& v, float radius, std::uint32_t material);
    /// Replaces a rigid body by its pieces, which move on as it did: linear and angular momentum
    /// stay to rounding. The first takes its number, the others come last; particles keep theirs.
    /// @return the pieces' numbers
    std::vector<std::uint32_t> breakBody(std::uint32_t number);
    /// Takes out free particles. @param gone  one entry a particle; bodies' are not looked at
    void remove(const std::vector<std::uint8_t>& gone);

    /// Inverse of a rigid body's inertia in the world [1/(kg m^2)].
    static Mat3d inverseInertia(const Body& body) { return inverseInertia(body, body.R); }
    /// The same, were it turned by R.
    static Mat3d inverseInertia(const Body& body, const Mat3d& R);
    bool isRigid(std::size_t particle) const
    {
        const std::uint32_t body = particles.body[particle];
        return body != kNoBody && bodies[body].rigid;
    }
    bool isLiquid(std::size_t particle) const
    {
        return particles.body[particle] == kNoBody &&
               materials[particles.material[particle]].kind == Material::Kind::liquid;
    }
    /// Pinned: it stays where it is.
    bool isHeld(std::size_t particle) const { return !(particles.mass[particle] < kHeldMass); }
    /// What is inside a body's surface; null for free particles, cloth and ropes.
    const RestParticle* restOf(std::size_t particle) const
    {
        const std::uint32_t body = particles.body[particle];
        return body == kNoBody || bodies[body].sheet
                   ? nullptr
                   : &bodies[body].rest->particles[particle - bodies[body].first];
    }
    static constexpr float kHeldMass = 1e30f; ///< [kg]
    /// Puts a rigid body's particles where its pose has them.
    void followPose(const Body& body);
};

FLOE_HD Vec3f toFloat(const Vec3d& a)
{
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}
FLOE_HD Vec3d toDouble(const Vec3f& a)
{
    return {a.x, a.y, a.z};
}

} // namespace floe::pbd
