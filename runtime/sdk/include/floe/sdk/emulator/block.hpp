#pragma once

/// Runs the threads of CUDA blocks as fibers of the calling thread.
///
/// A thread runs until it blocks (barrier, warp exchange, yield) or returns; when none can run any
/// more, completed exchanges and barriers are released. Threads and blocks run in order of their
/// index or, with a seed, in shuffled orders that change at every release; a kernel whose result
/// depends on the seed has a race. The rules are those of the CUDA programming guide, taken
/// strictly: every thread of the block must reach every barrier, at the same source line, and every
/// lane named in a mask must take part; anything else is a KernelFault.

#include "floe/sdk/emulator/fiber.hpp"
#include "floe/sdk/emulator/memory.hpp"
#include "floe/sdk/emulator/options.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace floe::emulator {

struct Index3 {
    unsigned x = 0, y = 0, z = 0;
};

inline constexpr unsigned kWarpSize = 32;
inline constexpr unsigned kMaxBlockThreads = 1024;
/// Of a block, static and dynamic. More needs cudaFuncSetAttribute(), which there is not here.
inline constexpr std::size_t kMaxShared = 48 * 1024;

/// What the lanes of a warp contributed to an exchange.
struct WarpValues {
    std::array<std::uint64_t, kWarpSize> bits{};
    unsigned mask = 0; ///< lanes that took part
};

class BlockRunner {
public:
    using Kernel = void (*)(void* closure);

    /// The runner of the block that is being executed on this thread.
    static BlockRunner*& current()
    {
        static thread_local BlockRunner* runner = nullptr;
        return runner;
    }

    /// Storage of the built-in variables; written before each thread is resumed.
    struct Builtins {
        Index3 threadIdx, blockIdx, blockDim, gridDim;
    };
    static Builtins& builtins()
    {
        static thread_local constinit Builtins instance{};
        return instance;
    }

    BlockRunner(const char* kernelName, Index3 grid, Index3 block, std::size_t dynamicShared)
        : name_(kernelName), grid_(grid), block_(block), random_(options().seed)
    {
        const std::uint64_t threads = std::uint64_t(block.x) * block.y * block.z;
        if (grid.x == 0 || grid.y == 0 || grid.z == 0 || threads == 0)
            throw KernelFault(prefix() + "launched with an empty grid or block");
        if (threads > kMaxBlockThreads || block.z > 64)
            throw KernelFault(prefix() + "launched with " + std::to_string(threads) +
                              " threads a block; a block holds at most 1024 (64 along z)");
        if (grid.x > 0x7FFFFFFFu || grid.y > 65535 || grid.z > 65535)
            throw KernelFault(prefix() + "launched with a grid larger than the device takes");
        if (dynamicShared > kMaxShared)
            throw KernelFault(prefix() + "asks for " + std::to_string(dynamicShared) +
                              " bytes of dynamic shared memory; without cudaFuncSetAttribute() a "
                              "block has at most 49152, what it declares included");
        dynamic_ = std::make_unique<FencedBytes>(dynamicShared);
        threads_ = std::vector<Thread>(threads);
        order_.resize(threads);
        std::iota(order_.begin(), order_.end(), 0u);
    }

    /// Runs all blocks of the grid. @throws KernelFault, or whatever the kernel threw
    void run(Kernel kernel, void* closure)
    {
        kernel_ = kernel;
        closure_ = closure;
        BlockRunner* const outer = current();
        if (outer)
            throw KernelFault(prefix() + "launched from inside a kernel; that is not supported");
        current() = this;
        struct Restore {
            ~Restore()
            {
                current() = nullptr;
                if (options().watch)
                    options().watch->endLaunch();
            }
        } restore;
        if (Watch* watch = options().watch)
            watch->beginLaunch(name_);
        const std::uint64_t blocks = std::uint64_t(grid_.x) * grid_.y * grid_.z;
        // A random start and a stride coprime to the count visit all blocks in a scattered order.
        std::uint64_t start = 0, stride = 1;
        if (options().seed != 0 && blocks > 1) {
            start = next() % blocks;
            do
                stride = 1 + next() % (blocks - 1);
            while (std::gcd(stride, blocks) != 1);
        }
        for (std::uint64_t i = 0; i < blocks; ++i) {
            const std::uint64_t b = (start + i * stride) % blocks;
            builtins().blockIdx = {unsigned(b % grid_.x), unsigned(b / grid_.x % grid_.y),
                                   unsigned(b / grid_.x / grid_.y)};
            builtins().blockDim = block_;
            builtins().gridDim = grid_;
            runBlock();
        }
        if (const std::string fault = DeviceHeap::instance().fault(); !fault.empty())
            throw KernelFault(prefix() + fault);
    }

