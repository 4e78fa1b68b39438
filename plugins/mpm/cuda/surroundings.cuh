#pragma once

/// Domain, colliders and forces of the host, brought to the device for each step.
///
/// Walls and level-set colliders run on the device. Forces that only the host can evaluate make a
/// step go through host memory: nodes are downloaded, changed as the CPU solver changes them, and
/// uploaded. Right for any force, at the price of two copies of the grid a step.

#include "backend.hpp"
#include "core.cuh"

#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

class Surroundings {
public:
    explicit Surroundings(Device& device) : device_(&device), colliderTable_(device) {}

    void setDomain(const Domain& domain) { domain_ = domain; }
    void setForces(std::vector<std::shared_ptr<const Force>> forces)
    {
        forces_ = std::move(forces);
    }
    /// @throws std::invalid_argument  a collider that is not a LevelSetSource
    void setColliders(std::vector<std::shared_ptr<Collider>> colliders)
    {
        std::vector<Shape> shapes;
        for (const auto& collider : colliders) {
            const auto* source = dynamic_cast<const LevelSetSource*>(collider.get());
            if (!source)
                throw std::invalid_argument("a collider without level sets cannot run on a CUDA "
                                            "device; choose --device cpu");
            const LevelSetShape set = source->shape();
            if (!set.shape.data)
                throw std::invalid_argument("a collider's level set is missing");
            shapes.push_back(
                {collider, source, gridOf(set.shape), gridOf(set.nextShape), gridOf(set.velocity)});
        }
        shapes_ = std::move(shapes);
        // What moves is let go of between frames, and comes back with the same shape.
        for (auto& [address, grid] : grids_)
            ++grid.unused;
        std::erase_if(grids_, [](const auto& entry) { return entry.second.unused > 2; });
    }
    /// Grids uploaded so far.
    std::uint64_t uploads() const { return uploads_; }

    bool beyondOpenFace(const float* x) const
    {
        if (!domain_.bounded)
            return false;
        PointBatch point;
        point.count = 1;
        point.corner = {x[0], x[1], x[2]};
        point.x[0][0] = point.x[1][0] = point.x[2][0] = 0;
        bool outside[PointBatch::kMost];
        domain_.findOutside(point, outside);
        return outside[0];
    }

    /// Can colliders bounce or take particles?
    bool particleContact() const
    {
        bool any = false;
        for (const Shape& shape : shapes_)
            any = any || shape.collider->particles != ParticleContact::none;
        return any;
    }
    const Domain& domain() const { return domain_; }
    const std::vector<std::shared_ptr<const Force>>& forces() const { return forces_; }
    std::vector<std::shared_ptr<Collider>> colliders() const
    {
        std::vector<std::shared_ptr<Collider>> all;
        for (const Shape& shape : shapes_)
            all.push_back(shape.collider);
        return all;
    }
    bool needsHost() const { return !forces_.empty(); }

    /// For the step from `time` to `time + dt`. Contact is left out for nodes when the host is
    /// needed: it comes after forces, in applyOnHost().
    Environment forNodes(double time, double dt, const Vec3d& gravity)
    {
        environment_ = {};
        environment_.gravity = {static_cast<float>(gravity.x * dt),
                                static_cast<float>(gravity.y * dt),
                                static_cast<float>(gravity.z * dt)};
        moveColliders(time, dt);
        describeDomain();
        if (!needsHost())
            return environment_;
        Environment bare;
        bare.gravity = environment_.gravity;
        return bare;
    }
    /// The same step's, with everything.
    const Environment& forParticles() const { return environment_; }

    /// Forces, colliders and walls on the nodes of the last toGrid(), by the host.
    /// @return the largest velocity component [m/s], infinite when a velocity is no usable number
    float applyOnHost(Core& core, double time, double dt, double dx) const;

private:
    struct Shape {
        std::shared_ptr<Collider> collider;
        const LevelSetSource* source;
        const void *shape, *nextShape, *velocity; ///< in device memory, of grids_
    };
    struct DeviceGrid {
        DeviceArray<unsigned char> copy;
        std::shared_ptr<const void> keep; ///< so that nothing else comes to lie at its address
        unsigned unused = 0;              ///< calls of setColliders() since someone wanted it
    };

    const void* gridOf(const GridView& grid)
    {
        if (!grid.data)
            return nullptr;
        auto found = grids_.find(grid.data);
        if (found == grids_.end()) {
            DeviceArray<unsigned char> copy(*device_);
            copy.need(grid.bytes);
            copy.upload(static_cast<const unsigned char*>(grid.data), grid.bytes);
            found = grids_.emplace(grid.data, DeviceGrid{std::move(copy), grid.keep}).first;
            ++uploads_;
        }
        found->second.unused = 0;
        return found->second.copy.data();
    }

    static NodeContact contactOf(Contact contact)
    {
        return contact == Contact::stick  ? NodeContact::stick
               : contact == Contact::slip ? NodeContact::slip
                                          : NodeContact::separate;
    }

    static DevicePose poseOf(const floe_transform_key& key)
    {
        return {{key.position[0], key.position[1], key.position[2]},
                {key.rotation[0], key.rotation[1], key.rotation[2], key.rotation[3]},
                key.scale};
    }

