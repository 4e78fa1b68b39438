// The CPU backend on several ranks: what they know and show together.

#include "cpu_backend.hpp"
#include "snapshot_columns.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace floe::mpm {

using sdk::parallel::BytesIn;
using sdk::parallel::BytesOut;

std::optional<std::string> CpuBackend::refusal(const Collider& collider) const
{
    if (halo_ && dynamic_cast<const sdk::world::CoupledBodies*>(&collider))
        return "several ranks cannot move bodies by contact; unlink them from input 'colliders', "
               "or "
               "run on one rank";
    if (halo_ && collider.isThin())
        return "several ranks cannot keep matter on its side of a Mesh collider; link a Collider, "
               "or "
               "run on one rank";
    return {};
}

// ------------------------------------------------------------------------------------- the step

/// With several ranks, one reduction brings what scatter, updateGrid and gather have found.
const Bounds& CpuBackend::bounds()
{
    if (boundsOfOwn_) {
        halo_->shareBounds(std::exchange(deletedOfOwn_, false));
        boundsOfOwn_ = false;
        state_.drift +=
            state_.bounds.component * std::exchange(stepToDrift_, 0) / state_.settings.cellSize;
    }
    return state_.bounds;
}

void CpuBackend::expectArrivals(std::vector<MigrationBuffer>& buffers)
{
    if (halo_)
        halo_->exchangeMigrants(buffers);
    grid_.expectArrivals(buffers);
    ghostsStale_ = false;
    prepare(halo_ && halo_->exchangeGhosts());
}

/// Prepares the blocks of a step and what is exchanged in it.
/// @param rebuild  whether blocks were added without their neighbours
void CpuBackend::prepare(bool rebuild)
{
    grid_.prepare(rebuild);
    if (halo_ && halo_->inactive() > 0)
        halo_->shareStates(); // boundary blocks are known now
    grid_.updateLists();
    if (halo_)
        halo_->plan();
}

/// Call when other blocks than before may hold particles or sleep, between steps.
void CpuBackend::updateGhosts()
{
    ghostsStale_ = false;
    prepare(halo_->exchangeGhosts());
}

/// Blocks of any ranks start to move in a step whose particles have been scattered. Arenas stay
/// valid, except for those of woken boundary blocks; all are sent again.
void CpuBackend::wakeOnRanks(std::span<const std::int32_t> woken, double time, double dt,
                             bool update)
{
    halo_->dropArenas();
    boundary_.startMoving(woken);
    halo_->shareStates();
    halo_->count();
    const std::size_t scattered = grid_.scatterList.size();
    grid_.markBoundary();
    halo_->shareStates();
    grid_.extendLists();
    grid_.listsStale = false;
    halo_->plan();
    transfers_.scatterMore(scattered, dt);
    transfers_.sendArenas();
    if (update)
        transfers_.updateGrid(time, dt);
    boundsOfOwn_ = true;
}

/// The first block on Morton's curve with the fastest wave decides, as on one rank.
std::uint32_t CpuBackend::signalMaterial()
{
    const double speed = bounds().signalSpeed;
    if (!halo_)
        return state_.bounds.signalMaterial;
    const Ranks& ranks = *state_.ownership.ranks;
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    const CpuState::OwnSignal& own = state_.ownSignal;
    const auto place = static_cast<std::int64_t>(own.place);
    std::int64_t first[] = {own.speed == speed ? place : kNone};
    ranks.reduce(FLOE_RANKS_MIN, std::span<std::int64_t>(first));
    // Before the first scatter every rank knows the same estimate.
    std::int64_t material[] = {
        first[0] == kNone || (own.speed == speed && place == first[0])
            ? std::int64_t{first[0] == kNone ? state_.bounds.signalMaterial : own.material}
            : kNone};
    ranks.reduce(FLOE_RANKS_MIN, std::span<std::int64_t>(material));
    return static_cast<std::uint32_t>(material[0]);
}

