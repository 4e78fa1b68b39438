#pragma once

/// Cloth and ropes, as solver/sheets.cpp solves them: a block takes rows or parts of one sheet; a
/// thread takes a rope's elimination, which goes from end to end.

#include "joint_kernels.cuh"

#include "solver/sheet_rules.hpp"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// What conjugate gradients of a cloth have come to.
struct ClothSolve {
    double scale; ///< the largest start of the substep's solves
    double size;  ///< of the residual
    double step, forth;
    std::uint32_t done;
    std::uint32_t all, left; ///< as Sheets::Solves, since the host has asked
};

/// A cloth or rope.
struct DeviceSheet {
    SheetRows rows;
    std::uint32_t body, first; ///< of the scene
    float damping;             ///< [1/s]
    float tear;                ///< strain; 0: never
    std::uint32_t* torn;       ///< SheetRows::torn
    double area;               ///< of a cloth
    Vec3d shift;               ///< of the present solve: see takeMove()
    std::uint32_t pushed;      ///< of a rope: something pushes it
    // Of a rope:
    double* banded;           ///< as BandedSolve::solve()
    std::uint32_t touchBegin; ///< its first particle among those of ropes
    // Of a cloth, of its rows:
    Vec3d *residual, *direction, *product, *scaled;
    Mat3d* inverse;
    double* sums; ///< of kThreads rows each
    ClothSolve* solve;
};

/// What a block takes: at most kThreads of a sheet's rows, parts or edges.
struct SheetBlock {
    std::uint32_t sheet, first, last;
};
/// Some of them.
struct SheetBlocks {
    const SheetBlock* block;
    DeviceSheet* sheets;

    __device__ DeviceSheet& sheet() const { return sheets[block[blockIdx.x].sheet]; }
    __device__ std::uint32_t own() const { return block[blockIdx.x].first + threadIdx.x; }
    __device__ bool isIn() const { return own() < block[blockIdx.x].last; }
    __device__ std::uint32_t part() const { return block[blockIdx.x].first / kThreads; }
};

/// Particles of sheets that joints hold, in the order in which sheets are solved.
struct SheetTies {
    std::uint32_t count;
    JointTie* tie;
    const std::uint32_t *sheet, *row;
    const std::uint32_t *begin, *candidate; ///< twice the joint, and 1: its second side
    std::uint32_t* tieOf;                   ///< SheetRows::tie of all
    const std::uint32_t* place;             ///< in tieOf
};

/// Before the iterations of a substep.
__global__ void beginSheets(SheetBlocks blocks)
{
    const DeviceSheet& sheet = blocks.sheet();
    const std::uint32_t i = blocks.own();
    if (!blocks.isIn())
        return;
    sheet.rows.exerted[i] = {0, 0, 0};
    if (i == 0)
        sheet.solve->scale = 0;
}
/// The first joint of each tied particle that makes it one with what it is tied to.
__global__ void findTies(Matter matter, DeviceJoints joints, SheetTies ties)
{
    const std::uint32_t t = threadNumber();
    if (t >= ties.count)
        return;
    std::uint32_t found = kNoTie;
    JointTie& tie = ties.tie[t];
    for (std::uint32_t c = ties.begin[t]; c < ties.begin[t + 1] && found == kNoTie; ++c) {
        const Joint& joint = joints.joint[ties.candidate[c] / 2];
        if (joint.broken)
            continue;
        tie.joint = ties.candidate[c] / 2;
        tie.second = ties.candidate[c] & 1;
        if (tieSides(endOf(matter, joint.a), endOf(matter, joint.b), tie))
            found = t;
    }
    ties.tieOf[ties.place[t]] = found;
}
__global__ void beginRows(Matter matter, SheetBlocks blocks, bool first)
{
    const DeviceSheet& sheet = blocks.sheet();
    const std::uint32_t k = blocks.own(), i = sheet.first + k;
    if (blocks.isIn())
        beginRow(sheet.rows, k, matter.x[i] - matter.bodyOf[sheet.body].state.x,
                 toDouble(matter.predicted.particle[i]), first);
}
__global__ void findPulls(SheetBlocks blocks)
{
    const DeviceSheet& sheet = blocks.sheet();
    if (blocks.isIn())
        findPull(sheet.rows, blocks.own());
}
__global__ void assembleRows(SheetBlocks blocks, double dt)
{
    const DeviceSheet& sheet = blocks.sheet();
    if (blocks.isIn())
        assembleRow(sheet.rows, blocks.own(), dt);
}

