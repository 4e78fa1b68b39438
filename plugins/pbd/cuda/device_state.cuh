#pragma once

/// The state of a solver on a device: brought there from a Solver of the host, and back.

#include "device_solver.hpp"
#include "matter.cuh"
#include "solver/contact_geometry.hpp"

#include "floe/sdk/device_memory.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::cuda::Device;
using sdk::cuda::DeviceArray;

/// Of surfaces that a particle touches at once: enough for the walls of a box. Where there are
/// more, every substep waits for how many are touched.
inline constexpr std::uint32_t kRoom = 6;

class DeviceState {
protected:
    explicit DeviceState(const Device& device) : device_(device) {}
    ~DeviceState() { device_.makeCurrent(); }

    /// All but candidates. @param forces  there are any  @param surfaces  how many colliders and
    /// walls there are
    void uploadMatter(const Solver& solver, bool forces, std::uint32_t surfaces)
    {
        const Scene& scene = solver.scene;
        const Particles& particles = scene.particles;
        const std::size_t count = particles.size(), bodies = scene.bodies.size();
        give(x_, particles.x);
        give(v_, particles.v);
        give(radius_, particles.radius);
        give(mass_, particles.mass);
        give(material_, particles.material);
        give(body_, particles.body);
        give(materials_, scene.materials);
        searched_.need(count);
        weight_.need(count);
        predicted_.need(count);
        moved_.need(count);
        multiplier_.need(count);
        goal_.need(count);
        gone_.need(count);
        change_.need(forces ? count : 0);
        predictedBody_.need(2 * bodies);
        movedBody_.need(2 * bodies);
        shares_.need(count + bodies);
        uploadBodies(scene);
        matter_ = {
            .count = static_cast<std::uint32_t>(count),
            .bodies = static_cast<std::uint32_t>(bodies),
            .x = x_.data(),
            .v = v_.data(),
            .radius = radius_.data(),
            .mass = mass_.data(),
            .material = material_.data(),
            .body = body_.data(),
            .materials = materials_.data(),
            .bodyOf = bodies_.data(),
            .weight = weight_.data(),
            .predicted = {predicted_.data(), predictedBody_.data(), predictedBody_.data() + bodies},
            .moved = {moved_.data(), movedBody_.data(), movedBody_.data() + bodies},
            .multiplier = multiplier_.data(),
            .goal = goal_.data(),
            .searched = searched_.data(),
            .gone = gone_.data(),
            .sleepers = uploadSleepers(solver.sleep())};
        uploadSurfaces(solver.contacts(), surfaces);
        candidatesAreHere_ = false;
    }

    Sleepers uploadSleepers(const Sleep& sleep)
    {
        if (!sleep.isOn())
            return {};
        const Sleep::State& state = sleep.state();
        give(place_, state.place);
        give(calm_, state.calm);
        give(load_, state.load);
        give(asleep_, std::vector<std::uint32_t>(state.asleep.begin(), state.asleep.end()));
        woken_.need(state.asleep.size());
        kept_.need(state.asleep.size());
        return {.place = place_.data(),
                .calm = calm_.data(),
                .load = load_.data(),
                .asleep = asleep_.data(),
                .woken = woken_.data(),
                .kept = kept_.data()};
    }
    void downloadSleepers(Sleep& sleep)
    {
        if (!matter_.sleepers.asleep)
            return;
        const std::vector<std::uint32_t> asleep = asleep_.download(matter_.count);
        sleep.setParticles(place_.download(matter_.count), calm_.download(matter_.count),
                           load_.download(matter_.count), {asleep.begin(), asleep.end()});
    }

    void uploadBodies(const Scene& scene)
    {
        for (auto& [rest, copy] : rests_)
            copy.used = false;
        std::vector<DeviceBody> bodies;
        std::vector<Mat3d> turns;
        for (const Body& body : scene.bodies)
            turns.insert(turns.end(), body.turns.begin(), body.turns.end());
        give(turns_, turns);
        std::size_t turn = 0;
        for (const Body& body : scene.bodies) {
            auto found = rests_.find(body.rest.get());
            if (found == rests_.end())
                found = rests_.emplace(body.rest.get(), restOf(body.rest)).first;
            found->second.used = true;
            DeviceBody& to = bodies.emplace_back();
            to.state = {body.x, body.R, body.v, body.angularMomentum};
            to.inertia = body.rest->inertia;
            to.mass = body.rest->mass;
            to.reach = body.rest->reach;
            to.first = body.first;
            to.count = static_cast<std::uint32_t>(body.rest->particles.size());
            const Rest& rest = found->second;
            to.rest = rest.particles.data();
            to.rigid = body.rigid;
            to.sheet = body.sheet != nullptr;
            to.rope = body.sheet && body.sheet->rope;
            to.frequency = body.frequency;
            to.damping = body.damping;
            to.regions = rest.regions.data();
            to.regionCount = static_cast<std::uint32_t>(body.turns.size());
            to.turns = turns_.data() + turn;
            to.regionOf = rest.regionOf.data();
            to.regionShare = rest.regionShare.data();
            turn += body.turns.size();
        }
        std::erase_if(rests_, [](const auto& entry) { return !entry.second.used; });
        give(bodies_, bodies);
    }

