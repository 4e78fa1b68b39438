// The ranks of MPI. A library of its own, the only one that is linked to MPI.

#include "mpi_library.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <sched.h>
#include <type_traits>
#include <unistd.h>
#include <vector>

struct floe_ranks_work {
    std::vector<MPI_Request> requests;
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kSpin{200}; ///< of waiting, before others get the core
constexpr std::chrono::milliseconds kLook{300}; ///< between looks for a lost rank
/// Ranks end together; one that is asked to end waits so long for the others to answer.
constexpr std::chrono::milliseconds kGrace{500};
constexpr std::uint64_t kChunk = 1u << 30; ///< bytes of one message: MPI counts with int

FloeLostFunction lost = nullptr;
floe_ranks table{};
floe_ranks_traffic counted{};

MPI_Op operationOf(std::int32_t operation, bool integers)
{
    switch (operation) {
    case FLOE_RANKS_MIN:
        return MPI_MIN;
    case FLOE_RANKS_MAX:
        return MPI_MAX;
    case FLOE_RANKS_SUM:
        return MPI_SUM;
    case FLOE_RANKS_OR:
        return integers ? MPI_BOR : MPI_OP_NULL;
    default:
        return MPI_OP_NULL;
    }
}

/// Without NaN, whose place in an order MPI leaves open.
double ordered(double a, std::int32_t operation)
{
    if (a == a)
        return a;
    return operation == FLOE_RANKS_MIN ? HUGE_VAL : operation == FLOE_RANKS_MAX ? -HUGE_VAL : 0;
}

template <class Number>
floe_status beginReduce(const floe_ranks*, std::int32_t operation, Number* values,
                        std::uint32_t count, floe_ranks_work** work)
{
    constexpr bool kIntegers = std::is_integral_v<Number>;
    const MPI_Op op = operationOf(operation, kIntegers);
    if (!work || op == MPI_OP_NULL || (count > 0 && !values) || count > 1u << 24)
        return FLOE_BAD_ARGUMENT;
    if constexpr (!kIntegers)
        for (std::uint32_t i = 0; i < count; ++i)
            values[i] = ordered(values[i], operation);
    auto begun = std::unique_ptr<floe_ranks_work>(new (std::nothrow) floe_ranks_work);
    if (!begun)
        return FLOE_OUT_OF_MEMORY;
    begun->requests.resize(1);
    ++counted.reductions;
    if (MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count),
                       kIntegers ? MPI_INT64_T : MPI_DOUBLE, op, MPI_COMM_WORLD,
                       begun->requests.data()) != MPI_SUCCESS)
        return FLOE_FAILED;
    *work = begun.release();
    return FLOE_OK;
}

bool usable(const floe_ranks_part* parts, std::uint32_t count)
{
    for (std::uint32_t i = 0; i < count; ++i)
        if (parts[i].peer < 0 || parts[i].peer >= table.size || parts[i].peer == table.rank ||
            (parts[i].bytes > 0 && !parts[i].data))
            return false;
    return true;
}

floe_status beginExchange(const floe_ranks*, const floe_ranks_part* sends, std::uint32_t sendCount,
                          const floe_ranks_part* receives, std::uint32_t receiveCount,
                          floe_ranks_work** work)
{
    if (!work || !usable(sends, sendCount) || !usable(receives, receiveCount))
        return FLOE_BAD_ARGUMENT;
    auto begun = std::unique_ptr<floe_ranks_work>(new (std::nothrow) floe_ranks_work);
    if (!begun)
        return FLOE_OUT_OF_MEMORY;
    // Messages between two ranks arrive in the order in which they were sent.
    const auto post = [&](const floe_ranks_part& part, bool sending) {
        for (std::uint64_t at = 0; at < part.bytes; at += kChunk) {
            char* const data = static_cast<char*>(part.data) + at;
            const int bytes = static_cast<int>(std::min(kChunk, part.bytes - at));
            MPI_Request request = MPI_REQUEST_NULL;
            const int error =
                sending ? MPI_Isend(data, bytes, MPI_BYTE, part.peer, 0, MPI_COMM_WORLD, &request)
                        : MPI_Irecv(data, bytes, MPI_BYTE, part.peer, 0, MPI_COMM_WORLD, &request);
            if (error != MPI_SUCCESS)
                return false;
            begun->requests.push_back(request);
            if (sending) {
                ++counted.messages;
                counted.bytes += static_cast<std::uint64_t>(bytes);
            }
        }
        return true;
    };
    for (std::uint32_t i = 0; i < receiveCount; ++i)
        if (!post(receives[i], false))
            return FLOE_FAILED;
    for (std::uint32_t i = 0; i < sendCount; ++i)
        if (!post(sends[i], true))
            return FLOE_FAILED;
    ++counted.exchanges;
    *work = begun.release();
    return FLOE_OK;
}

double threadSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

