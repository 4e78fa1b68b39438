#include "halo.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

namespace floe::mpm {

using sdk::parallel::BytesIn;
using sdk::parallel::BytesOut;

namespace {

/// What a rank is told of another's block.
struct Ghost {
    BlockCoordinate block;
    std::uint8_t near; ///< 1: arenas count
    std::uint8_t state;
    std::uint16_t unused = 0;
};
constexpr std::uint8_t kFar = 1, kNear = 2;

BlockState stateOf(std::uint8_t number)
{
    if (number > static_cast<std::uint8_t>(BlockState::boundary))
        throw sdk::parallel::RanksFailure(FLOE_FAILED); // of another program
    return static_cast<BlockState>(number);
}

template <class Function>
void forNodes(const int (&low)[3], const int (&high)[3], const Function& f)
{
    for (int x = low[0]; x < high[0]; ++x)
        for (int y = low[1]; y < high[1]; ++y)
            f((x * kArenaEdge + y) * kArenaEdge + low[2], high[2] - low[2]);
}

} // namespace

std::size_t Halo::Box::nodes() const
{
    std::size_t count = 1;
    for (int axis = 0; axis < 3; ++axis)
        count *= static_cast<std::size_t>(high[axis] - low[axis]);
    return count;
}

/// Tells all ranks which blocks this one holds particles of.
void Halo::shareHolders()
{
    const Ranks& ranks = *state_->ownership.ranks;
    BytesOut own;
    for (const Block& block : grid_->blocks)
        if (block.particles > 0)
            own.put(block.coordinate);
    holdersOf_.clear();
    holders_.clear();
    const auto ofEach = ranks.share(own.bytes);
    for (std::size_t rank = 0; rank < ofEach.size(); ++rank)
        for (BytesIn in(ofEach[rank]); !in.empty();) {
            const auto c = in.get<BlockCoordinate>();
            std::int32_t at = holdersOf_.find(c);
            if (at < 0) {
                at = static_cast<std::int32_t>(holders_.size());
                holdersOf_.insert(c, at);
                holders_.emplace_back();
            }
            holders_[static_cast<std::size_t>(at)].push_back(static_cast<int>(rank));
        }
}

/// Calls f(owner, offset) for the blocks within reach, of which some may have several owners.
template <class Function>
void Halo::forOwners(const BlockCoordinate& c, const Reach& reach, const Function& f) const
{
    for (int x = -reach[0]; x <= reach[0]; ++x)
        for (int y = -reach[1]; y <= reach[1]; ++y)
            for (int z = -reach[2]; z <= reach[2]; ++z) {
                const BlockCoordinate block =
                    state_->period().wrapped({c[0] + x, c[1] + y, c[2] + z});
                const std::array<int, 3> offset{x, y, z};
                if (!state_->ownership.byParticles)
                    f(state_->ownership.ownerOf(block), offset);
                else if (const std::int32_t at = holdersOf_.find(block); at >= 0)
                    for (const int rank : holders_[static_cast<std::size_t>(at)])
                        f(rank, offset);
            }
}

void Halo::count()
{
    std::int64_t counts[2] = {};
    for (const Block& block : grid_->blocks)
        if (block.particles > 0)
            ++counts[block.state == BlockState::active];
    state_->ownership.ranks->reduce(FLOE_RANKS_SUM, std::span<std::int64_t>(counts));
    inactive_ = static_cast<std::size_t>(counts[0]);
    active_ = static_cast<std::size_t>(counts[1]);
}

/// Returns whether this rank is known to own all blocks around a block; those that have been added
/// since the blocks were linked are not known.
bool Halo::isInside(const Block& block) const
{
    const Ownership& ownership = state_->ownership;
    return !ownership.byParticles &&
           std::all_of(block.neighbour.begin(), block.neighbour.end(), [&](std::int32_t n) {
               return n >= 0 &&
                      grid_->blocks[static_cast<std::size_t>(n)].owner == ownership.rank();
           });
}

bool Halo::exchangeGhosts()
{
    dropArenas(); // of a step that is not taken
    count();
    const int further = inactive_ > 0 ? 1 : 0;
    const Ownership& ownership = state_->ownership;
    if (ownership.byParticles)
        shareHolders();
    const Ranks& ranks = *ownership.ranks;
    const auto size = static_cast<std::size_t>(ranks.size());
    const MirrorWalls mirror(state_->surroundings.domain, state_->settings.cellSize);
    std::vector<BytesOut> toEach(size);
    std::vector<std::size_t> place(size); // in out_, plus one
    std::vector<std::uint8_t> wants(size);
    out_.clear();
    for (const Block& block : grid_->blocks) {
        if (block.particles == 0)
            continue;
        const BlockCoordinate& c = block.coordinate;
        const Reach reach = grid_->reachOf(c, mirror);
        if (further == 0 && reach == Reach{1, 1, 1} && isInside(block))
            continue;
        std::fill(wants.begin(), wants.end(), 0);
        const Reach all{reach[0] + further, reach[1] + further, reach[2] + further};
        forOwners(c, all, [&](int owner, const std::array<int, 3>& offset) {
            const bool near = std::abs(offset[0]) <= reach[0] && std::abs(offset[1]) <= reach[1] &&
                              std::abs(offset[2]) <= reach[2];
            std::uint8_t& wanted = wants[static_cast<std::size_t>(owner)];
            wanted |= near ? kNear : kFar;
        });
        wants[static_cast<std::size_t>(ranks.rank())] = 0;
        for (std::size_t peer = 0; peer < size; ++peer) {
            if (!wants[peer])
                continue;
            if (place[peer] == 0) {
                out_.push_back({static_cast<int>(peer), {}, {}, 0, {}});
                place[peer] = out_.size();
            }
            out_[place[peer] - 1].blocks.push_back(c);
            toEach[peer].put(Ghost{c, static_cast<std::uint8_t>((wants[peer] & kNear) != 0),
                                   static_cast<std::uint8_t>(block.state)});
        }
    }
    std::vector<std::span<const std::byte>> spans;
    for (const BytesOut& out : toEach)
        spans.emplace_back(out.bytes);
    const auto fromEach = ranks.exchange(spans);
    in_.clear();
    std::vector<std::int32_t> before;
    for (std::size_t i = 0; i < grid_->blocks.size(); ++i)
        if (std::exchange(grid_->blocks[i].ghost, false))
            before.push_back(static_cast<std::int32_t>(i));
    bool isNew = false;
    for (std::size_t peer = 0; peer < size; ++peer) {
        if (fromEach[peer].empty())
            continue;
        Peer& from = in_.emplace_back(Peer{static_cast<int>(peer), {}, {}, 0, {}});
        for (BytesIn in(fromEach[peer]); !in.empty();) {
            const auto ghost = in.get<Ghost>();
            from.blocks.push_back(ghost.block);
            const std::int32_t index = grid_->map.find(ghost.block);
            if (index >= 0 && grid_->blocks[static_cast<std::size_t>(index)].particles > 0)
                continue; // held here, too
            isNew = isNew || !std::binary_search(before.begin(), before.end(), index);
            Block& block = grid_->at(ghost.block);
            block.near = (std::exchange(block.ghost, true) && block.near) || ghost.near != 0;
            block.state = stateOf(ghost.state);
        }
    }
    grid_->listsStale = true;
    return isNew;
}

/// Sends a byte of each block that others see as a ghost.
/// @param read   returns that of a block  @param write  takes that of a ghost
template <class Read, class Write>
void Halo::exchangeBytes(const Read& read, const Write& write)
{
    std::vector<std::vector<std::uint8_t>> out, in;
    std::vector<floe_ranks_part> sends, receives;
    for (const Peer& peer : out_) {
        auto& bytes = out.emplace_back();
        for (const BlockCoordinate& c : peer.blocks)
            bytes.push_back(read(static_cast<std::size_t>(grid_->map.find(c))));
        sends.push_back(
            Ranks::part(static_cast<std::size_t>(peer.rank), bytes.data(), bytes.size()));
    }
    for (const Peer& peer : in_) {
        auto& bytes = in.emplace_back(peer.blocks.size());
        receives.push_back(
            Ranks::part(static_cast<std::size_t>(peer.rank), bytes.data(), bytes.size()));
    }
    const Ranks& ranks = *state_->ownership.ranks;
    ranks.beginExchange(sends, receives).finish(ranks.context);
    for (std::size_t p = 0; p < in_.size(); ++p)
        for (std::size_t i = 0; i < in[p].size(); ++i)
            write(static_cast<std::size_t>(grid_->map.find(in_[p].blocks[i])), in[p][i]);
}

void Halo::shareStates()
{
    exchangeBytes(
        [&](std::size_t b) { return static_cast<std::uint8_t>(grid_->blocks[b].state); },
        [&](std::size_t b, std::uint8_t state) { grid_->blocks[b].state = stateOf(state); });
}

bool Halo::shareMarks(std::span<std::uint8_t> marks)
{
    bool isNew = false;
    exchangeBytes([&](std::size_t b) { return marks[b]; },
                  [&](std::size_t b, std::uint8_t mark) {
                      isNew = isNew || mark != marks[b];
                      marks[b] = mark;
                  });
    return anywhere(state_->ownership.ranks, isNew);
}

/// Returns the nodes of a block's arena that a rank needs: those in the arenas of its own blocks,
/// and all along the normal of a mirrored wall.
Halo::Box Halo::boxFor(const BlockCoordinate& block, const Reach& reach, int rank) const
{
    Box box{{kArenaEdge, kArenaEdge, kArenaEdge}, {0, 0, 0}};
    // Arenas begin at node -1: of a block's nodes -1 to 6, its neighbour's has 3 to 6, or -1 to 2.
    constexpr int kLow[3] = {0, 0, kBlockEdge}, kHigh[3] = {kBlockEdge, kArenaEdge, kArenaEdge};
    forOwners(block, reach, [&](int owner, const std::array<int, 3>& offset) {
        if (owner != rank)
            return;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool all = reach[axis] > 1;
            const int step = offset[axis] + 1;
            box.low[axis] = all ? 0 : std::min(box.low[axis], kLow[step]);
            box.high[axis] = all ? kArenaEdge : std::max(box.high[axis], kHigh[step]);
        }
    });
    return box;
}