/// A rope a block, by one thread.
__global__ void solveRopes(Matter matter, SurfaceContacts contacts, DeviceSheet* ropes,
                           RopeTouch* touches)
{
    if (threadIdx.x > 0)
        return;
    DeviceSheet& rope = ropes[blockIdx.x];
    RopeSolve solve(rope.rows, touches + std::size_t{rope.touchBegin} * contacts.room);
    for (std::uint32_t k = 0; k < rope.rows.A.count; ++k) {
        const std::uint32_t i = rope.first + k;
        for (std::uint32_t s = 0; s < contacts.count[i]; ++s)
            solve.add(k, contacts.contact[i * contacts.room + s], matter.predicted.particle[i]);
    }
    solve.solve(rope.banded);
    rope.pushed = solve.isFree() ? 0 : 1;
}

// Conjugate gradients of all cloth at once, each with its own numbers.

__device__ void sumRows(const DeviceSheet& sheet, std::uint32_t part, double value)
{
    FLOE_SHARED(double, partial, kThreads);
    const double sum = BlockSums{&partial[0]}.of(value);
    if (threadIdx.x == 0)
        sheet.sums[part] = sum;
}
/// Sum over a cloth: all threads of its block get it.
__device__ double sumOf(const DeviceSheet& sheet)
{
    FLOE_SHARED(double, partial, kThreads);
    double sum = 0;
    for (std::uint32_t part = threadIdx.x; part * kThreads < sheet.rows.A.count; part += kThreads)
        sum += sheet.sums[part];
    return BlockSums{&partial[0]}.of(sum);
}
__global__ void beginGradients(SheetBlocks blocks)
{
    const DeviceSheet& sheet = blocks.sheet();
    const std::uint32_t i = blocks.own();
    double own = 0;
    if (blocks.isIn()) {
        const Mat3d inverse = inverseOf(sheet.rows.A.diagonalOf(i));
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                sheet.inverse[i][row][column] = inverse[row][column];
        sheet.rows.move[i] = sheet.direction[i] = {0, 0, 0};
        const Vec3d residual = sheet.rows.right[i], scaled = inverse * residual;
        sheet.residual[i] = residual;
        sheet.scaled[i] = scaled;
        own = physics::dot(residual, scaled);
    }
    sumRows(sheet, blocks.part(), own);
}
__device__ bool isSolved(const ClothSolve& solve)
{
    return !(solve.size > kSheetTolerance * kSheetTolerance * solve.scale);
}
/// A block for each cloth.
__global__ void beginSteps(DeviceSheet* cloths)
{
    const DeviceSheet& sheet = cloths[blockIdx.x];
    const double size = sumOf(sheet);
    if (threadIdx.x > 0)
        return;
    ClothSolve& solve = *sheet.solve;
    solve.size = size;
    solve.scale = solve.scale < size ? size : solve.scale;
    solve.forth = 0;
    solve.done = isSolved(solve);
}
__global__ void turnDirections(SheetBlocks blocks)
{
    const DeviceSheet& sheet = blocks.sheet();
    const std::uint32_t i = blocks.own();
    if (blocks.isIn() && !sheet.solve->done)
        sheet.direction[i] = sheet.scaled[i] + sheet.solve->forth * sheet.direction[i];
}
__global__ void findProducts(SheetBlocks blocks)
{
    const DeviceSheet& sheet = blocks.sheet();
    if (sheet.solve->done)
        return;
    const std::uint32_t i = blocks.own();
    double own = 0;
    if (blocks.isIn()) {
        const Vec3d product = sheet.rows.A.times(i, sheet.direction);
        sheet.product[i] = product;
        own = physics::dot(sheet.direction[i], product);
    }
    sumRows(sheet, blocks.part(), own);
}
/// A block for each cloth.
__global__ void findSteps(DeviceSheet* cloths)
{
    const DeviceSheet& sheet = cloths[blockIdx.x];
    if (sheet.solve->done)
        return;
    const double along = sumOf(sheet);
    if (threadIdx.x > 0)
        return;
    if (along > 0)
        sheet.solve->step = sheet.solve->size / along;
    else
        sheet.solve->done = 1;
}
__global__ void takeSteps(SheetBlocks blocks)
{
    const DeviceSheet& sheet = blocks.sheet();
    if (sheet.solve->done)
        return;
    const std::uint32_t i = blocks.own();
    const double step = sheet.solve->step;
    double own = 0;
    if (blocks.isIn()) {
        sheet.rows.move[i] = sheet.rows.move[i] + step * sheet.direction[i];
        const Vec3d residual = sheet.residual[i] - step * sheet.product[i],
                    scaled = sheet.inverse[i] * residual;
        sheet.residual[i] = residual;
        sheet.scaled[i] = scaled;
        own = physics::dot(residual, scaled);
    }
    sumRows(sheet, blocks.part(), own);
}
/// A block for each cloth.
__global__ void endSteps(DeviceSheet* cloths)
{
    const DeviceSheet& sheet = cloths[blockIdx.x];
    if (sheet.solve->done)
        return;
    const double left = sumOf(sheet);
    if (threadIdx.x > 0)
        return;
    ClothSolve& solve = *sheet.solve;
    solve.forth = left / solve.size;
    solve.size = left;
    solve.done = isSolved(solve);
}
/// A thread for each cloth.
__global__ void endGradients(DeviceSheet* cloths, std::uint32_t count)
{
    const std::uint32_t c = threadNumber();
    if (c >= count)
        return;
    ClothSolve& solve = *cloths[c].solve;
    ++solve.all;
    solve.left += solve.size > kSheetFarOff * kSheetFarOff * solve.scale;
}

