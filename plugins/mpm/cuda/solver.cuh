#pragma once

/// The CUDA solver as the node sees it: time steps, emission and deletion, surroundings, counts.
/// Time-step rules, checks and messages are those of the CPU solver (core/solver.cpp).

#include "activation.hpp"
#include "backend.hpp"
#include "core.cuh"
#include "forces_on_host.cuh"
#include "stepping.hpp"

#include <cstdio>
#include <string>
#include <unordered_map>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

class CudaSolver final : public SolverBackend {
public:
    CudaSolver(const SolverSettings& settings, Device device)
        : core_(device, settings.cellSize), surroundings_(core_.device())
    {
        settings_.cellSize = settings.cellSize;
        CudaSolver::setSettings(settings);
    }
    ~CudaSolver() override { core_.device().makeCurrent(); }

    void setSettings(const SolverSettings& s) override
    {
        if (!positive(s.cellSize) || !positive(s.advectionLimit) || s.advectionLimit > 1 ||
            !positive(s.materialLimit) || s.materialLimit > 1 || !positive(s.longestStep) ||
            !positive(s.shortestStep) || !std::isfinite(s.gravity.x + s.gravity.y + s.gravity.z) ||
            !(s.flip >= 0 && s.flip <= 1))
            throw std::invalid_argument(
                "the solver's cell size, gravity, FLIP share or step limits "
                "are out of range");
        if (s.transfer != Transfer::apic)
            throw std::invalid_argument(
                "the transfer 'PIC and FLIP' runs on the CPU alone; choose APIC or run on the CPU");
        if (s.integrator != Integrator::symplectic)
            throw std::invalid_argument("the semi-implicit integrator runs on the CPU alone; "
                                        "choose the explicit one or run on the CPU");
        if (s.spline != Spline::quadratic)
            throw std::invalid_argument(
                "cubic kernels run on the CPU alone; choose quadratic ones or run on the CPU");
        if (s.cellSize != settings_.cellSize)
            throw std::invalid_argument("the cell size cannot change while there are particles");
        settings_ = s;
    }

    const SolverSettings& settings() const override { return settings_; }

    void setMaterials(std::vector<SolverMaterial> materials) override
    {
        core_.device().makeCurrent();
        if (materials.size() < materials_.size() || materials.size() > kMostMaterials)
            throw std::invalid_argument(
                materials.size() > kMostMaterials
                    ? "the CUDA solver takes at most 64 materials"
                    : "materials cannot be taken away from a running solver");
        std::vector<physics::Material> laws;
        for (std::size_t i = 0; i < materials.size(); ++i) {
            if (materials[i].custom)
                throw std::invalid_argument("material '" + materials[i].name +
                                            "': custom models run on the CPU only; choose "
                                            "--device cpu");
            if (!positive(materials[i].law.density))
                throw std::invalid_argument("material '" + materials[i].name +
                                            "': density must be above zero");
            if (i < materials_.size() && materials[i].law.kind != materials_[i].law.kind)
                throw std::invalid_argument("material '" + materials[i].name +
                                            "': the law cannot change while there are particles");
            laws.push_back(materials[i].law);
        }
        materials_ = std::move(materials);
        core_.setMaterials(std::move(laws));
    }

    void setDomain(const Domain& domain) override { surroundings_.setDomain(domain); }
    void setForces(std::vector<std::shared_ptr<const Force>> forces) override
    {
        surroundings_.setForces(std::move(forces));
    }
    void setColliders(std::vector<std::shared_ptr<Collider>> colliders) override
    {
        core_.device().makeCurrent();
        surroundings_.setColliders(std::move(colliders));
        collidersFree_ = 0;
    }

