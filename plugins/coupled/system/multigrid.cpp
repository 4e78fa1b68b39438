#include "multigrid.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

constexpr std::size_t kGrain = 16; // blocks
constexpr std::size_t kMaxLevels = 16;
constexpr int kCoarsestSweeps = 12;
constexpr float kZeros[kBlockNodes] = {};

/// Four cells along z.
using Row = float __attribute__((vector_size(16)));
using Mask = std::int32_t __attribute__((vector_size(16)));

Row load(const float* from)
{
    Row row;
    std::memcpy(&row, from, sizeof row);
    return row;
}
void store(float* to, const Row& row)
{
    std::memcpy(to, &row, sizeof row);
}
Row all(float a)
{
    return Row{a, a, a, a};
}

/// Four rows along an axis at the centres of coarse cells, interpolated to the four fine cells in
/// the middle of them.
void interpolate(const Row& a, const Row& b, const Row& c, const Row& d, Row* fine, int stride)
{
    fine[0] = all(0.25f) * a + all(0.75f) * b;
    fine[stride] = all(0.75f) * b + all(0.25f) * c;
    fine[2 * stride] = all(0.25f) * b + all(0.75f) * c;
    fine[3 * stride] = all(0.75f) * c + all(0.25f) * d;
}
/// 4x4 rows of coarse cells to those of the fine cells in the middle of them.
void interpolate(const Row (&coarse)[16], Row (&fine)[16])
{
    Row alongZ[16], alongY[16];
    for (int n = 0; n < 16; ++n)
        alongZ[n] = all(0.75f) * __builtin_shufflevector(coarse[n], coarse[n], 1, 1, 2, 2) +
                    all(0.25f) * __builtin_shufflevector(coarse[n], coarse[n], 0, 2, 1, 3);
    for (int x = 0; x < 4; ++x)
        interpolate(alongZ[4 * x], alongZ[4 * x + 1], alongZ[4 * x + 2], alongZ[4 * x + 3],
                    alongY + 4 * x, 1);
    for (int y = 0; y < 4; ++y)
        interpolate(alongY[y], alongY[4 + y], alongY[8 + y], alongY[12 + y], fine + y, 4);
}

/// The transpose of interpolate().
void gather(const Row& a, const Row& b, const Row& c, const Row& d, Row* coarse, int stride)
{
    coarse[0] = all(0.25f) * a;
    coarse[stride] = all(0.75f) * (a + b) + all(0.25f) * c;
    coarse[2 * stride] = all(0.25f) * b + all(0.75f) * (c + d);
    coarse[3 * stride] = all(0.25f) * d;
}
void gather(const Row (&fine)[16], Row (&coarse)[16])
{
    Row alongX[16], alongY[16];
    for (int y = 0; y < 4; ++y)
        gather(fine[y], fine[4 + y], fine[8 + y], fine[12 + y], alongX + y, 4);
    for (int x = 0; x < 4; ++x)
        gather(alongX[4 * x], alongX[4 * x + 1], alongX[4 * x + 2], alongX[4 * x + 3],
               alongY + 4 * x, 1);
    constexpr Row kNear{0.25f, 0.75f, 0.75f, 0.25f}, kOther{0, 0.75f, 0.75f, 0},
        kFar{0, 0.25f, 0.25f, 0};
    for (int n = 0; n < 16; ++n)
        coarse[n] = kNear * __builtin_shufflevector(alongY[n], alongY[n], 0, 0, 3, 3) +
                    kOther * __builtin_shufflevector(alongY[n], alongY[n], 1, 1, 2, 2) +
                    kFar * __builtin_shufflevector(alongY[n], alongY[n], 2, 2, 1, 1);
}

BlockCoordinate blockAt(const Cell& c)
{
    return {blockOf(c[0]), blockOf(c[1]), blockOf(c[2])};
}

template <class Body>
void forBlocks(std::size_t count, Executor& executor, const Body& body)
{
    executor.parallelFor(count, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            body(b);
    });
}

} // namespace

// ---------------------------------------------------------------------------------------- levels

