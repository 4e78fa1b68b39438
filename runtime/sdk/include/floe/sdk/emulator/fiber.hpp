#pragma once

/// A cooperative thread with its own stack; the CUDA emulator runs each CUDA thread in one.
///
/// Only trivially destructible objects may be alive on a fiber that is dropped before its body has
/// returned: its stack is not unwound. Not thread-safe; a fiber stays on the thread that made it.
/// Built on Boost.Context or, with FLOE_FIBERS_OF_LIBC defined as 1, on the C library's contexts,
/// which need no other package but are slower (two system calls per switch). Notifies the address
/// and thread sanitizers of every switch.

#if FLOE_FIBERS_OF_LIBC
#include <ucontext.h>
#else
#include <boost/context/detail/fcontext.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace floe::emulator {

/// Stack memory with an unreadable page below it, so that an overflow faults instead of corrupting.
class Stack {
public:
    /// @param bytes  usable size; memory is committed only when touched
    /// @throws std::bad_alloc
    explicit Stack(std::size_t bytes)
    {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        bytes_ = (bytes + page - 1) / page * page;
        guard_ = page;
        base_ = mmap(nullptr, bytes_ + guard_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base_ == MAP_FAILED)
            throw std::bad_alloc();
        mprotect(base_, guard_, PROT_NONE);
    }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    ~Stack() { munmap(base_, bytes_ + guard_); }

    void* bottom() const { return static_cast<char*>(base_) + guard_; }
    void* top() const { return static_cast<char*>(bottom()) + bytes_; }
    std::size_t size() const { return bytes_; }

private:
    void* base_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t guard_ = 0;
};

class Fiber {
public:
    /// Runs on the fiber. Must not throw.
    using Body = void (*)(void* user);

    /// Prepares `body(user)` on `stack`; nothing runs before resume().
    void prepare(const Stack& stack, Body body, void* user)
    {
        stack_ = &stack;
        body_ = body;
        user_ = user;
        finished_ = false;
        makeContext();
#if defined(__SANITIZE_ADDRESS__)
        // What an earlier fiber left on this stack when it was dropped no longer counts.
        __asan_unpoison_memory_region(stack.bottom(), stack.size());
#endif
#if defined(__SANITIZE_THREAD__)
        drop();
        sanitizerFiber_ = __tsan_create_fiber(0);
#endif
    }

    Fiber() = default;
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    ~Fiber()
    {
        drop();
    }

    /// Continues the fiber until it suspends or its body returns. Called from outside the fiber.
    void resume()
    {
#if defined(__SANITIZE_ADDRESS__)
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(&fake, stack_->bottom(), stack_->size());
#endif
#if defined(__SANITIZE_THREAD__)
        outerFiber_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(sanitizerFiber_, 0);
#endif
        goIn();
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
    }

    /// Returns to the caller of resume(). Called from inside the fiber.
    void suspend()
    {
#if defined(__SANITIZE_ADDRESS__)
        void* fake = nullptr;
        __sanitizer_start_switch_fiber(&fake, outerBottom_, outerSize_);
#endif
#if defined(__SANITIZE_THREAD__)
        __tsan_switch_to_fiber(outerFiber_, 0);
#endif
        goOut();
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(fake, &outerBottom_, &outerSize_);
#endif
    }

    /// Returns whether the body has returned.
    bool finished() const
    {
        return finished_;
    }

private:
    /// Runs on the fiber's own stack from the first resume() on. Never returns.
    void run()
    {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(nullptr, &outerBottom_, &outerSize_);
#endif
        body_(user_);
        finished_ = true;
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(nullptr, outerBottom_, outerSize_);
#endif
#if defined(__SANITIZE_THREAD__)
        __tsan_switch_to_fiber(outerFiber_, 0);
#endif
        goOut();
    }

#if FLOE_FIBERS_OF_LIBC
    void makeContext()
    {
        getcontext(&context_);
        context_.uc_stack.ss_sp = stack_->bottom();
        context_.uc_stack.ss_size = stack_->size();
        context_.uc_link = nullptr;
        const auto self = reinterpret_cast<std::uintptr_t>(this); // makecontext() passes only ints
        makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                    static_cast<unsigned>(std::uint64_t{self} >> 32), static_cast<unsigned>(self));
    }
    static void enter(unsigned high, unsigned low)
    {
        reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low))
            ->run();
    }
    void goIn()
    {
        swapcontext(&outer_, &context_);
    }
    void goOut()
    {
        swapcontext(&context_, &outer_);
    }

    ucontext_t context_{}, outer_{};
#else
    void makeContext()
    {
        context_ =
            boost::context::detail::make_fcontext(stack_->top(), stack_->size(), &Fiber::enter);
    }
    static void enter(boost::context::detail::transfer_t from)
    {
        auto& self = *static_cast<Fiber*>(from.data);
        self.outer_ = from.fctx;
        self.run();
    }
    void goIn()
    {
        context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
    }
    void goOut()
    {
        outer_ = boost::context::detail::jump_fcontext(outer_, nullptr).fctx;
    }

    boost::context::detail::fcontext_t context_ = nullptr;
    boost::context::detail::fcontext_t outer_ = nullptr;
#endif

    void drop()
    {
#if defined(__SANITIZE_THREAD__)
        if (sanitizerFiber_)
            __tsan_destroy_fiber(sanitizerFiber_);
        sanitizerFiber_ = nullptr;
#endif
    }

    const Stack* stack_ = nullptr;
    Body body_ = nullptr;
    void* user_ = nullptr;
    bool finished_ = true;
#if defined(__SANITIZE_ADDRESS__)
    const void* outerBottom_ = nullptr;
    std::size_t outerSize_ = 0;
#endif
#if defined(__SANITIZE_THREAD__)
    void* sanitizerFiber_ = nullptr;
    void* outerFiber_ = nullptr;
#endif
};

} // namespace floe::emulator
