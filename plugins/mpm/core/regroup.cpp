// Which particle is in which block: adding, moving between blocks, and the lists of a step.

#include "solver.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace floe::mpm {

namespace {

/// A particle on its way: its material, then its rows.
constexpr int kRecord = 1 + kMostRows;

void copyLane(const BinRef& from, int fromLane, const BinRef& to, int toLane)
{
    const int rows = rowsOf(from.layout);
    for (int r = 0; r < rows; ++r)
        to.data[r * kLanes + toLane] = from.data[r * kLanes + fromLane];
}

/// The next free lane among a block's bins of one material; a new bin where none is.
std::pair<BinRef*, int> freeLane(Block& block, BinPool& pool, std::uint16_t material, Layout layout,
                                 const float* initialState)
{
    auto after =
        std::upper_bound(block.bins.begin(), block.bins.end(), material,
                         [](std::uint16_t m, const BinRef& bin) { return m < bin.material; });
    if (after == block.bins.begin() || (after - 1)->material != material ||
        (after - 1)->count == kLanes) {
        after = block.bins.insert(after, BinRef{pool.take(layout), material, layout, 0});
        for (int lane = 0; lane < kLanes; ++lane)
            clearLane(*after, lane, initialState);
        ++after;
    }
    BinRef& bin = *(after - 1);
    return {&bin, bin.count++};
}

/// A whole number of cells below x, and the block that cell is in.
std::int32_t floorDivide(std::int64_t a)
{
    return static_cast<std::int32_t>(a >> 2);
}

} // namespace

/// What leaves one block, by direction.
struct Solver::Outbox {
    std::vector<float> records;
    std::array<std::uint32_t, 28> begin{}; ///< first record of each direction

    /// Takes the particles out of `block` whose lowest node has left it, and fills the gaps from
    /// the back.
    void take(Block& block, BinPool& pool, const std::vector<SolverMaterial>& materials);
};

void Solver::Outbox::take(Block& block, BinPool& pool, const std::vector<SolverMaterial>& materials)
{
    constexpr std::uint8_t kStays = kSelf, kDead = 255;
    std::vector<std::uint8_t> fate(block.bins.size() * kLanes, kStays);
    std::array<std::uint32_t, 28> count{};
    bool any = false;
    for (std::size_t b = 0; b < block.bins.size(); ++b) {
        const BinRef& bin = block.bins[b];
        for (int lane = 0; lane < bin.count; ++lane) {
            int direction[3];
            for (int axis = 0; axis < 3; ++axis) {
                const float base = bin.rowAt(row::x + axis)[lane] - 0.5f;
                direction[axis] = base < 0.0f ? -1 : base >= 4.0f ? 1 : 0;
            }
            std::uint8_t f =
                static_cast<std::uint8_t>(offsetNumber(direction[0], direction[1], direction[2]));
            if (bin.rowAt(row::mass)[lane] == 0)
                f = kDead;
            else
                ++count[f];
            fate[b * kLanes + lane] = f;
            any = any || f != kStays;
        }
    }
    begin = {};
    records.clear();
    if (!any)
        return;
    count[kSelf] = 0;
    std::uint32_t total = 0;
    for (int d = 0; d < 27; ++d) {
        begin[d] = total;
        total += count[d];
    }
    begin[27] = total;
    records.resize(static_cast<std::size_t>(total) * kRecord);
    std::array<std::uint32_t, 28> next = begin;
    for (std::size_t b = 0; b < block.bins.size(); ++b) {
        const BinRef& bin = block.bins[b];
        for (int lane = 0; lane < bin.count; ++lane) {
            const std::uint8_t f = fate[b * kLanes + lane];
            if (f == kStays || f == kDead)
                continue;
            float* record = records.data() + static_cast<std::size_t>(next[f]++) * kRecord;
            record[0] = std::bit_cast<float>(static_cast<std::uint32_t>(bin.material));
            const int rows = rowsOf(bin.layout);
            for (int r = 0; r < rows; ++r)
                record[1 + r] = bin.rowAt(r)[lane];
            const int d[3] = {f / 9 - 1, f / 3 % 3 - 1, f % 3 - 1};
            for (int axis = 0; axis < 3; ++axis)
                record[1 + row::x + axis] -= static_cast<float>(kBlockEdge * d[axis]);
        }
    }

    // Close the gaps, one material at a time.
    std::vector<BinRef> kept;
    kept.reserve(block.bins.size());
    std::uint32_t particles = 0;
    for (std::size_t first = 0; first < block.bins.size();) {
        std::size_t last = first;
        std::size_t size = 0;
        while (last < block.bins.size() && block.bins[last].material == block.bins[first].material)
            size += block.bins[last++].count;
        const auto stays = [&](std::size_t i) {
            return fate[first * kLanes + i] == kStays;
        };
        std::size_t end = size;
        for (std::size_t i = 0; i < end; ++i) {
            if (stays(i))
                continue;
            while (end > i + 1 && !stays(end - 1))
                --end;
            --end; // either a stayer to move here, or i itself
            if (end > i)
                copyLane(block.bins[first + end / kLanes], static_cast<int>(end % kLanes),
                         block.bins[first + i / kLanes], static_cast<int>(i % kLanes));
        }
        particles += static_cast<std::uint32_t>(end);
        for (std::size_t b = first; b < last; ++b) {
            BinRef bin = block.bins[b];
            const std::size_t before = (b - first) * kLanes;
            const std::size_t left = end > before ? std::min<std::size_t>(kLanes, end - before) : 0;
            if (left == 0) {
                pool.give(bin.layout, bin.data);
                continue;
            }
            for (std::size_t lane = left; lane < bin.count; ++lane)
                clearLane(bin, static_cast<int>(lane), materials[bin.material].initialState);
            bin.count = static_cast<std::uint8_t>(left);
            kept.push_back(bin);
        }
        first = last;
    }
    block.bins = std::move(kept);
    block.particles = particles;
}