void Halo::planPieces(std::vector<Peer>& peers, bool sending)
{
    const MirrorWalls mirror(state_->surroundings.domain, state_->settings.cellSize);
    for (Peer& peer : peers) {
        const int owner = sending ? peer.rank : state_->ownership.rank();
        peer.pieces.clear();
        peer.nodes = 0;
        for (const BlockCoordinate& c : peer.blocks) {
            const Block& block = grid_->blocks[grid_->map.find(c)];
            const Box box = boxFor(c, grid_->reachOf(c, mirror), owner);
            if (box.low[0] >= box.high[0] || block.state == BlockState::passive)
                continue;
            peer.pieces.push_back({block.arena, box, peer.nodes});
            peer.nodes += box.nodes();
        }
    }
}

void Halo::plan()
{
    planPieces(out_, true);
    planPieces(in_, false);
    cleared_ = 0;
    const std::size_t count = grid_->scatterList.size();
    sentBegin_.assign(count + 1, 0);
    for (const Peer& peer : out_)
        for (const Piece& piece : peer.pieces)
            ++sentBegin_[static_cast<std::size_t>(piece.slot) + 1];
    std::partial_sum(sentBegin_.begin(), sentBegin_.end(), sentBegin_.begin());
    sent_.resize(sentBegin_.back());
    std::vector<std::uint32_t> next(sentBegin_.begin(), sentBegin_.end() - 1);
    for (std::uint32_t peer = 0; peer < out_.size(); ++peer)
        for (std::uint32_t p = 0; p < out_[peer].pieces.size(); ++p)
            sent_[next[static_cast<std::size_t>(out_[peer].pieces[p].slot)]++] = {peer, p};
    // Blocks share nodes with those beside them, which stay in the cache where these come next:
    // groups of two blocks along each axis are not divided.
    const auto groupOf = [&](std::size_t slot) {
        const auto block = static_cast<std::size_t>(grid_->scatterList[slot]);
        return mortonOrder(grid_->blocks[block].coordinate) >> 3;
    };
    order_.clear();
    std::vector<std::int32_t> later;
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
        bool first = false;
        for (; end < count && groupOf(end) == groupOf(begin); ++end)
            first = first || sentBegin_[end] < sentBegin_[end + 1];
        std::vector<std::int32_t>& list = first ? order_ : later;
        for (std::size_t slot = begin; slot < end; ++slot)
            list.push_back(static_cast<std::int32_t>(slot));
    }
    firstBlocks_ = order_.size();
    order_.insert(order_.end(), later.begin(), later.end());
}

