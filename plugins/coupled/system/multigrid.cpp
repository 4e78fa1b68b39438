#include "multigrid.hpp"

#include <algorithm>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

constexpr std::size_t kGrain = 16; // blocks
constexpr std::size_t kMaxLevels = 16;
constexpr int kCoarsestSweeps = 12;

BlockCoordinate parentOf(const BlockCoordinate& block)
{
    return {block[0] >> 1, block[1] >> 1, block[2] >> 1};
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

void Multigrid::Level::finish(Executor& executor)
{
    beside.resize(blocks.size());
    inside.resize(blocks.size());
    forBlocks(blocks.size(), executor, [&](std::size_t b) {
        for (int o = 0; o < kOffsets; ++o)
            beside[b][static_cast<std::size_t>(o)] = map.find(neighbourOf(blocks[b], o));
        for (int c = 0; c < kBlockNodes; ++c) {
            float& whole = cells[b].at<Whole>(c);
            for (int side = 0; side < 6; ++side)
                whole += cells[b].at<Links>(c, side);
            cells[b].at<Inverse>(c) = whole > 0 ? 1 / whole : 0;
        }
    });
    forBlocks(blocks.size(), executor, [&](std::size_t b) {
        inside[b] = std::all_of(beside[b].begin(), beside[b].end(), [&](std::int32_t n) {
            if (n < 0)
                return false;
            const float* whole = &cells[static_cast<std::size_t>(n)].at<Whole>(0);
            return std::all_of(whole, whole + kBlockNodes, [](float a) { return a > 0; });
        });
    });
}

/// Copies the cells from `first` on, relative to a block's corner along each axis; 0 where there is
/// no block.
template <class Tag, int kEdge>
void Multigrid::load(const Level& level, const BlockCoordinate& block, int first,
                     float (&to)[kEdge][kEdge][kEdge])
{
    const int low = blockOf(first), high = blockOf(first + kEdge - 1);
    for (int i = low; i <= high; ++i)
        for (int j = low; j <= high; ++j)
            for (int k = low; k <= high; ++k) {
                const std::int32_t found =
                    level.map.find({block[0] + i, block[1] + j, block[2] + k});
                const float* from =
                    found < 0 ? nullptr : &level.cells[static_cast<std::size_t>(found)].at<Tag>(0);
                const auto begin = [&](int o) {
                    return std::max(kBlockEdge * o, first);
                };
                const auto end = [&](int o) {
                    return std::min(kBlockEdge * (o + 1), first + kEdge);
                };
                for (int x = begin(i); x < end(i); ++x)
                    for (int y = begin(j); y < end(j); ++y)
                        for (int z = begin(k); z < end(k); ++z)
                            to[x - first][y - first][z - first] =
                                from ? from[cellNumber(placeOf(x), placeOf(y), placeOf(z))] : 0;
            }
}

void Multigrid::makeFinest(const PressureSystem& system, Executor& executor)
{
    levels_.emplace_back();
    Level& level = levels_.back();
    const auto fluid = system.rows(Unknown::fluidPressure);
    const std::size_t first = fluid.first, last = fluid.last;
    const auto walls = system.rows(Unknown::wallPressure);
    const auto blockAt = [&](std::size_t row) {
        const Cell& c = system.cell(row);
        return BlockCoordinate{blockOf(c[0]), blockOf(c[1]), blockOf(c[2])};
    };
    std::vector<BlockCoordinate> all;
    for (std::size_t row = first; row < last; ++row)
        if (all.empty() || all.back() != blockAt(row))
            all.push_back(blockAt(row));
    std::sort(all.begin(), all.end(), [](const BlockCoordinate& a, const BlockCoordinate& b) {
        return mortonOrder(a) < mortonOrder(b);
    });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    level.blocks = std::move(all);
    for (std::size_t b = 0; b < level.blocks.size(); ++b)
        level.map.insert(level.blocks[b], static_cast<std::int32_t>(b));
    level.cells.resize(level.blocks.size());

    slots_.resize(last - first);
    const SparseRows& C = system.constraints();
    const SparseRows& CT = system.transpose();
    executor.parallelFor(slots_.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t row = first + i;
            const Cell& at = system.cell(row);
            const auto block = static_cast<std::size_t>(level.map.find(blockAt(row)));
            const int cell = cellNumber(placeOf(at[0]), placeOf(at[1]), placeOf(at[2]));
            slots_[i] =
                static_cast<std::uint32_t>(block * kBlockNodes) + static_cast<std::uint32_t>(cell);
            double links[6] = {}, rest = system.diagonal()[row];
            for (std::uint32_t k = C.start[row]; k < C.start[row + 1]; ++k) {
                const std::uint32_t v = C.column[k];
                const double push = system.mobility()[v] * C.value[k];
                double whole = push * C.value[k];
                bool closed = false;
                for (std::uint32_t j = CT.start[v]; j < CT.start[v + 1]; ++j) {
                    const std::size_t other = CT.column[j];
                    closed = closed || (other >= walls.first && other < walls.last);
                }
                for (std::uint32_t j = CT.start[v]; !closed && j < CT.start[v + 1]; ++j) {
                    const std::size_t other = CT.column[j];
                    if (other == row || other < first || other >= last)
                        continue;
                    const Cell& there = system.cell(other);
                    int side = -1, apart = 0;
                    for (std::size_t axis = 0; axis < 3; ++axis)
                        if (const int step = there[axis] - at[axis]) {
                            apart += std::abs(step);
                            side = 2 * static_cast<int>(axis) + (step > 0);
                        }
                    const double link = -push * CT.value[j];
                    if (apart == 1 && link > 0) {
                        links[side] += link;
                        whole -= link;
                    }
                }
                if (!closed)
                    rest += std::max(whole, 0.0);
            }
            for (int side = 0; side < 6; ++side)
                level.cells[block].at<Links>(cell, side) = static_cast<float>(links[side]);
            level.cells[block].at<Whole>(cell) = static_cast<float>(rest);
        }
    });
    level.finish(executor);
}

