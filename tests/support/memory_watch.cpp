#include "memory_watch.hpp"

#include <floe/sdk/emulator/memory.hpp>
#include <floe/sdk/emulator/options.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

namespace floe::test {

namespace {

constexpr unsigned kWarp = 32, kMaxThreads = 1024;

/// Who has accessed a byte, and when.
struct Access {
    std::uint32_t launch = 0; ///< 0: never
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    std::uint32_t barriers = 0;  ///< of the block so far
    std::uint32_t exchanges = 0; ///< of this thread with its warp so far
    bool atomic = false;
};

/// What is known of four bytes.
struct Cell {
    Access write, read, otherRead; ///< the last ones; `otherRead` by another thread than `read`
    std::uint8_t written = 0;      ///< bits of the bytes that have a value
};

constexpr std::size_t kCell = 4;
/// Memory for access, around which nothing may be touched.
struct Range {
    std::uintptr_t begin, end;
    std::vector<Cell> cells;
    bool shared;
};

} // namespace

class MemoryWatch::Impl final : public emulator::Watch {
public:
    static Impl*& active()
    {
        static thread_local Impl* instance = nullptr;
        return instance;
    }

    std::vector<std::string> found;
    std::size_t accesses = 0;
    std::size_t launches() const { return launch_; }

    void access(const void* memory, std::size_t bytes, bool writes)
    {
        if (inside_ || !runs_)
            return;
        inside_ = true;
        const auto first = reinterpret_cast<std::uintptr_t>(memory);
        if (Range* range = rangeOf(first))
            access(*range, first, bytes, writes);
        inside_ = false;
    }

private:
    static constexpr std::uintptr_t kFence = emulator::FencedBytes::kFence;

    /// Returns what an address lies in, fences included; null: another memory.
    Range* rangeOf(std::uintptr_t address)
    {
        if (last_ && address >= last_->begin - kFence && address < last_->end + kFence)
            return last_;
        auto after = ranges_.upper_bound(address + kFence);
        if (after == ranges_.begin())
            return nullptr;
        Range& range = std::prev(after)->second;
        if (address >= range.end + kFence)
            return nullptr;
        return last_ = &range;
    }

    void access(Range& range, std::uintptr_t first, std::size_t bytes, bool writes)
    {
        ++accesses;
        if (first < range.begin || first + bytes > range.end) {
            report("beyond", std::string(writes ? "writes" : "reads") +
                                 " beyond an allocation of " +
                                 std::to_string(range.end - range.begin) + " bytes, at byte " +
                                 std::to_string(static_cast<std::ptrdiff_t>(first) -
                                                static_cast<std::ptrdiff_t>(range.begin)));
            return;
        }
        Access now;
        now.launch = launch_;
        now.block = block_;
        now.thread = thread_;
        now.barriers = barriers_;
        now.exchanges = exchanges_[now.thread];
        now.atomic = emulator::isAtomic();
        const std::uintptr_t last = first + bytes;
        for (std::uintptr_t at = first; at < last;) {
            const std::uintptr_t cellBegin = at - (at - range.begin) % kCell,
                                 end = std::min(last, cellBegin + kCell);
            Cell& cell = range.cells[(cellBegin - range.begin) / kCell];
            std::uint8_t bits = 0;
            for (; at < end; ++at)
                bits |= static_cast<std::uint8_t>(1u << (at - cellBegin));
            if (writes) {
                compare(range, cell.write, now, "are written by");
                compare(range, cell.read, now, "are read and written by");
                compare(range, cell.otherRead, now, "are read and written by");
                cell.written |= bits;
                cell.write = now;
            } else {
                compare(range, cell.write, now, "are written and read by");
                if ((cell.written & bits) != bits)
                    report("unwritten", "reads " + std::string(range.shared ? "shared" : "device") +
                                            " memory that nothing has written");
                if (cell.read.launch != now.launch || cell.read.thread != now.thread ||
                    cell.read.block != now.block)
                    cell.otherRead = cell.read;
                cell.read = now;
            }
        }
    }

    void compare(const Range& range, const Access& before, const Access& now, const char* how)
    {
        if (before.launch != now.launch || (before.atomic && now.atomic))
            return;
        if (before.block == now.block) {
            if (before.thread == now.thread || before.barriers != now.barriers)
                return;
            if (before.thread / kWarp == now.thread / kWarp &&
                exchanges_[before.thread] > before.exchanges && now.exchanges > before.exchanges)
                return;
        } else if (range.shared) {
            return; // each block has its own
        }
        report("race", "bytes of " + std::string(range.shared ? "shared" : "device") + " memory " +
                           how + " thread " + std::to_string(before.thread) + " of block " +
                           std::to_string(before.block) + " and thread " +
                           std::to_string(now.thread) + " of block " + std::to_string(now.block) +
                           ", with nothing that orders these");
    }

