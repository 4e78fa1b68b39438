/// The ranks that simulate together (floe/sdk/ranks.h), for a solver that does not depend on the
/// plugin interface otherwise.
#pragma once

#include "floe/sdk/ranks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace floe::sdk::parallel {

/// Thrown when the ranks cannot go on together: the run is cancelled, or one of them is lost. The
/// host has been told why.
class RanksFailure : public std::runtime_error {
public:
    explicit RanksFailure(floe_status why)
        : std::runtime_error("the ranks cannot go on together"), status(why)
    {}
    const floe_status status;
};

/// Something begun, to be finished. Where an exception ends the call that began it, it stays
/// unfinished: the run ends.
class RanksWork {
public:
    RanksWork() = default;
    RanksWork(const floe_ranks* ranks, floe_ranks_work* work) : ranks_(ranks), work_(work) {}
    RanksWork(RanksWork&& other) noexcept
        : ranks_(std::exchange(other.ranks_, nullptr)), work_(other.work_)
    {}
    RanksWork& operator=(RanksWork&& other) noexcept
    {
        std::swap(ranks_, other.ranks_);
        std::swap(work_, other.work_);
        return *this;
    }

    /// Returns whether there is something to finish.
    bool begun() const { return ranks_ != nullptr; }
    /// Waits. No effect where nothing was begun. @throws RanksFailure
    void finish(const floe_context* context)
    {
        const floe_ranks* ranks = std::exchange(ranks_, nullptr);
        if (!ranks)
            return;
        const floe_status status = ranks->finish(ranks, context, work_);
        if (status != FLOE_OK)
            throw RanksFailure(status);
    }

private:
    const floe_ranks* ranks_ = nullptr;
    floe_ranks_work* work_ = nullptr;
};

/// The functions of floe_ranks. Every rank calls the same ones in the same order, from one thread
/// at a time. @throws RanksFailure (all)
class Ranks {
public:
    /// @param table  must outlive this
    explicit Ranks(const floe_ranks& table) : table_(&table) {}

    const floe_context* context = nullptr; ///< of the present call of the node; may be null
    /// What rank 0 receives at a time in gatherInPieces(), from all together [bytes]; the same on
    /// every rank.
    std::size_t pieceBytes = std::size_t{16} << 20;

    /// Returns whether the parts of an exchange may lie in the memory of a CUDA device.
    bool takesDeviceMemory() const
    {
        return FLOE_HAS(table_, device_memory) && table_->device_memory != 0;
    }
    int rank() const { return table_->rank; }
    int size() const { return table_->size; }

    /// The values belong to the call until the work is finished.
    RanksWork beginReduce(std::int32_t operation, std::span<double> values) const
    {
        floe_ranks_work* work = nullptr;
        require(table_->begin_reduce(table_, operation, values.data(),
                                     static_cast<std::uint32_t>(values.size()), &work));
        return {table_, work};
    }
    RanksWork beginReduce(std::int32_t operation, std::span<std::int64_t> values) const
    {
        floe_ranks_work* work = nullptr;
        require(table_->begin_reduce_integers(table_, operation, values.data(),
                                              static_cast<std::uint32_t>(values.size()), &work));
        return {table_, work};
    }
    template <class Number>
    void reduce(std::int32_t operation, std::span<Number> values) const
    {
        beginReduce(operation, values).finish(context);
    }

    /// The parts' memory belongs to the call until the work is finished.
    RanksWork beginExchange(std::span<const floe_ranks_part> sends,
                            std::span<const floe_ranks_part> receives) const
    {
        floe_ranks_work* work = nullptr;
        require(table_->begin_exchange(table_, sends.data(),
                                       static_cast<std::uint32_t>(sends.size()), receives.data(),
                                       static_cast<std::uint32_t>(receives.size()), &work));
        return {table_, work};
    }

    using Bytes = std::vector<std::byte>;