void Multigrid::makeCoarser(Executor& executor)
{
    const Level& fine = levels_.back();
    Level coarse;
    for (const BlockCoordinate& block : fine.blocks)
        if (coarse.blocks.empty() || coarse.blocks.back() != parentOf(block)) {
            coarse.map.insert(parentOf(block), static_cast<std::int32_t>(coarse.blocks.size()));
            coarse.blocks.push_back(parentOf(block)); // parents follow each other in Morton order
        }
    coarse.cells.resize(coarse.blocks.size());
    forBlocks(coarse.blocks.size(), executor, [&](std::size_t b) {
        const Block<Cells> to = coarse.cells[b];
        for (int child = 0; child < 8; ++child) {
            const int o[3] = {child >> 2, child >> 1 & 1, child & 1};
            const BlockCoordinate& parent = coarse.blocks[b];
            const std::int32_t found =
                fine.map.find({2 * parent[0] + o[0], 2 * parent[1] + o[1], 2 * parent[2] + o[2]});
            if (found < 0)
                continue;
            const Block<const Cells> from = fine.cells[static_cast<std::size_t>(found)];
            for (int c = 0; c < kBlockNodes; ++c) {
                if (!(from.at<Whole>(c) > 0))
                    continue;
                const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
                const int into =
                    cellNumber(2 * o[0] + at[0] / 2, 2 * o[1] + at[1] / 2, 2 * o[2] + at[2] / 2);
                float rest = from.at<Whole>(c);
                for (int side = 0; side < 6; ++side) {
                    const float link = from.at<Links>(c, side);
                    rest -= link;
                    if (at[side / 2] % 2 == side % 2) // leads out of the coarse cell
                        to.at<Links>(into, side) += 0.5f * link;
                }
                // Never 0 beside rounding: the cell is an unknown.
                to.at<Whole>(into) += 0.5f * std::max(rest, 1e-7f * from.at<Whole>(c));
            }
        }
    });
    coarse.finish(executor);
    levels_.push_back(std::move(coarse));
}

void Multigrid::prepare(const PressureSystem& system, Executor& executor)
{
    system_ = &system;
    diagonal_ = system.wholeDiagonal();
    levels_.clear();
    if (system.rows(Unknown::fluidPressure).size() == 0)
        return;
    makeFinest(system, executor);
    while (levels_.size() < kMaxLevels && levels_.back().blocks.size() > 1) {
        const std::size_t before = levels_.back().blocks.size();
        makeCoarser(executor);
        if (levels_.back().blocks.size() == before && levels_.size() > 4)
            break; // scattered drops, which do not meet on any level
    }
}

