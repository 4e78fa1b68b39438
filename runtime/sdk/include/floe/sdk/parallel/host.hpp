/// The host's threads and memory, for a solver that does not depend on the plugin interface.
#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/parallel/memory.hpp"

#include <exception>
#include <mutex>
#include <new>

namespace floe::sdk::parallel {

/// The host's threads, valid during a call of the node.
class HostExecutor final : public Executor {
public:
    const Context* context = nullptr; ///< of the present call; set before the first loop

    void parallelFor(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) override
    {
        if (count == 0)
            return;
        std::mutex mutex;
        std::exception_ptr first;
        context->parallelFor(count, grain, [&](uint64_t begin, uint64_t end) noexcept {
            try {
                body(begin, end);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!first)
                    first = std::current_exception();
            }
        });
        if (first)
            std::rethrow_exception(first);
    }
};

/// The host's memory: counted, and refused before the system runs out.
class HostMemory final : public MemorySource {
public:
    /// @param device  copied; what it refers to must outlive this
    explicit HostMemory(const floe_device& device) : device_(device) {}

    void* allocate(std::size_t bytes) override
    {
        void* memory = nullptr;
        if (device_.allocate(&device_, bytes, &memory) != FLOE_OK || !memory)
            throw std::bad_alloc();
        return memory;
    }
    void release(void* memory) noexcept override { device_.release(&device_, memory); }

private:
    floe_device device_;
};

} // namespace floe::sdk::parallel
