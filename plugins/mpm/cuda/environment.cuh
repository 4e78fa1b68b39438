#pragma once

/// What acts on grid nodes besides the particles: forces, colliders, walls of the domain.
///
/// Signed distances and vector fields are NanoVDB grids in device memory, read trilinearly in
/// double precision like floe/sdk/level_set.hpp does on the host.

#include "layout.cuh"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#endif
#include <nanovdb/NanoVDB.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

using Vec3d = physics::Vec3<double>;

/// The eight voxels around a world position (z fastest) and the fractions between them.
template <class Element>
struct Corners {
    Element value[8];
    double t[3];

    __device__ Corners(const nanovdb::NanoGrid<Element>& grid, const Vec3d& world)
    {
        const auto index = grid.worldToIndex(nanovdb::Vec3d(world.x, world.y, world.z));
        auto accessor = grid.tree().getAccessor();
        int base[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double c = fmin(fmax(index[axis], -1e9), 1e9); // far outside: background
            const double low = ::floor(c);
            base[axis] = static_cast<int>(low);
            t[axis] = c - low;
        }
        for (int n = 0; n < 8; ++n)
            value[n] = accessor.getValue(
                nanovdb::Coord(base[0] + (n >> 2), base[1] + (n >> 1 & 1), base[2] + (n & 1)));
    }
};

__device__ __forceinline__ double mix(double t, double a, double b)
{
    return a + t * (b - a);
}
__device__ double trilinear(const double (&v)[8], const double (&t)[3])
{
    return mix(t[0], mix(t[1], mix(t[2], v[0], v[1]), mix(t[2], v[2], v[3])),
               mix(t[1], mix(t[2], v[4], v[5]), mix(t[2], v[6], v[7])));
}

/// Signed distance [m] and its gradient.
__device__ double sampleDistance(const nanovdb::NanoGrid<float>& grid, const Vec3d& at,
                                 Vec3d& gradient)
{
    const Corners<float> c(grid, at);
    double v[8];
    for (int n = 0; n < 8; ++n)
        v[n] = c.value[n];
    const double* t = c.t;
    const auto slope = grid.indexToWorldGrad(nanovdb::Vec3d(
        mix(t[1], mix(t[2], v[4] - v[0], v[5] - v[1]), mix(t[2], v[6] - v[2], v[7] - v[3])),
        mix(t[0], mix(t[2], v[2] - v[0], v[3] - v[1]), mix(t[2], v[6] - v[4], v[7] - v[5])),
        mix(t[0], mix(t[1], v[1] - v[0], v[3] - v[2]), mix(t[1], v[5] - v[4], v[7] - v[6]))));
    gradient = {slope[0], slope[1], slope[2]};
    return trilinear(v, c.t);
}

__device__ Vec3d sampleVector(const nanovdb::NanoGrid<nanovdb::Vec3f>& grid, const Vec3d& at)
{
    const Corners<nanovdb::Vec3f> c(grid, at);
    double result[3];
    for (int axis = 0; axis < 3; ++axis) {
        double v[8];
        for (int n = 0; n < 8; ++n)
            v[n] = c.value[n][axis];
        result[axis] = trilinear(v, c.t);
    }
    return {result[0], result[1], result[2]};
}

/// As in core/boundary.hpp, with numbers that kernels read.
enum class NodeContact : std::int32_t { open, slip, stick, separate };

/// Velocity after contact with something at rest whose unit outward normal is n.
///
/// stick: none. slip: none along the normal. separate: only an approaching node is stopped, and
/// friction takes up to mu times the stopped speed from the sliding (Stomakhin et al. 2013, section
/// 8).
__device__ Vec3f contactVelocity(const Vec3f& v, const Vec3f& n, NodeContact contact,
                                 float friction)
{
    if (contact == NodeContact::open)
        return v;
    if (contact == NodeContact::stick)
        return {0, 0, 0};
    const float vn = v.x * n.x + v.y * n.y + v.z * n.z;
    if (contact == NodeContact::separate && vn >= 0)
        return v;
    Vec3f t{v.x - vn * n.x, v.y - vn * n.y, v.z - vn * n.z};
    if (contact == NodeContact::separate && friction > 0) {
        const float speed = sqrtf(t.x * t.x + t.y * t.y + t.z * t.z);
        const float loss = -vn * friction;
        const float keep = speed > loss ? 1 - loss / speed : 0;
        t = {keep * t.x, keep * t.y, keep * t.z};
    }
    return t;
}

/// An oriented box; see Domain in core/boundary.hpp.
struct DeviceDomain {
    bool bounded = false;
    Vec3d center{0, 0, 0};
    Vec3d halfSize{1, 1, 1};
    Vec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; ///< the box's axes in the world
    NodeContact faces[6] = {};                         ///< xMin xMax yMin yMax zMin zMax
    float friction = 0;
};