    /// Candidates and what is remembered of their contacts.
    void uploadCandidates(const Solver& solver)
    {
        const pbd::Contacts& contacts = solver.contacts();
        const std::span<const Pair> swept = contacts.sweptCandidates(),
                                    rigid = contacts.candidates();
        give(sweptPair_, swept);
        give(sweptPush_, contacts.sweptPushes());
        sweptContact_.need(swept.size());
        touching_.need(swept.size());
        const SweepOrder& order = contacts.sweepOrder();
        cells_ = static_cast<std::uint32_t>(order.cells());
        std::vector<std::uint32_t> begin(cells_ + 1);
        for (std::size_t cell = 0; cell <= cells_; ++cell)
            begin[cell] = static_cast<std::uint32_t>(order.begin(cell));
        give(cellBegin_, begin);
        touchingCount_.need(cells_);
        for (int colour = 0; colour <= SweepOrder::kColours; ++colour)
            colour_[static_cast<std::size_t>(colour)] =
                static_cast<std::uint32_t>(order.colour(colour));

        give(rigidPair_, rigid);
        rigidContact_.need(rigid.size());
        pushed_.need(rigid.size());
        turn_.need(rigid.size());
        uploadIncident(solver.scene, rigid);

        const pbd::Contacts::Searched searched = contacts.searched();
        searched_.upload(searched.x.data(), searched.x.size());
        uploadPushes(solver, rigid);

        matter_.low = searched.lowest();
        matter_.high = searched.highest();
        candidatesAreHere_ = true;
        contacts_.swept = {.count = static_cast<std::uint32_t>(swept.size()),
                           .pair = sweptPair_.data(),
                           .push = sweptPush_.data(),
                           .contact = sweptContact_.data(),
                           .cellBegin = cellBegin_.data(),
                           .touching = touching_.data(),
                           .touchingCount = touchingCount_.data()};
        contacts_.rigid = {.count = static_cast<std::uint32_t>(rigid.size()),
                           .pair = rigidPair_.data(),
                           .push = rigidPush_.data(),
                           .contact = rigidContact_.data(),
                           .begin = incidentBegin_.data(),
                           .incident = incident_.data(),
                           .pushed = pushed_.data(),
                           .turn = turn_.data()};
        contacts_.shares = shares_.data();
    }

