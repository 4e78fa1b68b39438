// Particles that come to a running simulation: which of them have a place.

#include "stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace floe::mpm {

namespace {

/// Returns whether a particle would begin behind a wall: where it has no place, and would count as
/// a mirror image. Those on the wall, up to rounding, are not.
bool isBeyondWall(const Domain& domain, const Vec3d& x, double cellSize)
{
    const double rounding = 4 * std::numeric_limits<float>::epsilon() *
                            std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    for (int face = 0; face < 6; ++face)
        if (domain.isWall(face) && domain.distanceTo(face, x) < -(0.01 * cellSize + rounding))
            return true;
    return false;
}

} // namespace

std::uint64_t Stepper::addParticles(const NewParticles& all)
{
    if (all.material >= materials_.size())
        throw std::invalid_argument("particles of a material that the solver does not have");
    check(all, materials_[all.material], settings_.cellSize);
    const auto requireIds = [this](std::uint64_t count) {
        if (count > 0xffffffffull - nextId_)
            throw std::length_error("a simulation can emit at most four billion particles");
    };
    requireIds(all.count);
    if (counts_.alive > 0 && needsRebin())
        rebin();
    std::vector<std::uint8_t> inside;
    std::int64_t beyondWalls[] = {0};
    if (const Domain& domain = surroundings_.domain; domain.bounded) {
        inside.resize(all.count);
        for (std::size_t i = 0; i < all.count; ++i) {
            const Vec3d x{all.x[3 * i], all.x[3 * i + 1], all.x[3 * i + 2]};
            const bool beyond = isBeyondWall(domain, x, settings_.cellSize);
            beyondWalls[0] += beyond;
            inside[i] = !beyond && !domain.isOutside(x, {0, 0, 0});
        }
    }
    if (all.part)
        backend_->ranks()->reduce(FLOE_RANKS_SUM, std::span<std::int64_t>(beyondWalls));
    std::optional<SelectedParticles> selected;
    if (std::find(inside.begin(), inside.end(), 0) != inside.end())
        selected.emplace(all, inside);
    const NewParticles& added = selected ? selected->view() : all;
    std::uint64_t count = added.count;
    if (all.part) {
        const Numbering numbering = numberTogether(*backend_->ranks(), {added.place, added.count});
        count = numbering.total;
        requireIds(count);
        backend_->addPart(added, static_cast<std::uint32_t>(nextId_), numbering);
    } else {
        backend_->add(added, static_cast<std::uint32_t>(nextId_));
    }
    nextId_ += count;
    counts_.emitted += count;
    counts_.alive += count;
    return static_cast<std::uint64_t>(beyondWalls[0]);
}

void Stepper::findOccupied(const float* x, std::size_t count, std::uint8_t* occupied, bool part)
{
    using Place = std::array<double, 3>;
    const double h = settings_.cellSize;
    CellSet cells;
    backend_->findOccupied(cells);
    const auto holds = [&](const Place& p) {
        return cells.contains({p[0], p[1], p[2]});
    };
    std::vector<Place> asked; // where others may have some
    std::vector<std::size_t> askedOf;
    for (std::size_t i = 0; i < count; ++i) {
        const Place p = {x[3 * i] / h, x[3 * i + 1] / h, x[3 * i + 2] / h};
        occupied[i] = holds(p);
        if (!part || occupied[i])
            continue;
        if (!isUsablePosition(x + 3 * i, h))
            continue; // refused when it is added
        std::array<std::int64_t, 3> cell{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            cell[axis] = static_cast<std::int64_t>(std::floor(p[axis]));
        if (!backend_->isCellOfOthers(cell))
            continue;
        asked.push_back(p);
        askedOf.push_back(i);
    }
    if (!part) {
        backend_->shareOccupied({occupied, count});
        return;
    }
    const auto found = askAll(*backend_->ranks(), std::span<const Place>(asked), holds);
    for (std::size_t i = 0; i < found.size(); ++i)
        occupied[askedOf[i]] = found[i];
}

} // namespace floe::mpm