void Multigrid::Level::connect(Executor& executor)
{
    map.clear();
    map.reserve(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b)
        map.insert(blocks[b], static_cast<std::int32_t>(b));
    beside.resize(blocks.size());
    forBlocks(blocks.size(), executor, [&](std::size_t b) {
        for (int o = 0; o < kOffsets; ++o)
            beside[b][static_cast<std::size_t>(o)] = map.find(neighbourOf(blocks[b], o));
    });
    for (auto& colour : colours)
        colour.clear();
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
        colours[static_cast<std::size_t>((blocks[b][0] + blocks[b][1] + blocks[b][2]) & 1)]
            .push_back(b);
    cells.resize(blocks.size());
    loses.assign(blocks.size(), 0);
}

/// Makes the blocks of all levels and what leads from one to the other.
void Multigrid::makeLevels(std::vector<BlockCoordinate> blocks, Executor& executor)
{
    std::size_t count = 1;
    if (levels_.empty())
        levels_.resize(1);
    levels_[0].blocks = std::move(blocks);
    levels_[0].connect(executor);
    for (; count < kMaxLevels && levels_[count - 1].blocks.size() > 1; ++count) {
        if (levels_.size() == count)
            levels_.emplace_back();
        Level& fine = levels_[count - 1];
        Level& coarse = levels_[count];
        coarse.blocks.clear();
        fine.parent.clear();
        for (const BlockCoordinate& b : fine.blocks) {
            const BlockCoordinate parent{b[0] >> 1, b[1] >> 1, b[2] >> 1};
            if (coarse.blocks.empty() || coarse.blocks.back() != parent)
                coarse.blocks.push_back(parent); // parents follow each other in Morton order
            fine.parent.push_back(static_cast<std::uint32_t>(coarse.blocks.size() - 1));
        }
        coarse.connect(executor);
        coarse.finer.resize(coarse.blocks.size());
        forBlocks(coarse.blocks.size(), executor, [&](std::size_t b) {
            const BlockCoordinate& at = coarse.blocks[b];
            for (int n = 0; n < 64; ++n)
                coarse.finer[b][static_cast<std::size_t>(n)] = fine.map.find(
                    {2 * at[0] + n / 16 - 1, 2 * at[1] + n / 4 % 4 - 1, 2 * at[2] + n % 4 - 1});
        });
        if (coarse.blocks.size() == fine.blocks.size() && count > 3) {
            ++count; // scattered drops, which do not meet on any level
            break;
        }
    }
    levels_.resize(count);
}

void Multigrid::prepare(const ReducedSystem& system, Executor& executor)
{
    system_ = &system;
    const auto fluid = system.fluid();
    std::vector<std::pair<std::uint64_t, BlockCoordinate>> ordered;
    for (std::size_t row = fluid.first; row < fluid.last; ++row)
        if (const BlockCoordinate at = blockAt(system.system().cell(row));
            ordered.empty() || ordered.back().second != at)
            ordered.emplace_back(mortonOrder(at), at);
    std::sort(ordered.begin(), ordered.end());
    ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
    std::vector<BlockCoordinate> blocks;
    blocks.reserve(ordered.size());
    for (const auto& [order, at] : ordered)
        blocks.push_back(at);
    if (blocks.empty())
        levels_.clear();
    else if (levels_.empty() || levels_[0].blocks != blocks)
        makeLevels(std::move(blocks), executor);
    if (levels_.empty())
        return;
    fillFinest(executor);
    for (std::size_t l = 1; l < levels_.size(); ++l) {
        fillCoarser(levels_[l - 1], levels_[l], executor);
        findLost(levels_[l], levels_[l - 1], executor);
    }
}