    void report(const char* kind, const std::string& what)
    {
        if (known_.emplace(kernel_, kind).second)
            found.push_back("kernel '" + kernel_ + "': " + what);
    }

    void add(const void* memory, std::size_t bytes, bool shared)
    {
        inside_ = true;
        const auto begin = reinterpret_cast<std::uintptr_t>(memory);
        ranges_[begin] = {begin, begin + bytes, std::vector<Cell>((bytes + kCell - 1) / kCell),
                          shared};
        last_ = nullptr;
        inside_ = false;
    }
    void remove(const void* memory)
    {
        inside_ = true;
        ranges_.erase(reinterpret_cast<std::uintptr_t>(memory));
        last_ = nullptr;
        inside_ = false;
    }

    void beginLaunch(const char* kernel) override
    {
        kernel_ = kernel;
        ++launch_;
    }
    void endLaunch() override
    {
        for (const void* memory : shared_)
            remove(memory);
        shared_.clear();
    }
    void beginBlock(std::uint64_t block) override
    {
        block_ = block;
        barriers_ = 0;
        exchanges_.fill(0);
    }
    void resume(unsigned thread) override
    {
        thread_ = thread;
        runs_ = true;
    }
    void pause() override { runs_ = false; }
    void barrier() override { ++barriers_; }
    void exchange(unsigned warp, unsigned lanes) override
    {
        for (unsigned lane = 0; lane < kWarp; ++lane)
            if (lanes >> lane & 1u)
                ++exchanges_[warp * kWarp + lane];
    }
    void shared(const void* memory, std::size_t bytes) override
    {
        add(memory, bytes, true);
        shared_.insert(memory);
    }
    void allocated(const void* memory, std::size_t bytes) override { add(memory, bytes, false); }
    void released(const void* memory) override { remove(memory); }
    void copied(const void* to, std::size_t bytes) override
    {
        const auto first = reinterpret_cast<std::uintptr_t>(to);
        Range* range = rangeOf(first);
        if (!range || bytes == 0 || first < range->begin)
            return;
        for (std::uintptr_t at = first; at < std::min(range->end, first + bytes); ++at)
            range->cells[(at - range->begin) / kCell].written |=
                static_cast<std::uint8_t>(1u << (at - range->begin) % kCell);
    }

    std::map<std::uintptr_t, Range> ranges_; ///< by begin
    Range* last_ = nullptr;
    std::set<const void*> shared_; ///< of the present launch
    std::set<std::pair<std::string, std::string>> known_;
    std::string kernel_;
    std::uint64_t block_ = 0;
    std::uint32_t launch_ = 0, thread_ = 0, barriers_ = 0;
    std::array<std::uint32_t, kMaxThreads> exchanges_{}; ///< of each thread of the block
    bool runs_ = false;                                  ///< a thread, not what prepares it
    bool inside_ = false;
};

MemoryWatch::MemoryWatch() : impl_(std::make_unique<Impl>())
{
    emulator::options().watch = impl_.get();
    Impl::active() = impl_.get();
}

MemoryWatch::~MemoryWatch()
{
    emulator::options().watch = nullptr;
    Impl::active() = nullptr;
}

const std::vector<std::string>& MemoryWatch::found() const
{
    return impl_->found;
}

std::size_t MemoryWatch::accesses() const
{
    return impl_->accesses;
}

std::size_t MemoryWatch::launches() const
{
    return impl_->launches();
}

/// What instrumented code calls.
void accessed(const void* memory, std::size_t bytes, bool writes)
{
    if (MemoryWatch::Impl* watch = MemoryWatch::Impl::active())
        watch->access(memory, bytes, writes);
}

} // namespace floe::test