/// What everything together still has to take: a block for each sheet.
__global__ void findShifts(DeviceSheet* sheets)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    DeviceSheet& sheet = sheets[blockIdx.x];
    const SheetRows& rows = sheet.rows;
    double held = sheet.pushed;
    for (std::uint32_t i = threadIdx.x; i < rows.A.count; i += kThreads)
        held += rows.held[i];
    held = sums.of(held);
    if (threadIdx.x == 0)
        sheet.shift = {0, 0, 0};
    if (held > 0)
        return;
    Mat3d mass{};
    Vec3d left{0, 0, 0};
    for (std::uint32_t i = threadIdx.x; i < rows.A.count; i += kThreads) {
        const Mat3d own = rows.massOf(i);
        mass = mass + own;
        left = left + leftOf(rows, i, own);
    }
    mass = sums.of(mass);
    left = sums.of(left);
    if (threadIdx.x == 0)
        sheet.shift = inverseOf(mass) * left;
}
__global__ void takeMoves(Matter matter, SheetBlocks blocks)
{
    const DeviceSheet& sheet = blocks.sheet();
    const std::uint32_t k = blocks.own();
    if (blocks.isIn() && !sheet.rows.held[k])
        takeMove(sheet.rows, k, sheet.shift, matter.predicted.particle[sheet.first + k]);
}
/// What particles are tied to takes its part, one after the other: by one thread.
/// @param first, last  of ties  @param ropes  of these alone
__global__ void passTies(Matter matter, DeviceJoints joints, SheetTies ties,
                         const DeviceSheet* sheets, std::uint32_t first, std::uint32_t last,
                         bool ropes)
{
    if (threadIdx.x > 0)
        return;
    for (std::uint32_t t = first; t < last; ++t) {
        const DeviceSheet& sheet = sheets[ties.sheet[t]];
        const std::uint32_t k = ties.row[t];
        const JointTie* tie = sheet.rows.tieOf(k);
        if (!tie || sheet.rows.held[k] || (ropes && !sheet.rows.rope))
            continue;
        const Joint& joint = joints.joint[tie->joint];
        const Vec3d impulse = sheet.rows.massOf(k) * (sheet.rows.move[k] + sheet.shift);
        passOn(*tie, endOf(matter, tie->second ? joint.a : joint.b), impulse,
               joints.multiplier[tie->joint]);
    }
}

