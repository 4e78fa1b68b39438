/// What a solver gives out about its bodies: meshes, and states with the forces on them.
#pragma once

#include "solver/contact_log.hpp"
#include "solver/scene.hpp"

#include "floe/sdk/contacts.hpp"
#include "floe/sdk/node.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace floe::pbd {

/// Momentum of each body at the beginning of a frame.
class Wrenches {
public:
    struct Wrench {
        Vec3d force{0, 0, 0}, torque{0, 0, 0}; ///< about the centre of mass [N], [N m]
    };

    void begin(const Scene& scene);
    /// The mean force and torque on a body since begin(), without its weight.
    /// @param duration  [s]; 0: they are 0, as for pieces of what broke since
    Wrench of(const Scene& scene, std::size_t body, double duration, const Vec3d& gravity) const;

private:
    struct Momentum {
        Vec3d linear, angular;
    };
    static Momentum momentumOf(const Scene& scene, const Body& body);

    struct Before {
        std::shared_ptr<const RestBody> rest;
        Momentum momentum;
    };
    std::vector<Before> before_;
};

/// The meshes of all bodies, where they are, as one. `colours`: of the bodies' materials.
sdk::Value meshOfBodies(const Scene& scene, std::span<const Vec3f> colours);

/// Particles, one a body: x, v, id, material, mass, orientation (quaternion x, y, z, w), spin,
/// force, torque, and whole: the number of the body that it is a piece of, or its own.
sdk::Value statesOfBodies(const Scene& scene, const Wrenches& wrenches, double duration,
                          const Vec3d& gravity);

/// Particles "contacts" of floe/sdk/records.h, one a pair that pushed.
/// @param scope  nothing: nobody recorded
sdk::Value contactsOf(const ContactLog& log, const std::optional<sdk::ContactScope>& scope);

} // namespace floe::pbd