    // ---------------------------------------------------- called by the threads of the block

    /// Waits for all threads of the block. @return how many of them passed `predicate` true
    unsigned barrier(bool predicate, const std::source_location& where)
    {
        Thread& self = *running_;
        self.state = State::Barrier;
        self.where = where;
        self.predicate = predicate;
        suspend(self);
        return barrierCount_;
    }

    /// Waits until all lanes of `mask` arrive with an operation of the same `kind`.
    /// @return the values of all lanes
    WarpValues exchange(const char* kind, unsigned mask, std::uint64_t bits,
                        const std::source_location& where)
    {
        Thread& self = *running_;
        if (!(mask >> lane(self) & 1u))
            throw KernelFault(at(self, where) + ": " + kind + " with mask " + hex(mask) +
                              " is called by lane " + std::to_string(lane(self)) +
                              ", which the mask does not name");
        self.state = State::Exchange;
        self.kind = kind;
        self.mask = mask;
        self.bits = bits;
        self.where = where;
        suspend(self);
        return self.values;
    }

    /// Returns the lanes that wait for __activemask() on the same line when nothing else can run.
    unsigned convergedLanes(const std::source_location& where)
    {
        Thread& self = *running_;
        self.state = State::Converge;
        self.where = where;
        suspend(self);
        return self.values.mask;
    }

    /// Lets the other threads run. With a seed, atomics call this now and then.
    void yield()
    {
        Thread& self = *running_;
        self.state = State::Ready;
        yielded_ = true;
        suspend(self);
    }
    void maybeYield()
    {
        if (options().seed != 0 && next() % 8 == 0)
            yield();
    }

    /// Returns the static shared memory of the call site identified by `site`.
    void* sharedSlot(const void* site, std::size_t bytes)
    {
        for (Slot& slot : slots_)
            if (slot.site == site)
                return slot.bytes->data();
        std::size_t total = bytes + dynamic_->size();
        for (const Slot& slot : slots_)
            total += slot.bytes->size();
        if (total > kMaxShared)
            throw KernelFault(prefix() + "takes " + std::to_string(total) +
                              " bytes of shared memory; without cudaFuncSetAttribute() a block has "
                              "at most 49152");
        slots_.push_back({site, std::make_unique<FencedBytes>(bytes)});
        if (Watch* watch = options().watch)
            watch->shared(slots_.back().bytes->data(), bytes);
        return slots_.back().bytes->data();
    }
    FencedBytes& dynamicShared() { return *dynamic_; }

    /// Ends the kernel with a message that names the running thread.
    [[noreturn]] void fail(const std::string& what,
                           const std::source_location& where = std::source_location::current())
    {
        throw KernelFault(at(*running_, where) + ": " + what);
    }

private:
    enum class State : std::uint8_t { Fresh, Ready, Barrier, Exchange, Converge, Done };
    struct Thread {
        Fiber fiber;
        std::unique_ptr<Stack> stack;
        State state = State::Fresh;
        bool predicate = false;
        Index3 index;
        unsigned number = 0;
        unsigned mask = 0;
        const char* kind = "";
        std::uint64_t bits = 0;
        WarpValues values;
        std::source_location where;
    };
    struct Slot {
        const void* site;
        std::unique_ptr<FencedBytes> bytes;
    };

    static unsigned lane(const Thread& thread) { return thread.number % kWarpSize; }

    void runBlock()
    {
        for (Slot& slot : slots_)
            slot.bytes->refill();
        dynamic_->refill();
        if (Watch* watch = options().watch) {
            const Index3& b = builtins().blockIdx;
            watch->beginBlock((std::uint64_t(b.z) * grid_.y + b.y) * grid_.x + b.x);
            for (const Slot& slot : slots_)
                watch->shared(slot.bytes->data(), slot.bytes->size());
            watch->shared(dynamic_->data(), dynamic_->size());
        }
        for (unsigned t = 0; t < threads_.size(); ++t) {
            Thread& thread = threads_[t];
            thread.number = t;
            thread.index = {t % block_.x, t / block_.x % block_.y, t / block_.x / block_.y};
            thread.state = State::Fresh;
        }
        unsigned idleRounds = 0;
        for (;;) {
            shuffle();
            yielded_ = false;
            bool finishedOne = false;
            bool anyLeft = false;
            for (const unsigned t : order_) {
                Thread& thread = threads_[t];
                if (thread.state == State::Fresh || thread.state == State::Ready) {
                    resume(thread);
                    finishedOne |= thread.state != State::Ready;
                }
                anyLeft |= thread.state != State::Done;
            }
            idleRounds = finishedOne ? 0 : idleRounds + 1;
            if (!anyLeft)
                break;
            if (yielded_) { // another thread can still run
                if (idleRounds > options().spinLimit)
                    throw KernelFault(prefix() + blockText() +
                                      "threads spin without end: " + waitingThreads());
                continue;
            }
            checkFences();
            if (!releaseExchanges() && !releaseConverged() && !releaseBarrier())
                throw KernelFault(prefix() + blockText() + "deadlock: " + waitingThreads());
        }
        checkFences();
    }