    void addParticles(const NewParticles& p) override
    {
        core_.device().makeCurrent();
        if (p.material >= materials_.size())
            throw std::invalid_argument("particles of a material that the solver does not have");
        check(p);
        settle();
        if (deleted_ > 0)
            compact();
        const SolverMaterial& material = materials_[p.material];
        std::vector<std::size_t> inside;
        for (std::size_t i = 0; i < p.count; ++i)
            if (!surroundings_.beyondOpenFace(p.x + 3 * i))
                inside.push_back(i);
        if (inside.size() > 0xffffffffull - nextId_)
            throw std::length_error("a simulation can emit at most four billion particles");
        HostParticles added;
        added.resize(inside.size());
        const float initialState =
            physics::visitLaw(material.law, [](const auto& law) { return law.initialState(); });
        for (std::uint64_t n = 0; n < added.count; ++n) {
            const std::size_t i = inside[n];
            for (unsigned axis = 0; axis < 3; ++axis) {
                const double cells = p.x[3 * i + axis] / settings_.cellSize;
                const auto cell = static_cast<std::int64_t>(std::floor(cells - 0.5));
                const auto block = static_cast<std::int32_t>(cell >> 2);
                added.block[3 * n + axis] = block;
                added.at(kPosition + axis, n) =
                    std::clamp(static_cast<float>(cells - 4.0 * block), kLeastLocal, kMostLocal);
                added.at(kVelocity + axis, n) = p.v ? p.v[3 * i + axis] : 0;
            }
            const float density = material.law.density * (p.densityScale ? p.densityScale[i] : 1);
            added.at(kState, n) = p.state ? p.state[i] : initialState;
            for (unsigned k = 0; k < 9 && p.strain; ++k)
                added.at(kElastic + k, n) = p.strain[9 * i + k];
            added.at(kMass, n) = density * p.volume[i];
            added.at(kVolume, n) = p.volume[i];
            added.at(kStiffness, n) = p.stiffnessScale ? p.stiffnessScale[i] : 1;
            added.material[n] = p.material;
            added.id[n] = nextId_ + n;
        }
        core_.add(added, settings_.startsAsleep && material.sleeps);
        nextId_ += added.count;
        counts_.emitted += added.count;
        counts_.alive += added.count;
    }

    void findOccupied(const float* x, std::size_t count, std::uint8_t* occupied) override
    {
        core_.device().makeCurrent();
        // One bit a cell, for the blocks of cells that hold particles.
        std::unordered_map<std::uint64_t, std::uint64_t> cells;
        const auto key = [](const std::int64_t(&c)[3]) {
            const auto part = [](std::int64_t a) {
                return static_cast<std::uint64_t>(a >> 2) & 0x1fffff;
            };
            return part(c[0]) << 42 | part(c[1]) << 21 | part(c[2]);
        };
        const auto bit = [](const std::int64_t(&c)[3]) {
            return std::uint64_t{1} << ((c[0] & 3) * 16 + (c[1] & 3) * 4 + (c[2] & 3));
        };
        const HostPlaces all = core_.downloadPlaces();
        for (std::uint64_t p = 0; p < all.count; ++p) {
            if (all.mass[p] == 0)
                continue;
            std::int64_t c[3];
            for (unsigned axis = 0; axis < 3; ++axis)
                c[axis] = 4 * std::int64_t{all.block[3 * p + axis]} +
                          static_cast<std::int64_t>(std::floor(all.position[axis * all.count + p]));
            cells[key(c)] |= bit(c);
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t c[3];
            bool usable = true;
            for (unsigned axis = 0; axis < 3; ++axis) {
                const double cell = std::floor(x[3 * i + axis] / settings_.cellSize);
                usable = usable && std::abs(cell) < 4.0 * kMostCoordinate;
                c[axis] = usable ? static_cast<std::int64_t>(cell) : 0;
            }
            const auto found = usable ? cells.find(key(c)) : cells.end();
            occupied[i] = found != cells.end() && (found->second & bit(c)) != 0;
        }
    }

    double advance(double longest) override;