void Multigrid::fillFinest(Executor& executor)
{
    Level& level = levels_[0];
    const auto fluid = system_->fluid();
    const SparseRows& C = system_->system().constraints();
    const SparseRows& CT = system_->system().transpose();
    forBlocks(level.blocks.size(), executor, [&](std::size_t b) {
        std::fill_n(&level.cells[b].at<Links>(0), 9 * kBlockNodes, 0.0f); // up to Value
    });
    slots_.resize(fluid.size());
    executor.parallelFor(slots_.size(), 4096, [&](std::size_t begin, std::size_t end) {
        BlockCoordinate block{};
        std::int32_t found = -1;
        for (std::size_t i = begin; i < end; ++i) {
            const Cell& at = system_->system().cell(fluid.first + i);
            if (found < 0 || block != blockAt(at)) {
                block = blockAt(at);
                found = level.map.find(block);
            }
            const int cell = cellNumber(placeOf(at[0]), placeOf(at[1]), placeOf(at[2]));
            slots_[i] = static_cast<std::uint32_t>(found * kBlockNodes + cell);
            const ReducedSystem::Stencil& stencil = system_->stencil(i);
            double links[6], rest = stencil.whole;
            for (std::size_t side = 0; side < 6; ++side) {
                links[side] = std::max(stencil.link[side], 0.0);
                rest -= links[side];
            }
            // Velocities of solids: what acts between cells that are not beside each other, or
            // pulls them together, counts as if towards air.
            const std::size_t row = fluid.first + i;
            for (std::uint32_t k = C.start[row]; k < C.start[row + 1] && system_->seesOther(i);
                 ++k) {
                const std::uint32_t v = C.column[k];
                if (!system_->isOther(v))
                    continue;
                const double push = system_->system().mobility()[v] * C.value[k];
                double whole = push * C.value[k];
                for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j) {
                    const std::size_t other = CT.column[j];
                    if (other < fluid.first || other >= fluid.last)
                        continue;
                    const int side = sideTowards(at, system_->system().cell(other));
                    const double link = -push * CT.value[j];
                    if (side >= 0 && link > 0) {
                        links[static_cast<std::size_t>(side)] += link;
                        whole -= link;
                    }
                }
                rest += std::max(whole, 0.0);
            }
            const Block to = level.block(found);
            for (int side = 0; side < 6; ++side)
                to.at<Links>(cell, side) = static_cast<float>(links[side]);
            // Never 0 beside rounding: the cell is an unknown.
            to.at<Whole>(cell) = static_cast<float>(std::max(rest, 1e-9 * stencil.whole));
        }
    });
    finish(level, executor);
}

void Multigrid::fillCoarser(const Level& fine, Level& coarse, Executor& executor)
{
    forBlocks(coarse.blocks.size(), executor, [&](std::size_t b) {
        const Block to = coarse.cells[b];
        std::fill_n(&to.at<Links>(0), 9 * kBlockNodes, 0.0f); // up to Value
        for (int child = 0; child < 8; ++child) {
            const int o[3] = {child >> 2, child >> 1 & 1, child & 1};
            const std::int32_t found =
                coarse.finer[b]
                            [static_cast<std::size_t>(16 * (o[0] + 1) + 4 * (o[1] + 1) + o[2] + 1)];
            if (found < 0)
                continue;
            const auto from = fine.cells[static_cast<std::size_t>(found)];
            for (int n = 0; n < 16; ++n) {
                const int x = n / 4, y = n % 4, c = 4 * n;
                const int into = cellNumber(2 * o[0] + x / 2, 2 * o[1] + y / 2, 2 * o[2]);
                Row links[6];
                Row rest = load(&from.at<Whole>(c));
                const Row least = all(1e-7f) * rest;
                for (int side = 0; side < 6; ++side) {
                    links[side] = load(&from.at<Links>(c, side));
                    rest -= links[side];
                }
                rest = rest > least ? rest : least; // never 0 beside rounding
                // Those that lead out of the coarse cell.
                const int sideX = x % 2, sideY = 2 + y % 2;
                for (int z = 0; z < 2; ++z) {
                    to.at<Links>(into + z, sideX) +=
                        0.5f * (links[sideX][2 * z] + links[sideX][2 * z + 1]);
                    to.at<Links>(into + z, sideY) +=
                        0.5f * (links[sideY][2 * z] + links[sideY][2 * z + 1]);
                    to.at<Links>(into + z, 4) += 0.5f * links[4][2 * z];
                    to.at<Links>(into + z, 5) += 0.5f * links[5][2 * z + 1];
                    to.at<Whole>(into + z) += 0.5f * (rest[2 * z] + rest[2 * z + 1]);
                }
            }
        }
    });
    finish(coarse, executor);
}

/// Makes diagonals of what remains of them without the links.
void Multigrid::finish(Level& level, Executor& executor)
{
    forBlocks(level.blocks.size(), executor, [&](std::size_t b) {
        const Block cells = level.cells[b];
        for (int c = 0; c < kBlockNodes; c += 4) {
            Row whole = load(&cells.at<Whole>(c));
            for (int side = 0; side < 6; ++side)
                whole += load(&cells.at<Links>(c, side));
            store(&cells.at<Whole>(c), whole);
            store(&cells.at<Inverse>(c), whole > 0.0f ? 1.0f / whole : all(0));
        }
    });
}

