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

/// A whole number of cells below x, and the block that cell is in.
std::int32_t floorDivide(std::int64_t a)
{
    return static_cast<std::int32_t>(a >> 2);
}

/// A block's place on Morton's curve, which stays near in space what is near along it.
std::uint64_t alongCurve(const BlockCoordinate& c)
{
    std::uint64_t place = 0;
    for (int axis = 0; axis < 3; ++axis) {
        std::uint64_t a = static_cast<std::uint64_t>(c[axis] + kMostCoordinate + 2) & 0x1fffff;
        a = (a | a << 32) & 0x1f00000000ffff;
        a = (a | a << 16) & 0x1f0000ff0000ff;
        a = (a | a << 8) & 0x100f00f00f00f00f;
        a = (a | a << 4) & 0x10c30c30c30c30c3;
        a = (a | a << 2) & 0x1249249249249249;
        place |= a << (2 - axis);
    }
    return place;
}

} // namespace

void Solver::regroup()
{
    const auto start = std::chrono::steady_clock::now();
    if (listsStale_)
        rebuildLists();
    std::vector<Outbox> outboxes = openOutboxes();
    executor_->parallelFor(outboxes.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            outboxes[i].take(blocks_[gatherList_[i]], pool_, materials_);
    });
    expectArrivals(outboxes);
    executor_->parallelFor(scatterList_.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            takeArrivals(blocks_[scatterList_[i]], outboxes);
    });
    closeOutboxes();
    statistics_.regroupSeconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// One for each block that moves, Block::outbox.
std::vector<Outbox> Solver::openOutboxes()
{
    for (std::size_t i = 0; i < gatherList_.size(); ++i)
        blocks_[gatherList_[i]].outbox = static_cast<std::int32_t>(i);
    return std::vector<Outbox>(gatherList_.size());
}

void Solver::closeOutboxes()
{
    for (Block& block : blocks_)
        block.outbox = -1;
}

/// Once all outboxes are filled: counts what will arrive where, wakes those blocks, and makes
/// blocks and lists ready for it. Every neighbour of a block with particles exists and is in the
/// list of grid blocks; whatever gets arrivals is in the list of blocks to scatter afterwards.
void Solver::expectArrivals(const std::vector<Outbox>& outboxes)
{
    ++statistics_.regroupings;
    for (const std::int32_t index : gatherList_)
        if (outboxes[static_cast<std::size_t>(blocks_[index].outbox)].empty())
            blocks_[index].outbox = -1;
    executor_->parallelFor(gridList_.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Block& block = blocks_[gridList_[i]];
            std::uint32_t arrivals = 0;
            for (int o = 0; o < 27; ++o)
                if (const Outbox* from = outboxOf(block, o, outboxes)) {
                    arrivals += from->count(26 - o);
                    if (from->count(26 - o) > 0)
                        checkRange(block.coordinate, from->material(from->begin[26 - o]));
                }
            if (arrivals == 0)
                continue;
            if (block.state != BlockState::active || block.particles == 0)
                wake(block);
            block.particles += arrivals;
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
    rebuildLists();
}

/// What leaves a block's neighbour; null: nothing.
const Outbox* Solver::outboxOf(const Block& block, int offset,
                               const std::vector<Outbox>& outboxes) const
{
    const std::int32_t n = block.neighbour[offset];
    const std::int32_t index = n < 0 ? -1 : blocks_[n].outbox;
    return index < 0 ? nullptr : &outboxes[static_cast<std::size_t>(index)];
}

/// In the order of the directions they come from: the same for any number of threads.
void Solver::takeArrivals(Block& block, const std::vector<Outbox>& outboxes)
{
    for (int o = 0; o < 27; ++o) {
        const Outbox* from = outboxOf(block, o, outboxes);
        if (!from)
            continue;
        for (std::uint32_t k = from->begin[26 - o]; k < from->begin[27 - o]; ++k) {
            const std::uint16_t material = from->material(k);
            const auto [bin, lane] =
                freeLane(block, pool_, material, from->layout(k), initialStateOf(material));
            const float* const record = from->rows(k);
            const int rows = rowsOf(bin->layout);
            for (int r = 0; r < rows; ++r)
                bin->rowAt(r)[lane] = record[r];
        }
    }
}

void Solver::checkRange(const BlockCoordinate& c, std::uint16_t material) const
{
    for (const std::int32_t a : c)
        if (a < -kMostCoordinate || a > kMostCoordinate)
            throw Diverged("material '" + materials_[material].name +
                           "' flew more than four million cells away from the origin; close "
                           "the domain, or lower its speed");
}

void Solver::rebuildTopology()
{
    std::vector<Block> kept;
    kept.reserve(blocks_.size() + 64);
    std::vector<std::pair<BlockCoordinate, std::int32_t>> keptNodes; // of the others
    for (Block& block : blocks_) {
        if (block.particles > 0 || block.outbox >= 0)
            kept.push_back(std::move(block));
        else if (block.keptNodes >= 0)
            keptNodes.emplace_back(block.coordinate, block.keptNodes);
    }
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
        for (int o = 0; o < 27; ++o) {
            const BlockCoordinate at = neighbourOf(c, o);
            if (map_.find(at) >= 0)
                continue;
            map_.insert(at, static_cast<std::int32_t>(kept.size()));
            kept.emplace_back();
            kept.back().coordinate = at;
        }
    }
    // Neighbours in space are neighbours in every list, so that what blocks share is in the cache.
    std::sort(kept.begin(), kept.end(), [](const Block& p, const Block& q) {
        return alongCurve(p.coordinate) < alongCurve(q.coordinate);
    });
    blocks_ = std::move(kept);
    map_.clear();
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        map_.insert(blocks_[i].coordinate, static_cast<std::int32_t>(i));
    for (const auto& [coordinate, nodes] : keptNodes)
        if (const std::int32_t block = map_.find(coordinate); block >= 0)
            blocks_[block].keptNodes = nodes;
    executor_->parallelFor(blocks_.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
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
    frozenMassOf_.clear();
    asleep_ = 0;
    for (Block& block : blocks_)
        block.arena = block.nodes = -1;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block& block = blocks_[i];
        if (block.particles == 0)
            continue;
        asleep_ += block.state != BlockState::active;
        if (block.state == BlockState::passive)
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

    for (std::size_t i = 0; i < p.count; ++i) {
        BlockCoordinate c;
        float local[3];
        PointBatch point;
        point.count = 1;
        point.corner = {p.x[3 * i], p.x[3 * i + 1], p.x[3 * i + 2]};
        point.x[0][0] = point.x[1][0] = point.x[2][0] = 0;
        bool outside[PointBatch::kMax];
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
        const float stiffness = p.stiffnessScale ? p.stiffnessScale[i] : 1;
        const Layout layout = layoutOf(p.material, stiffness);
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
        if (layout != Layout::liquid)
            bin->rowAt(row::stiffness)[lane] = stiffness;
        bin->rowAt(row::id)[lane] = std::bit_cast<float>(nextId_++);
        if (p.state)
            bin->rowAt(row::state)[lane] = p.state[i];
        for (int k = 0; k < 9 && p.strain && !isLiquid(layout); ++k)
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
