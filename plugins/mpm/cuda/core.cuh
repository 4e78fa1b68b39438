#pragma once

/// Device memory of the CUDA solver, and its kernels in the order of a step.
///
/// One step: scatter and updateNodes, then toParticles (gather, contact, materials, and the next
/// step's scatter, all in one kernel). The first two change no particle, so a step that turns out
/// too long is repeated with a smaller dt.

#include "activation.cuh"
#include "collider_images.cuh"
#include "compaction.cuh"
#include "custom_batch.cuh"
#include "gather.cuh"
#include "guard.cuh"
#include "halo.cuh"
#include "meetings.cuh"
#include "nodes.cuh"
#include "settings.hpp"
#include "snapshot.cuh"
#include "world.cuh"

#include <floe/sdk/device_memory.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Particles in host memory, channel by channel; positions are local to `block`.
struct HostParticles {
    std::uint64_t count = 0;
    std::vector<float> values;       ///< [kChannels][count]; those of material and id are unused
    std::vector<std::int32_t> block; ///< 3 per particle
    std::vector<std::uint32_t> material;
    std::vector<std::uint64_t> id;

    void resize(std::uint64_t n)
    {
        count = n;
        values.assign(kChannels * n, 0.0f);
        block.assign(3 * n, 0);
        material.assign(n, 0);
        id.assign(n, 0);
    }
    float& at(unsigned channel, std::uint64_t particle)
    {
        return values[channel * count + particle];
    }
    float at(unsigned channel, std::uint64_t particle) const
    {
        return values[channel * count + particle];
    }
};

/// Positions of particles in host memory.
struct HostPlaces {
    std::uint64_t count = 0;
    std::vector<float> position;     ///< [3][count], local to `block`
    std::vector<float> mass;         ///< 0: deleted
    std::vector<std::int32_t> block; ///< 3 per particle
};

/// Particle blocks in host memory.
struct HostBlocks {
    std::vector<std::int32_t> coordinate; ///< 3 per block
    std::vector<std::uint32_t> state;     ///< BlockState
    std::vector<float> speed, restTime, pushSpeed;
    std::vector<float> gain;              ///< 3 per block
    std::vector<std::uint32_t> particles; ///< how many it holds, [block][material]
};

/// A material whose law is a plugin's. In the table of laws it is a solid without stress: kernels
/// advance F, and the model finds the stress after them.
struct CustomMaterial {
    std::uint32_t index; ///< among all
    std::string name;    ///< for messages
    std::shared_ptr<const CustomModel> model;
    float initialState[4] = {};
    bool onHost = false; ///< it does not know the device

    bool operator==(const CustomMaterial& other) const
    {
        return index == other.index &&
               (model == other.model || (model->source && model->source == other.model->source));
    }
};

/// Contents of a law: its kind, then its numbers, padded with zeros. Equal laws compare equal,
/// unlike the bytes of the union.
using LawNumbers = std::array<float, 16>;
inline LawNumbers lawNumbers(const physics::Material& material)
{
    LawNumbers numbers{};
    numbers[0] = static_cast<float>(material.kind);
    physics::visitLaw(material, [&](const auto& law) {
        static_assert(sizeof law <= sizeof(float) * 15);
        std::memcpy(&numbers[1], &law, sizeof law);
    });
    return numbers;
}

