#include "particles.hpp"
#include "world.hpp"

#include <cmath>
#include <stdexcept>

namespace floe::mpm {

void check(const NewParticles& p, const SolverMaterial& material, double cellSize)
{
    const auto refuse = [&](std::size_t i, const char* what) {
        throw std::invalid_argument("new particle " + std::to_string(i) + " of material '" +
                                    material.name + "' has " + what);
    };
    const auto usable = [](float a) {
        return a > 0 && a < 1e30f;
    };
    for (std::size_t i = 0; i < p.count; ++i) {
        if (!isUsablePosition(p.x + 3 * i, cellSize))
            refuse(i, "a position that is not a number or too far from the origin");
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (p.v && !(std::abs(p.v[3 * i + axis]) < 1e8f))
                refuse(i, "a velocity that is not a number or absurdly large");
        if (!usable(p.volume[i]) || (p.stiffnessScale && !usable(p.stiffnessScale[i])) ||
            (p.densityScale && !usable(p.densityScale[i])))
            refuse(i, "a volume, stiffness or density factor that is not above zero");
    }
}

SelectedParticles::SelectedParticles(const NewParticles& all,
                                     const std::vector<std::uint8_t>& wanted)
    : view_(all)
{
    const auto take = [&](auto*& from, auto& to, std::size_t components) {
        for (std::size_t i = 0; from && i < all.count; ++i)
            if (wanted[i])
                to.insert(to.end(), from + components * i, from + components * (i + 1));
        from = from ? to.data() : nullptr;
    };
    take(view_.x, x_, 3);
    take(view_.v, v_, 3);
    take(view_.volume, volume_, 1);
    take(view_.stiffnessScale, stiffness_, 1);
    take(view_.densityScale, density_, 1);
    take(view_.strain, strain_, 9);
    take(view_.state, state_, 1);
    take(view_.place, place_, 1);
    view_.count = volume_.size();
}

} // namespace floe::mpm