void Multigrid::relax(Level& level, int colour, Executor& executor)
{
    forBlocks(level.blocks.size(), executor, [&](std::size_t b) {
        const auto& beside = level.beside[b];
        const Block<Cells> cells = level.cells[b];
        const auto valuesBeside = [&](int dx, int dy, int dz) -> const float* {
            const std::int32_t n = beside[static_cast<std::size_t>(offsetNumber(dx, dy, dz))];
            return n < 0 ? nullptr : &level.cells[static_cast<std::size_t>(n)].at<Value>(0);
        };
        // The block's values, with those behind its faces.
        float u[6][6][6] = {};
        float* const own = &cells.at<Value>(0);
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y)
                for (int z = 0; z < 4; ++z)
                    u[x + 1][y + 1][z + 1] = own[cellNumber(x, y, z)];
        for (int side = 0; side < 2; ++side) {
            const int s = side ? 1 : -1, from = side ? 0 : 3, to = side ? 5 : 0;
            const float *nx = valuesBeside(s, 0, 0), *ny = valuesBeside(0, s, 0),
                        *nz = valuesBeside(0, 0, s);
            // Only values of the other colour: those of this one may be changing.
            for (int i = 0; i < 4; ++i)
                for (int j = (from + i + colour + 1) & 1; j < 4; j += 2) {
                    u[to][i + 1][j + 1] = nx ? nx[cellNumber(from, i, j)] : 0;
                    u[i + 1][to][j + 1] = ny ? ny[cellNumber(i, from, j)] : 0;
                    u[i + 1][j + 1][to] = nz ? nz[cellNumber(i, j, from)] : 0;
                }
        }
        const float* const right = &cells.at<Right>(0);
        const float* const inverse = &cells.at<Inverse>(0);
        const float* links[6];
        for (int side = 0; side < 6; ++side)
            links[side] = &cells.at<Links>(0, side);
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y)
                for (int z = (x + y + colour) & 1; z < 4; z += 2) {
                    const int c = cellNumber(x, y, z);
                    own[c] =
                        inverse[c] *
                        (right[c] + links[0][c] * u[x][y + 1][z + 1] +
                         links[1][c] * u[x + 2][y + 1][z + 1] + links[2][c] * u[x + 1][y][z + 1] +
                         links[3][c] * u[x + 1][y + 2][z + 1] + links[4][c] * u[x + 1][y + 1][z] +
                         links[5][c] * u[x + 1][y + 1][z + 2]);
                }
    });
}

void Multigrid::findRest(Level& level, Executor& executor)
{
    forBlocks(level.blocks.size(), executor, [&](std::size_t b) {
        const auto& beside = level.beside[b];
        const Block<Cells> cells = level.cells[b];
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y)
                for (int z = 0; z < 4; ++z) {
                    const int c = cellNumber(x, y, z);
                    const auto at = [&](int i, int j, int k) {
                        const std::int32_t n = beside[static_cast<std::size_t>(
                            offsetNumber(blockOf(i), blockOf(j), blockOf(k)))];
                        return n < 0 ? 0.0f
                                     : level.cells[static_cast<std::size_t>(n)].at<Value>(
                                           cellNumber(placeOf(i), placeOf(j), placeOf(k)));
                    };
                    cells.at<Rest>(c) = cells.at<Whole>(c) > 0
                                            ? cells.at<Right>(c) -
                                                  cells.at<Whole>(c) * cells.at<Value>(c) +
                                                  cells.at<Links>(c, 0) * at(x - 1, y, z) +
                                                  cells.at<Links>(c, 1) * at(x + 1, y, z) +
                                                  cells.at<Links>(c, 2) * at(x, y - 1, z) +
                                                  cells.at<Links>(c, 3) * at(x, y + 1, z) +
                                                  cells.at<Links>(c, 4) * at(x, y, z - 1) +
                                                  cells.at<Links>(c, 5) * at(x, y, z + 1)
                                            : 0;
                }
    });
}

