#pragma once

/// The host's domain, colliders and forces, brought to the device for each step.
///
/// Walls, level-set colliders and Floe's own forces run on the device. Forces of others route the
/// step through host memory: nodes are downloaded, changed as by a CPU solver, and uploaded. That
/// works for any force, at the price of two copies of the grid per step.

#include "floe/sdk/device_memory.hpp"
#include "floe/sdk/world/environment.cuh"
#include "floe/sdk/world/forces.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace floe::sdk::world {
inline namespace FLOE_KERNEL_SPACE {

/// Everything that acts on a solver's matter from outside. For one thread at a time.
class Surroundings {
public:
    /// @param device  must outlive this
    explicit Surroundings(cuda::Device& device)
        : device_(&device), colliderTable_(device), forceTable_(device)
    {}

    void setDomain(const Domain& domain) { domain_ = domain; }
    void setForces(std::vector<std::shared_ptr<const Force>> forces)
    {
        forces_ = std::move(forces);
        rules_.clear();
        needsHost_ = false;
        for (const auto& force : forces_) {
            const auto* own = dynamic_cast<const RuleForce*>(force.get());
            if (own)
                rules_.push_back({own, gridOf(own->field())});
            needsHost_ = needsHost_ || !own;
        }
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
        // Between frames a moving collider is replaced by one with the same shape: keep its grids.
        for (auto& [address, grid] : grids_)
            ++grid.unused;
        for (const Rule& rule : rules_)
            gridOf(rule.force->field());
        std::erase_if(grids_, [](const auto& entry) { return entry.second.unused > 2; });
    }
    /// Returns the number of grids uploaded so far.
    std::uint64_t uploads() const { return uploads_; }

    /// Returns whether any collider can bounce or remove particles.
    bool particleContact() const
    {
        bool any = false;
        for (const Shape& shape : shapes_)
            any = any || shape.collider->particles != ParticleContact::none;
        return any;
    }
    /// Returns whether any collider is one of those. @param is  bool(const Collider&)
    template <class Is>
    bool anyCollider(const Is& is) const
    {
        return std::any_of(shapes_.begin(), shapes_.end(),
                           [&](const Shape& shape) { return is(*shape.collider); });
    }
    const Domain& domain() const { return domain_; }
    /// Returns whether a force is another plugin's.
    bool needsHost() const { return needsHost_; }

    /// For a step of length dt, for which colliders have been moved. Contact is left out for nodes
    /// when the host is needed: it comes after forces, in applyTo().
    /// @param time  at which the step begins [s]  @param cell  the grid's [m]
    Environment forNodes(double time, double dt, const Vec3d& gravity, double cell)
    {
        environment_ = {};
        environment_.time = time;
        environment_.dt = static_cast<float>(dt);
        environment_.gravity = {static_cast<float>(gravity.x * dt),
                                static_cast<float>(gravity.y * dt),
                                static_cast<float>(gravity.z * dt)};
        describeColliders();
        if (!needsHost())
            describeForces();
        environment_.domain = domain_;
        environment_.mirror = MirrorWalls(domain_, cell);
        if (!needsHost())
            return environment_;
        Environment bare;
        bare.gravity = environment_.gravity;
        bare.mirror = environment_.mirror;
        return bare;
    }
    /// Returns the same step's environment with everything.
    const Environment& forParticles() const { return environment_; }

    /// Applies forces, colliders and walls of the last forNodes() step to nodes in host memory.
    /// @param cell  cell size of the grid [m]
    void applyTo(PointBatch& nodes, double time, double dt, double cell) const
    {
        applyForcesTo(nodes, time, dt);
        for (const Shape& shape : shapes_) {
            ColliderSample sample;
            domain_.sampleWithin(*shape.collider, nodes, cell, sample);
            applyContact(sample, shape.collider->contact, shape.collider->friction, nodes);
        }
        if (domain_.bounded)
            domain_.applyWalls(nodes);
    }

    /// Applies forces alone. What goes wrong in one is then known as its fault().
    void applyForcesTo(PointBatch& nodes, double time, double dt) const
    {
        for (const auto& force : forces_)
            force->apply(nodes, time, static_cast<float>(dt));
    }

private:
    struct Rule {
        const RuleForce* force; ///< of forces_
        const void* field;      ///< in device memory, of grids_; null: none
    };
    struct Shape {
        std::shared_ptr<Collider> collider;
        const LevelSetSource* source;
        const void *shape, *nextShape, *velocity; ///< in device memory, of grids_
    };
    struct DeviceGrid {
        cuda::DeviceArray<unsigned char> copy;
        std::shared_ptr<const void> keep; ///< so that no other grid gets its address
        unsigned unused = 0;              ///< calls of setColliders() since its last use
    };

    const void* gridOf(const GridView& grid)
    {
        if (!grid.data)
            return nullptr;
        auto found = grids_.find(grid.data);
        if (found == grids_.end()) {
            cuda::DeviceArray<unsigned char> copy(*device_);
            copy.need(grid.bytes);
            copy.upload(static_cast<const unsigned char*>(grid.data), grid.bytes);
            found = grids_.emplace(grid.data, DeviceGrid{std::move(copy), grid.keep}).first;
            ++uploads_;
        }
        found->second.unused = 0;
        return found->second.copy.data();
    }

    void describeColliders()
    {
        std::vector<DeviceCollider> table;
        for (Shape& shape : shapes_) {
            DeviceCollider c{};
            c.shape = static_cast<const nanovdb::NanoGrid<float>*>(shape.shape);
            c.nextShape = static_cast<const nanovdb::NanoGrid<float>*>(shape.nextShape);
            c.velocity = static_cast<const nanovdb::NanoGrid<nanovdb::Vec3f>*>(shape.velocity);
            c.motion = shape.source->motion();
            c.contact = shape.collider->contact;
            c.friction = shape.collider->friction;
            c.particles = shape.collider->particles;
            table.push_back(c);
        }
        colliderTable_.need(table.size());
        for (std::size_t first = 0; first < table.size(); first += ColliderBatch::kMax) {
            ColliderBatch batch{};
            const std::size_t count =
                std::min<std::size_t>(ColliderBatch::kMax, table.size() - first);
            std::copy_n(table.begin() + std::ptrdiff_t(first), count, batch.collider);
            FLOE_LAUNCH(writeColliders, 1, ColliderBatch::kMax, 0, device_->stream(),
                        colliderTable_.data() + first, batch, static_cast<std::uint32_t>(count));
        }
        device_->checkLaunch("writeColliders");
        environment_.colliders = colliderTable_.data();
        environment_.colliderCount = static_cast<std::int32_t>(table.size());
    }

    void describeForces()
    {
        forceTable_.need(rules_.size());
        for (std::size_t first = 0; first < rules_.size(); first += ForceBatch::kMax) {
            ForceBatch batch{};
            const std::size_t count =
                std::min<std::size_t>(ForceBatch::kMax, rules_.size() - first);
            for (std::size_t i = 0; i < count; ++i) {
                const Rule& rule = rules_[first + i];
                batch.force[i] = {
                    rule.force->rule(),
                    static_cast<const nanovdb::NanoGrid<nanovdb::Vec3f>*>(rule.field)};
            }
            FLOE_LAUNCH(writeForces, 1, ForceBatch::kMax, 0, device_->stream(),
                        forceTable_.data() + first, batch, static_cast<std::uint32_t>(count));
        }
        device_->checkLaunch("writeForces");
        environment_.forces = forceTable_.data();
        environment_.forceCount = static_cast<std::int32_t>(rules_.size());
    }

    cuda::Device* device_;
    Domain domain_;
    std::vector<std::shared_ptr<const Force>> forces_;
    std::vector<Rule> rules_; ///< of the forces that are Floe's own
    bool needsHost_ = false;
    std::vector<Shape> shapes_;
    std::map<const void*, DeviceGrid> grids_; ///< by address in host memory
    std::uint64_t uploads_ = 0;
    cuda::DeviceArray<DeviceCollider> colliderTable_;
    cuda::DeviceArray<DeviceForce> forceTable_;
    Environment environment_;
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::sdk::world