// ------------------------------------------------------------------------------------- transfers

namespace {

/// Rows of the coarse cells from one before a block to one behind it.
/// @param at  returns the 64 numbers of the coarse block at an offset from the block's parent, or
///            zeros
template <class At>
void loadCoarse(const BlockCoordinate& block, const At& at, Row (&rows)[16])
{
    int low[3]; // relative to the parent's corner
    for (std::size_t axis = 0; axis < 3; ++axis)
        low[axis] = 2 * (block[axis] & 1) - 1;
    for (int x = 0; x < 4; ++x)
        for (int y = 0; y < 4; ++y) {
            const int cx = low[0] + x, cy = low[1] + y;
            const int c = cellNumber(placeOf(cx), placeOf(cy), 0);
            const Row own = load(at(blockOf(cx), blockOf(cy), 0) + c);
            const Row next = load(at(blockOf(cx), blockOf(cy), low[2] < 0 ? -1 : 1) + c);
            rows[4 * x + y] = low[2] < 0 ? __builtin_shufflevector(next, own, 3, 4, 5, 6)
                                         : __builtin_shufflevector(own, next, 1, 2, 3, 4);
        }
}

} // namespace

void Multigrid::findLost(Level& coarse, Level& fine, Executor& executor)
{
    forBlocks(fine.blocks.size(), executor, [&](std::size_t b) {
        const auto& beside = coarse.beside[fine.parent[b]];
        Row rows[16], found[16];
        loadCoarse(
            fine.blocks[b],
            [&](int i, int j, int k) {
                const std::int32_t n = beside[static_cast<std::size_t>(offsetNumber(i, j, k))];
                return n < 0 ? kZeros : &coarse.block(n).at<Whole>(0);
            },
            rows);
        for (Row& row : rows)
            row = row > 0.0f ? all(1) : all(0);
        interpolate(rows, found);
        const Block cells = fine.cells[b];
        Mask any{};
        for (int n = 0; n < 16; ++n) {
            const Row lost =
                load(&cells.at<Whole>(4 * n)) > 0.0f ? all(1) - found[n] : all(0); // exact sums
            any |= lost > 0.0f;
            store(&cells.at<Lost>(4 * n), lost);
        }
        fine.loses[b] = (any[0] | any[1] | any[2] | any[3]) != 0;
    });
}

/// Sets Down from the residual of a block.
void Multigrid::restrictBlock(Level& level, std::size_t b)
{
    const auto& beside = level.beside[b];
    const Block cells = level.cells[b];
    const auto valuesBeside = [&](int dx, int dy, int dz) -> const float* {
        const std::int32_t n = beside[static_cast<std::size_t>(offsetNumber(dx, dy, dz))];
        return n < 0 ? kZeros : &level.block(n).at<Value>(0);
    };
    const float* const own = &cells.at<Value>(0);
    const float *const xBefore = valuesBeside(-1, 0, 0), *const xBehind = valuesBeside(1, 0, 0),
                       *const yBefore = valuesBeside(0, -1, 0),
                       *const yBehind = valuesBeside(0, 1, 0),
                       *const zBefore = valuesBeside(0, 0, -1),
                       *const zBehind = valuesBeside(0, 0, 1);
    Row rest[16], down[16];
    for (int x = 0; x < 4; ++x)
        for (int y = 0; y < 4; ++y) {
            const int c = cellNumber(x, y, 0);
            const Row u = load(own + c), before = all(zBefore[c + 3]), behind = all(zBehind[c]);
            rest[4 * x + y] =
                load(&cells.at<Right>(c)) - load(&cells.at<Whole>(c)) * u +
                (load(&cells.at<Links>(c, 0)) * load(x > 0 ? own + c - 16 : xBefore + c + 48) +
                 load(&cells.at<Links>(c, 1)) * load(x < 3 ? own + c + 16 : xBehind + c - 48)) +
                (load(&cells.at<Links>(c, 2)) * load(y > 0 ? own + c - 4 : yBefore + c + 12) +
                 load(&cells.at<Links>(c, 3)) * load(y < 3 ? own + c + 4 : yBehind + c - 12)) +
                (load(&cells.at<Links>(c, 4)) * __builtin_shufflevector(u, before, 4, 0, 1, 2) +
                 load(&cells.at<Links>(c, 5)) * __builtin_shufflevector(u, behind, 1, 2, 3, 4));
        }
    gather(rest, down);
    if (level.loses[b])
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y) {
                constexpr Row kMiddle{0, 1, 1, 0};
                const Row lost = load(&cells.at<Lost>(cellNumber(x, y, 0))) * rest[4 * x + y];
                down[4 * (1 + x / 2) + 1 + y / 2] +=
                    kMiddle * (__builtin_shufflevector(lost, lost, 0, 0, 2, 2) +
                               __builtin_shufflevector(lost, lost, 1, 1, 3, 3));
            }
    for (int n = 0; n < 16; ++n)
        store(&cells.at<Down>(4 * n), down[n]);
}