/// Wind on cloth. @param change  of each particle's velocity, were it carried along [m/s]
__global__ void blowOnFaces(Matter matter, SheetBlocks blocks, const Vec3f* change)
{
    const DeviceSheet& sheet = blocks.sheet();
    const SheetRows& rows = sheet.rows;
    const std::uint32_t k = blocks.own(), i = sheet.first + k;
    if (!blocks.isIn() || rows.rope || matter.isHeld(i))
        return;
    Vec3f v = matter.v[i];
    for (std::uint32_t s = rows.begin[k]; s < rows.begin[k + 1]; ++s) {
        const std::uint32_t part = rows.shares[s].part;
        if (rows.torn[part])
            continue;
        const std::uint32_t* at = elementsOf(rows.triangles[part].at);
        const std::uint32_t a = sheet.first + at[0], b = sheet.first + at[1],
                            c = sheet.first + at[2];
        const Vec3f mean = (1.0f / 3) * (change[a] + change[b] + change[c]);
        const auto third = static_cast<float>(matter.bodyOf[sheet.body].mass *
                                              areaOf(rows.triangles[part]) / (3 * sheet.area));
        v = v + (1 / matter.mass[i]) *
                    facePush(matter.x[b] - matter.x[a], matter.x[c] - matter.x[a], mean, third);
    }
    matter.v[i] = v;
}

/// Centres after a substep: a block for each sheet.
__global__ void findCentres(Matter matter, const DeviceSheet* sheets, double dt)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const DeviceSheet& sheet = sheets[blockIdx.x];
    DeviceBody& body = matter.bodyOf[sheet.body];
    Vec3d center{0, 0, 0};
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
        center = center + double{body.rest[k].mass} * matter.x[body.first + k];
    center = (1 / body.mass) * sums.of(center);
    if (threadIdx.x > 0)
        return;
    body.state.v = (1 / dt) * (center - body.state.x);
    body.state.x = center;
}
/// Relative velocity along edges of one group, which have no particle in common.
/// @param edge  numbers of edges, which blocks count
__global__ void dampEdges(Matter matter, SheetBlocks blocks, const std::uint32_t* edge, double dt)
{
    const DeviceSheet& sheet = blocks.sheet();
    if (!blocks.isIn())
        return;
    const std::uint32_t k = edge[blocks.own()];
    if (sheet.rows.rope && sheet.rows.torn[k])
        return;
    const std::uint32_t* at = elementsOf(sheet.rows.edges[k].at);
    const std::uint32_t i = sheet.first + at[0], j = sheet.first + at[1];
    const auto share = static_cast<float>(1 - std::exp(-sheet.damping * dt));
    dampEdge(toFloat(matter.x[j] - matter.x[i]), share, 1 / matter.mass[i], 1 / matter.mass[j],
             matter.v[i], matter.v[j]);
}
__global__ void tearParts(Matter matter, SheetBlocks blocks, Counts* counts)
{
    const DeviceSheet& sheet = blocks.sheet();
    const SheetRows& rows = sheet.rows;
    const std::uint32_t part = blocks.own();
    if (!blocks.isIn() || !(sheet.tear > 0) || rows.torn[part])
        return;
    const auto from = [&](std::uint32_t i, std::uint32_t j) {
        return matter.x[sheet.first + j] - matter.x[sheet.first + i];
    };
    double strain = 0;
    if (rows.rope) {
        const std::uint32_t* at = elementsOf(rows.edges[part].at);
        strain = strainOf(rows.edges[part], from(at[0], at[1]));
    } else {
        const std::uint32_t* at = elementsOf(rows.triangles[part].at);
        strain = strainOf(rows.triangles[part], from(at[0], at[1]), from(at[0], at[2]));
    }
    if (!(strain > double{sheet.tear}))
        return;
    sheet.torn[part] = 1;
    atomicAdd(&counts->tore, 1u);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