class Core {
public:
    /// @param ownership  of one rank among several, outlives this; null: one alone. Where there are
    /// several, all call the same functions; bounds are those of all.
    Core(Device device, double cellSize, const Ownership* ownership = nullptr)
        : device_(device), dx_(static_cast<float>(cellSize)), cellSize_(cellSize), values_(device_),
          own_(device_), inactiveGain_(device_), cellSpeeds_(device_), resting_(device_),
          occupied_(device_), wakes_(device_), bin_(device_), rank_(device_), count_(device_),
          tiles_(device_), present_(device_), bitCount_(device_), idStart_(device_),
          coordinates_(device_), spareCoordinates_(device_), sums_(device_), velocities_(device_),
          images_(device_), sumsBefore_(device_), velocitiesBefore_(device_), listed_(device_),
          listedCount_(device_), batch_(device_), batchOnHost_(device_), report_(device_),
          laws_(device_), blocks_{BlockArrays(device_), BlockArrays(device_)}
    {
        if (ownership)
            halo_ = std::make_unique<Halo>(device_, *ownership);
        report_.need(1);
        found_.notFinite = ~0ull;
    }
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    Device& device() { return device_; }
    const Device& device() const { return device_; }
    /// Returns how many places hold a particle or one deleted since the last compaction.
    std::uint64_t particleCount() const { return particles_; }
    std::uint32_t particleBlocks() const { return particleBlocks_; }
    std::uint32_t blockCount() const { return blockCount_; }
    /// Returns the last known report of the kernels: maxima over the particles and, from the last
    /// updateNodes(), over the nodes. Its counts are those of this rank; totals() has all.
    const Report& found() const { return found_; }
    Totals totals() const
    {
        return halo_ ? halo_->totals() : Totals{found_.left,   found_.taken,    particleBlocks_,
                                                found_.active, found_.boundary, found_.pushed};
    }
    /// Sets Halo::setReach() of several ranks, which all call it.
    void setReach(int blocks);
    /// With several ranks, else null.
    Halo* halo() { return halo_.get(); }
    /// Waits for the device's report unless it is known.
    void receive()
    {
        if (pending_)
            found_ = readReport();
        pending_ = false;
        if (movedFor_ > 0) // they moved no farther than the nodes, usually less
            drift_ = driftBefore_ + real(found_.maxComponent) * movedFor_ / cellSize_;
        movedFor_ = 0;
    }
    /// Calls receive() and rebins if necessary; waits once when both are needed.
    void settle()
    {
        const bool moved = drift_ > 0;
        if (!moved || !pending_ || halo_)
            receive();
        scatteredStep_ = 0;
        if (!moved || (!pending_ && found_.notFinite != ~0ull))
            return;
        if (!pending_)
            tell(found_);
        bin();
    }
    /// Returns the length of the step that the grid's sums belong to [s]; 0: none.
    float scatteredStep() const { return scatteredStep_; }
    /// Returns an upper bound of the drift of any particle since the last binning [cells].
    double drift() const { return drift_; }
    /// Returns whether found() describes the present particles.
    bool isKnown() const { return !pending_; }
    /// Returns whether the grid's sums are valid: no contribution exceeded their range.
    bool sumsHold() const
    {
        return momentumBound_ >=
               real(found_.maxMomentum) + double(step_.dt) * real(found_.maxForce);
    }
    /// Chooses the splines, which cannot change while there are particles, and PIC and FLIP, else
    /// APIC; what has been scattered for the other has to be again. @param meets  bodies do
    void setScheme(bool cubic, bool flips, bool meets)
    {
        if (flips != flips_ || meets != bool(meetings_))
            scatteredStep_ = 0;
        if (!meets || cubic != cubic_)
            meetings_.reset();
        cubic_ = cubic;
        flips_ = flips;
        if (meets && !meetings_)
            meetings_ = std::make_unique<Meetings>(device_, cellSize_, support());
    }
    /// Where bodies meet, else null.
    Meetings* meetings() { return meetings_.get(); }
    /// Chooses which blocks are the same; while there are none.
    void setPeriod(const Period& period)
    {
        for (BlockArrays& blocks : blocks_)
            for (std::size_t axis = 0; axis < 3; ++axis) {
                blocks.wrap.low[axis] = period.low()[axis];
                blocks.wrap.count[axis] = period.count()[axis];
            }
    }
    /// Returns the number of nodes that a spline reaches along an axis.
    int support() const { return cubic_ ? 4 : 3; }
    /// Sets the laws, by material index. Numbers may change between steps, and the table may grow.
    /// @param custom  those of plugins; their laws here are solids without stress
    void setMaterials(std::vector<physics::Material> materials,
                      std::vector<CustomMaterial> custom = {});
    const std::vector<physics::Material>& materials() const { return materials_; }
    /// Sets who runs the models that know no device, on the host. It must outlive this.
    void setExecutor(Executor& executor) { executor_ = &executor; }

    /// Computes the present stress of all particles, after laws have changed.
    void findStress();

    /// Adds particles to blocks that become active, and computes their stress. Ids must be larger
    /// than all earlier ones.
    /// @throws std::bad_alloc
    /// @param passive  particles at rest do not wake their blocks
    void add(const HostParticles& more, bool passive = false);