void Solver::regroup()
{
    const auto start = std::chrono::steady_clock::now();
    ++statistics_.regroupings;
    if (listsStale_)
        rebuildLists();
    std::vector<Outbox> outboxes(gatherList_.size());
    std::vector<std::int32_t> outboxOf(blocks_.size(), -1);
    for (std::size_t i = 0; i < gatherList_.size(); ++i)
        outboxOf[gatherList_[i]] = static_cast<std::int32_t>(i);
    executor_->parallelFor(gatherList_.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            outboxes[i].take(blocks_[gatherList_[i]], pool_, materials_);
    });

    // Arrivals, block by block, in the order of the directions they come from: the same for any
    // number of threads. Every neighbour of a block with particles exists and is in the list of
    // grid blocks.
    std::vector<std::uint8_t> woken(gridList_.size());
    executor_->parallelFor(gridList_.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Block& block = blocks_[gridList_[i]];
            for (int o = 0; o < 27; ++o) {
                const std::int32_t from = block.neighbour[o];
                if (from < 0 || outboxOf[from] < 0)
                    continue;
                const Outbox& outbox = outboxes[outboxOf[from]];
                const int direction = 26 - o;
                for (std::uint32_t k = outbox.begin[direction]; k < outbox.begin[direction + 1];
                     ++k) {
                    const float* record = outbox.records.data() + std::size_t{k} * kRecord;
                    const auto material =
                        static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(record[0]));
                    const auto [bin, lane] = freeLane(block, pool_, material, layoutOf(material),
                                                      initialStateOf(material));
                    const int rows = rowsOf(bin->layout);
                    for (int r = 0; r < rows; ++r)
                        bin->rowAt(r)[lane] = record[1 + r];
                    ++block.particles;
                    if (block.state != BlockState::active || block.particles == 1)
                        woken[i] = 1;
                }
            }
            if (woken[i]) {
                wake(block);
            }
        }
    });
    drift_ = 0;
    needsRegroup_ = false;
    scatteredStep_ = 0;

    // New blocks with particles need all their neighbours; empty ones far from particles may go.
    bool incomplete = false;
    std::size_t useless = 0;
    for (const Block& block : blocks_) {
        const bool missing =
            std::find(block.neighbour.begin(), block.neighbour.end(), -1) != block.neighbour.end();
        incomplete = incomplete || (block.particles > 0 && missing);
        if (block.particles == 0) {
            bool near = false;
            for (const std::int32_t n : block.neighbour)
                near = near || (n >= 0 && blocks_[n].particles > 0);
            useless += !near;
        }
    }
    if (incomplete || useless > blocks_.size() / 4)
        rebuildTopology();
    markBoundary();
    statistics_.regroupSeconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Solver::rebuildTopology()
{
    std::vector<Block> kept;
    kept.reserve(blocks_.size() + 64);
    for (Block& block : blocks_)
        if (block.particles > 0)
            kept.push_back(std::move(block));
    const std::size_t full = kept.size();
    map_.clear();
    map_.reserve(4 * full + 64);
    for (std::size_t i = 0; i < full; ++i)
        map_.insert(kept[i].coordinate, static_cast<std::int32_t>(i));
    const auto neighbourOf = [](const BlockCoordinate& c, int o) {
        return BlockCoordinate{c[0] + o / 9 - 1, c[1] + o / 3 % 3 - 1, c[2] + o % 3 - 1};
    };
    for (std::size_t i = 0; i < full; ++i) {
        const BlockCoordinate c = kept[i].coordinate;
        for (const std::int32_t a : c)
            if (a < -kMostCoordinate || a > kMostCoordinate)
                throw Diverged("material '" + materials_[kept[i].bins[0].material].name +
                               "' flew more than four million cells away from the origin; close "
                               "the domain, or lower its speed");
        for (int o = 0; o < 27; ++o) {
            const BlockCoordinate at = neighbourOf(c, o);
            std::int32_t index = map_.find(at);
            if (index < 0) {
                index = static_cast<std::int32_t>(kept.size());
                kept.emplace_back();
                kept.back().coordinate = at;
                map_.insert(at, index);
            }
            kept[i].neighbour[o] = index;
        }
    }
    blocks_ = std::move(kept);
    executor_->parallelFor(blocks_.size() - full, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = full + begin; i < full + end; ++i)
            for (int o = 0; o < 27; ++o)
                blocks_[i].neighbour[o] = map_.find(neighbourOf(blocks_[i].coordinate, o));
    });
    listsStale_ = true;
}

