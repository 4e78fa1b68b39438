#pragma once

/// A backend that notes what it is told: the decisions of the Stepper that drives it.

#include "backend.hpp"

#include <algorithm>
#include <memory>
#include <ostream>
#include <vector>

namespace floe::mpm {

/// One order to a backend. Lengths of steps depend on what was measured, so they agree to a share;
/// all else is the same on any backend.
struct Decision {
    enum class Kind { gather, gatherAndRebin, rebin, wake, states };

    Kind kind;
    double dt = 0;                        ///< [s]
    std::vector<BlockCoordinate> active;  ///< blocks that wake, in order of their coordinates
    std::vector<BlockCoordinate> passive; ///< blocks that become passive

    bool operator==(const Decision& other) const
    {
        return kind == other.kind && active == other.active && passive == other.passive &&
               std::abs(dt - other.dt) <= 1e-3 * std::max(dt, other.dt);
    }
    friend std::ostream& operator<<(std::ostream& out, const Decision& d)
    {
        constexpr const char* kNames[] = {"gather", "gather and rebin", "rebin", "wake", "states"};
        out << kNames[static_cast<int>(d.kind)] << ' ' << d.dt;
        for (const auto* blocks : {&d.active, &d.passive}) {
            out << " [";
            for (const BlockCoordinate& c : *blocks)
                out << '(' << c[0] << ' ' << c[1] << ' ' << c[2] << ')';
            out << ']';
        }
        return out;
    }
};

class RecordedBackend final : public Backend {
public:
    explicit RecordedBackend(std::unique_ptr<Backend> of) : of_(std::move(of)) {}

    std::vector<Decision> decisions;

    std::optional<std::string> refusal(const SolverSettings& settings) const override
    {
        return of_->refusal(settings);
    }
    std::optional<std::string> refusal(std::span<const SolverMaterial> materials) const override
    {
        return of_->refusal(materials);
    }
    std::optional<std::string> refusal(const Collider& collider) const override
    {
        return of_->refusal(collider);
    }
    void setSettings(const SolverSettings& settings) override { of_->setSettings(settings); }
    void setMaterials(std::span<const SolverMaterial> materials) override
    {
        of_->setMaterials(materials);
    }
    void setDomain(const Domain& domain) override { of_->setDomain(domain); }
    void setForces(std::span<const std::shared_ptr<const Force>> forces) override
    {
        of_->setForces(forces);
    }
    void setColliders(std::span<const std::shared_ptr<Collider>> colliders) override
    {
        of_->setColliders(colliders);
    }
    double maxDrift() const override { return of_->maxDrift(); }
    double drift() const override { return of_->drift(); }
    const Bounds& bounds() override { return of_->bounds(); }
    bool boundsKnown() const override { return of_->boundsKnown(); }
    double scatteredStep() override { return of_->scatteredStep(); }
    /// Not noted: a device that was looked at scatters anew.
    void scatter(double dt) override { of_->scatter(dt); }
    void updateGrid(double time, double dt) override { of_->updateGrid(time, dt); }
    void gather(const GatherRequest& request) override
    {
        using enum Decision::Kind;
        decisions.push_back(
            {request.rebins ? gatherAndRebin : Decision::Kind::gather, request.dt, {}, {}});
        of_->gather(request);
    }
    void rebin() override
    {
        decisions.push_back({Decision::Kind::rebin, 0, {}, {}});
        of_->rebin();
    }
    Deleted takeDeleted() override { return of_->takeDeleted(); }
    void bringUpToDate() override { of_->bringUpToDate(); }
    void prepareSolve() override { of_->prepareSolve(); }
    bool solve(double time, double dt) override { return of_->solve(time, dt); }
    std::uint64_t takeSolveIterations() override { return of_->takeSolveIterations(); }
    const BlockView& blocks(bool cellSpeeds) override { return of_->blocks(cellSpeeds); }
    std::size_t activeBlocks() override { return of_->activeBlocks(); }
    std::size_t sleepingBlocks() override { return of_->sleepingBlocks(); }
    std::vector<std::int32_t> findPushed(double dt, double wakeSpeed) override
    {
        return of_->findPushed(dt, wakeSpeed);
    }
    void wake(std::span<const std::int32_t> blocks, double time, double dt, bool update) override
    {
        decisions.push_back({Decision::Kind::wake, update ? dt : 0, named(blocks), {}});
        of_->wake(blocks, time, dt, update);
    }
    void setStates(std::span<const std::int32_t> active,
                   std::span<const std::int32_t> passive) override
    {
        decisions.push_back({Decision::Kind::states, 0, named(active), named(passive)});
        of_->setStates(active, passive);
    }
    void add(const NewParticles& particles, std::uint32_t firstId) override
    {
        of_->add(particles, firstId);
    }
    void findOccupied(CellSet& cells) override { of_->findOccupied(cells); }
    void snapshot(const Snapshot& to) override { of_->snapshot(to); }
    std::optional<std::uint16_t> findNotFinite() override { return of_->findNotFinite(); }
    std::pair<std::uint16_t, double> findFastest() override { return of_->findFastest(); }
    std::vector<unsigned char> save(const Clock& clock) override { return of_->save(clock); }
    Clock load(std::span<const unsigned char> bytes) override { return of_->load(bytes); }
    std::unique_ptr<Backend> makeEmpty(const SolverSettings& settings) const override
    {
        return of_->makeEmpty(settings);
    }
    std::size_t bytes() const override { return of_->bytes(); }
    const char* name() const override { return of_->name(); }

private:
    std::vector<BlockCoordinate> named(std::span<const std::int32_t> blocks)
    {
        const BlockView& view = of_->blocks();
        std::vector<BlockCoordinate> names;
        for (const std::int32_t b : blocks)
            names.push_back(view.coordinate(static_cast<std::size_t>(b)));
        std::sort(names.begin(), names.end());
        return names;
    }

    std::unique_ptr<Backend> of_;
};

} // namespace floe::mpm