    double time() const override { return time_; }
    double topSpeed() const override { return real(core_.found().maxSpeed); }
    std::unique_ptr<SolverBackend> fork() override
    {
        auto other = std::make_unique<CudaSolver>(settings_, core_.device());
        other->setMaterials(materials_);
        other->surroundings_.setDomain(surroundings_.domain());
        other->surroundings_.setForces(surroundings_.forces());
        other->setColliders(surroundings_.colliders());
        other->load(save());
        return other;
    }

    ActivationRequest activationRequest() override;
    void applyActivation(const ActivationRequest& request) override;
    SpeedField speedField() override;

    std::size_t particleCount() const override { return counts_.alive; }
    Counts counts() override
    {
        core_.device().makeCurrent();
        settle();
        Counts c = counts_;
        const HostBlocks blocks = core_.blocks();
        c.blocks = blocks.state.size();
        for (std::size_t b = 0; b < blocks.state.size(); ++b) {
            c.activeBlocks += blocks.state[b] == kActive;
            c.boundaryBlocks += blocks.state[b] == kBoundary;
            for (std::size_t m = 0; m < materials_.size(); ++m)
                c.activeParticles +=
                    blocks.state[b] == kActive ? blocks.particles[b * materials_.size() + m] : 0;
        }
        return c;
    }
    StepStatistics takeStatistics() override
    {
        const StepStatistics taken = statistics_;
        statistics_ = {};
        statistics_.topSpeed = topSpeed();
        return taken;
    }
    void snapshot(const Snapshot& to) override;
    bool onDevice() const override { return true; }
    void snapshotOnDevice(const Snapshot& to) override;
    std::size_t bytes() const override { return core_.bytes(); }
    const char* name() const override { return FLOE_CUDA_EMULATED ? "emulated CUDA" : "CUDA"; }
    std::vector<unsigned char> save() override;
    void load(std::span<const unsigned char> bytes) override;

private:
    static constexpr std::size_t kMostMaterials = 64; ///< bounds countBins' shared memory

    static bool positive(double a) { return std::isfinite(a) && a > 0; }
    static std::string number(double a)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", a);
        return text;
    }
    static double real(int bits) { return std::bit_cast<float>(bits); }
    static double real(unsigned long long bits)
    {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32));
    }
    double waveSpeed() const { return real(core_.found().maxWave); }
    const std::string& nameOf(unsigned long long bits) const
    {
        return materials_[std::min<std::size_t>(bits & 0xFFFFFFFFu, materials_.size() - 1)].name;
    }

    void check(const NewParticles& p) const;
    void compact()
    {
        settle();
        core_.compact();
        deleted_ = 0;
        ++statistics_.regroupings;
    }
    bool isStiff(const HostBlocks& blocks, std::size_t block) const;
    void spreadThroughStiff(const HostBlocks& blocks, std::vector<std::uint32_t>& state) const;
    void spreadThroughStiff();
    /// Before anything is looked at or changed between steps.
    void settle()
    {
        core_.settle();
        takeFindings();
    }
    void takeFindings();
    double chooseStep(double longest, double component) const;
    double beginning(double longest) const;
    std::vector<std::shared_ptr<Collider>> movingNow() const;
    bool isNear(const std::int32_t* block, std::span<const std::shared_ptr<Collider>> moving,
                double reach) const;
    double wakeBeforeColliders(double longest);
    [[noreturn]] void failNotANumber();
    [[noreturn]] void failStep(double dt);

    SolverSettings settings_;
    std::vector<SolverMaterial> materials_;
    Core core_;
    Surroundings surroundings_;

    double time_ = 0, lastStep_ = 0;
    double begun_ = 0;         ///< length of the step that is scattered already; 0: none is [s]
    double collidersFree_ = 0; ///< the guard looks at moving colliders again at this time [s]
    std::uint64_t nextId_ = 0, deleted_ = 0; ///< deleted since the last compaction
    std::uint32_t left_ = 0, eaten_ = 0;     ///< Report's, of which counts_ knows
    Counts counts_;
    StepStatistics statistics_;
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda

#include "solver_activation.inl"
#include "solver_state.inl"
#include "solver_step.inl"
