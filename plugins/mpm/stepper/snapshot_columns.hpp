/// The arrays of a snapshot that come together from several ranks.
#pragma once

#include "particles.hpp"
#include "sharing.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace floe::mpm {

/// The arrays of a snapshot, in the order of its fields.
struct Column {
    void* data;
    std::size_t bytes; ///< of a particle
};
inline std::vector<Column> columnsOf(const Snapshot& to)
{
    return {{to.x, 3 * sizeof *to.x},     {to.v, 3 * sizeof *to.v},
            {to.F, 9 * sizeof *to.F},     {to.C, 9 * sizeof *to.C},
            {to.J, sizeof *to.J},         {to.stress, 6 * sizeof *to.stress},
            {to.state, sizeof *to.state}, {to.volume, sizeof *to.volume},
            {to.mass, sizeof *to.mass},   {to.material, sizeof *to.material},
            {to.id, sizeof *to.id},       {to.activation, sizeof *to.activation},
            {to.rank, sizeof *to.rank}};
}

/// Returns a bit for each array that rank 0 wants: the others' are not written.
inline std::uint64_t wantedColumns(const Ranks& ranks, const std::vector<Column>& columns)
{
    std::int64_t wanted[] = {0};
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (ranks.rank() == 0 && columns[i].data)
            wanted[0] |= std::int64_t{1} << i;
    ranks.reduce(FLOE_RANKS_OR, std::span<std::int64_t>(wanted));
    return static_cast<std::uint64_t>(wanted[0]);
}

/// Memory of one rank's particles for the same fields.
struct OwnColumns {
    std::vector<std::vector<std::byte>> memory;
    Snapshot to;

    OwnColumns(const std::vector<Column>& columns, std::uint64_t wanted, std::size_t count)
        : memory(columns.size())
    {
        const auto at = [&](std::size_t i, auto*& pointer) {
            if (!(wanted >> i & 1))
                return;
            memory[i].resize(columns[i].bytes * count + alignof(std::uint64_t));
            pointer =
                reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(memory[i].data());
        };
        at(0, to.x);
        at(1, to.v);
        at(2, to.F);
        at(3, to.C);
        at(4, to.J);
        at(5, to.stress);
        at(6, to.state);
        at(7, to.volume);
        at(8, to.mass);
        at(9, to.material);
        at(10, to.id);
        at(11, to.activation);
        at(12, to.rank);
    }
};

} // namespace floe::mpm