// The functions that -fsanitize=thread calls, by their names in GCC and Clang.
extern "C" {

#define FLOE_ACCESS(bytes)                                                                         \
    void __tsan_read##bytes(void* at)                                                              \
    {                                                                                              \
        floe::test::accessed(at, bytes, false);                                                    \
    }                                                                                              \
    void __tsan_write##bytes(void* at)                                                             \
    {                                                                                              \
        floe::test::accessed(at, bytes, true);                                                     \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void* at)                                                    \
    {                                                                                              \
        floe::test::accessed(at, bytes, false);                                                    \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void* at)                                                   \
    {                                                                                              \
        floe::test::accessed(at, bytes, true);                                                     \
    }                                                                                              \
    void __tsan_volatile_read##bytes(void* at)                                                     \
    {                                                                                              \
        floe::test::accessed(at, bytes, false);                                                    \
    }                                                                                              \
    void __tsan_volatile_write##bytes(void* at)                                                    \
    {                                                                                              \
        floe::test::accessed(at, bytes, true);                                                     \
    }
FLOE_ACCESS(1)
FLOE_ACCESS(2)
FLOE_ACCESS(4)
FLOE_ACCESS(8)
FLOE_ACCESS(16)
#undef FLOE_ACCESS
void __tsan_read_range(void* at, std::size_t bytes)
{
    floe::test::accessed(at, bytes, false);
}
void __tsan_write_range(void* at, std::size_t bytes)
{
    floe::test::accessed(at, bytes, true);
}
// Clang's.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes)
{
    floe::test::accessed(from, bytes, false);
    floe::test::accessed(to, bytes, true);
    return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes)
{
    floe::test::accessed(from, bytes, false);
    floe::test::accessed(to, bytes, true);
    return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int byte, std::size_t bytes)
{
    floe::test::accessed(to, bytes, true);
    return std::memset(to, byte, bytes);
}
void __tsan_init() {}
void* __tsan_get_current_fiber()
{
    return nullptr;
}
void* __tsan_create_fiber(unsigned)
{
    return nullptr;
}
void __tsan_destroy_fiber(void*) {}
void __tsan_switch_to_fiber(void*, unsigned) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// Atomics of the host: kernels have CUDA's.
#define FLOE_ATOMICS(bits, Type)                                                                   \
    Type __tsan_atomic##bits##_load(const volatile void* at, int)                                  \
    {                                                                                              \
        return __atomic_load_n(static_cast<const volatile Type*>(at), __ATOMIC_SEQ_CST);           \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile void* at, Type value, int)                           \
    {                                                                                              \
        __atomic_store_n(static_cast<volatile Type*>(at), value, __ATOMIC_SEQ_CST);                \
    }                                                                                              \
    Type __tsan_atomic##bits##_exchange(volatile void* at, Type value, int)                        \
    {                                                                                              \
        return __atomic_exchange_n(static_cast<volatile Type*>(at), value, __ATOMIC_SEQ_CST);      \
    }                                                                                              \
    Type __tsan_atomic##bits##_fetch_add(volatile void* at, Type value, int)                       \
    {                                                                                              \
        return __atomic_fetch_add(static_cast<volatile Type*>(at), value, __ATOMIC_SEQ_CST);       \
    }                                                                                              \
    Type __tsan_atomic##bits##_fetch_sub(volatile void* at, Type value, int)                       \
    {                                                                                              \
        return __atomic_fetch_sub(static_cast<volatile Type*>(at), value, __ATOMIC_SEQ_CST);       \
    }                                                                                              \
    Type __tsan_atomic##bits##_fetch_and(volatile void* at, Type value, int)                       \
    {                                                                                              \
        return __atomic_fetch_and(static_cast<volatile Type*>(at), value, __ATOMIC_SEQ_CST);       \
    }                                                                                              \
    Type __tsan_atomic##bits##_fetch_or(volatile void* at, Type value, int)                        \
    {                                                                                              \
        return __atomic_fetch_or(static_cast<volatile Type*>(at), value, __ATOMIC_SEQ_CST);        \
    }                                                                                              \
    Type __tsan_atomic##bits##_fetch_xor(volatile void* at, Type value, int)                       \
    {                                                                                              \
        return __atomic_fetch_xor(static_cast<volatile Type*>(at), value, __ATOMIC_SEQ_CST);       \
    }                                                                                              \
    bool __tsan_atomic##bits##_compare_exchange_strong(volatile void* at, void* expected,          \
                                                       Type value, int, int)                       \
    {                                                                                              \
        return __atomic_compare_exchange_n(static_cast<volatile Type*>(at),                        \
                                           static_cast<Type*>(expected), value, false,             \
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                    \
    }                                                                                              \
    bool __tsan_atomic##bits##_compare_exchange_weak(volatile void* at, void* expected,            \
                                                     Type value, int order, int other)             \
    {                                                                                              \
        return __tsan_atomic##bits##_compare_exchange_strong(at, expected, value, order, other);   \
    }
FLOE_ATOMICS(8, std::uint8_t)
FLOE_ATOMICS(16, std::uint16_t)
FLOE_ATOMICS(32, std::uint32_t)
FLOE_ATOMICS(64, std::uint64_t)
#undef FLOE_ATOMICS
}