/// Sets the coarse right side to the residual, by the transpose of prolong(), and the coarse values
/// to 0.
void Multigrid::restrictRest(Level& fine, Level& coarse, Executor& executor)
{
    forBlocks(fine.blocks.size(), executor, [&](std::size_t b) { restrictBlock(fine, b); });
    forBlocks(coarse.blocks.size(), executor, [&](std::size_t b) {
        Row sums[16] = {};
        // Along each axis, fine block n of -1 to 2 gives to coarse cells 2 n - 1 to 2 n + 2.
        const auto low = [](int n) {
            return std::max(2 * n - 1, 0);
        };
        const auto high = [](int n) {
            return std::min(2 * n + 2, 3);
        };
        for (int n = 0; n < 64; ++n) {
            const std::int32_t found = coarse.finer[b][static_cast<std::size_t>(n)];
            if (found < 0)
                continue;
            const float* const down = &fine.block(found).at<Down>(0);
            const int i = n / 16 - 1, j = n / 4 % 4 - 1, k = n % 4 - 1;
            for (int x = low(i); x <= high(i); ++x)
                for (int y = low(j); y <= high(j); ++y) {
                    const Row row = load(down + cellNumber(x - 2 * i + 1, y - 2 * j + 1, 0));
                    Row& sum = sums[4 * x + y];
                    if (k == -1)
                        sum += __builtin_shufflevector(row, all(0), 3, 4, 4, 4);
                    else if (k == 0)
                        sum += __builtin_shufflevector(row, all(0), 1, 2, 3, 4);
                    else if (k == 1)
                        sum += __builtin_shufflevector(row, all(0), 4, 0, 1, 2);
                    else
                        sum += __builtin_shufflevector(row, all(0), 4, 4, 4, 0);
                }
        }
        const Block cells = coarse.cells[b];
        for (int n = 0; n < 16; ++n) {
            const Row whole = load(&cells.at<Whole>(4 * n));
            store(&cells.at<Right>(4 * n), whole > 0.0f ? sums[n] : all(0));
            store(&cells.at<Value>(4 * n), all(0));
        }
    });
}

/// Adds the coarse correction, interpolated linearly between the centres of coarse cells. Weights
/// of neighbours that are no unknowns count for the coarse cell itself.
void Multigrid::prolong(Level& coarse, Level& fine, Executor& executor)
{
    forBlocks(fine.blocks.size(), executor, [&](std::size_t b) {
        const auto& beside = coarse.beside[fine.parent[b]];
        Row rows[16], sums[16];
        loadCoarse(
            fine.blocks[b],
            [&](int i, int j, int k) {
                const std::int32_t n = beside[static_cast<std::size_t>(offsetNumber(i, j, k))];
                return n < 0 ? kZeros : &coarse.block(n).at<Value>(0);
            },
            rows);
        interpolate(rows, sums);
        const Block cells = fine.cells[b];
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y) {
                const int c = cellNumber(x, y, 0);
                const Row& parent = rows[4 * (1 + x / 2) + 1 + y / 2];
                Row sum = sums[4 * x + y];
                if (fine.loses[b])
                    sum += load(&cells.at<Lost>(c)) *
                           __builtin_shufflevector(parent, parent, 1, 1, 2, 2);
                const Row value = load(&cells.at<Value>(c));
                store(&cells.at<Value>(c), load(&cells.at<Whole>(c)) > 0.0f ? value + sum : value);
            }
    });
}

// ----------------------------------------------------------------------------------------- cycle

