#include "backend.hpp"

#include <utility>

namespace floe::mpm {
namespace {

class CpuSolver final : public SolverBackend {
public:
    CpuSolver(const SolverSettings& settings, Executor& executor, MemorySource& memory)
        : executor_(executor), memory_(memory), solver_(settings, executor, memory)
    {}

    void setSettings(const SolverSettings& settings) override { solver_.setSettings(settings); }
    const SolverSettings& settings() const override { return solver_.settings(); }
    void setMaterials(std::vector<SolverMaterial> materials) override
    {
        solver_.setMaterials(std::move(materials));
    }
    void setDomain(const Domain& domain) override { solver_.setDomain(domain); }
    void setForces(std::vector<std::shared_ptr<const Force>> forces) override
    {
        solver_.setForces(std::move(forces));
    }
    void setColliders(std::vector<std::shared_ptr<Collider>> colliders) override
    {
        solver_.setColliders(std::move(colliders));
    }
    void addParticles(const NewParticles& particles) override { solver_.addParticles(particles); }
    void findOccupied(const float* x, std::size_t count, std::uint8_t* occupied) override
    {
        solver_.findOccupied(x, count, occupied);
    }
    double advance(double longest) override { return solver_.advance(longest); }
    double time() const override { return solver_.time(); }
    double topSpeed() const override { return solver_.topSpeed(); }
    SpeedField speedField() override { return solver_.speedField(); }
    std::unique_ptr<SolverBackend> fork() override
    {
        auto other = std::make_unique<CpuSolver>(solver_.settings(), executor_, memory_);
        other->solver_.continueAs(solver_);
        return other;
    }
    ActivationRequest activationRequest() override { return solver_.activationRequest(); }
    void applyActivation(const ActivationRequest& request) override
    {
        solver_.applyActivation(request);
    }
    std::size_t particleCount() const override { return solver_.particleCount(); }
    Counts counts() override { return solver_.counts(); }
    StepStatistics takeStatistics() override { return solver_.takeStatistics(); }
    void snapshot(const Snapshot& to) override { solver_.snapshot(to); }
    bool onDevice() const override { return false; }
    void snapshotOnDevice(const Snapshot& to) override { solver_.snapshot(to); }
    std::size_t bytes() const override { return solver_.bytes(); }
    const char* name() const override { return solver_.kernelsName(); }
    std::vector<unsigned char> save() override { return solver_.save(); }
    void load(std::span<const unsigned char> bytes) override { solver_.load(bytes); }

private:
    Executor& executor_;
    MemorySource& memory_;
    Solver solver_;
};

} // namespace

std::unique_ptr<SolverBackend> makeCpuSolver(const SolverSettings& settings, Executor& executor,
                                             MemorySource& memory)
{
    return std::make_unique<CpuSolver>(settings, executor, memory);
}

} // namespace floe::mpm