void Halo::prepareArenas(std::size_t each)
{
    for (std::vector<Peer>* peers : {&out_, &in_})
        for (Peer& peer : *peers)
            peer.buffer.resize(peer.nodes * each * kNodeFloats);
}

void Halo::packArenas(std::size_t slot, const float* arenas, std::size_t each)
{
    for (std::uint32_t s = sentBegin_[slot]; s < sentBegin_[slot + 1]; ++s) {
        Peer& peer = out_[sent_[s].peer];
        const Piece& piece = peer.pieces[sent_[s].piece];
        float* to = peer.buffer.data() + piece.before * each * kNodeFloats;
        for (std::size_t a = 0; a < each; ++a) {
            const float* from = arenas + (slot * each + a) * kArenaFloats;
            forNodes(piece.box.low, piece.box.high, [&](int first, int count) {
                const auto floats = static_cast<std::size_t>(count * kNodeFloats);
                std::memcpy(to, from + first * kNodeFloats, floats * sizeof(float));
                to += floats;
            });
        }
    }
}

void Halo::sendArenas()
{
    const auto partsOf = [](std::vector<Peer>& peers) {
        std::vector<floe_ranks_part> parts;
        for (Peer& peer : peers)
            if (!peer.pieces.empty())
                parts.push_back(Ranks::part(static_cast<std::size_t>(peer.rank), peer.buffer.data(),
                                            peer.buffer.size() * sizeof(float)));
        return parts;
    };
    arenas_ = state_->ownership.ranks->beginExchange(partsOf(out_), partsOf(in_));
}