__device__ __forceinline__ double dot3(const Vec3d& a, const Vec3d& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Distance from a face to a point at `offset` from `corner`, positive inside. In the arithmetic of
/// the CPU solver, so that both agree on nodes that lie on the face.
__device__ float faceDistance(const DeviceDomain& domain, int face, const Vec3d& corner,
                              const Vec3f& offset, Vec3f& normal)
{
    const int axis = face / 2;
    const double side = face % 2 ? -1 : 1;
    const Vec3d& a = domain.axes[axis];
    const double half = axis == 0   ? domain.halfSize.x
                        : axis == 1 ? domain.halfSize.y
                                    : domain.halfSize.z;
    const Vec3d from{corner.x - domain.center.x, corner.y - domain.center.y,
                     corner.z - domain.center.z};
    normal = {static_cast<float>(side * a.x), static_cast<float>(side * a.y),
              static_cast<float>(side * a.z)};
    const auto cornerDistance = static_cast<float>(half + side * dot3(a, from));
    return cornerDistance + normal.x * offset.x + normal.y * offset.y + normal.z * offset.z;
}

/// A level set that moves rigidly, or turns into another one, during a step.
///
/// A point p of its own space lies in the world at position + rotation * (scale * p).
struct DeviceCollider {
    const nanovdb::NanoGrid<float>* shape;     ///< signed distance in its own space [m]
    const nanovdb::NanoGrid<float>* nextShape; ///< null: rigid
    const nanovdb::NanoGrid<nanovdb::Vec3f>*
        velocity;       ///< deforming: in its own space [m/s]; may be null
    double blend;       ///< 0: shape, 1: nextShape
    double position[3]; ///< [m]
    double rotation[9]; ///< row-major
    double scale;
    double linear[3];  ///< velocity of `position` [m/s]
    double angular[3]; ///< [rad/s], about `position`
    double growth;     ///< d(ln scale)/dt [1/s]
    NodeContact contact;
    float friction;
    std::int32_t particles; ///< ParticleContact: 0 none, 1 bounce, 2 remove
};

struct ColliderAt {
    float distance; ///< [m]
    Vec3f normal;   ///< unit, outwards
    Vec3f v;        ///< of the collider [m/s]
};

/// @return false when the point is well outside: nothing else is set then
__device__ bool sampleCollider(const DeviceCollider& c, const Vec3d& world, ColliderAt& out)
{
    const double r[3] = {world.x - c.position[0], world.y - c.position[1], world.z - c.position[2]};
    const double* R = c.rotation;
    const double perScale = 1 / c.scale;
    const Vec3d own{(R[0] * r[0] + R[3] * r[1] + R[6] * r[2]) * perScale,
                    (R[1] * r[0] + R[4] * r[1] + R[7] * r[2]) * perScale,
                    (R[2] * r[0] + R[5] * r[1] + R[8] * r[2]) * perScale};
    Vec3d gradient;
    double distance = sampleDistance(*c.shape, own, gradient);
    if (c.nextShape) {
        Vec3d next;
        distance = mix(c.blend, distance, sampleDistance(*c.nextShape, own, next));
        gradient = {mix(c.blend, gradient.x, next.x), mix(c.blend, gradient.y, next.y),
                    mix(c.blend, gradient.z, next.z)};
    }
    out.distance = static_cast<float>(distance * c.scale);
    if (out.distance > 0)
        return false;
    Vec3d v{0, 0, 0};
    if (c.velocity)
        v = sampleVector(*c.velocity, own);
    double n[3], w[3];
    for (int a = 0; a < 3; ++a) {
        n[a] = R[3 * a] * gradient.x + R[3 * a + 1] * gradient.y + R[3 * a + 2] * gradient.z;
        w[a] = R[3 * a] * v.x + R[3 * a + 1] * v.y + R[3 * a + 2] * v.z;
        w[a] = w[a] * c.scale + c.linear[a] + c.growth * r[a];
    }
    w[0] += c.angular[1] * r[2] - c.angular[2] * r[1];
    w[1] += c.angular[2] * r[0] - c.angular[0] * r[2];
    w[2] += c.angular[0] * r[1] - c.angular[1] * r[0];
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    // Deep inside, where the distance is constant, there is no outward direction: up will do.
    const double perLength = length > 1e-12 ? 1 / length : 0;
    out.normal = {static_cast<float>(n[0] * perLength),
                  static_cast<float>(length > 1e-12 ? n[1] * perLength : 1.0),
                  static_cast<float>(n[2] * perLength)};
    out.v = {static_cast<float>(w[0]), static_cast<float>(w[1]), static_cast<float>(w[2])};
    return true;
}

/// All that acts on nodes during one step. The arrays are in device memory.
struct Environment {
    Vec3f gravity{0, 0, 0}; ///< change of velocity by gravity in this step [m/s]
    DeviceDomain domain;
    const DeviceCollider* colliders = nullptr;
    std::int32_t colliderCount = 0;
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
