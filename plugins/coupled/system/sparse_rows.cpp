#include "sparse_rows.hpp"

namespace floe::coupled {

SparseRows SparseRows::transposed(std::size_t columns) const
{
    SparseRows other;
    other.start.assign(columns + 1, 0);
    other.column.resize(column.size());
    other.value.resize(value.size());
    for (const std::uint32_t c : column)
        ++other.start[c + 1];
    for (std::size_t c = 0; c < columns; ++c)
        other.start[c + 1] += other.start[c];
    std::vector<std::uint32_t> next(other.start.begin(), other.start.end() - 1);
    for (std::size_t r = 0; r < rows(); ++r)
        for (std::uint32_t k = start[r]; k < start[r + 1]; ++k) {
            const std::uint32_t at = next[column[k]]++;
            other.column[at] = static_cast<std::uint32_t>(r);
            other.value[at] = value[k];
        }
    return other;
}

} // namespace floe::coupled