void Halo::beginArenas(const float* arenas, std::size_t each)
{
    prepareArenas(each);
    state_->executor->parallelFor(firstBlocks_, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            packArenas(static_cast<std::size_t>(order_[i]), arenas, each);
    });
    sendArenas();
}

void Halo::takeArenas(float* arenas, std::size_t each)
{
    if (!arenas_.begun()) // the nodes are updated again
        return;
    arenas_.finish(state_->ownership.ranks->context);
    if (state_->ownership.byParticles) {
        addArenas(arenas, each);
        return;
    }
    const auto take = [&](const Peer& peer, const Piece& piece) {
        const float* from = peer.buffer.data() + piece.before * each * kNodeFloats;
        for (std::size_t a = 0; a < each; ++a) {
            float* to = arenas + (static_cast<std::size_t>(piece.slot) * each + a) * kArenaFloats;
            if (cleared_ != each)
                std::memset(to, 0, kArenaFloats * sizeof(float));
            forNodes(piece.box.low, piece.box.high, [&](int first, int count) {
                const auto floats = static_cast<std::size_t>(count * kNodeFloats);
                std::memcpy(to + first * kNodeFloats, from, floats * sizeof(float));
                from += floats;
            });
        }
    };
    for (const Peer& peer : in_)
        state_->executor->parallelFor(peer.pieces.size(), 16,
                                      [&](std::size_t begin, std::size_t end) {
                                          for (std::size_t p = begin; p < end; ++p)
                                              take(peer, peer.pieces[p]);
                                      });
    cleared_ = each;
}

/// All pieces of a block are alike: what this rank needs of it.
void Halo::addArenas(float* arenas, std::size_t each)
{
    const std::size_t own = grid_->scatterList.size();
    std::vector<std::uint8_t> begun(own + grid_->ghostList.size());
    std::vector<std::size_t> waiting; // own arenas, until those of lower ranks are added up
    std::vector<float> kept;
    const auto addOwn = [&] {
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            float* const to = arenas + waiting[i] * kArenaFloats;
            for (std::size_t k = 0; k < kArenaFloats; ++k)
                to[k] += kept[i * kArenaFloats + k];
        }
        waiting.clear();
        kept.clear();
    };
    for (const Peer& peer : in_) { // in the order of ranks
        const bool lower = peer.rank < state_->ownership.rank();
        if (!lower)
            addOwn();
        const float* from = peer.buffer.data();
        for (const Piece& piece : peer.pieces) {
            const auto slot = static_cast<std::size_t>(piece.slot);
            const bool first = !std::exchange(begun[slot], 1) && (lower || slot >= own);
            for (std::size_t a = 0; a < each; ++a) {
                float* const to = arenas + (slot * each + a) * kArenaFloats;
                if (first) {
                    if (slot < own) {
                        waiting.push_back(slot * each + a);
                        kept.insert(kept.end(), to, to + kArenaFloats);
                    }
                    std::memset(to, 0, kArenaFloats * sizeof(float));
                }
                forNodes(piece.box.low, piece.box.high, [&](int node, int count) {
                    float* const sum = to + node * kNodeFloats;
                    for (int k = 0; k < count * kNodeFloats; ++k)
                        sum[k] += from[k];
                    from += count * kNodeFloats;
                });
            }
        }
    }
    addOwn();
}

void Halo::dropArenas()
{
    arenas_.finish(state_->ownership.ranks->context);
}

