/// Ranks that are threads of one process (floe/sdk/ranks.h), for tests without a launcher.
#pragma once

#include <floe/sdk/ranks.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct floe_ranks_work {
    struct Receive {
        int from;
        std::size_t message;
        void* data;
        std::size_t bytes;
    };
    std::vector<Receive> receives;
    std::size_t reduction = 0; ///< with `values`
    void* values = nullptr;
    std::size_t bytes = 0;
};

namespace floe::test {

class ThreadRanks {
public:
    /// @param deviceMemory  what floe_ranks says; the emulated device's memory is this process's
    explicit ThreadRanks(int size, bool deviceMemory = false)
        : size_(size), mail_(static_cast<std::size_t>(size * size))
    {
        members_.resize(static_cast<std::size_t>(size));
        for (int rank = 0; rank < size; ++rank) {
            Member& member = members_[static_cast<std::size_t>(rank)];
            member = {this, {}, 0, {}};
            floe_ranks& t = member.table;
            t.struct_size = sizeof t;
            t.rank = rank;
            t.size = t.local_size = size;
            t.self = &member;
            t.partition = "bisection";
            t.begin_reduce = beginReduce<double>;
            t.begin_reduce_integers = beginReduce<std::int64_t>;
            t.begin_exchange = beginExchange;
            t.finish = finish;
            t.sizes = sizes;
            t.gather = gather;
            t.traffic = traffic;
            t.device_memory = deviceMemory;
            t.local_rank = rank;
        }
    }
    ThreadRanks(const ThreadRanks&) = delete;
    ThreadRanks& operator=(const ThreadRanks&) = delete;

    const floe_ranks& table(int rank) const
    {
        return members_[static_cast<std::size_t>(rank)].table;
    }
    /// Waiting ranks give up.
    void fail()
    {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        changed_.notify_all();
    }

    /// Calls body(table) for every rank on a thread of its own.
    template <class Body>
    void run(const Body& body)
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < size_; ++rank)
            threads.emplace_back([&, rank] { body(table(rank)); });
    }