    /// Candidates with a rigid body, of every mover.
    void uploadIncident(const Scene& scene, std::span<const Pair> pairs)
    {
        const std::size_t movers = matter_.count + matter_.bodies;
        const auto moverOf = [&](std::uint32_t i) {
            return scene.isRigid(i) ? matter_.count + scene.particles.body[i] : i;
        };
        std::vector<std::uint32_t> begin(movers + 1);
        for (const Pair& pair : pairs) {
            ++begin[moverOf(pair.first) + 1];
            ++begin[moverOf(pair.second) + 1];
        }
        for (std::size_t m = 0; m < movers; ++m)
            begin[m + 1] += begin[m];
        std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1), incident(begin[movers]);
        for (std::uint32_t k = 0; k < pairs.size(); ++k) {
            incident[next[moverOf(pairs[k].first)]++] = 2 * k;
            incident[next[moverOf(pairs[k].second)]++] = 2 * k + 1;
        }
        give(incidentBegin_, begin);
        give(incident_, incident);
    }

    /// What is remembered of contacts with rigid bodies.
    void uploadPushes(const Solver& solver, std::span<const Pair> rigid)
    {
        std::vector<Push> pushes(rigid.size());
        dormant_.clear();
        std::size_t next = 0;
        for (const auto& memory : solver.contacts().otherPushes()) { // both are in order
            if (memory.b >= kSurface)
                continue;
            const Pair pair{memory.a, memory.b};
            while (next < rigid.size() && rigid[next] < pair)
                ++next;
            if (next < rigid.size() && rigid[next] == pair)
                pushes[next] = memory.push;
            else if (solver.sleep().isAsleep(memory.a) && solver.sleep().isAsleep(memory.b))
                dormant_.push_back(memory);
        }
        give(rigidPush_, pushes);
    }
    /// What is remembered of contacts with surfaces.
    void uploadSurfaces(const pbd::Contacts& contacts, std::uint32_t surfaces)
    {
        const auto memory = contacts.otherPushes();
        std::vector<std::uint32_t> count(matter_.count);
        for (const auto& [a, b, given] : memory)
            count[a] += b >= kSurface;
        room_ = std::max({std::min(surfaces, kRoom), room_, 1u});
        for (const std::uint32_t own : count)
            room_ = std::max(room_, own);
        makeRoom(surface_, surfacePush_);
        std::vector<std::uint32_t> surface(std::size_t{room_} * matter_.count);
        std::vector<Push> push(surface.size());
        std::fill(count.begin(), count.end(), 0);
        for (const auto& [a, b, given] : memory)
            if (b >= kSurface) {
                const std::size_t at = std::size_t{a} * room_ + count[a]++;
                surface[at] = b;
                push[at] = given;
            }
        give(surface_, surface);
        give(surfacePush_, push);
        give(surfacePushes_, count);
        describeSurfaces();
    }
    void makeRoom(DeviceArray<std::uint32_t>& surface, DeviceArray<Push>& push)
    {
        const std::size_t all = std::size_t{room_} * matter_.count;
        surface.need(all);
        push.need(all);
        surfaceContact_.need(all);
        surfaceCount_.need(matter_.count);
        surfacePushes_.need(matter_.count);
    }
    void describeSurfaces()
    {
        contacts_.surfaces = {.room = room_,
                              .contact = surfaceContact_.data(),
                              .count = surfaceCount_.data(),
                              .surface = surface_.data(),
                              .push = surfacePush_.data(),
                              .pushes = surfacePushes_.data()};
    }

    /// Makes room for more surfaces of a particle; what is remembered of them moves by `move(from,
    /// to)`, which launches a kernel.
    template <class Move>
    void widen(std::uint32_t room, const Move& move)
    {
        const SurfaceContacts before = contacts_.surfaces;
        DeviceArray<std::uint32_t> surface(device_);
        DeviceArray<Push> push(device_);
        room_ = room;
        makeRoom(surface, push);
        SurfaceContacts wider = before;
        wider.room = room_;
        wider.surface = surface.data();
        wider.push = push.data();
        move(before, wider);
        device_.synchronise(); // the old arrays are freed
        surface_ = std::move(surface);
        surfacePush_ = std::move(push);
        describeSurfaces();
    }

    void downloadMatter(Solver& solver)
    {
        Particles& particles = solver.scene.particles;
        device_.download(particles.x.data(), x_.data(), matter_.count * sizeof(Vec3d));
        device_.download(particles.v.data(), v_.data(), matter_.count * sizeof(Vec3f));
        const std::vector<DeviceBody> bodies = bodies_.download(matter_.bodies);
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            Body& body = solver.scene.bodies[b];
            body.x = bodies[b].state.x;
            body.R = bodies[b].state.R;
            body.v = bodies[b].state.v;
            body.angularMomentum = bodies[b].state.angularMomentum;
        }
        std::size_t turns = 0;
        for (const Body& body : solver.scene.bodies)
            turns += body.turns.size();
        const std::vector<Mat3d> turned = turns_.download(turns);
        auto next = turned.begin();
        for (Body& body : solver.scene.bodies)
            for (Mat3d& turn : body.turns)
                turn = *next++;
    }

    void downloadPushes(Solver& solver)
    {
        const std::vector<Push> rigid = rigidPush_.download(contacts_.rigid.count);
        const std::size_t all = std::size_t{room_} * matter_.count;
        const auto surface = surface_.download(all),
                   pushes = surfacePushes_.download(matter_.count);
        const std::vector<Push> push = surfacePush_.download(all);
        const std::span<const Pair> pairs = solver.contacts().candidates();
        std::vector<pbd::Contacts::Memory> awake, others;
        std::size_t pair = 0;
        for (std::uint32_t i = 0; i < matter_.count; ++i) { // by a, then b: surfaces last
            for (; pair < pairs.size() && pairs[pair].first == i; ++pair)
                if (rigid[pair].lambda > 0)
                    awake.push_back({i, pairs[pair].second, rigid[pair]});
            for (std::size_t k = 0; k < pushes[i]; ++k)
                awake.push_back(
                    {i, surface[std::size_t{i} * room_ + k], push[std::size_t{i} * room_ + k]});
        }
        std::merge(awake.begin(), awake.end(), dormant_.begin(), dormant_.end(),
                   std::back_inserter(others), ContactOrder());
        solver.contacts().setPushes(sweptPush_.download(contacts_.swept.count), std::move(others));
    }

    Device device_;
    Matter matter_{};
    Contacts contacts_{};
    std::uint32_t room_ = 0;  ///< for the surfaces that a particle touches
    std::uint32_t cells_ = 0; ///< of the sweep
    bool candidatesAreHere_ = false;
    std::array<std::uint32_t, SweepOrder::kColours + 1> colour_{}; ///< first cells
    DeviceArray<Vec3f> change_{device_};                           ///< of velocities, by forces
    DeviceArray<std::uint32_t> gone_{device_};