    /// Replaces everything: particles with their stress, the states of their blocks, and found().
    void restore(const HostParticles& all, const HostBlocks& states, const Report& found);

    /// Frees the places of deleted particles.
    void compact();

    /// Returns all particles in memory order, including deleted ones (mass 0).
    HostParticles download();
    /// Returns their positions only.
    HostPlaces downloadPlaces();

    /// Writes particles by id to arrays in device memory; none may be deleted (compact()).
    /// @param liquids  bit m: material m is a liquid
    void snapshot(const Snapshot& to, unsigned long long liquids)
    {
        if (particles_ == 0)
            return;
        settle();
        const auto count = static_cast<std::uint32_t>(particles_), words = maxId_ / 32 + 1;
        present_.need(words);
        present_.fill(0, words);
        bitCount_.need(words);
        idStart_.need(std::size_t(words) + 1);
        FLOE_LAUNCH(markIds, groups(count, 128), 128, 0, device_.stream(), particles(), count,
                    present_.data());
        FLOE_LAUNCH(countBits, groups(words, 128), 128, 0, device_.stream(), present_.data(), words,
                    bitCount_.data());
        scan(bitCount_.data(), words, idStart_.data());
        FLOE_LAUNCH(writeSnapshot, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view(), IdOrder{present_.data(), idStart_.data()}, cellSize_,
                    cubic_ ? physics::kInverseMoment<4> : physics::kInverseMoment<3>, liquids, to);
        device_.checkLaunch("writeSnapshot");
    }

    HostBlocks blocks();
    /// With several ranks, where something sleeps: adds the coordinates and states of blocks beside
    /// this rank's that others hold.
    void addOthers(HostBlocks& blocks);

    /// Sets new states, active or passive, of all particle blocks in the order of blocks(), which
    /// are binned. Passive blocks come to rest; those beside active ones become boundary.
    void setStates(const std::vector<std::uint32_t>& state, const std::vector<float>& restTime);

    /// Returns the occupied cells of each particle block, one bit each (BlockView).
    std::vector<std::uint64_t> occupiedCells();

    /// Returns the speed per cell of each particle block, [block][cell] (mpm::SpeedField).
    std::vector<float> cellSpeeds()
    {
        if (particleBlocks_ == 0)
            return {};
        settle();
        cellSpeeds_.need(std::size_t(particleBlocks_) * kBlockNodes);
        FLOE_LAUNCH(findCellSpeeds, particleBlocks_, kBlockNodes, 0, device_.stream(), particles(),
                    now().view(), 0x1p20f / std::bit_cast<float>(found_.maxMass),
                    cellSpeeds_.data());
        device_.checkLaunch("findCellSpeeds");
        return cellSpeeds_.download(std::size_t(particleBlocks_) * kBlockNodes);
    }

    /// Call after updateNodes(): computes the effect of the grid on boundary blocks; found().pushed
    /// then counts those pushed faster than `wakeSpeed` [m/s] (<= 0: none).
    /// @param kept  keptGain()
    void findPush(float kept, float wakeSpeed);
    /// Call when the step is taken: boundary blocks keep the gain that findPush() has computed.
    void keepGain();
    std::vector<float> pushSpeeds() { return now().pushSpeed.download(particleBlocks_); }
    std::vector<std::uint32_t> states() { return now().state.download(particleBlocks_); }
    /// Activates blocks with the velocity that they have gained.
    void wake(std::span<const std::int32_t> blocks);

    /// Scatters momentum and mass to the grid's sums, for a step of this length [s].
    void scatter(float dt);
    /// Computes node velocities. Their maxima are known after receive().
    /// @param mirrors  not null: surfaces do, and it has them
    void updateNodes(const Environment& environment, const Environment* mirrors = nullptr);
    /// After everything that acts on nodes: those behind mirrors continue those before them.
    void extendNodes(const Environment& environment, const Environment* mirrors = nullptr);

    /// Node velocities [block][x, y, z][node], masses [block][node] [kg] and block coordinates of
    /// the last updateNodes(): for forces that only the host can evaluate.
    struct HostNodes {
        std::vector<unsigned char> velocity; ///< NodeVelocities of each block
        std::vector<float> mass;             ///< kBlockNodes per block [kg]
        std::vector<std::int32_t> coordinate;
    };
    HostNodes downloadNodes();
    void uploadVelocities(const HostNodes& nodes)
    {
        velocities_.upload(nodes.velocity.data(), nodes.velocity.size());
    }

