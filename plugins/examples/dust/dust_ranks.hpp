/// Dust on several ranks (floe/sdk/ranks.h): each holds the grains of its own blocks. Where there
/// is one rank, it owns all, and nothing travels.
#pragma once

#include "dust.hpp"

#include "floe/sdk/grid/partition.hpp"
#include "floe/sdk/parallel/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace example {

class DustRanks {
public:
    /// Call in every call of the node, on every rank.
    void join(const floe_context* context)
    {
        if (!ranks_) {
            const floe_host* host = context->host;
            table_ = static_cast<const floe_ranks*>(
                host->extension ? host->extension(FLOE_RANKS_EXTENSION) : nullptr);
            if (!table_ || table_->size == 1)
                return;
            ranks_.emplace(*table_);
        }
        ranks_->context = context;
    }
    bool several() const { return ranks_.has_value(); }
    /// Returns whether another rank gives what all have.
    bool follows() const { return ranks_ && ranks_->rank() > 0; }
    /// Returns whether each rank is to give its own part of an output.
    bool inParts(const char* output) const
    {
        return ranks_ && FLOE_HAS(table_, in_parts) && table_->in_parts &&
               table_->in_parts(table_, ranks_->context, output) != 0;
    }
    /// Returns the largest number of any rank.
    double largest(double own) const
    {
        double all[] = {own};
        if (ranks_)
            ranks_->reduce(FLOE_RANKS_MAX, std::span<double>(all));
        return all[0];
    }
    double sum(double own) const
    {
        double all[] = {own};
        if (ranks_)
            ranks_->reduce(FLOE_RANKS_SUM, std::span<double>(all));
        return all[0];
    }

    /// Adds to `own` what is this rank's of grains that every rank has. The first ones decide whose
    /// is what.
    void take(const Dust& all, Dust& own)
    {
        if (ranks_ && !partition_)
            divide(countsOf(all));
        for (std::size_t b = 0; b < all.size(); ++b)
            if (owns(all[b].block))
                for (const Grain& grain : all[b].particles)
                    own.put(all[b].block, grain);
        own.rebin();
        sort(own);
    }
    /// Divides space anew, so that all have as many grains.
    void balance(Dust& own)
    {
        if (!ranks_ || !partition_)
            return;
        floe::sdk::parallel::BytesOut out;
        const std::vector<BlockCost> counts = countsOf(own);
        out.put(counts.data(), counts.size() * sizeof(BlockCost));
        std::vector<BlockCost> all;
        for (const auto& bytes : ranks_->share(out.bytes))
            for (floe::sdk::parallel::BytesIn in(bytes); !in.empty();)
                all.push_back(in.get<BlockCost>());
        divide(std::move(all));
        exchange(own);
    }
    /// Call when grains have moved: those in blocks of other ranks go there. Grains of a block then
    /// lie in the order of their ids, on any number of ranks.
    void exchange(Dust& own)
    {
        if (ranks_ && partition_) {
            struct Moved {
                BlockCoordinate block;
                Grain grain;
            };
            std::vector<floe::sdk::parallel::BytesOut> out(
                static_cast<std::size_t>(ranks_->size()));
            for (std::size_t b = 0; b < own.size(); ++b)
                if (!owns(own[b].block))
                    for (const Grain& grain : own[b].particles)
                        out[static_cast<std::size_t>(partition_->ownerOf(own[b].block))].put(
                            Moved{own[b].block, grain});
            std::vector<std::span<const std::byte>> toEach;
            for (const auto& bytes : out)
                toEach.emplace_back(bytes.bytes);
            own.drop([&](const BlockCoordinate& block) { return !owns(block); });
            for (const auto& bytes : ranks_->exchange(toEach))
                for (floe::sdk::parallel::BytesIn in(bytes); !in.empty();) {
                    const auto moved = in.get<Moved>();
                    own.put(moved.block, moved.grain);
                }
            own.rebin();
        }
        sort(own);
    }
    /// What is divided among ranks from now on is unknown: take() decides.
    void forget() { partition_.reset(); }

    /// Puts the rows of all ranks together at rank 0, one rank's behind the other's: along Morton's
    /// curve, as on one. The others get nothing.
    template <class Row>
    std::vector<Row> gather(std::vector<Row> own) const
    {
        if (!ranks_)
            return own;
        floe::sdk::parallel::BytesOut out;
        out.put(own.data(), own.size() * sizeof(Row));
        own.clear();
        for (const auto& bytes : ranks_->gather(out.bytes))
            for (floe::sdk::parallel::BytesIn in(bytes); !in.empty();)
                own.push_back(in.get<Row>());
        return own;
    }

private:
    bool owns(const BlockCoordinate& block) const
    {
        return !ranks_ || partition_->ownerOf(block) == ranks_->rank();
    }
    void divide(std::vector<BlockCost> counts)
    {
        partition_ = divideCurve(std::move(counts), ranks_->size(), partition_);
    }
    static std::vector<BlockCost> countsOf(const Dust& dust)
    {
        std::vector<BlockCost> counts;
        for (std::size_t b = 0; b < dust.size(); ++b)
            counts.push_back({dust[b].block, static_cast<std::int64_t>(dust[b].particles.size())});
        return counts;
    }
    static void sort(Dust& dust)
    {
        for (std::size_t b = 0; b < dust.size(); ++b)
            std::sort(dust[b].particles.begin(), dust[b].particles.end(),
                      [](const Grain& a, const Grain& c) { return a.id < c.id; });
    }

    const floe_ranks* table_ = nullptr;
    std::optional<floe::sdk::parallel::Ranks> ranks_;
    PartitionPointer partition_;
};

} // namespace example