private:
    template <class T, class Values>
    static void give(DeviceArray<T>& to, const Values& values)
    {
        to.need(values.size());
        to.upload(values.data(), values.size());
    }

    /// Of bodies at rest, on the device.
    struct Rest {
        std::shared_ptr<const RestBody> keep; ///< so that no other gets its address
        DeviceArray<RestParticle> particles;
        DeviceArray<Region::Member> members; ///< of all regions
        DeviceArray<DeviceRegion> regions;
        DeviceArray<std::uint32_t> regionOf; ///< of all particles
        DeviceArray<float> regionShare;      ///< of all particles
        bool used = true;
    };
    Rest restOf(const std::shared_ptr<const RestBody>& body)
    {
        Rest rest{body,
                  DeviceArray<RestParticle>(device_),
                  DeviceArray<Region::Member>(device_),
                  DeviceArray<DeviceRegion>(device_),
                  DeviceArray<std::uint32_t>(device_),
                  DeviceArray<float>(device_)};
        give(rest.particles, body->particles);
        std::vector<Region::Member> members;
        for (const Region& region : body->regions)
            members.insert(members.end(), region.members.begin(), region.members.end());
        give(rest.members, members);
        std::vector<DeviceRegion> regions;
        const Region::Member* next = rest.members.data();
        for (const Region& region : body->regions) {
            const auto count = static_cast<std::uint32_t>(region.members.size());
            regions.push_back({next, count, region.center, region.mass});
            next += count;
        }
        give(rest.regions, regions);
        std::vector<std::uint32_t> regionOf;
        std::vector<float> share;
        for (const auto& of : body->regionsOf)
            regionOf.insert(regionOf.end(), of.begin(), of.end());
        for (const auto& of : body->regionShare)
            share.insert(share.end(), of.begin(), of.end());
        give(rest.regionOf, regionOf);
        give(rest.regionShare, share);
        return rest;
    }
    std::map<const RestBody*, Rest> rests_;
    std::vector<pbd::Contacts::Memory> dormant_; ///< of sleepers who took no part in the search

    DeviceArray<Vec3d> x_{device_}, searched_{device_}, predictedBody_{device_},
        movedBody_{device_}, turn_{device_}, goal_{device_}, place_{device_};
    DeviceArray<Mat3d> turns_{device_};
    DeviceArray<Vec3f> v_{device_}, predicted_{device_}, moved_{device_}, pushed_{device_},
        multiplier_{device_};
    DeviceArray<float> radius_{device_}, mass_{device_}, weight_{device_}, shares_{device_},
        calm_{device_}, load_{device_};
    DeviceArray<std::uint32_t> material_{device_}, body_{device_}, cellBegin_{device_},
        touching_{device_}, touchingCount_{device_}, incidentBegin_{device_}, incident_{device_},
        surface_{device_}, surfacePushes_{device_}, surfaceCount_{device_}, asleep_{device_},
        woken_{device_}, kept_{device_};
    DeviceArray<Material> materials_{device_};
    DeviceArray<DeviceBody> bodies_{device_};
    DeviceArray<Pair> sweptPair_{device_}, rigidPair_{device_};
    DeviceArray<Push> sweptPush_{device_}, rigidPush_{device_}, surfacePush_{device_};
    DeviceArray<Contact> sweptContact_{device_}, rigidContact_{device_}, surfaceContact_{device_};
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