floe_status waitFor(const floe_context* context, std::vector<MPI_Request>& requests)
{
    const auto began = Clock::now();
    const double worked = threadSeconds();
    auto looked = began;
    Clock::time_point asked{};
    for (;;) {
        int done = 0;
        if (MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                        MPI_STATUSES_IGNORE) != MPI_SUCCESS)
            return FLOE_FAILED;
        const auto now = Clock::now();
        if (done) {
            counted.waiting_seconds += std::chrono::duration<double>(now - began).count();
            counted.waiting_processor_seconds += threadSeconds() - worked;
            return FLOE_OK;
        }
        if (now - began < kSpin) {
            ::sched_yield();
            continue;
        }
        ::usleep(50);
        if (context && context->cancelled(context)) {
            if (asked == Clock::time_point{})
                asked = now;
            else if (now - asked > kGrace)
                return FLOE_CANCELLED;
        }
        if (now - looked < kLook)
            continue;
        looked = now;
        char reason[1024];
        if (lost && lost(reason, sizeof reason)) {
            if (context)
                context->message(context, FLOE_LEVEL_ERROR, reason);
            return FLOE_FAILED;
        }
    }
}

floe_status finish(const floe_ranks*, const floe_context* context, floe_ranks_work* work)
{
    if (!work)
        return FLOE_BAD_ARGUMENT;
    const floe_status status = waitFor(context, work->requests);
    if (status == FLOE_OK) // else MPI still has its memory
        delete work;
    return status;
}

floe_status sizes(const floe_ranks*, const floe_context* context, const std::uint64_t* to,
                  std::uint64_t* from)
{
    if (!to || !from)
        return FLOE_BAD_ARGUMENT;
    std::vector<MPI_Request> requests(1);
    ++counted.exchanges;
    counted.messages += static_cast<std::uint64_t>(table.size - 1);
    counted.bytes += sizeof *to * static_cast<std::uint64_t>(table.size - 1);
    if (MPI_Ialltoall(to, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, MPI_COMM_WORLD,
                      requests.data()) != MPI_SUCCESS)
        return FLOE_FAILED;
    return waitFor(context, requests);
}

floe_status gather(const floe_ranks* ranks, const floe_context* context, std::int32_t root,
                   const void* data, std::uint64_t bytes, void* all,
                   const std::uint64_t* bytesOfEach)
{
    if (root < 0 || root >= table.size || (bytes > 0 && !data))
        return FLOE_BAD_ARGUMENT;
    floe_ranks_work* work = nullptr;
    floe_status status = FLOE_OK;
    if (table.rank != root) {
        const floe_ranks_part send{root, 0, const_cast<void*>(data), bytes};
        status = beginExchange(ranks, &send, 1, nullptr, 0, &work);
        return status == FLOE_OK ? finish(ranks, context, work) : status;
    }
    if (!bytesOfEach || bytesOfEach[root] != bytes)
        return FLOE_BAD_ARGUMENT;
    std::vector<floe_ranks_part> receives;
    char* to = static_cast<char*>(all);
    for (std::int32_t peer = 0; peer < table.size; to += bytesOfEach[peer++]) {
        if (peer == root) {
            if (bytes > 0)
                std::memcpy(to, data, bytes);
        } else {
            receives.push_back({peer, 0, to, bytesOfEach[peer]});
        }
    }
    status = beginExchange(ranks, nullptr, 0, receives.data(),
                           static_cast<std::uint32_t>(receives.size()), &work);
    return status == FLOE_OK ? finish(ranks, context, work) : status;
}

void stop(const floe_ranks*, const char* reason)
{
    std::fprintf(stderr, "error: rank %d: %s\n", table.rank,
                 reason ? reason : "a plugin stopped the run");
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void traffic(const floe_ranks*, floe_ranks_traffic* out)
{
    floe_ranks_traffic now = counted;
    now.struct_size = out->struct_size;
    std::memcpy(out, &now, std::min<std::size_t>(out->struct_size, sizeof now));
}

/// Waits for the others without taking the core from them, as MPI_Finalize would.
void leave()
{
    std::vector<MPI_Request> requests(1);
    if (MPI_Ibarrier(MPI_COMM_WORLD, requests.data()) == MPI_SUCCESS &&
        waitFor(nullptr, requests) == FLOE_OK)
        MPI_Finalize();
}

} // namespace

extern "C" FLOE_EXPORT const FloeMpi* floeMpiOpen(FloeLostFunction isLost, const char* partition)
{
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED)
        return nullptr;
    lost = isLost;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    table = {sizeof(floe_ranks),
             0,
             1,
             1,
             nullptr,
             partition,
             beginReduce<double>,
             beginReduce<std::int64_t>,
             beginExchange,
             finish,
             sizes,
             gather,
             stop,
             traffic};
    MPI_Comm_rank(MPI_COMM_WORLD, &table.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &table.size);
    MPI_Comm machine = MPI_COMM_NULL;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, table.rank, MPI_INFO_NULL,
                            &machine) == MPI_SUCCESS) {
        MPI_Comm_size(machine, &table.local_size);
        MPI_Comm_rank(machine, &table.local_rank);
        MPI_Comm_free(&machine);
    }
#if OMPI_HAVE_MPI_EXT_CUDA
    table.device_memory = MPIX_Query_cuda_support();
#endif
    static const FloeMpi mpi = {&table, leave};
    return &mpi;
}
