/// The four pressures as cell data on one lattice: what one step leaves for the next one's start.
#pragma once

#include "pressure_system.hpp"

#include "floe/sdk/grid/block_map.hpp"

#include <vector>

namespace floe::coupled {

/// Which pressures a solve begins from.
enum class StartVector { zero, last, extrapolated };

/// Pressures [Pa] by cell: p_s, p_f, h, and y of the lower x-, y- and z-face. Not a number where
/// there was no unknown.
class PressureField {
public:
    /// Keeps the solution of a system.
    void store(const PressureSystem& system, const std::vector<double>& x);
    float at(Unknown kind, const Cell& cell, int axis) const;
    const std::vector<sdk::grid::BlockCoordinate>& blocks() const { return blocks_; }
    /// Six fields of 64 floats a block: p_s, p_f, h, y of x, y and z.
    const std::vector<float>& values() const { return values_; }
    void clear() { *this = {}; }

    template <class Writer>
    void save(Writer& writer) const
    {
        writer.array(blocks_);
        writer.array(values_);
    }
    /// @return false: what was saved is damaged
    template <class Reader>
    bool load(Reader& reader)
    {
        clear();
        blocks_ = reader.template array<sdk::grid::BlockCoordinate>();
        values_ = reader.template array<float>();
        for (const auto& block : blocks_) {
            if (map_.find(block) >= 0)
                return false;
            map_.insert(block, static_cast<std::int32_t>(map_.size()));
        }
        return values_.size() == blocks_.size() * kFloats;
    }

private:
    static constexpr std::size_t kFields = 6;
    static constexpr std::size_t kFloats = kFields * sdk::grid::kBlockNodes; ///< of a block
    static std::size_t placeOf(std::int32_t block, Unknown kind, const Cell& cell, int axis);

    std::vector<sdk::grid::BlockCoordinate> blocks_;
    sdk::grid::BlockMap map_;
    std::vector<float> values_;
};

/// Returns the pressures that a solve begins from.
/// @param last, before  of the last step and of the one before it
/// @param ratio         length of the coming step to that of the last: how far to extrapolate
std::vector<double> startOf(const PressureSystem& system, StartVector start,
                            const PressureField& last, const PressureField& before, double ratio,
                            Executor& executor);

} // namespace floe::coupled