    /// Moves particles with the nodes and updates materials; then scatters for a step of length
    /// `next`, if that is above zero. The particles' maxima are known after receive().
    /// @param roundingSeed  different in each step (physics/rounding.hpp)
    /// @param volumeTime  GatherRequest::volumeTime [s]
    /// @param moved   upper bound of the motion of any particle in this step [cells]
    /// @param flip    StepNumbers::flip
    void toParticles(const Environment& environment, bool particleContact, float restSpeed,
                     std::int32_t roundingSeed, float next, double moved, float flip = 0,
                     float volumeTime = 0);

    std::size_t bytes() const
    {
        return (meetings_ ? meetings_->bytes() : 0) +
               (values_.capacity() + own_.capacity() + inactiveGain_.capacity() +
                cellSpeeds_.capacity() + batch_.capacity()) *
                   sizeof(float) +
               (bin_.capacity() + rank_.capacity() + count_.capacity() + present_.capacity() +
                bitCount_.capacity() + idStart_.capacity() + coordinates_.capacity() +
                spareCoordinates_.capacity() + listed_.capacity()) *
                   4 +
               sums_.capacity() + velocities_.capacity() + images_.bytes() +
               sumsBefore_.capacity() + velocitiesBefore_.capacity() + resting_.capacity() * 8 +
               blocks_[0].bytes() + blocks_[1].bytes();
    }

private:
    /// One generation of blocks; the other is built while particles move from one to the other.
    struct BlockArrays {
        DeviceArray<std::int32_t> coordinate;
        DeviceArray<std::uint32_t> start, order, neighbour, state, border;
        DeviceArray<float> speed, restTime, pushSpeed, gain;
        DeviceArray<unsigned long long> key;
        DeviceArray<unsigned> keyBlock;
        std::uint32_t tableMask = 0, particleBlocks = 0, capacity = 0, materials = 1;
        bool inOrder = false;
        Wrap wrap{};

        explicit BlockArrays(Device& device)
            : coordinate(device), start(device), order(device), neighbour(device), state(device),
              border(device), speed(device), restTime(device), pushSpeed(device), gain(device),
              key(device), keyBlock(device)
        {}
        Blocks view() const
        {
            return {coordinate.data(),
                    start.data(),
                    order.data(),
                    neighbour.data(),
                    state.data(),
                    border.data(),
                    speed.data(),
                    restTime.data(),
                    pushSpeed.data(),
                    gain.data(),
                    {key.data(), keyBlock.data(), tableMask},
                    particleBlocks,
                    capacity,
                    materials,
                    inOrder,
                    wrap};
        }
        std::size_t bytes() const
        {
            return 4 * (coordinate.capacity() + start.capacity() + order.capacity() +
                        neighbour.capacity() + 7 * state.capacity() + border.capacity() +
                        keyBlock.capacity()) +
                   8 * key.capacity();
        }
    };
    BlockArrays& now() { return blocks_[current_]; }
    BlockArrays& next() { return blocks_[1 - current_]; }
    /// Returns what particles go to nodes from and back: blocks, or the parts of them that are of
    /// one body. From clearGrid() on.
    Blocks parts() { return meetings_ ? meetings_->partsAsBlocks(now().view()) : now().view(); }
    /// Returns the number of nodes in blocks, of all bodies.
    std::uint32_t nodeBlocks() const
    {
        return blockCount_ + (meetings_ ? meetings_->sharedCount() : 0);
    }
    void forgetBlocks()
    {
        particleBlocks_ = blockCount_ = 0;
        if (meetings_)
            meetings_->forget();
    }

