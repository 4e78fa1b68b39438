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

/// The eight voxels around a point of a grid's space (z fastest) and the fractions between them.
template <class Element>
struct Corners {
    Element value[8];
    double t[3];

    __device__ Corners(const nanovdb::NanoGrid<Element>& grid, const Vec3d& at)
    {
        const auto index = grid.worldToIndex(nanovdb::Vec3d(at.x, at.y, at.z));
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

    /// Trilinear, in single precision like the host's sampler, so that both agree on where zero is.
    __device__ Element interpolated() const
    {
        return mixed(0, mixed(1, mixed(2, value[0], value[1]), mixed(2, value[2], value[3])),
                     mixed(1, mixed(2, value[4], value[5]), mixed(2, value[6], value[7])));
    }

private:
    __device__ Element mixed(int axis, const Element& a, const Element& b) const
    {
        return Element(a + (b - a) * static_cast<float>(t[axis]));
    }
};

__device__ __forceinline__ double mix(double t, double a, double b)
{
    return a + t * (b - a);
}

/// Gradient of the trilinear interpolant.
__device__ Vec3d gradientOf(const nanovdb::NanoGrid<float>& grid, const Corners<float>& c)
{
    double v[8];
    for (int n = 0; n < 8; ++n)
        v[n] = c.value[n];
    const double* t = c.t;
    const auto slope = grid.indexToWorldGrad(nanovdb::Vec3d(
        mix(t[1], mix(t[2], v[4] - v[0], v[5] - v[1]), mix(t[2], v[6] - v[2], v[7] - v[3])),
        mix(t[0], mix(t[2], v[2] - v[0], v[3] - v[1]), mix(t[2], v[6] - v[4], v[7] - v[5])),
        mix(t[0], mix(t[1], v[1] - v[0], v[3] - v[2]), mix(t[1], v[5] - v[4], v[7] - v[6]))));
    return {slope[0], slope[1], slope[2]};
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

/// Own space to world: position + rotation * (scale * p); the rotation is a quaternion (x, y, z,
/// w).
struct DevicePose {
    Vec3d position;
    double rotation[4];
    double scale;
};

__device__ Vec3d rotate(const double* q, const Vec3d& v)
{
    // v + 2 w (u x v) + 2 u x (u x v), u the vector part
    const Vec3d t{2 * (q[1] * v.z - q[2] * v.y), 2 * (q[2] * v.x - q[0] * v.z),
                  2 * (q[0] * v.y - q[1] * v.x)};
    return {v.x + q[3] * t.x + q[1] * t.z - q[2] * t.y, v.y + q[3] * t.y + q[2] * t.x - q[0] * t.z,
            v.z + q[3] * t.z + q[0] * t.y - q[1] * t.x};
}
__device__ Vec3d toWorld(const DevicePose& pose, const Vec3d& own)
{
    const Vec3d turned = rotate(pose.rotation, pose.scale * own);
    return turned + pose.position;
}
__device__ Vec3d toOwn(const DevicePose& pose, const Vec3d& world)
{
    const double back[4] = {-pose.rotation[0], -pose.rotation[1], -pose.rotation[2],
                            pose.rotation[3]};
    const Vec3d v = rotate(back, world - pose.position);
    return {v.x / pose.scale, v.y / pose.scale, v.z / pose.scale};
}

/// LevelSetShape and LevelSetMotion (backend.hpp) in device memory.
struct DeviceCollider {
    const nanovdb::NanoGrid<float>* shape;
    const nanovdb::NanoGrid<float>* nextShape;         ///< null: keeps its shape
    const nanovdb::NanoGrid<nanovdb::Vec3f>* velocity; ///< null: none
    DevicePose now, later;
    double timeStep, share, frame;
    std::int32_t moves; ///< now and later differ
    NodeContact contact;
    float friction;
    std::int32_t particles; ///< ParticleContact: 0 none, 1 bounce, 2 remove
};

/// Colliders that travel with a launch, which unlike a copy makes nobody wait.
struct ColliderBatch {
    static constexpr std::uint32_t kMost = 8; ///< a launch takes 4 KB
    DeviceCollider collider[kMost];
};
__global__ void writeColliders(DeviceCollider* to, ColliderBatch batch, std::uint32_t count)
{
    if (threadIdx.x < count)
        to[threadIdx.x] = batch.collider[threadIdx.x];
}

struct ColliderAt {
    Vec3f normal; ///< unit, outwards; zero where the distance is constant
    Vec3f v;      ///< of the collider [m/s]
    float depth;  ///< below the surface [m] >= 0
};

/// @return whether the point is on or inside the collider; else `out` is not set
__device__ bool sampleCollider(const DeviceCollider& c, const Vec3d& world, ColliderAt& out)
{
    const Vec3d own = toOwn(c.now, world);
    Vec3d flow{0, 0, 0};
    if (c.velocity) {
        const auto u = Corners<nanovdb::Vec3f>(*c.velocity, own).interpolated();
        flow = {u[0], u[1], u[2]};
    }
    const Vec3d from = c.nextShape ? own - c.share * c.frame * flow : own;
    const Corners<float> a(*c.shape, from);
    double distance = a.interpolated();
    Vec3d normal;
    if (c.nextShape) {
        const Corners<float> b(*c.nextShape, own + (1 - c.share) * c.frame * flow);
        distance = (1 - c.share) * distance + c.share * static_cast<double>(b.interpolated());
        if (distance > 0)
            return false;
        normal = (1 - c.share) * gradientOf(*c.shape, a) + c.share * gradientOf(*c.nextShape, b);
    } else {
        if (distance > 0)
            return false;
        normal = gradientOf(*c.shape, a);
    }
    normal = rotate(c.now.rotation, normal);
    const double length = sqrt(physics::dot(normal, normal));
    const double perLength = length > 0.05 ? 1 / length : 0;
    Vec3d v = rotate(c.now.rotation, c.now.scale * flow);
    if (c.moves)
        v = v + (1 / c.timeStep) * (toWorld(c.later, own) - world);
    out.normal = {static_cast<float>(normal.x * perLength),
                  static_cast<float>(normal.y * perLength),
                  static_cast<float>(normal.z * perLength)};
    out.v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
    out.depth = static_cast<float>(-c.now.scale * distance);
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
