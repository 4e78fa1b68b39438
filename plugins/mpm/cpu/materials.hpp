/// The solver's materials in the form that kernels read.
#pragma once

#include "kernels.hpp"
#include "settings.hpp"

#include <span>
#include <vector>

namespace floe::mpm {

class MaterialTable {
public:
    void set(std::span<const SolverMaterial> materials);

    std::size_t size() const { return materials_.size(); }
    const SolverMaterial& operator[](std::size_t m) const { return materials_[m]; }
    const KernelMaterial* kernels() const { return kernels_.data(); }
    const float* initialState(std::size_t m) const { return materials_[m].initialState; }
    float soundSpeed(std::size_t m) const { return sound_[m]; } ///< at rest [m/s]
    bool anyLiquid() const { return liquids_; }
    bool anyWhole() const { return whole_; } ///< SolverMaterial::staysWhole
    bool anyTense() const { return tense_; } ///< a liquid with surface tension
    /// Returns how particles of a material are stored. @param dropsAffine  liquids keep no C
    Layout layoutOf(std::uint16_t material, float stiffness, bool dropsAffine) const;

private:
    std::vector<SolverMaterial> materials_;
    std::vector<KernelMaterial> kernels_;
    std::vector<float> sound_;
    bool liquids_ = false;
    bool whole_ = false;
    bool tense_ = false;
};

} // namespace floe::mpm
