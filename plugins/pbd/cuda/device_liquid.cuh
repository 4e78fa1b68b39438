#pragma once

/// The steps of liquids on a device.

#include "launch.cuh"
#include "surface_kernels.cuh"
#include "tension_kernels.cuh"
#include "viscosity_kernels.cuh"

#include "solver/solver.hpp"

#include "floe/sdk/device_memory.hpp"
#include "floe/sdk/grid/scan.cuh"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::cuda::Device;
using sdk::cuda::DeviceArray;

class DeviceLiquid {
public:
    explicit DeviceLiquid(Device& device) : device_(device)
    {
        counters_.need(1);
        sums_.need(kParts);
    }

    /// Matter was brought to the device.
    void begin(const Scene& scene, const SolverSettings& settings)
    {
        const Particles& particles = scene.particles;
        std::vector<std::uint32_t> member;
        Vec3d low{INFINITY, INFINITY, INFINITY};
        float largest = 0;
        for (std::uint32_t i = 0; i < particles.size(); ++i) {
            const RestParticle* rest = scene.restOf(i);
            if (!rest || rest->boundary)
                member.push_back(i);
            if (!scene.isLiquid(i))
                continue;
            largest = std::max(largest, particles.radius[i]);
            for (int axis = 0; axis < 3; ++axis)
                low[axis] = std::min(low[axis], particles.x[i][axis]);
        }
        places_.count = largest > 0 ? static_cast<std::uint32_t>(member.size()) : 0;
        if (!any())
            return;
        const std::size_t count = places_.count;
        places_.buckets = std::bit_ceil(2 * places_.count);
        if (support_ != settings.support) {
            support_ = settings.support;
            places_.factor = latticeFactor(support_);
            places_.wallShift = latticeShift(support_);
        }
        constexpr double kWider = 1.0002; // rounding must not matter
        const double sight = 0.5 * support_ + kLiquidSlack;
        places_.halfSupport = static_cast<float>(0.5 * support_);
        places_.sight = static_cast<float>(sight);
        places_.cell = static_cast<float>(kWider * 2 * sight * double{largest});
        places_.origin = low;
        member_.need(count);
        member_.upload(member.data(), count);
        placeOf_.need(particles.size());
        placeOf_.fill(0xff, particles.size());
        bucketCount_.need(places_.buckets);
        bucketCount_.fill(0, places_.buckets);
        const auto room = [&](auto& array, std::size_t wanted) {
            array.need(wanted);
            return array.data();
        };
        places_.member = member_.data();
        places_.placeOf = placeOf_.data();
        places_.bucketCount = bucketCount_.data();
        places_.bucketBegin = room(bucketBegin_, std::size_t{places_.buckets} + 1);
        places_.particle = room(particle_, count);
        places_.neighbours = room(neighbours_, count);
        places_.trait = room(trait_, count);
        places_.spot = room(spot_, count);
        places_.pushing = room(pushing_, count);
        places_.wall = room(wall_, count);
        places_.impulse = room(impulse_, count);
        places_.motion = room(motion_, count);
        places_.curl = room(curl_, count);
        tiles_.need(sdk::grid::scanTiles(places_.buckets));
        makeRows(std::max(places_.room, kRowRoom));
        beginTension(scene.materials);
    }
    bool any() const { return places_.count > 0; }