// --------------------------------------------------------------------------------- the whole

namespace {

/// Where a range of what a rank sends belongs in the whole, by its begin.
struct Range {
    std::size_t from, size, to; ///< [bytes]
};

/// Copies a piece of what a rank sends to where it belongs.
/// @param ranges  of that rank, by `from`
void place(std::span<const Range> ranges, std::size_t offset, std::span<const std::byte> piece,
           std::byte* whole)
{
    const std::size_t end = offset + piece.size();
    auto range = std::partition_point(ranges.begin(), ranges.end(),
                                      [&](const Range& r) { return r.from + r.size <= offset; });
    for (; range != ranges.end() && range->from < end; ++range) {
        const std::size_t first = std::max(range->from, offset);
        const std::size_t last = std::min(range->from + range->size, end);
        std::memcpy(whole + range->to + (first - range->from), piece.data() + (first - offset),
                    last - first);
    }
}

} // namespace

namespace {

std::uint64_t liveIn(const Block& block)
{
    std::uint64_t live = 0;
    for (const BinRef& bin : block.bins)
        for (int lane = 0; lane < bin.count; ++lane)
            live += bin.rowAt(row::mass)[lane] > 0;
    return live;
}

} // namespace

std::size_t CpuBackend::ownParticleCount() const
{
    std::size_t count = 0;
    for (const Block& block : grid_.blocks)
        count += liveIn(block);
    return count;
}

/// Particles come together at rank 0, block by block along Morton's curve, as on one rank.
void CpuBackend::snapshot(const Snapshot& to)
{
    if (!halo_) {
        snapshotOwn(to);
        return;
    }
    const Ranks& ranks = *state_.ownership.ranks;
    const std::vector<Column> columns = columnsOf(to);
    const std::uint64_t wanted = wantedColumns(ranks, columns);
    struct Run {
        std::uint64_t place, count;
    };
    BytesOut own;
    for (const Block& block : grid_.blocks)
        if (const std::uint64_t live = liveIn(block); live > 0)
            own.put(Run{mortonOrder(block.coordinate), live});
    const std::size_t count = ownParticleCount();
    OwnColumns columnsOfOwn(columns, wanted, count);
    snapshotOwn(columnsOfOwn.to);

    // Where each run goes: (place on the curve, rank, first of the rank, count), by place.
    struct Placed {
        std::uint64_t place;
        std::size_t rank, from, count, to;
    };
    std::vector<Placed> runs;
    const auto lists = ranks.gather(own.bytes);
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
        std::size_t from = 0;
        for (BytesIn in(lists[rank]); !in.empty();) {
            const auto run = in.get<Run>();
            runs.push_back({run.place, rank, from, run.count, 0});
            from += run.count;
        }
    }
    std::sort(runs.begin(), runs.end(), [](const Placed& a, const Placed& b) {
        return std::pair(a.place, a.rank) < std::pair(b.place, b.rank);
    });
    std::size_t first = 0;
    for (Placed& run : runs)
        first = (run.to = first) + run.count;
    std::sort(runs.begin(), runs.end(), [](const Placed& a, const Placed& b) {
        return std::pair(a.rank, a.from) < std::pair(b.rank, b.from);
    });
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!(wanted >> i & 1))
            continue;
        const std::size_t each = columns[i].bytes;
        std::vector<std::vector<Range>> ranges(lists.size());
        for (const Placed& run : runs)
            ranges[run.rank].push_back({run.from * each, run.count * each, run.to * each});
        std::vector<std::byte> bytes = std::move(columnsOfOwn.memory[i]);
        ranks.gatherInPieces(
            std::span<const std::byte>(bytes).first(each * count),
            [&](std::size_t rank, std::size_t offset, std::span<const std::byte> piece) {
                place(ranges[rank], offset, piece, static_cast<std::byte*>(columns[i].data));
            });
    }
}

} // namespace floe::mpm