/// The transpose of prolong().
void Multigrid::restrictRest(const Level& fine, Level& coarse, Executor& executor)
{
    forBlocks(coarse.blocks.size(), executor, [&](std::size_t b) {
        const BlockCoordinate& block = coarse.blocks[b];
        float rest[10][10][10], first[4][10][10], second[4][4][10];
        load<Rest>(fine, {2 * block[0], 2 * block[1], 2 * block[2]}, -1, rest);
        // Axis by axis, with the weights 1/4 3/4 3/4 1/4.
        const auto weigh = [](float a, float p, float q, float d) {
            return 0.25f * (a + d) + 0.75f * (p + q);
        };
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 10; ++y)
                for (int z = 0; z < 10; ++z)
                    first[x][y][z] = weigh(rest[2 * x][y][z], rest[2 * x + 1][y][z],
                                           rest[2 * x + 2][y][z], rest[2 * x + 3][y][z]);
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y)
                for (int z = 0; z < 10; ++z)
                    second[x][y][z] = weigh(first[x][2 * y][z], first[x][2 * y + 1][z],
                                            first[x][2 * y + 2][z], first[x][2 * y + 3][z]);
        const Block<Cells> cells = coarse.cells[b];
        for (int c = 0; c < kBlockNodes; ++c) {
            const float* const s = second[c >> 4][c >> 2 & 3] + 2 * (c & 3);
            cells.at<Right>(c) = cells.at<Whole>(c) > 0 ? weigh(s[0], s[1], s[2], s[3]) : 0;
            cells.at<Value>(c) = 0;
        }
        if (coarse.inside[b])
            return;
        // Weights of neighbours that are no unknowns count for the cell itself.
        float whole[6][6][6];
        load<Whole>(coarse, block, -1, whole);
        for (int c = 0; c < kBlockNodes; ++c) {
            const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
            if (!(cells.at<Whole>(c) > 0))
                continue;
            bool inside = true;
            for (int n = 0; n < kOffsets; ++n)
                inside = inside && whole[at[0] + n / 9][at[1] + n / 3 % 3][at[2] + n % 3] > 0;
            if (inside)
                continue;
            float returned = 0;
            for (int child = 0; child < 8; ++child) {
                const int o[3] = {child >> 2, child >> 1 & 1, child & 1};
                const float r =
                    rest[1 + 2 * at[0] + o[0]][1 + 2 * at[1] + o[1]][1 + 2 * at[2] + o[2]];
                for (int corner = 1; corner < 8; ++corner) {
                    int n[3];
                    float w = 1;
                    for (int axis = 0; axis < 3; ++axis) {
                        const bool beside = (corner >> axis & 1) != 0;
                        n[axis] = at[axis] + 1 + (beside ? 2 * o[axis] - 1 : 0);
                        w *= beside ? 0.25f : 0.75f;
                    }
                    if (!(whole[n[0]][n[1]][n[2]] > 0))
                        returned += w * r;
                }
            }
            cells.at<Right>(c) += returned;
        }
    });
}