    /// Finds the planes of colliders. Null: there is no liquid, or there are no colliders.
    const LiquidPlanes* findColliders(const Matter& matter, const Environment& environment)
    {
        places_.planes = nullptr;
        if (!any() || environment.colliderCount == 0)
            return nullptr;
        planes_.need(matter.count);
        places_.planes = planes_.data();
        FLOE_PBD_LAUNCH(findPlanes, matter.count, matter, environment, static_cast<float>(support_),
                        planes_.data());
        return places_.planes;
    }
    /// Finds neighbours, contacts being stabilised.
    void find(const Matter& matter)
    {
        if (!any())
            return;
        FLOE_PBD_LAUNCH(countCells, places_.count, matter, places_);
        scan();
        FLOE_PBD_LAUNCH(fillCells, places_.count, matter, places_);
        FLOE_PBD_LAUNCH(sortCells, places_.buckets, places_);
        FLOE_PBD_LAUNCH(beginPlaces, places_.count, matter, places_);
        for (;;) {
            const LiquidCounts counts = counted(
                [&] { FLOE_PBD_LAUNCH(findRows, places_.count, places_, counters_.data()); });
            if (counts.room <= places_.room)
                return;
            makeRows(counts.room + counts.room / 8); // rows are never cut
        }
    }
    /// Adds what surface tension and wetting move in a substep, once neighbours are found.
    void pull(const Matter& matter, const Environment& environment, double dt)
    {
        if (!any() || !tension_.stress)
            return;
        FLOE_PBD_LAUNCH(placeTension, places_.count, matter, places_);
        FLOE_PBD_LAUNCH(findStresses, places_.count, matter, places_, tension_, environment);
        FLOE_PBD_LAUNCH(pullPlaces, places_.count, matter, places_, tension_, environment,
                        static_cast<float>(dt * dt));
        if (tension_.halfSpace)
            FLOE_PBD_LAUNCH_BLOCKS(pushBodies, matter.bodies, matter, places_);
    }
    /// Projects all densities once.
    void project(const Matter& matter, const Environment& environment)
    {
        if (!any())
            return;
        FLOE_PBD_LAUNCH(moveSpots, places_.count, matter, places_, environment);
        FLOE_PBD_LAUNCH(findMultipliers, places_.count, places_);
        FLOE_PBD_LAUNCH(pushPlaces, places_.count, matter, places_);
        FLOE_PBD_LAUNCH_BLOCKS(pushBodies, matter.bodies, matter, places_);
    }
    /// Smoothing, vorticity and viscosity.
    void finish(const Matter& matter, const std::vector<Material>& materials, double dt)
    {
        if (!any())
            return;
        bool smooths = false, confines = false, viscous = false;
        std::vector<float> share;
        for (const Material& material : materials) {
            const bool liquid = material.kind == Material::Kind::liquid;
            smooths = smooths || (liquid && material.smoothing > 0);
            confines = confines || (liquid && material.vorticity > 0);
            viscous = viscous || (liquid && material.viscosity > 0);
            share.push_back(material.density *
                            (1 - std::exp(-material.smoothing * static_cast<float>(dt))));
        }
        const float step = static_cast<float>(dt);
        if (smooths) {
            share_.need(share.size());
            share_.upload(share.data(), share.size());
            placeAll(matter, share_.data());
            FLOE_PBD_LAUNCH(exchangeMotions, places_.count, matter, places_);
        }
        if (confines) {
            placeAll(matter, nullptr);
            FLOE_PBD_LAUNCH(findCurls, places_.count, places_);
            FLOE_PBD_LAUNCH(findEddyPushes, places_.count, matter, places_, step);
            FLOE_PBD_LAUNCH(exchangeMotions, places_.count, matter, places_);
        }
        if (viscous)
            rub(matter, step);
    }

private:
    static constexpr std::uint32_t kRowRoom = 64; ///< for neighbours at first
    static constexpr std::uint32_t kParts = 64;   ///< of a sum
    static constexpr int kMaxIterations = 200;
    static constexpr double kTolerance = 1e-3; ///< of the first residual
    static constexpr float kNegligible = 1e-5f;

    /// Of one of the vectors of conjugate gradients.
    struct MotionArrays {
        DeviceArray<Vec3f> particle;
        DeviceArray<Vec3d> body;

        explicit MotionArrays(Device& device) : particle(device), body(device) {}
        DeviceMotions need(std::uint32_t places, std::uint32_t bodies)
        {
            particle.need(places);
            body.need(2 * std::size_t{bodies});
            return {particle.data(), body.data(), body.data() + bodies};
        }
    };

