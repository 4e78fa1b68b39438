/// Sparse matrices by rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::coupled {

/// The entries of row r are column[k], value[k] for start[r] <= k < start[r + 1].
struct SparseRows {
    std::vector<std::uint32_t> start{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;

    std::size_t rows() const { return start.size() - 1; }
    /// Forgets the rows, not their memory.
    void clear()
    {
        start.assign(1, 0);
        column.clear();
        value.clear();
    }
    void add(std::uint32_t at, double number)
    {
        column.push_back(at);
        value.push_back(number);
    }
    /// Ends the row that add() filled.
    void endRow() { start.push_back(static_cast<std::uint32_t>(column.size())); }
    /// Returns row r times x.
    double times(std::size_t r, const double* x) const
    {
        double sum = 0;
        for (std::uint32_t k = start[r]; k < start[r + 1]; ++k)
            sum += value[k] * x[column[k]];
        return sum;
    }
    /// Returns the transpose; within its rows, columns ascend.
    SparseRows transposed(std::size_t columns) const;
};

} // namespace floe::coupled