    static unsigned groups(std::uint64_t threads, unsigned size)
    {
        return static_cast<unsigned>((threads + size - 1) / size);
    }
    Particles particlesFrom(float* values, unsigned channels, unsigned shift) const
    {
        return {values + shift * kGroup, (channels + kSpare) * kGroup};
    }
    Particles particles() const { return particlesFrom(values_.data(), channels_, shift_); }
    Grid grid() const
    {
        return {sums_.data(), velocities_.data(), sumsBefore_.data(), velocitiesBefore_.data()};
    }
    static double real(int bits) { return std::bit_cast<float>(bits); }
    void tell(const Report& report)
    {
        FLOE_LAUNCH(setReport, 1, 1, 0, device_.stream(), report_.data(), report);
    }
    /// Waits for the device. Of several ranks, all call it.
    Report readReport() { return shared(readOwnReport()); }
    Report readOwnReport()
    {
        Report value;
        device_.download(&value, report_.data(), sizeof value);
        return value;
    }
    Report shared(Report own)
    {
        own.particleBlocks = particleBlocks_;
        return halo_ ? halo_->share(own) : own;
    }
    /// Moves particle index[i] to i, for i < count. Channels go, kSpare at a time, into the places
    /// that those before them have left.
    void takeAll(const std::uint32_t* index, std::uint32_t count);

    void writeBlockCoordinates()
    {
        coordinates_.need(3 * particles_);
        if (particleBlocks_ == 0)
            return;
        FLOE_LAUNCH(writeCoordinates, particleBlocks_, kThreads, 0, device_.stream(), now().view(),
                    coordinates_.data());
        device_.checkLaunch("writeCoordinates");
    }

    /// Makes room for so many particles, with the channels of present materials; keeps those that
    /// there are. @param first  whether they are the first
    void makeRoom(std::uint64_t count, bool first);
    /// Appends particles; their blocks are then in coordinates_ and not yet created.
    void append(const HostParticles& more);

    /// Chooses the units of the grid's sums: 2^24 of the largest contributions at one node stay
    /// below 2^62 units.
    /// @param room  how much larger than those of the last known particles the contributions of
    /// motion and stress may be
    void chooseUnits(float dt, double room);

    /// Asks the models of plugins for the stress of particles with ids from `firstId` on, whose F
    /// has been advanced over dt [s]. Waits for the device.
    /// @throws std::runtime_error  one has failed
    void askModels(Asked asked, std::uint64_t firstId, float dt);
    void askModel(CustomMaterial& custom, const std::uint32_t* list, std::uint32_t count,
                  bool atRest, float dt);
    CustomModel::Answer askOnHost(const CustomModel& model, const Batch& batch, float dt);

    /// Clears the grid's sums, for parts().
    void clearGrid();
    void launchScatter(Part part);
    /// Calls launch(part) for all blocks; with several ranks, what is summed at nodes of others is
    /// exchanged, once its part has been launched. @param sums  whether nodes are summed
    template <class Launch>
    void launchParts(bool sums, const Launch& launch);
    /// Calls launch.operator()<Scheme>() with the present one.
    template <class Launch>
    void withScheme(const Launch& launch);
    /// The same of the number of its splines' nodes alone.
    template <class Launch>
    void withSupport(const Launch& launch);
    void launchBoundStill(std::uint32_t most, const Blocks& blocks);
    /// Before the sums are cleared: for liquids that use the mass around them.
    void findNearMass(const StepNumbers& step, const Environment& environment);
    template <class Scheme, bool kContact, class Law>
    void launchMove(const StepNumbers& step, const StepNumbers& next,
                    const Environment& environment, float restSpeed, Part part);
    template <bool kColliders, bool kForces, bool kMirror>
    void launchUpdateNodes(const Environment& environment);
    void foldImages(const Environment& environment, bool back);
    Images images() { return images_.need(nodeBlocks()); }
    void launchFindStress(std::uint64_t firstId, bool inactive);
    template <class T>
    void downloadChannels(T* to, unsigned channel, unsigned channels = 1)
    {
        static_assert(sizeof(T) == sizeof(float));
        rank_.need(particles_);
        auto* const row = reinterpret_cast<float*>(rank_.data());
        const auto count = static_cast<std::uint32_t>(particles_);
        for (unsigned i = 0; i < channels; ++i) {
            FLOE_LAUNCH(readChannel, groups(count, 128), 128, 0, device_.stream(), particles(),
                        channel + i, count, row);
            device_.enqueueDownload(to + i * particles_, row, particles_ * sizeof(float));
        }
    }

    /// Finds boundary blocks and what they scatter, and counts the blocks in each state.
    void markStates();