    void beginTension(const std::vector<Material>& materials)
    {
        tension_ = {};
        const auto liquidHas = [&](float Material::*what) {
            return std::any_of(materials.begin(), materials.end(), [&](const Material& material) {
                return material.kind == Material::Kind::liquid && material.*what > 0;
            });
        };
        if (!liquidHas(&Material::surfaceTension))
            return;
        std::vector<std::uint32_t> kind;
        for (const Material& material : materials)
            kind.push_back(static_cast<std::uint32_t>(
                std::find(materials.begin(), materials.end(), material) - materials.begin()));
        kind_.need(kind.size());
        kind_.upload(kind.data(), kind.size());
        stress_.need(places_.count);
        if (liquidHas(&Material::wetting)) {
            const HalfSpace halfSpace;
            halfSpace_.need(1);
            halfSpace_.upload(&halfSpace, 1);
            tension_.halfSpace = halfSpace_.data();
        }
        tension_.kind = kind_.data();
        tension_.stress = stress_.data();
        tension_.unit = tensionOfAttraction();
    }
    void makeRows(std::uint32_t room)
    {
        places_.room = room;
        rows_.need(std::size_t{room} * places_.count);
        places_.neighbour = rows_.data();
    }
    void scan()
    {
        using namespace sdk::grid;
        const std::uint32_t tiles = scanTiles(places_.buckets);
        FLOE_LAUNCH(sumTiles, tiles, kScanThreads, 0, device_.stream(), places_.bucketCount,
                    places_.buckets, tiles_.data());
        FLOE_LAUNCH(scanTileSums, 1, kScanThreads, 0, device_.stream(), tiles_.data(), tiles);
        FLOE_LAUNCH(scanTileValues, tiles, kScanThreads, 0, device_.stream(), places_.bucketCount,
                    places_.buckets, tiles_.data(), places_.bucketBegin);
        device_.checkLaunch("scanTileValues");
    }
    /// What kernels counted that `work` launches.
    template <class Work>
    LiquidCounts counted(const Work& work)
    {
        counters_.fill(0, 1);
        work();
        return counters_.download(1)[0];
    }
    void placeAll(const Matter& matter, const float* share)
    {
        FLOE_PBD_LAUNCH(placeMotions, places_.count, matter, places_, share);
    }

