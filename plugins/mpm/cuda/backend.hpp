#pragma once

/// The solver's interface towards the node, for any device: the members of mpm::Solver that the
/// node calls, with the same meaning, units and errors (core/solver.hpp).

#include "solver.hpp"

#include <floe/sdk/floe.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace floe::mpm {

class SolverBackend {
public:
    virtual ~SolverBackend() = default;

    virtual void setSettings(const SolverSettings& settings) = 0;
    virtual const SolverSettings& settings() const = 0;
    virtual void setMaterials(std::vector<SolverMaterial> materials) = 0;
    virtual void setDomain(const Domain& domain) = 0;
    virtual void setForces(std::vector<std::shared_ptr<const Force>> forces) = 0;
    virtual void setColliders(std::vector<std::shared_ptr<Collider>> colliders) = 0;
    virtual void addParticles(const NewParticles& particles) = 0;
    virtual void findOccupied(const float* x, std::size_t count, std::uint8_t* occupied) = 0;
    virtual double advance(double longest) = 0;
    virtual double time() const = 0;
    virtual double topSpeed() const = 0;
    virtual SpeedField speedField() = 0;
    /// Another solver in the same state, with the same surroundings, to look ahead with.
    virtual std::unique_ptr<SolverBackend> fork() = 0;
    virtual ActivationRequest activationRequest() = 0;
    virtual void applyActivation(const ActivationRequest& request) = 0;
    virtual std::size_t particleCount() const = 0;
    virtual Counts counts() = 0;
    virtual StepStatistics takeStatistics() = 0;
    virtual void snapshot(const Snapshot& to) = 0;
    /// Whether particles lie in the memory of the device that the solver was made for.
    virtual bool onDevice() const = 0;
    /// A snapshot into arrays in the memory of that device; enqueued on its stream.
    virtual void snapshotOnDevice(const Snapshot& to) = 0;
    virtual std::size_t bytes() const = 0;
    virtual const char* name() const = 0; ///< for people: "CUDA", "AVX2", ...
    /// A state goes on bit for bit on the kind of device that saved it; others refuse it.
    virtual std::vector<unsigned char> save() = 0;
    virtual void load(std::span<const unsigned char> bytes) = 0;
};

/// The CPU solver behind the interface. @param executor, memory  outlive the backend
std::unique_ptr<SolverBackend> makeCpuSolver(const SolverSettings& settings, Executor& executor,
                                             MemorySource& memory = plainMemory());

/// The CUDA solver. Its functions also throw std::bad_alloc when device memory runs out, and
/// sdk::Failure. Only in builds with FLOE_HAVE_CUDA.
/// @param device  of kind FLOE_DEVICE_CUDA; its memory and stream are used, and outlive the backend
std::unique_ptr<SolverBackend> makeCudaSolver(const SolverSettings& settings,
                                              const floe_device& device);

} // namespace floe::mpm