/// Adds the coarse correction, interpolated linearly between the centres of coarse cells.
void Multigrid::prolong(const Level& coarse, Level& fine, Executor& executor)
{
    forBlocks(fine.blocks.size(), executor, [&](std::size_t b) {
        const BlockCoordinate& block = fine.blocks[b];
        const BlockCoordinate parent = parentOf(block);
        // Coarse cells 2 block - 1 to 2 block + 2, relative to the parent's corner.
        float value[4][4][4], whole[4][4][4];
        int low[3];
        for (std::size_t axis = 0; axis < 3; ++axis)
            low[axis] = 2 * (block[axis] & 1) - 1;
        for (int x = 0; x < 4; ++x)
            for (int y = 0; y < 4; ++y)
                for (int z = 0; z < 4; ++z) {
                    const int at[3] = {low[0] + x, low[1] + y, low[2] + z};
                    const std::int32_t found =
                        coarse.map.find({parent[0] + blockOf(at[0]), parent[1] + blockOf(at[1]),
                                         parent[2] + blockOf(at[2])});
                    const int c = cellNumber(placeOf(at[0]), placeOf(at[1]), placeOf(at[2]));
                    value[x][y][z] = whole[x][y][z] = 0;
                    if (found >= 0) {
                        const auto cells = coarse.cells[static_cast<std::size_t>(found)];
                        value[x][y][z] = cells.at<Value>(c);
                        whole[x][y][z] = cells.at<Whole>(c);
                    }
                }
        const Block<Cells> cells = fine.cells[b];
        for (int c = 0; c < kBlockNodes; ++c) {
            if (!(cells.at<Whole>(c) > 0))
                continue;
            const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
            int own[3], other[3];
            for (int axis = 0; axis < 3; ++axis) {
                own[axis] = 1 + at[axis] / 2;
                other[axis] = own[axis] + (at[axis] % 2 ? 1 : -1);
            }
            const float parentValue = value[own[0]][own[1]][own[2]];
            float sum = 0;
            for (int corner = 0; corner < 8; ++corner) {
                int n[3];
                float w = 1;
                for (int axis = 0; axis < 3; ++axis) {
                    const bool beside = (corner >> axis & 1) != 0;
                    n[axis] = beside ? other[axis] : own[axis];
                    w *= beside ? 0.25f : 0.75f;
                }
                sum += w * (whole[n[0]][n[1]][n[2]] > 0 ? value[n[0]][n[1]][n[2]] : parentValue);
            }
            cells.at<Value>(c) += sum;
        }
    });
}

void Multigrid::cycle(Executor& executor)
{
    const std::size_t last = levels_.size() - 1;
    for (std::size_t l = 0; l < last; ++l) {
        relax(levels_[l], 0, executor);
        relax(levels_[l], 1, executor);
        findRest(levels_[l], executor);
        restrictRest(levels_[l], levels_[l + 1], executor);
    }
    for (int sweep = 0; sweep < kCoarsestSweeps; ++sweep) {
        relax(levels_[last], 0, executor);
        relax(levels_[last], 1, executor);
    }
    for (int sweep = 0; sweep < kCoarsestSweeps; ++sweep) {
        relax(levels_[last], 1, executor);
        relax(levels_[last], 0, executor);
    }
    for (std::size_t l = last; l-- > 0;) {
        prolong(levels_[l + 1], levels_[l], executor);
        relax(levels_[l], 1, executor);
        relax(levels_[l], 0, executor);
    }
}

void Multigrid::apply(const std::vector<double>& r, std::vector<double>& z, Executor& executor)
{
    const auto fluid = system_->rows(Unknown::fluidPressure);
    const auto walls = system_->rows(Unknown::wallPressure);
    executor.parallelFor(r.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            z[i] = r[i] / diagonal_[i];
    });
    if (levels_.empty())
        return;
    const SparseRows& C = system_->constraints();
    const SparseRows& CT = system_->transpose();
    const auto& mobility = system_->mobility();
    /// Returns sum of A_ij z_j over the unknowns j of a range.
    const auto coupled = [&](std::size_t i, const PressureSystem::Range& range) {
        double sum = 0;
        for (std::uint32_t k = C.start[i]; k < C.start[i + 1]; ++k)
            for (std::uint32_t j = CT.start[C.column[k]]; j < CT.start[C.column[k] + 1]; ++j)
                if (CT.column[j] >= range.first && CT.column[j] < range.last)
                    sum += C.value[k] * mobility[C.column[k]] * CT.value[j] * z[CT.column[j]];
        return sum;
    };
    Level& finest = levels_.front();
    executor.parallelFor(fluid.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Block<Cells> cells = finest.cells[slots_[i] / kBlockNodes];
            const int c = static_cast<int>(slots_[i] % kBlockNodes);
            const double right =
                r[fluid.first + i] - (walls.size() ? coupled(fluid.first + i, walls) : 0.0);
            cells.at<Right>(c) = static_cast<float>(right);
            cells.at<Value>(c) = 0;
        }
    });
    cycle(executor);
    executor.parallelFor(fluid.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            z[fluid.first + i] = finest.cells[slots_[i] / kBlockNodes].at<Value>(
                static_cast<int>(slots_[i] % kBlockNodes));
    });
    executor.parallelFor(walls.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            z[walls.first + i] -= coupled(walls.first + i, fluid) / diagonal_[walls.first + i];
    });
}

} // namespace floe::coupled