    /// Conjugate gradients, as applyViscosity().
    void rub(const Matter& matter, float dt)
    {
        const std::uint32_t places = places_.count, bodies = matter.bodies;
        placeAll(matter, nullptr);
        frictionOfPlace_.need(places);
        frictionOfBody_.need(bodies);
        const OwnFriction own{frictionOfPlace_.data(), frictionOfBody_.data()};
        const LiquidCounts counts = counted([&] {
            FLOE_PBD_LAUNCH(findFriction, places, matter, places_, own, dt, counters_.data());
        });
        if (std::bit_cast<float>(counts.strength) < kNegligible)
            return;
        FLOE_PBD_LAUNCH_BLOCKS(sumFriction, bodies, matter, places_, own);
        const DeviceMotions v = vectors_[0].need(places, bodies),
                            r = vectors_[1].need(places, bodies),
                            z = vectors_[2].need(places, bodies),
                            p = vectors_[3].need(places, bodies),
                            q = vectors_[4].need(places, bodies);
        const std::uint32_t most = std::max(places, bodies);
        const auto add = [&](double scale, double factor, const DeviceMotions& from,
                             const DeviceMotions& to) {
            FLOE_PBD_LAUNCH(addMotions, most, places, bodies, scale, factor, from, to);
        };
        const auto momenta = [&](const DeviceMotions& of, double mass, const DeviceMotions& out) {
            FLOE_PBD_LAUNCH(followBodies, places, matter, places_, of);
            FLOE_PBD_LAUNCH(findMomenta, places, matter, places_, dt, static_cast<float>(mass), of,
                            out);
            FLOE_PBD_LAUNCH_BLOCKS(findMomentaOfBodies, bodies, matter, places_, mass, of, out);
        };
        const auto preconditioned = [&] {
            FLOE_PBD_LAUNCH(precondition, places, matter, places_, own, r, z);
            FLOE_PBD_LAUNCH(preconditionBodies, bodies, matter, own, r, z);
        };
        FLOE_PBD_LAUNCH(velocitiesOfPlaces, places, matter, places_, v);
        FLOE_PBD_LAUNCH(velocitiesOfBodies, bodies, matter, v);
        momenta(v, 0, r); // by friction at these velocities
        scale(-1, r, most, places, bodies);
        preconditioned();
        copy(z, p, places, bodies);
        double rz = dot(r, z, places, bodies);
        const double enough = kTolerance * kTolerance * rz;
        for (int k = 0; rz > enough && k < kMaxIterations; ++k) {
            momenta(p, 1, q);
            const double pq = dot(p, q, places, bodies);
            if (!(pq > 0))
                break;
            add(1, rz / pq, p, v);
            add(1, -rz / pq, q, r);
            preconditioned();
            const double next = dot(r, z, places, bodies);
            add(next / rz, 1, z, p);
            rz = next;
        }
        FLOE_PBD_LAUNCH(takeVelocities, places, matter, places_, v);
        FLOE_PBD_LAUNCH(takeVelocitiesOfBodies, bodies, matter, own, v);
    }
    void copy(const DeviceMotions& from, const DeviceMotions& to, std::uint32_t places,
              std::uint32_t bodies)
    {
        device_.copy(to.particle, from.particle, places * sizeof(Vec3f));
        if (bodies > 0)
            device_.copy(to.body, from.body, 2 * bodies * sizeof(Vec3d));
    }
    void scale(double factor, const DeviceMotions& of, std::uint32_t most, std::uint32_t places,
               std::uint32_t bodies)
    {
        FLOE_PBD_LAUNCH(addMotions, most, places, bodies, factor, 0.0, of, of);
    }
    double dot(const DeviceMotions& a, const DeviceMotions& b, std::uint32_t places,
               std::uint32_t bodies)
    {
        FLOE_PBD_LAUNCH_BLOCKS(dotMotions, kParts, places, bodies, a, b, sums_.data());
        double sum = 0;
        for (const double part : sums_.download(kParts))
            sum += part;
        return sum;
    }

    Device& device_;
    LiquidPlaces places_{};
    LiquidTension tension_{}; ///< without stresses: there is none
    double support_ = 0;
    DeviceArray<std::uint32_t> member_{device_}, particle_{device_}, placeOf_{device_},
        bucketCount_{device_}, bucketBegin_{device_}, tiles_{device_}, rows_{device_},
        neighbours_{device_}, kind_{device_};
    DeviceArray<Stress> stress_{device_};
    DeviceArray<HalfSpace> halfSpace_{device_};
    DeviceArray<LiquidTrait> trait_{device_};
    DeviceArray<LiquidSpot> spot_{device_}, pushing_{device_};
    DeviceArray<LiquidWall> wall_{device_};
    DeviceArray<LiquidImpulse> impulse_{device_};
    DeviceArray<LiquidMotion> motion_{device_}, curl_{device_};
    DeviceArray<LiquidPlanes> planes_{device_};
    DeviceArray<float> share_{device_}, frictionOfPlace_{device_}, frictionOfBody_{device_};
    DeviceArray<double> sums_{device_};
    DeviceArray<LiquidCounts> counters_{device_};
    std::array<MotionArrays, 5> vectors_{MotionArrays(device_), MotionArrays(device_),
                                         MotionArrays(device_), MotionArrays(device_),
                                         MotionArrays(device_)};
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