void Solver::markBoundary()
{
    for (Block& block : blocks_) {
        if (block.particles == 0 || block.state == BlockState::active)
            continue;
        const BlockState before = block.state;
        block.state = BlockState::passive;
        for (const std::int32_t n : block.neighbour)
            if (n >= 0 && blocks_[n].particles > 0 && blocks_[n].state == BlockState::active)
                block.state = BlockState::boundary;
        if (block.state == before)
            continue;
        block.frozen.reset();
        block.gain = {};
    }
    listsStale_ = true;
}

void Solver::rebuildLists()
{
    scatterList_.clear();
    gatherList_.clear();
    gridList_.clear();
    for (Block& block : blocks_)
        block.arena = block.nodes = -1;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block& block = blocks_[i];
        if (block.particles == 0 || block.state == BlockState::passive)
            continue;
        block.arena = static_cast<std::int32_t>(scatterList_.size());
        scatterList_.push_back(static_cast<std::int32_t>(i));
        if (block.state != BlockState::active)
            continue;
        gatherList_.push_back(static_cast<std::int32_t>(i));
        for (const std::int32_t n : block.neighbour)
            if (n >= 0)
                blocks_[n].nodes = 0;
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (blocks_[i].nodes == 0) {
            blocks_[i].nodes = static_cast<std::int32_t>(gridList_.size());
            gridList_.push_back(static_cast<std::int32_t>(i));
        }
    listsStale_ = false;
}

std::int32_t Solver::blockAt(const BlockCoordinate& coordinate)
{
    std::int32_t index = map_.find(coordinate);
    if (index < 0) {
        index = static_cast<std::int32_t>(blocks_.size());
        blocks_.emplace_back();
        blocks_.back().coordinate = coordinate;
        blocks_.back().neighbour.fill(-1);
        map_.insert(coordinate, index);
    }
    return index;
}