private:
    struct Member {
        ThreadRanks* group;
        floe_ranks table;
        std::size_t reductions;
        std::vector<std::size_t> received;
    };
    struct Reduction {
        int arrived = 0;
        std::vector<std::byte> values;
    };
    using Message = std::vector<std::byte>;

    static Member& memberOf(const floe_ranks* ranks) { return *static_cast<Member*>(ranks->self); }
    std::vector<Message>& mail(int from, int to)
    {
        return mail_[static_cast<std::size_t>(from * size_ + to)];
    }

    template <class Number>
    static void apply(std::int32_t operation, Number& a, Number b)
    {
        if (operation == FLOE_RANKS_MIN)
            a = std::min(a, b);
        else if (operation == FLOE_RANKS_MAX)
            a = std::max(a, b);
        else if (operation == FLOE_RANKS_SUM)
            a += b;
        else if constexpr (std::is_integral_v<Number>)
            a |= b;
    }

    template <class Number>
    static floe_status beginReduce(const floe_ranks* ranks, std::int32_t operation, Number* values,
                                   std::uint32_t count, floe_ranks_work** work)
    {
        Member& member = memberOf(ranks);
        ThreadRanks& group = *member.group;
        const std::lock_guard lock(group.mutex_);
        const std::size_t number = member.reductions++;
        if (group.reductions_.size() <= number)
            group.reductions_.resize(number + 1);
        Reduction& reduction = group.reductions_[number];
        const std::size_t bytes = count * sizeof(Number);
        if (reduction.arrived++ == 0) {
            reduction.values.resize(bytes);
            std::memcpy(reduction.values.data(), values, bytes);
        } else if (reduction.values.size() != bytes) {
            return FLOE_BAD_ARGUMENT;
        } else {
            auto* sum = reinterpret_cast<Number*>(reduction.values.data());
            for (std::uint32_t i = 0; i < count; ++i)
                apply(operation, sum[i], values[i]);
        }
        *work = new floe_ranks_work{{}, number, values, bytes};
        group.changed_.notify_all();
        return FLOE_OK;
    }

    static floe_status beginExchange(const floe_ranks* ranks, const floe_ranks_part* sends,
                                     std::uint32_t sendCount, const floe_ranks_part* receives,
                                     std::uint32_t receiveCount, floe_ranks_work** work)
    {
        Member& member = memberOf(ranks);
        ThreadRanks& group = *member.group;
        const std::lock_guard lock(group.mutex_);
        member.received.resize(static_cast<std::size_t>(group.size_));
        for (std::uint32_t i = 0; i < sendCount; ++i) {
            const auto* data = static_cast<const std::byte*>(sends[i].data);
            if (sends[i].peer == ranks->rank)
                return FLOE_BAD_ARGUMENT;
            if (sends[i].bytes > 0)
                group.mail(ranks->rank, sends[i].peer).emplace_back(data, data + sends[i].bytes);
        }
        auto begun = std::make_unique<floe_ranks_work>();
        for (std::uint32_t i = 0; i < receiveCount; ++i)
            if (receives[i].bytes > 0)
                begun->receives.push_back(
                    {receives[i].peer,
                     member.received[static_cast<std::size_t>(receives[i].peer)]++,
                     receives[i].data, receives[i].bytes});
        *work = begun.release();
        group.changed_.notify_all();
        return FLOE_OK;
    }

    static floe_status finish(const floe_ranks* ranks, const floe_context*, floe_ranks_work* work)
    {
        ThreadRanks& group = *memberOf(ranks).group;
        const std::unique_ptr<floe_ranks_work> begun(work);
        std::unique_lock lock(group.mutex_);
        const auto wait = [&](const auto& done) {
            return group.changed_.wait_for(lock, std::chrono::seconds(60), [&] {
                return group.failed_ || done();
            }) && !group.failed_;
        };
        if (work->values) {
            if (!wait([&] { return group.reductions_[work->reduction].arrived == group.size_; }))
                return FLOE_FAILED;
            std::memcpy(work->values, group.reductions_[work->reduction].values.data(),
                        work->bytes);
        }
        for (const auto& receive : work->receives) {
            std::vector<Message>& mail = group.mail(receive.from, ranks->rank);
            if (!wait([&] { return mail.size() > receive.message; }) ||
                mail[receive.message].size() != receive.bytes)
                return FLOE_FAILED;
            std::memcpy(receive.data, mail[receive.message].data(), receive.bytes);
            mail[receive.message] = {};
        }
        return FLOE_OK;
    }

    static floe_status sizes(const floe_ranks* ranks, const floe_context* context,
                             const std::uint64_t* to, std::uint64_t* from)
    {
        std::vector<floe_ranks_part> sends, receives;
        for (int peer = 0; peer < ranks->size; ++peer) {
            if (peer == ranks->rank) {
                from[peer] = to[peer];
                continue;
            }
            sends.push_back({peer, 0, const_cast<std::uint64_t*>(to + peer), sizeof *to});
            receives.push_back({peer, 0, from + peer, sizeof *from});
        }
        floe_ranks_work* work = nullptr;
        const floe_status status =
            beginExchange(ranks, sends.data(), static_cast<std::uint32_t>(sends.size()),
                          receives.data(), static_cast<std::uint32_t>(receives.size()), &work);
        return status == FLOE_OK ? finish(ranks, context, work) : status;
    }

    static floe_status gather(const floe_ranks* ranks, const floe_context* context,
                              std::int32_t root, const void* data, std::uint64_t bytes, void* all,
                              const std::uint64_t* bytesOfEach)
    {
        std::vector<floe_ranks_part> sends, receives;
        if (ranks->rank != root)
            sends.push_back({root, 0, const_cast<void*>(data), bytes});
        auto* to = static_cast<std::byte*>(all);
        for (int peer = 0; ranks->rank == root && peer < ranks->size; to += bytesOfEach[peer++])
            if (peer == root)
                std::copy_n(static_cast<const std::byte*>(data), bytes, to);
            else
                receives.push_back({peer, 0, to, bytesOfEach[peer]});
        floe_ranks_work* work = nullptr;
        const floe_status status =
            beginExchange(ranks, sends.data(), static_cast<std::uint32_t>(sends.size()),
                          receives.data(), static_cast<std::uint32_t>(receives.size()), &work);
        return status == FLOE_OK ? finish(ranks, context, work) : status;
    }

    static void traffic(const floe_ranks*, floe_ranks_traffic*) {}

    const int size_;
    std::vector<Member> members_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool failed_ = false;
    std::vector<Reduction> reductions_;
    std::vector<std::vector<Message>> mail_; ///< in order, by sender and receiver
};

} // namespace floe::test