    void resume(Thread& thread)
    {
        if (thread.state == State::Fresh) {
            thread.stack = takeStack();
            thread.fiber.prepare(*thread.stack, &BlockRunner::threadMain, this);
        }
        running_ = &thread;
        builtins().threadIdx = thread.index;
        Watch* const watch = options().watch;
        if (watch)
            watch->resume(thread.number);
        thread.fiber.resume();
        if (watch)
            watch->pause();
        running_ = nullptr;
        if (thread.fiber.finished()) {
            thread.state = State::Done;
            spareStacks().push_back(std::move(thread.stack));
        }
        if (error_)
            std::rethrow_exception(std::exchange(error_, nullptr));
    }

    /// Stacks of finished threads, kept between launches because mapping memory is expensive.
    static std::vector<std::unique_ptr<Stack>>& spareStacks()
    {
        static thread_local std::vector<std::unique_ptr<Stack>> stacks;
        return stacks;
    }
    static std::unique_ptr<Stack> takeStack()
    {
        auto& spare = spareStacks();
        while (!spare.empty()) {
            std::unique_ptr<Stack> stack = std::move(spare.back());
            spare.pop_back();
            if (stack->size() >= options().stackBytes)
                return stack;
        }
        return std::make_unique<Stack>(options().stackBytes);
    }

    static void threadMain(void* user)
    {
        auto& self = *static_cast<BlockRunner*>(user);
        try {
            self.kernel_(self.closure_);
        } catch (...) {
            self.error_ = std::current_exception();
        }
    }

    void suspend(Thread& self) { self.fiber.suspend(); }

    bool releaseExchanges()
    {
        bool released = false;
        for (std::size_t first = 0; first < threads_.size(); first += kWarpSize) {
            const unsigned lanes =
                unsigned(std::min<std::size_t>(kWarpSize, threads_.size() - first));
            for (unsigned l = 0; l < lanes; ++l) {
                Thread& leader = threads_[first + l];
                if (leader.state == State::Exchange && complete(first, lanes, leader)) {
                    WarpValues values;
                    values.mask = leader.mask;
                    for (unsigned k = 0; k < lanes; ++k)
                        if (values.mask >> k & 1u)
                            values.bits[k] = threads_[first + k].bits;
                    for (unsigned k = 0; k < lanes; ++k)
                        if (values.mask >> k & 1u) {
                            threads_[first + k].values = values;
                            threads_[first + k].state = State::Ready;
                        }
                    if (Watch* watch = options().watch)
                        watch->exchange(static_cast<unsigned>(first / kWarpSize), values.mask);
                    released = true;
                }
            }
        }
        return released;
    }

    bool complete(std::size_t first, unsigned lanes, const Thread& leader)
    {
        if (lanes < kWarpSize && leader.mask >> lanes != 0)
            throw KernelFault(at(leader, leader.where) + ": " + leader.kind + " names lanes " +
                              hex(leader.mask) + ", but the warp has only " +
                              std::to_string(lanes));
        for (unsigned k = 0; k < lanes; ++k) {
            if (!(leader.mask >> k & 1u))
                continue;
            const Thread& other = threads_[first + k];
            if (other.state == State::Done)
                throw KernelFault(at(leader, leader.where) + ": " + leader.kind +
                                  " waits for lane " + std::to_string(k) + ", which has returned");
            if (other.state != State::Exchange || other.mask != leader.mask ||
                std::string_view(other.kind) != leader.kind)
                return false;
        }
        return true;
    }

    bool releaseConverged()
    {
        bool released = false;
        for (std::size_t first = 0; first < threads_.size(); first += kWarpSize) {
            const std::size_t end = std::min(threads_.size(), first + kWarpSize);
            for (std::size_t t = first; t < end; ++t) {
                if (threads_[t].state != State::Converge)
                    continue;
                // A seed splits groups: lanes need not converge, and code must not rely on it.
                unsigned mask = 0;
                for (std::size_t k = t; k < end; ++k)
                    if (threads_[k].state == State::Converge && sameLine(threads_[k], threads_[t]))
                        if (k == t || options().seed == 0 || next() % 4 != 0)
                            mask |= 1u << (k - first);
                for (std::size_t k = t; k < end; ++k)
                    if (mask >> (k - first) & 1u) {
                        threads_[k].values.mask = mask;
                        threads_[k].state = State::Ready;
                    }
                released = true;
            }
        }
        return released;
    }