/// Relaxes the cells of a colour of a block, and then the others.
void Multigrid::relaxBlock(Level& level, std::size_t b, int colour)
{
    const auto& beside = level.beside[b];
    const Block cells = level.cells[b];
    const auto valuesBeside = [&](int dx, int dy, int dz) -> const float* {
        const std::int32_t n = beside[static_cast<std::size_t>(offsetNumber(dx, dy, dz))];
        return n < 0 ? kZeros : &level.block(n).at<Value>(0);
    };
    float* const own = &cells.at<Value>(0);
    const float *const xBefore = valuesBeside(-1, 0, 0), *const xBehind = valuesBeside(1, 0, 0),
                       *const yBefore = valuesBeside(0, -1, 0),
                       *const yBehind = valuesBeside(0, 1, 0),
                       *const zBefore = valuesBeside(0, 0, -1),
                       *const zBehind = valuesBeside(0, 0, 1);
    for (int half = 0; half < 2; ++half)
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y) {
                const int c = cellNumber(x, y, 0);
                const Row u = load(own + c), before = all(zBefore[c + 3]), behind = all(zBehind[c]);
                const Row sum =
                    load(&cells.at<Right>(c)) +
                    (load(&cells.at<Links>(c, 0)) * load(x > 0 ? own + c - 16 : xBefore + c + 48) +
                     load(&cells.at<Links>(c, 1)) * load(x < 3 ? own + c + 16 : xBehind + c - 48)) +
                    (load(&cells.at<Links>(c, 2)) * load(y > 0 ? own + c - 4 : yBefore + c + 12) +
                     load(&cells.at<Links>(c, 3)) * load(y < 3 ? own + c + 4 : yBehind + c - 12)) +
                    (load(&cells.at<Links>(c, 4)) * __builtin_shufflevector(u, before, 4, 0, 1, 2) +
                     load(&cells.at<Links>(c, 5)) * __builtin_shufflevector(u, behind, 1, 2, 3, 4));
                const Row relaxed = load(&cells.at<Inverse>(c)) * sum;
                store(own + c, (x + y + colour + half) % 2
                                   ? __builtin_shufflevector(u, relaxed, 0, 5, 2, 7)
                                   : __builtin_shufflevector(u, relaxed, 4, 1, 6, 3));
            }
}

/// One sweep; `back` is the transpose of one that is not.
void Multigrid::relax(Level& level, bool back, Executor& executor)
{
    for (std::size_t pass = 0; pass < 2; ++pass) {
        const auto& blocks = level.colours[back ? 1 - pass : pass];
        forBlocks(blocks.size(), executor,
                  [&](std::size_t n) { relaxBlock(level, blocks[n], back); });
    }
}

void Multigrid::cycle(Executor& executor)
{
    const std::size_t last = levels_.size() - 1;
    for (std::size_t l = 0; l < last; ++l) {
        relax(levels_[l], false, executor);
        restrictRest(levels_[l], levels_[l + 1], executor);
    }
    for (int sweep = 0; sweep < kCoarsestSweeps; ++sweep)
        relax(levels_[last], false, executor);
    for (int sweep = 0; sweep < kCoarsestSweeps; ++sweep)
        relax(levels_[last], true, executor);
    for (std::size_t l = last; l-- > 0;) {
        prolong(levels_[l + 1], levels_[l], executor);
        relax(levels_[l], true, executor);
    }
}

void Multigrid::apply(const std::vector<double>& r, std::vector<double>& z, Executor& executor)
{
    const auto fluid = system_->fluid();
    const std::vector<double>& diagonal = system_->diagonal();
    const auto byDiagonal = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            z[i] = r[i] / diagonal[i];
    };
    byDiagonal(0, fluid.first);
    byDiagonal(fluid.last, r.size());
    if (levels_.empty())
        return;
    Level& finest = levels_.front();
    executor.parallelFor(fluid.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Block cells = finest.cells[slots_[i] / kBlockNodes];
            const int c = static_cast<int>(slots_[i] % kBlockNodes);
            cells.at<Right>(c) = static_cast<float>(r[fluid.first + i]);
            cells.at<Value>(c) = 0;
        }
    });
    cycle(executor);
    executor.parallelFor(fluid.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            z[fluid.first + i] = finest.cells[slots_[i] / kBlockNodes].at<Value>(
                static_cast<int>(slots_[i] % kBlockNodes));
    });
}

} // namespace floe::coupled
