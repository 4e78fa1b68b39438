#include "step_report.hpp"

#include "liquid_volume.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace floe::mpm {

namespace {

/// Of ripples on a liquid with surface tension, as they limit steps [m/s]; 0: of other matter.
double rippleSpeed(const SolverMaterial& material, double cellSize)
{
    if (!isTense(material))
        return 0;
    return std::sqrt(rules::rippleModulus(material.law.liquid, static_cast<float>(cellSize)) /
                     material.law.density);
}

/// Of sound and ripples together.
double waveSpeed(const SolverMaterial& material, double cellSize)
{
    return std::hypot(soundSpeed(material), rippleSpeed(material, cellSize));
}

} // namespace

std::map<std::string, double> stableSteps(std::span<const SolverMaterial> materials,
                                          const SolverSettings& settings)
{
    std::map<std::string, double> steps;
    for (const SolverMaterial& material : materials) {
        const double speed = waveSpeed(material, settings.cellSize);
        if (!(speed > 0))
            continue;
        const double step = settings.materialLimit * settings.cellSize / speed;
        const auto [entry, fresh] = steps.emplace(material.name, step);
        if (!fresh)
            entry->second = std::min(entry->second, step);
    }
    return steps;
}

void StepReport::local(sdk::Context& context, const StepStatistics& steps,
                       const std::optional<std::string>& whyNot)
{
    const auto taken = static_cast<double>(steps.particleSteps),
               saved = static_cast<double>(steps.particleStepsSaved);
    context.statistic("longSteps", steps.longSteps);
    context.statistic("stepsPerLongStep",
                      steps.longSteps ? static_cast<double>(steps.stepsInLong) / steps.longSteps
                                      : 0.0);
    context.statistic("slowShare", steps.longSteps ? static_cast<double>(steps.slowParticles) /
                                                         static_cast<double>(steps.particlesInLong)
                                                   : 0.0);
    context.statistic("savedParticleSteps", taken > 0 ? saved / (taken + saved) : 0.0);
    if (whyNot && *whyNot != whyNotLocal_)
        context.warn("'localTimeSteps' acts on nothing here: " + *whyNot + "; switch it off");
    whyNotLocal_ = whyNot.value_or("");
}

void StepReport::beyondWalls(sdk::Context& context, std::uint64_t count,
                             const std::string& material)
{
    if (count == 0 || std::exchange(saidBeyond_, true))
        return;
    context.warn(std::to_string(count) + " particles of material '" + material +
                 "' lie behind walls of the domain and are left out; move the emitter or the "
                 "domain's side, or set that side to open");
}

void StepReport::explainMany(sdk::Context& context, const StepStatistics& steps,
                             std::span<const SolverMaterial> materials,
                             const SolverSettings& settings)
{
    constexpr std::uint64_t kMany = 4000;
    if (explained_ || steps.steps < kMany || materials.empty())
        return;
    std::vector<std::pair<double, const SolverMaterial*>> speeds;
    for (const SolverMaterial& material : materials)
        speeds.emplace_back(waveSpeed(material, settings.cellSize), &material);
    std::stable_sort(speeds.begin(), speeds.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    const auto [fastest, stiffest] = speeds.front();
    if (settings.materialLimit * settings.cellSize > 3 * steps.longest * fastest)
        return; // something else requires short steps
    explained_ = true;
    const auto rounded = [](double a) {
        return std::to_string(std::llround(a));
    };
    const bool ripples = rippleSpeed(*stiffest, settings.cellSize) > soundSpeed(*stiffest);
    std::string message = std::to_string(steps.steps) + " steps were needed for a frame, because " +
                          (ripples ? "ripples run over" : "sound travels through") + " material '" +
                          stiffest->name + "' at " + rounded(fastest) + " m/s; " +
                          (ripples ? "lower its surface tension or enlarge the cells"
                                   : "raise its density or lower its stiffness") +
                          " if the picture allows it";
    if (speeds.size() > 1 && fastest > 3 * speeds[1].first)
        message +=
            " ('" + speeds[1].second->name + "' alone would take " +
            rounded(std::ceil(static_cast<double>(steps.steps) * speeds[1].first / fastest)) + ")";
    context.warn(message);
}

} // namespace floe::mpm