void Halo::exchangeMigrants(std::vector<MigrationBuffer>& buffers)
{
    const Ownership& ownership = state_->ownership;
    if (ownership.byParticles)
        return; // they stay on this rank
    const Ranks& ranks = *ownership.ranks;
    std::vector<std::vector<std::byte>> toEach(static_cast<std::size_t>(ranks.size()));
    for (const Peer& peer : out_) {
        BytesOut out;
        for (std::size_t i = 0; i < peer.blocks.size(); ++i) {
            const BlockCoordinate& c = peer.blocks[i];
            const std::int32_t place = grid_->blocks[grid_->map.find(c)].migration;
            if (place < 0)
                continue;
            const MigrationBuffer& buffer = buffers[static_cast<std::size_t>(place)];
            for (int d = 0; d < kOffsets; ++d) {
                if (buffer.count(d) == 0 || ownership.ownerOf(neighbourOf(c, d)) != peer.rank)
                    continue;
                out.put(static_cast<std::uint32_t>(i));
                out.put(static_cast<std::uint32_t>(d));
                out.put(buffer.count(d));
                for (std::uint32_t k = buffer.begin[d]; k < buffer.begin[d + 1]; ++k)
                    out.put(buffer.rows(k) - 1,
                            sizeof(float) * static_cast<std::size_t>(1 + rowsOf(buffer.layout(k))));
            }
        }
        toEach[static_cast<std::size_t>(peer.rank)] = std::move(out.bytes);
    }
    const auto fromEach = ranks.exchange(toEach);
    for (const Peer& peer : in_) {
        BytesIn in(fromEach[static_cast<std::size_t>(peer.rank)]);
        std::uint32_t present = ~0u;
        MigrationBuffer* buffer = nullptr;
        while (!in.empty()) {
            const auto index = in.get<std::uint32_t>();
            const auto direction = in.get<std::uint32_t>();
            const auto count = in.get<std::uint32_t>();
            if (index >= peer.blocks.size() || direction >= kOffsets)
                throw sdk::parallel::RanksFailure(FLOE_FAILED);
            if (index != present) {
                present = index;
                grid_->blocks[grid_->map.find(peer.blocks[index])].migration =
                    static_cast<std::int32_t>(buffers.size());
                buffer = &buffers.emplace_back();
            }
            for (std::uint32_t k = 0; k < count; ++k) {
                const std::size_t at = buffer->records.size();
                buffer->records.resize(at + MigrationBuffer::kRecord);
                float* record = buffer->records.data() + at;
                record[0] = in.get<float>();
                const Layout layout =
                    buffer->layout(static_cast<std::uint32_t>(at / MigrationBuffer::kRecord));
                if (static_cast<int>(layout) >= kLayouts)
                    throw sdk::parallel::RanksFailure(FLOE_FAILED);
                const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(rowsOf(layout));
                std::memcpy(record + 1, in.take(bytes).data(), bytes);
            }
            for (std::uint32_t d = direction + 1; d < buffer->begin.size(); ++d)
                buffer->begin[d] += count;
        }
    }
}

void Halo::shareBounds(bool deleted)
{
    const Ranks& ranks = *state_->ownership.ranks;
    Bounds& b = state_->bounds;
    const floe_context* context = ranks.context;
    double most[] = {
        b.signalSpeed,
        b.component,
        b.speed,
        b.gradient,
        b.nodeComponent,
        b.nodesFinite ? 0.0 : 1.0,
        deleted && (state_->deleted.leftDomain > 0 || state_->deleted.byCollider > 0) ? 1.0 : 0.0,
        context && context->cancelled(context) ? 1.0 : 0.0};
    // What is not a number must reach all.
    for (double& a : most)
        if (!(a < HUGE_VAL))
            a = HUGE_VAL;
    ranks.reduce(FLOE_RANKS_MAX, std::span<double>(most));
    if (most[7] > 0)
        throw sdk::parallel::RanksFailure(FLOE_CANCELLED);
    b.signalSpeed = most[0];
    b.component = most[1];
    b.speed = most[2];
    b.gradient = most[3];
    b.nodeComponent = most[4];
    b.nodesFinite = most[5] == 0;
    if (most[6] > 0)
        shareDeleted();
}

void Halo::shareDeleted()
{
    std::int64_t deleted[] = {static_cast<std::int64_t>(state_->deleted.leftDomain),
                              static_cast<std::int64_t>(state_->deleted.byCollider)};
    state_->ownership.ranks->reduce(FLOE_RANKS_SUM, std::span<std::int64_t>(deleted));
    state_->deleted = {static_cast<std::uint64_t>(deleted[0]),
                       static_cast<std::uint64_t>(deleted[1])};
}

} // namespace floe::mpm