    /// Sends bytes of any number to each rank. @return what each has sent to this one
    std::vector<Bytes> exchange(std::span<const std::span<const std::byte>> toEach) const
    {
        const auto count = static_cast<std::size_t>(size());
        std::vector<std::uint64_t> out(count), in(count);
        for (std::size_t peer = 0; peer < count; ++peer)
            out[peer] = toEach[peer].size();
        require(table_->sizes(table_, context, out.data(), in.data()));
        std::vector<Bytes> fromEach(count);
        std::vector<floe_ranks_part> sends, receives;
        for (std::size_t peer = 0; peer < count; ++peer) {
            if (peer == static_cast<std::size_t>(rank())) {
                fromEach[peer].assign(toEach[peer].begin(), toEach[peer].end());
                continue;
            }
            fromEach[peer].resize(in[peer]);
            if (in[peer] > 0)
                receives.push_back(part(peer, fromEach[peer].data(), in[peer]));
            if (out[peer] > 0)
                sends.push_back(part(peer, toEach[peer].data(), out[peer]));
        }
        beginExchange(sends, receives).finish(context);
        return fromEach;
    }
    std::vector<Bytes> exchange(const std::vector<Bytes>& toEach) const
    {
        const std::vector<std::span<const std::byte>> spans(toEach.begin(), toEach.end());
        return exchange(spans);
    }
    /// Sends the same bytes to every rank. @return those of each
    std::vector<Bytes> share(const Bytes& bytes) const
    {
        const std::vector<std::span<const std::byte>> spans(static_cast<std::size_t>(size()),
                                                            bytes);
        return exchange(spans);
    }
    /// Sends bytes to rank 0. @return there those of each, elsewhere nothing
    std::vector<Bytes> gather(const Bytes& bytes) const
    {
        std::vector<std::span<const std::byte>> spans(static_cast<std::size_t>(size()));
        spans[0] = bytes;
        auto fromEach = exchange(spans);
        return rank() == 0 ? std::move(fromEach) : std::vector<Bytes>();
    }

    /// Sends bytes to rank 0, which never holds more than `pieceBytes` of them besides its own.
    /// @param take  called there as take(rank, offset, bytes) for pieces of all ranks, its own too;
    ///              those of one rank in their order
    template <class Take>
    void gatherInPieces(std::span<const std::byte> own, const Take& take) const
    {
        const auto count = static_cast<std::size_t>(size());
        const std::size_t piece = std::max<std::size_t>(1, pieceBytes / count);
        std::vector<std::uint64_t> out(count), in(count);
        out[0] = own.size();
        require(table_->sizes(table_, context, out.data(), in.data()));
        std::int64_t longest[] = {rank() == 0 ? 0 : static_cast<std::int64_t>(own.size())};
        reduce(FLOE_RANKS_MAX, std::span<std::int64_t>(longest));
        if (rank() == 0 && !own.empty())
            take(std::size_t{0}, std::size_t{0}, own);
        std::vector<Bytes> pieces(rank() == 0 ? count : 0);
        for (std::size_t at = 0; at < static_cast<std::size_t>(longest[0]); at += piece) {
            std::vector<floe_ranks_part> sends, receives;
            if (rank() != 0 && at < own.size())
                sends.push_back(part(0, own.data() + at, std::min(piece, own.size() - at)));
            for (std::size_t peer = 1; peer < pieces.size(); ++peer) {
                pieces[peer].resize(at < in[peer] ? std::min<std::size_t>(piece, in[peer] - at)
                                                  : 0);
                if (!pieces[peer].empty())
                    receives.push_back(part(peer, pieces[peer].data(), pieces[peer].size()));
            }
            beginExchange(sends, receives).finish(context);
            for (std::size_t peer = 1; peer < pieces.size(); ++peer)
                if (!pieces[peer].empty())
                    take(peer, at, std::span<const std::byte>(pieces[peer]));
        }
    }

    static floe_ranks_part part(std::size_t peer, const void* data, std::size_t bytes)
    {
        return {static_cast<std::int32_t>(peer), 0, const_cast<void*>(data), bytes};
    }

    floe_ranks_traffic traffic() const
    {
        floe_ranks_traffic traffic{};
        traffic.struct_size = sizeof traffic;
        table_->traffic(table_, &traffic);
        return traffic;
    }

private:
    static void require(floe_status status)
    {
        if (status != FLOE_OK)
            throw RanksFailure(status);
    }

    const floe_ranks* table_;
};

/// Writes plain data into bytes that travel, and reads them back.
class BytesOut {
public:
    std::vector<std::byte> bytes;

    void put(const void* data, std::size_t size)
    {
        const std::size_t before = bytes.size();
        bytes.resize(before + size);
        if (size > 0)
            std::memcpy(bytes.data() + before, data, size);
    }
    template <class T>
    void put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        put(&value, sizeof value);
    }
};
class BytesIn {
public:
    explicit BytesIn(std::span<const std::byte> bytes) : left_(bytes) {}
    bool empty() const { return left_.empty(); }
    std::span<const std::byte> take(std::size_t size)
    {
        if (size > left_.size())
            throw RanksFailure(FLOE_FAILED); // ranks of different programs
        const auto taken = left_.first(size);
        left_ = left_.subspan(size);
        return taken;
    }
    template <class T>
    T get()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }

private:
    std::span<const std::byte> left_;
};

} // namespace floe::sdk::parallel