void Solver::addParticles(const NewParticles& p)
{
    if (p.material >= materials_.size())
        throw std::invalid_argument("particles of a material that the solver does not have");
    const SolverMaterial& material = materials_[p.material];
    const double inverse = 1 / settings_.cellSize;
    const double reach = 4.0 * (kMostCoordinate - 2);
    const auto refuse = [&](std::size_t i, const char* what) {
        throw std::invalid_argument("new particle " + std::to_string(i) + " of material '" +
                                    material.name + "' has " + what);
    };
    // All or none: look at everything before touching anything.
    for (std::size_t i = 0; i < p.count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(std::abs(p.x[3 * i + axis] * inverse) < reach))
                refuse(i, "a position that is not a number or too far from the origin");
            if (p.v && !(std::abs(p.v[3 * i + axis]) < 1e8f))
                refuse(i, "a velocity that is not a number or absurdly large");
        }
        const auto usable = [](float a) {
            return a > 0 && a < 1e30f;
        };
        if (!usable(p.volume[i]) || (p.stiffnessScale && !usable(p.stiffnessScale[i])) ||
            (p.densityScale && !usable(p.densityScale[i])))
            refuse(i, "a volume, stiffness or density factor that is not above zero");
    }
    if (p.count > 0xffffffffull - nextId_)
        throw std::length_error("a simulation can emit at most four billion particles");
    if (needsRegroup_ && counts_.alive > 0)
        regroup();

    const Layout layout = layoutOf(p.material);
    for (std::size_t i = 0; i < p.count; ++i) {
        BlockCoordinate c;
        float local[3];
        PointBatch point;
        point.count = 1;
        point.corner = {p.x[3 * i], p.x[3 * i + 1], p.x[3 * i + 2]};
        point.x[0][0] = point.x[1][0] = point.x[2][0] = 0;
        bool outside[PointBatch::kMost];
        if (domain_.bounded) {
            domain_.findOutside(point, outside);
            if (outside[0])
                continue;
        }
        for (int axis = 0; axis < 3; ++axis) {
            const double cells = p.x[3 * i + axis] * inverse;
            c[axis] = floorDivide(static_cast<std::int64_t>(std::floor(cells - 0.5)));
            local[axis] = static_cast<float>(cells - 4.0 * c[axis]);
            // Rounding to single precision must not push it over the block's edge.
            local[axis] = std::clamp(local[axis], 0.5f, std::nextafter(4.5f, 0.0f));
        }
        Block& block = blocks_[blockAt(c)];
        const auto [bin, lane] = freeLane(block, pool_, p.material, layout, material.initialState);
        bool moves = !settings_.startsAsleep || !material.sleeps;
        for (int axis = 0; axis < 3 && !moves; ++axis)
            moves = p.v && p.v[3 * i + axis] != 0;
        if (block.particles++ == 0)
            block.state = moves ? BlockState::active : BlockState::passive;
        else if (moves)
            block.state = BlockState::active;
        block.restTime = 0;
        block.frozen.reset();
        const float density = material.law.density * (p.densityScale ? p.densityScale[i] : 1);
        const float stiffness = p.stiffnessScale ? p.stiffnessScale[i] : 1;
        double top = 0;
        float speed2 = 0;
        for (int axis = 0; axis < 3; ++axis) {
            bin->rowAt(row::x + axis)[lane] = local[axis];
            const float v = p.v ? p.v[3 * i + axis] : 0;
            bin->rowAt(row::v + axis)[lane] = v;
            top = std::max(top, std::abs(static_cast<double>(v)));
            speed2 += v * v;
        }
        block.speed = std::max(block.speed, std::sqrt(speed2));
        bin->rowAt(row::mass)[lane] = density * p.volume[i];
        bin->rowAt(row::volume)[lane] = p.volume[i];
        bin->rowAt(row::stiffness)[lane] = stiffness;
        bin->rowAt(row::id)[lane] = std::bit_cast<float>(nextId_++);
        if (p.state)
            bin->rowAt(row::state)[lane] = p.state[i];
        for (int k = 0; k < 9 && p.strain && layout != Layout::liquid; ++k)
            bin->rowAt(row::H + k)[lane] = p.strain[9 * i + static_cast<std::size_t>(k)];
        topComponent_ = std::max(topComponent_, top);
        topSpeed_ = std::max(topSpeed_, static_cast<double>(std::sqrt(speed2)));
        ++counts_.emitted;
        ++counts_.alive;
    }
    rebuildTopology();
    markBoundary();
}

void Solver::findOccupied(const float* x, std::size_t count, std::uint8_t* occupied) const
{
    // One bit a cell, for the blocks of cells that hold particles.
    std::unordered_map<std::uint64_t, std::uint64_t> cells;
    const auto key = [](const std::int64_t c[3]) {
        const auto part = [](std::int64_t a) {
            return static_cast<std::uint64_t>(a >> 2) & 0x1fffff;
        };
        return part(c[0]) << 42 | part(c[1]) << 21 | part(c[2]);
    };
    const auto bit = [](const std::int64_t c[3]) {
        return std::uint64_t{1} << ((c[0] & 3) * 16 + (c[1] & 3) * 4 + (c[2] & 3));
    };
    for (const Block& block : blocks_)
        for (const BinRef& bin : block.bins)
            for (int lane = 0; lane < bin.count; ++lane) {
                if (bin.rowAt(row::mass)[lane] == 0)
                    continue;
                std::int64_t c[3];
                for (int axis = 0; axis < 3; ++axis)
                    c[axis] = 4 * std::int64_t{block.coordinate[axis]} +
                              static_cast<std::int64_t>(std::floor(bin.rowAt(row::x + axis)[lane]));
                cells[key(c)] |= bit(c);
            }
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t c[3];
        bool usable = true;
        for (int axis = 0; axis < 3; ++axis) {
            const double cell = std::floor(x[3 * i + axis] / settings_.cellSize);
            usable = usable && std::abs(cell) < 4.0 * kMostCoordinate;
            c[axis] = usable ? static_cast<std::int64_t>(cell) : 0;
        }
        const auto found = usable ? cells.find(key(c)) : cells.end();
        occupied[i] = found != cells.end() && (found->second & bit(c));
    }
}

} // namespace floe::mpm
