#include "floe/plugin/call_site.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <unistd.h>

namespace floe::plugin {

namespace {

constexpr int kMaxDepth = 4;     ///< of nested calls that are kept
constexpr int kMaxThreads = 512; ///< that are kept
constexpr int kNobody = -1;      ///< CallTable::culprit: no word
constexpr int kStranger = -2;    ///< a thread that is in no scope
constexpr std::size_t kStackOfHandler = 64 << 10;

struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<int> depth{0};
    std::atomic<bool> lent{false}; ///< there is a guest
    std::array<CallSite, kMaxDepth> sites;
    CallSite guest; ///< the last call of another plugin's function inside of a scope
};

struct CallTable {
    std::atomic<int> culprit{kNobody}; ///< index of a slot
    std::atomic<bool> byExit{false};
    std::array<Slot, kMaxThreads> slots;
};
static_assert(std::atomic<int>::is_always_lock_free); // it works between processes

std::atomic<CallTable*> shared{nullptr};

/// Null where there is no memory.
CallTable* table() noexcept
{
    if (CallTable* const given = shared)
        return given;
    static CallTable* const own = new (std::nothrow) CallTable; // threads may outlive statics
    return own;
}

std::atomic<bool> watching{false};

// Trivial, so that a signal's handler and what runs at the thread's end may read it.
thread_local Slot* mine = nullptr;
thread_local bool sought = false;

void leaveWord(bool byExit) noexcept
{
    CallTable* const all = table();
    if (!all)
        return;
    const bool inScope = mine && mine->depth > 0;
    int nobody = kNobody;
    const int index = inScope ? static_cast<int>(mine - all->slots.data()) : kStranger;
    if (all->culprit.compare_exchange_strong(nobody, index))
        all->byExit = byExit;
}

/// Gives the slot back when the thread ends, and takes care of its handler's stack.
struct Holder {
    Holder()
    {
        stack_t old{};
        if (!watching || ::sigaltstack(nullptr, &old) != 0 || !(old.ss_flags & SS_DISABLE))
            return;
        stack.reset(new (std::nothrow) std::byte[kStackOfHandler]);
        stack_t own{};
        own.ss_sp = stack.get();
        own.ss_size = kStackOfHandler;
        if (stack)
            ::sigaltstack(&own, nullptr);
    }
    ~Holder()
    {
        if (stack) {
            stack_t none{};
            none.ss_flags = SS_DISABLE;
            ::sigaltstack(&none, nullptr);
        }
        if (!mine)
            return;
        // exit() runs the destructors of its thread first: it was called inside a scope.
        if (mine->depth > 0) {
            leaveWord(true);
            return;
        }
        mine->taken = false;
        mine = nullptr;
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    std::unique_ptr<std::byte[]> stack;
};

Slot* takeSlot() noexcept
{
    if (sought)
        return nullptr;
    sought = true;
    CallTable* const all = table();
    if (!all)
        return nullptr;
    for (Slot& slot : all->slots)
        if (!slot.taken.exchange(true)) {
            slot.depth = 0;
            slot.lent = false;
            mine = &slot;
            static thread_local const Holder holder;
            return mine;
        }
    return nullptr;
}

template <std::size_t kSize>
void put(char (&to)[kSize], std::string_view text) noexcept
{
    std::size_t length = std::min(text.size(), kSize - 1);
    while (length < text.size() && length > 0 &&
           (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80)
        --length; // not in the middle of a character
    std::memcpy(to, text.data(), length);
    to[length] = 0;
}

/// Fills the next site of this thread; `fill` gets it.
template <class Fill>
void enter(const Fill& fill) noexcept
{
    Slot* const slot = mine ? mine : takeSlot();
    if (!slot)
        return;
    const int depth = slot->depth.load(std::memory_order_relaxed);
    if (depth < kMaxDepth)
        fill(slot->sites[static_cast<std::size_t>(depth)]);
    slot->depth.store(depth + 1, std::memory_order_release);
}

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
struct sigaction earlier[std::size(kFaults)];

void onFault(int signal)
{
    leaveWord(false);
    for (std::size_t i = 0; i < std::size(kFaults); ++i)
        if (kFaults[i] == signal)
            ::sigaction(signal, &earlier[i], nullptr);
    ::raise(signal); // pending until this returns
}

void onExit()
{
    if (mine && mine->depth > 0)
        leaveWord(true);
    // Other threads are at work: destructors of globals would pull away what they use.
    if (const CallTable* const all = table(); all && all->culprit >= 0)
        ::_exit(EXIT_FAILURE);
}

void terminateTexts(CallSite& site)
{
    site.call[sizeof site.call - 1] = site.node[sizeof site.node - 1] =
        site.plugin[sizeof site.plugin - 1] = 0;
}

CallSite copyOf(const Slot& slot)
{
    const int depth = std::min(slot.depth.load(std::memory_order_acquire), kMaxDepth);
    CallSite site = slot.sites[static_cast<std::size_t>(std::max(0, depth - 1))];
    terminateTexts(site);
    return site;
}

bool same(const CallSite& a, const CallSite& b)
{
    return std::strcmp(a.call, b.call) == 0 && std::strcmp(a.node, b.node) == 0 &&
           std::strcmp(a.plugin, b.plugin) == 0;
}

/// The innermost scope ends: where it is another plugin's than the one around it, it is kept.
void noteGuest(Slot& slot) noexcept
{
    const int depth = slot.depth.load(std::memory_order_relaxed);
    if (depth < 2 || depth > kMaxDepth)
        return;
    const CallSite& inner = slot.sites[static_cast<std::size_t>(depth - 1)];
    if (std::strcmp(inner.plugin, slot.sites[static_cast<std::size_t>(depth - 2)].plugin) == 0 ||
        (slot.lent && same(inner, slot.guest)))
        return;
    slot.lent = false;
    slot.guest = inner;
    slot.lent = true;
}

} // namespace

CallScope::CallScope(std::string_view call, std::string_view node, std::string_view plugin,
                     double frame)
{
    enter([&](CallSite& site) {
        put(site.call, call);
        put(site.node, node);
        put(site.plugin, plugin);
        site.frame = frame;
    });
}

CallScope::CallScope(const CallSite& other)
{
    enter([&](CallSite& site) { site = other; });
}

CallScope::~CallScope()
{
    if (mine && mine->depth.load(std::memory_order_relaxed) > 0) {
        noteGuest(*mine);
        mine->depth.fetch_sub(1, std::memory_order_release);
    }
    if (FloatMode::now() != before_)
        before_.set();
}

const CallSite* currentCall()
{
    const int depth = mine ? std::min(mine->depth.load(std::memory_order_relaxed), kMaxDepth) : 0;
    return depth > 0 ? &mine->sites[static_cast<std::size_t>(depth - 1)] : nullptr;
}

std::size_t callBytes()
{
    return sizeof(CallTable);
}

void prepareCalls(void* memory)
{
    shared = new (memory) CallTable;
}

void joinCalls(void* memory)
{
    shared = static_cast<CallTable*>(memory);
}

void watchCalls()
{
    if (watching.exchange(true))
        return;
    struct sigaction action {};
    action.sa_handler = onFault;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(kFaults); ++i)
        ::sigaction(kFaults[i], &action, &earlier[i]);
    std::atexit(onExit);
    std::at_quick_exit(onExit);
}

std::optional<CallEnd> whoseEnd()
{
    const CallTable* const all = table();
    const int culprit = all ? all->culprit.load() : kNobody;
    if (culprit == kNobody)
        return std::nullopt;
    CallEnd end;
    end.byExit = all->byExit;
    if (culprit >= 0)
        end.site = copyOf(all->slots[static_cast<std::size_t>(culprit)]);
    return end;
}

std::vector<CallSite> guestsOf(std::string_view plugin)
{
    std::vector<CallSite> guests;
    if (const CallTable* const all = table())
        for (const Slot& slot : all->slots) {
            if (!slot.lent)
                continue;
            CallSite guest = slot.guest;
            terminateTexts(guest);
            if (guest.plugin != plugin &&
                std::ranges::none_of(guests, [&](const CallSite& g) { return same(g, guest); }))
                guests.push_back(guest);
        }
    return guests;
}

std::vector<CallSite> callsInWork()
{
    std::vector<CallSite> sites;
    if (const CallTable* const all = table())
        for (const Slot& slot : all->slots) {
            if (!slot.taken || slot.depth <= 0)
                continue;
            const CallSite site = copyOf(slot);
            if (std::ranges::none_of(sites, [&](const CallSite& s) { return same(s, site); }))
                sites.push_back(site);
        }
    return sites;
}

} // namespace floe::plugin