    void moveColliders(double time, double dt)
    {
        std::vector<DeviceCollider> table;
        for (Shape& shape : shapes_) {
            shape.collider->moveTo(time, dt);
            const LevelSetMotion set = shape.source->motion();
            DeviceCollider c{};
            c.shape = static_cast<const nanovdb::NanoGrid<float>*>(shape.shape);
            c.nextShape = static_cast<const nanovdb::NanoGrid<float>*>(shape.nextShape);
            c.velocity = static_cast<const nanovdb::NanoGrid<nanovdb::Vec3f>*>(shape.velocity);
            c.now = poseOf(set.now);
            c.later = poseOf(set.later);
            c.timeStep = set.timeStep;
            c.share = set.share;
            c.frame = set.frame;
            c.moves = !std::equal(set.now.position, set.now.position + 3, set.later.position) ||
                      !std::equal(set.now.rotation, set.now.rotation + 4, set.later.rotation) ||
                      set.now.scale != set.later.scale;
            c.contact = contactOf(shape.collider->contact);
            c.friction = shape.collider->friction;
            c.particles = static_cast<std::int32_t>(shape.collider->particles);
            table.push_back(c);
        }
        colliderTable_.need(table.size());
        for (std::size_t first = 0; first < table.size(); first += ColliderBatch::kMost) {
            ColliderBatch batch{};
            const std::size_t count =
                std::min<std::size_t>(ColliderBatch::kMost, table.size() - first);
            std::copy_n(table.begin() + std::ptrdiff_t(first), count, batch.collider);
            FLOE_LAUNCH(writeColliders, 1, ColliderBatch::kMost, 0, device_->stream(),
                        colliderTable_.data() + first, batch, static_cast<std::uint32_t>(count));
        }
        device_->checkLaunch("writeColliders");
        environment_.colliders = colliderTable_.data();
        environment_.colliderCount = static_cast<std::int32_t>(table.size());
    }

    void describeDomain()
    {
        DeviceDomain& d = environment_.domain;
        d.bounded = domain_.bounded;
        d.center = {domain_.center.x, domain_.center.y, domain_.center.z};
        d.halfSize = {domain_.halfSize.x, domain_.halfSize.y, domain_.halfSize.z};
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = domain_.axes.column(axis);
            d.axes[axis] = {a.x, a.y, a.z};
        }
        for (std::size_t face = 0; face < 6; ++face)
            switch (domain_.faces[face]) {
            case Face::open:
                d.faces[face] = NodeContact::open;
                break;
            case Face::slip:
                d.faces[face] = NodeContact::slip;
                break;
            case Face::stick:
                d.faces[face] = NodeContact::stick;
                break;
            case Face::separate:
                d.faces[face] = NodeContact::separate;
                break;
            }
        d.friction = domain_.friction;
    }

    Device* device_;
    Domain domain_;
    std::vector<std::shared_ptr<const Force>> forces_;
    std::vector<Shape> shapes_;
    std::map<const void*, DeviceGrid> grids_; ///< by address in host memory
    std::uint64_t uploads_ = 0;
    DeviceArray<DeviceCollider> colliderTable_;
    Environment environment_;
};

inline float Surroundings::applyOnHost(Core& core, double time, double dt, double dx) const
{
    Core::HostNodes nodes = core.downloadNodes();
    float most = 0;
    PointBatch batch;
    batch.count = kBlockNodes;
    for (std::size_t b = 0; b < nodes.coordinate.size() / 3; ++b) {
        float* v = nodes.velocity.data() + b * 3 * kBlockNodes;
        const double edge = dx * kBlockWidth;
        batch.corner = {nodes.coordinate[3 * b] * edge, nodes.coordinate[3 * b + 1] * edge,
                        nodes.coordinate[3 * b + 2] * edge};
        for (int n = 0; n < kBlockNodes; ++n) {
            const int index[3] = {n / 16, n / 4 % 4, n % 4};
            for (int axis = 0; axis < 3; ++axis) {
                batch.x[axis][n] = static_cast<float>(index[axis] * dx);
                batch.v[axis][n] = v[axis * kBlockNodes + n];
            }
            batch.mass[n] = nodes.mass[b * kBlockNodes + std::size_t(n)];
        }
        for (const auto& force : forces_)
            force->apply(batch, time, static_cast<float>(dt));
        for (const Shape& shape : shapes_) {
            ColliderSample sample;
            domain_.sampleWithin(*shape.collider, batch, dx, sample);
            applyContact(sample, shape.collider->contact, shape.collider->friction, batch);
        }
        if (domain_.bounded)
            domain_.applyWalls(batch);
        for (int n = 0; n < kBlockNodes; ++n)
            for (int axis = 0; axis < 3; ++axis) {
                float& out = v[axis * kBlockNodes + n];
                out = batch.mass[n] > 0 ? batch.v[axis][n] : 0;
                most = std::abs(out) < 3e29f ? std::max(most, std::abs(out))
                                             : std::numeric_limits<float>::infinity();
            }
    }
    core.uploadVelocities(nodes);
    return most;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
