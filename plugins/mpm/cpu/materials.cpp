#include "materials.hpp"

#include <cstring>

namespace floe::mpm {

void MaterialTable::set(std::span<const SolverMaterial> materials)
{
    materials_.assign(materials.begin(), materials.end());
    kernels_.resize(materials_.size());
    sound_.resize(materials_.size());
    liquids_ = whole_ = tense_ = false;
    for (std::size_t i = 0; i < materials_.size(); ++i) {
        SolverMaterial& m = materials_[i];
        std::memcpy(kernels_[i].law, &m.law, sizeof m.law);
        kernels_[i].custom = m.custom.get();
        kernels_[i].whole = m.staysWhole;
        whole_ = whole_ || m.staysWhole;
        if (!m.custom)
            m.initialState[0] =
                physics::visitLaw(m.law, [](const auto& law) { return law.initialState(); });
        liquids_ = liquids_ || (!m.custom && m.law.isLiquid());
        tense_ = tense_ || isTense(m);
        sound_[i] = mpm::soundSpeed(m);
    }
}

Layout MaterialTable::layoutOf(std::uint16_t material, float stiffness, bool dropsAffine) const
{
    const SolverMaterial& m = materials_[material];
    if (m.staysWhole)
        return Layout::whole;
    if (m.custom || !m.law.isLiquid())
        return m.custom ? Layout::custom : Layout::solid;
    if (isTense(m))
        return Layout::tenseLiquid;
    return stiffness == 1 && dropsAffine ? Layout::liquid : Layout::fullLiquid;
}

} // namespace floe::mpm