    bool releaseBarrier()
    {
        std::size_t waiting = 0;
        const Thread* first = nullptr;
        for (const Thread& thread : threads_)
            if (thread.state == State::Barrier) {
                ++waiting;
                if (!first)
                    first = &thread;
            }
        if (!first)
            return false;
        if (waiting != threads_.size())
            throw KernelFault(at(*first, first->where) + ": the barrier is reached by only " +
                              std::to_string(waiting) + " of " + std::to_string(threads_.size()) +
                              " threads: " + waitingThreads());
        barrierCount_ = 0;
        for (Thread& thread : threads_) {
            if (!sameLine(thread, *first))
                throw KernelFault(
                    at(thread, thread.where) +
                    ": threads of one block wait at different barriers: " + waitingThreads());
            barrierCount_ += thread.predicate ? 1 : 0;
        }
        for (Thread& thread : threads_)
            thread.state = State::Ready;
        if (Watch* watch = options().watch)
            watch->barrier();
        return true;
    }

    void checkFences()
    {
        for (const Slot& slot : slots_)
            checkFence(*slot.bytes);
        checkFence(*dynamic_);
    }
    void checkFence(const FencedBytes& bytes)
    {
        if (const std::ptrdiff_t broken = bytes.brokenAt(); broken != 0)
            throw KernelFault(prefix() + blockText() +
                              "shared memory is written out of bounds: byte " +
                              std::to_string(broken) + " of " + std::to_string(bytes.size()));
    }

    static bool sameLine(const Thread& a, const Thread& b)
    {
        return a.where.line() == b.where.line() && a.where.column() == b.where.column() &&
               std::string_view(a.where.file_name()) == b.where.file_name();
    }

    // splitmix64
    std::uint64_t next()
    {
        std::uint64_t z = (random_ += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    void shuffle()
    {
        if (options().seed == 0)
            return;
        for (std::size_t i = order_.size(); i > 1; --i)
            std::swap(order_[i - 1], order_[next() % i]);
    }

    std::string prefix() const { return "kernel '" + std::string(name_) + "': "; }
    static std::string blockText() { return "block " + text(builtins().blockIdx) + ": "; }
    static std::string text(const Index3& i)
    {
        return "(" + std::to_string(i.x) + ", " + std::to_string(i.y) + ", " + std::to_string(i.z) +
               ")";
    }
    static std::string line(const std::source_location& where)
    {
        const std::string_view file = where.file_name();
        const std::size_t slash = file.rfind('/');
        return std::string(slash == std::string_view::npos ? file : file.substr(slash + 1)) + ":" +
               std::to_string(where.line());
    }
    std::string at(const Thread& thread, const std::source_location& where) const
    {
        return prefix() + line(where) + ", block " + text(builtins().blockIdx) + ", thread " +
               text(thread.index);
    }
    static std::string hex(unsigned value)
    {
        std::string digits = "0x";
        for (int shift = 28; shift >= 0; shift -= 4)
            digits += "0123456789abcdef"[value >> shift & 15u];
        return digits;
    }
    /// For example "30 wait at sum.cuh:12 (__syncthreads); 2 have returned (first: thread 4)".
    std::string waitingThreads() const
    {
        std::vector<std::pair<std::string, std::pair<unsigned, unsigned>>> groups;
        for (const Thread& thread : threads_) {
            std::string what;
            switch (thread.state) {
            case State::Done:
                what = "have returned";
                break;
            case State::Barrier:
                what = "wait at the barrier of " + line(thread.where);
                break;
            case State::Exchange:
                what = "wait in " + std::string(thread.kind) + " of " + line(thread.where) +
                       " for lanes " + hex(thread.mask);
                break;
            default:
                what = "run";
                break;
            }
            const auto found = std::find_if(groups.begin(), groups.end(),
                                            [&](const auto& group) { return group.first == what; });
            if (found == groups.end())
                groups.push_back({what, {1, thread.number}});
            else
                ++found->second.first;
        }
        std::string result;
        for (const auto& [what, count] : groups)
            result += (result.empty() ? "" : "; ") + std::to_string(count.first) + " " + what +
                      " (first: thread " + std::to_string(count.second) + ")";
        return result;
    }

    const char* name_;
    Index3 grid_, block_;
    Kernel kernel_ = nullptr;
    void* closure_ = nullptr;
    std::uint64_t random_;
    std::vector<Thread> threads_;
    std::vector<unsigned> order_;
    std::vector<Slot> slots_;
    std::unique_ptr<FencedBytes> dynamic_;
    Thread* running_ = nullptr;
    std::exception_ptr error_;
    bool yielded_ = false;
    unsigned barrierCount_ = 0;
};

} // namespace floe::emulator
