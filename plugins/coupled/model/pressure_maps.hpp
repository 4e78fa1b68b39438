/// Pressures as three maps on blocks, which networks see: of fluid, solids and their interface.
#pragma once

#include "pressure_interface.h"
#include "system/pressure_system.hpp"

#include "floe/sdk/network/cpu_block_network.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::coupled {

inline constexpr int kMaps = 3; ///< fluid (and walls), solid, interface

inline Unknown kindOf(const floe_pressure_request& request, std::uint32_t row)
{
    std::size_t kind = 0;
    while (row >= request.first[kind + 1])
        ++kind;
    return static_cast<Unknown>(kind);
}

inline sdk::grid::BlockCoordinate blockOfRow(const floe_pressure_request& request,
                                             std::uint32_t row)
{
    using sdk::grid::blockOf;
    const std::int32_t* cell = request.cell + 3 * std::size_t{row};
    return {blockOf(cell[0]), blockOf(cell[1]), blockOf(cell[2])};
}
inline int cellOfRow(const floe_pressure_request& request, std::uint32_t row)
{
    using sdk::grid::placeOf;
    const std::int32_t* cell = request.cell + 3 * std::size_t{row};
    return sdk::grid::cellNumber(placeOf(cell[0]), placeOf(cell[1]), placeOf(cell[2]));
}

/// Returns the blocks that hold unknowns, in the order of their first rows.
inline sdk::network::BlockSet blocksOf(const floe_pressure_request& request)
{
    std::vector<sdk::grid::BlockCoordinate> blocks;
    sdk::grid::BlockMap known;
    for (std::uint32_t row = 0; row < request.rows; ++row)
        if (const auto block = blockOfRow(request, row); known.find(block) < 0) {
            known.insert(block, static_cast<std::int32_t>(blocks.size()));
            blocks.push_back(block);
        }
    return sdk::network::BlockSet(std::move(blocks));
}

/// Where the maps have the value of a row.
struct MapPlace {
    std::size_t block;
    int cell, map;
};
inline MapPlace placeOfRow(const sdk::network::BlockSet& blocks,
                           const floe_pressure_request& request, std::uint32_t row)
{
    const Unknown kind = kindOf(request, row);
    return {static_cast<std::size_t>(blocks.find(blockOfRow(request, row))),
            cellOfRow(request, row),
            kind == Unknown::solidPressure       ? 1
            : kind == Unknown::interfacePressure ? 2
                                                 : 0};
}

/// Scatters pressures to three maps: 0 where there is no unknown. Where a cell has several of one
/// map, that of the fluid counts, else that of the first axis.
/// @param fields  as floe_pressure_field
inline sdk::network::BlockTensor mapsOf(const sdk::network::BlockSet& blocks,
                                        const floe_pressure_field& fields)
{
    using sdk::grid::kBlockNodes;
    sdk::network::BlockTensor maps(blocks, sdk::grid::kBlockEdge, kMaps);
    constexpr std::size_t kCells = kBlockNodes;
    for (std::uint32_t from = 0; from < fields.block_count; ++from) {
        const std::int32_t* at = fields.block + 3 * std::size_t{from};
        const std::int32_t block = blocks.find({at[0], at[1], at[2]});
        if (block < 0)
            continue;
        const float* value = fields.value + std::size_t{from} * FLOE_PRESSURE_FIELDS * kCells;
        float* to = maps.block(static_cast<std::size_t>(block));
        constexpr int kOrder[kMaps][4] = {{1, 3, 4, 5}, {0, 0, 0, 0}, {2, 2, 2, 2}};
        for (std::size_t cell = 0; cell < kCells; ++cell)
            for (std::size_t map = 0; map < kMaps; ++map)
                for (const int field : kOrder[map]) {
                    const float p = value[static_cast<std::size_t>(field) * kCells + cell];
                    if (std::isnan(p))
                        continue;
                    to[cell * kMaps + map] = p;
                    break;
                }
    }
    return maps;
}

/// The same of the unknowns of a step.
/// @param x  by row
inline sdk::network::BlockTensor mapsOf(const sdk::network::BlockSet& blocks,
                                        const floe_pressure_request& request, const double* x)
{
    sdk::network::BlockTensor maps(blocks, sdk::grid::kBlockEdge, kMaps);
    // Backwards, by kinds and by axes within a kind's rows: what counts is written last.
    const auto write = [&](Unknown kind, int axis) {
        const auto k = static_cast<std::size_t>(kind);
        for (std::uint32_t row = request.first[k]; row < request.first[k + 1]; ++row)
            if (axis < 0 || request.axis[row] == axis) {
                const MapPlace at = placeOfRow(blocks, request, row);
                maps.block(at.block)[at.cell * kMaps + at.map] = static_cast<float>(x[row]);
            }
    };
    for (int axis = 2; axis >= 0; --axis)
        write(Unknown::wallPressure, axis);
    write(Unknown::fluidPressure, -1);
    write(Unknown::solidPressure, -1);
    write(Unknown::interfacePressure, -1);
    return maps;
}

/// N(x) = sign(x) lg(1 + |x|): what networks see of pressures in a unit.
inline float compressed(float x)
{
    return std::copysign(std::log10(1 + std::abs(x)), x);
}
inline double expanded(double y)
{
    return std::copysign(std::pow(10.0, std::abs(y)) - 1, y);
}

} // namespace floe::coupled