    /// Makes room for `wanted` blocks in the next generation, and an empty table for them.
    void prepareBlocks(std::uint32_t wanted);
    /// Call after counting: builds starts, slots and arenas, and makes the next generation current.
    /// @return false when blocks did not fit and all must be repeated
    /// @param moved    bins of the first so many particles are from countBins(), of the others from
    ///                 countAnew()
    /// @param passive  blocks at a new coordinate are passive, unless something moves in them
    bool finishBlocks(std::uint64_t moved, bool passive);
    /// Where there are no blocks, new ones have nothing to inherit from.
    void inheritNothing();
    void launchCountAnew(std::uint64_t first, std::uint64_t firstNew, bool passive);
    /// With several ranks, when the blocks are new: finds out what they have in common.
    void joinOthers();
    /// Makes new blocks for particles that have moved.
    void bin();
    /// Makes blocks from coordinates_. Particles from `firstNew` on wake their blocks.
    void rebuild(std::uint64_t firstNew, bool passive = false);
    void scan(const std::uint32_t* values, std::uint64_t count, std::uint32_t* sums);
    /// Orders the particles of each block by interleave(), and their numbers likewise.
    void reorder();

    static constexpr std::uint32_t kMaxBoundBlocks = 4096; ///< CUDA blocks of boundStill()
    /// Room for a scatter whose contributions are not yet known. 2^30 units remain for the largest
    /// known contribution, as many as in an arena.
    static constexpr double kRoom = 256;
    /// Particles that a model is asked for at once.
    static constexpr std::uint32_t kBatch = FLOE_CUDA_EMULATED ? 512 : 1u << 18;

    Device device_;
    float dx_;
    double cellSize_;
    std::vector<physics::Material> materials_;
    std::uint32_t materialCount_ = 1;
    std::vector<CustomMaterial> custom_;
    SerialExecutor serial_;
    Executor* executor_ = &serial_;

    std::uint64_t particles_ = 0;
    std::uint32_t maxId_ = 0; ///< of any particle so far
    std::uint64_t room_ = 0;  ///< for particles, a multiple of kGroup
    unsigned shift_ = 0;      ///< channel c of a group is in place c + shift_, 0 or kSpare
    unsigned channels_ = kLiquidChannels; ///< or more, once others have been added
    DeviceArray<float> values_;           ///< [room_ / kGroup][channels_ + kSpare][kGroup]

    DeviceArray<float> own_, inactiveGain_, cellSpeeds_;
    DeviceArray<unsigned long long> resting_, occupied_;
    DeviceArray<std::uint32_t> wakes_;
    DeviceArray<std::uint32_t> bin_, rank_, count_, tiles_;
    DeviceArray<std::uint32_t> present_, bitCount_, idStart_; ///< of IdOrder
    DeviceArray<std::int32_t> coordinates_, spareCoordinates_;
    DeviceArray<unsigned char> sums_, velocities_; ///< NodeSums and NodeVelocities of each block
    ImageArrays images_;                           ///< where surfaces mirror
    /// For PIC and FLIP: MomentumBefore and NodeVelocities of it.
    DeviceArray<unsigned char> sumsBefore_, velocitiesBefore_;
    DeviceArray<std::uint32_t> listed_,
        listedCount_;          ///< of the particles that a model is asked for
    DeviceArray<float> batch_; ///< Batch
    PinnedArray<float> batchOnHost_;
    DeviceArray<Report> report_;
    DeviceArray<physics::Material> laws_;
    BlockArrays blocks_[2];
    std::unique_ptr<Halo> halo_;         ///< several ranks; else null
    std::unique_ptr<Meetings> meetings_; ///< bodies meet; else null
    int current_ = 0;
    std::uint32_t particleBlocks_ = 0, blockCount_ = 0;
    double disorder_ = 0; ///< binnings since the last reorder(), each by the share of blocks awake

    StepNumbers step_{};
    double momentumBound_ = 0; ///< of a contribution, in the grid's units [kg m/s]
    float scatteredStep_ = 0;
    bool cubic_ = false, flips_ = false; ///< cubic splines; PIC and FLIP
    bool usesNearMass_ = false;          ///< a liquid uses the mass around its particles
    bool anyTense_ = false;              ///< and does so in every step
    double drift_ = 0;
    double driftBefore_ = 0, movedFor_ = 0; ///< before the last toParticles(), and for how long [s]
    bool pending_ = false;                  ///< the device's report is newer than found_
    Report found_{};
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda

#include "core_blocks.inl"
#include "core_custom.inl"
#include "core_state.inl"
#include "core_step.inl"
