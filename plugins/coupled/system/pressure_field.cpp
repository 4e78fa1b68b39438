#include "pressure_field.hpp"

#include <cmath>
#include <limits>

namespace floe::coupled {

using namespace sdk::grid;

namespace {

BlockCoordinate blockAt(const Cell& cell)
{
    return {blockOf(cell[0]), blockOf(cell[1]), blockOf(cell[2])};
}

} // namespace

std::size_t PressureField::placeOf(std::int32_t block, Unknown kind, const Cell& cell, int axis)
{
    const int field = kind == Unknown::solidPressure       ? 0
                      : kind == Unknown::fluidPressure     ? 1
                      : kind == Unknown::interfacePressure ? 2
                                                           : 3 + axis;
    const int inBlock = cellNumber(sdk::grid::placeOf(cell[0]), sdk::grid::placeOf(cell[1]),
                                   sdk::grid::placeOf(cell[2]));
    return static_cast<std::size_t>(block) * kFloats +
           static_cast<std::size_t>(field * kBlockNodes + inBlock);
}

void PressureField::store(const PressureSystem& system, const std::vector<double>& x)
{
    clear();
    for (std::size_t row = 0; row < system.size(); ++row) {
        const BlockCoordinate block = blockAt(system.cell(row));
        std::int32_t index = map_.find(block);
        if (index < 0) {
            index = static_cast<std::int32_t>(blocks_.size());
            map_.insert(block, index);
            blocks_.push_back(block);
            values_.resize(values_.size() + kFloats, std::numeric_limits<float>::quiet_NaN());
        }
        const auto kind = row < system.rows(Unknown::fluidPressure).first  ? Unknown::solidPressure
                          : row < system.rows(Unknown::wallPressure).first ? Unknown::fluidPressure
                          : row < system.rows(Unknown::interfacePressure).first
                              ? Unknown::wallPressure
                              : Unknown::interfacePressure;
        values_[placeOf(index, kind, system.cell(row), system.axis(row))] =
            static_cast<float>(x[row]);
    }
}

float PressureField::at(Unknown kind, const Cell& cell, int axis) const
{
    const std::int32_t index = map_.find(blockAt(cell));
    return index < 0 ? std::numeric_limits<float>::quiet_NaN()
                     : values_[placeOf(index, kind, cell, axis)];
}

std::vector<double> startOf(const PressureSystem& system, StartVector start,
                            const PressureField& last, const PressureField& before, double ratio,
                            Executor& executor)
{
    std::vector<double> x(system.size(), 0.0);
    if (start == StartVector::zero)
        return x;
    for (std::size_t k = 0; k < kUnknowns; ++k) {
        const auto kind = static_cast<Unknown>(k);
        const auto [first, end] = system.rows(kind);
        executor.parallelFor(end - first, 1024, [&, from = first](std::size_t a, std::size_t b) {
            for (std::size_t row = from + a; row < from + b; ++row) {
                const float p = last.at(kind, system.cell(row), system.axis(row));
                if (std::isnan(p))
                    continue;
                x[row] = p;
                if (start == StartVector::last)
                    continue;
                const float q = before.at(kind, system.cell(row), system.axis(row));
                if (!std::isnan(q))
                    x[row] += ratio * (p - q);
            }
        });
    }
    return x;
}

} // namespace floe::coupled
