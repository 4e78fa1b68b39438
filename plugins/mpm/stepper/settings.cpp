#include "settings.hpp"

#include <cmath>
#include <stdexcept>

namespace floe::mpm {

namespace {

bool positive(double a)
{
    return std::isfinite(a) && a > 0;
}

bool isFriction(double a)
{
    return std::isfinite(a) && a >= 0;
}

} // namespace

void check(const SolverSettings& s)
{
    if (!positive(s.cellSize) || !positive(s.advectionLimit) || s.advectionLimit > 1 ||
        !positive(s.materialLimit) || s.materialLimit > 1 || !positive(s.longestStep) ||
        !positive(s.shortestStep) || !positive(s.guardMemory) ||
        !std::isfinite(s.gravity.x + s.gravity.y + s.gravity.z) || !(s.flip >= 0 && s.flip <= 1) ||
        !(s.implicitReach >= 1) || !positive(s.solveTolerance) || s.solveTolerance >= 1 ||
        s.solveIterations < 1)
        throw std::invalid_argument("the solver's cell size, gravity, FLIP share, step limits or "
                                    "guard memory are out of range");
}

bool isTense(const SolverMaterial& m)
{
    return !m.custom && m.law.isLiquid() && m.law.liquid.surfaceTension > 0;
}

float soundSpeed(const SolverMaterial& m)
{
    const double modulus =
        m.custom ? m.custom->waveModulus
                 : physics::visitLaw(m.law, [](const auto& law) { return law.restModulus(); });
    return static_cast<float>(std::sqrt(modulus / m.law.density));
}

void setFriction(std::span<SolverMaterial> materials, std::uint16_t a, std::uint16_t b,
                 double friction)
{
    for (SolverMaterial& m : materials) {
        if (m.surface == a)
            m.frictionWith.push_back({b, friction});
        else if (m.surface == b)
            m.frictionWith.push_back({a, friction});
    }
}

double frictionBetween(const SolverMaterial& a, const SolverMaterial& b)
{
    for (std::size_t i = a.frictionWith.size(); i-- > 0;)
        if (a.frictionWith[i].surface == b.surface)
            return a.frictionWith[i].friction;
    return std::sqrt(a.friction * b.friction);
}

void check(std::span<const SolverMaterial> materials, std::span<const SolverMaterial> present)
{
    if (materials.size() < present.size() || materials.size() > 65535)
        throw std::invalid_argument("materials cannot be taken away from a running solver");
    for (std::size_t i = 0; i < materials.size(); ++i) {
        if (!positive(materials[i].law.density))
            throw std::invalid_argument("material '" + materials[i].name +
                                        "': density must be above zero");
        bool rubs = isFriction(materials[i].friction);
        for (const FrictionWith& with : materials[i].frictionWith)
            rubs = rubs && isFriction(with.friction);
        if (!rubs)
            throw std::invalid_argument("material '" + materials[i].name +
                                        "': friction must be zero or above");
        if (materials[i].staysWhole &&
            (materials[i].custom || !physics::mayStayWhole(materials[i].law.kind)))
            throw std::invalid_argument("material '" + materials[i].name +
                                        "': only elastic materials stay whole; choose an elastic "
                                        "law, or let it tear");
        if (i < present.size() && (materials[i].law.kind != present[i].law.kind ||
                                   !materials[i].custom != !present[i].custom))
            throw std::invalid_argument("material '" + materials[i].name +
                                        "': the law cannot change while there are particles");
        if (i < present.size() && materials[i].staysWhole != present[i].staysWhole)
            throw std::invalid_argument("material '" + materials[i].name +
                                        "': whether it stays whole cannot change while there are "
                                        "particles");
    }
}

} // namespace floe::mpm
