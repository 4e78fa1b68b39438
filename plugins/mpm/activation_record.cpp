#include "activation_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace floe::mpm {

namespace {

using Coordinate = std::array<std::int32_t, 3>;

/// "snow, wet sand" -> {"snow", "wet sand"}
std::vector<std::string> namesIn(const std::string& text)
{
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= text.size();) {
        std::size_t end = std::min(text.find(',', begin), text.size());
        std::size_t first = begin, last = end;
        while (first < last && text[first] == ' ')
            ++first;
        while (last > first && text[last - 1] == ' ')
            --last;
        if (last > first)
            names.push_back(text.substr(first, last - first));
        begin = end + 1;
    }
    return names;
}

double domainScale(const Domain& domain, const std::vector<std::int32_t>& block, double cellSize)
{
    if (domain.bounded)
        return std::cbrt(8 * domain.halfSize.x * domain.halfSize.y * domain.halfSize.z);
    double volume = block.empty() ? 0 : 1;
    for (std::size_t axis = 0; axis < 3 && !block.empty(); ++axis) {
        std::int32_t low = block[axis], high = block[axis];
        for (std::size_t i = axis; i < block.size(); i += 3) {
            low = std::min(low, block[i]);
            high = std::max(high, block[i]);
        }
        volume *= 4.0 * cellSize * (double(high) - low + 1);
    }
    return std::cbrt(volume);
}

/// Returns the largest speed, per block, that its present particles reach if everything is active.
/// @param horizon  [s]; 0: one step
std::vector<float> lookAhead(Stepper& solver, const ActivationRequest& now, double horizon)
{
    std::map<Coordinate, std::size_t> blockAt;
    for (std::size_t i = 0; i < now.state.size(); ++i)
        blockAt[{now.block[3 * i], now.block[3 * i + 1], now.block[3 * i + 2]}] = i;

    const std::unique_ptr<Stepper> ahead = solver.fork();
    const std::size_t count = ahead->particleCount();
    std::vector<float> x(3 * count), v(3 * count);
    std::vector<std::uint64_t> id(count);
    Snapshot snapshot;
    snapshot.x = x.data();
    snapshot.id = id.data();
    ahead->snapshot(snapshot);
    std::vector<std::pair<std::uint64_t, std::size_t>> home; // block by particle id
    for (std::size_t i = 0; i < count; ++i) {
        Coordinate c;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double cell = std::floor(x[3 * i + axis] / solver.settings().cellSize - 0.5);
            c[axis] = static_cast<std::int32_t>(std::floor(cell / 4));
        }
        // A particle may have drifted less than a cell out of its block since it was binned.
        const auto found = blockAt.find(c);
        if (found != blockAt.end())
            home.emplace_back(id[i], found->second);
    }
    std::sort(home.begin(), home.end());

    ActivationRequest all = ahead->activationRequest();
    std::fill(all.state.begin(), all.state.end(), static_cast<std::uint8_t>(BlockState::active));
    ahead->applyActivation(all);
    snapshot.x = nullptr;
    snapshot.v = v.data();
    std::vector<float> fastest(now.state.size());
    const double end = ahead->time() + horizon;
    do {
        ahead->advance(horizon > 0 ? end - ahead->time() : solver.settings().longestStep);
        ahead->snapshot(snapshot);
        for (std::size_t i = 0; i < ahead->particleCount(); ++i) {
            const auto at = std::lower_bound(home.begin(), home.end(),
                                             std::pair<std::uint64_t, std::size_t>{id[i], 0});
            if (at == home.end() || at->first != id[i])
                continue;
            const float speed = std::sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] +
                                          v[3 * i + 2] * v[3 * i + 2]);
            fastest[at->second] = std::max(fastest[at->second], speed);
        }
    } while (end - ahead->time() > 1e-9 * horizon);
    return fastest;
}

} // namespace

std::optional<ActivationRecord> activationOf(const sdk::Value& record)
{
    ActivationRecord a;
    a.strategy = record.require("strategy");
    std::tie(a.table, a.self) =
        a.strategy.interface<floe_activation_interface>(FLOE_ACTIVATION_INTERFACE);
    const auto number = [&record](const char* name, double absent) {
        const sdk::Value field = record.field(name);
        return field ? field.number() : absent;
    };
    const double rate = number("evaluationsPerFrame", 1);
    if (!(rate >= ActivationRecord::kAutomatic && rate <= ActivationRecord::kMaxPerFrame))
        throw sdk::Failure("an activation strategy wants to be asked " + std::to_string(rate) +
                               " times a frame; 1 to " +
                               std::to_string(ActivationRecord::kMaxPerFrame) + " are possible",
                           FLOE_BAD_ARGUMENT);
    a.evaluationsPerFrame = static_cast<int>(rate);
    if (a.evaluationsPerFrame == 0)
        return {};
    if (record.field("restSpeed"))
        a.restSpeed = number("restSpeed", 0);
    a.wakeSpeed = number("wakeSpeed", 0);
    a.stiffSpeed = std::max(number("stiffSpeed", 0), 0.0);
    if (const sdk::Value names = record.field("neverSleeps"))
        a.neverSleeps = namesIn(names.string());
    for (const char* name : {"startsPassive", "startsAsleep"}) // the second is the older name
        if (const sdk::Value passive = record.field(name))
            a.startsPassive = passive.boolean();
    return a;
}

double evaluationInterval(const ActivationRecord& record, Stepper& solver,
                          std::span<const std::shared_ptr<Collider>> colliders, double frame)
{
    if (record.evaluationsPerFrame == ActivationRecord::kEveryStep)
        return 0;
    if (record.evaluationsPerFrame > 0)
        return frame / record.evaluationsPerFrame;
    // A ring of boundary blocks is four cells thick, and a particle's support reaches 1.5 cells.
    double fastest = solver.topSpeed();
    for (const auto& collider : colliders)
        fastest = std::max(fastest, collider->topSpeed());
    const double interval = 2 * solver.settings().cellSize / fastest; // infinite at rest
    if (!(interval < frame))
        return frame;
    if (interval == 0) // unknown speed
        return 0;
    return frame / std::min<double>(std::ceil(frame / interval), ActivationRecord::kMaxPerFrame);
}

ActivationRequest askStrategy(const sdk::Context& context, const ActivationRecord& record,
                              Stepper& solver, const Domain& domain, double fps, double timeScale,
                              double horizon)
{
    ActivationRequest asked = solver.activationRequest();
    const double scale = domainScale(domain, asked.block, solver.settings().cellSize);
    if (record.restSpeed.value_or(0) < 0 || record.wakeSpeed < 0) {
        SolverSettings settings = solver.settings();
        const double moving = scale / (400 * timeScale);
        if (record.restSpeed.value_or(0) < 0)
            settings.restSpeed = -*record.restSpeed * moving; // Sirois-Vigneux 2023, equation 3.1
        if (record.wakeSpeed < 0)
            settings.wakeSpeed = -record.wakeSpeed * moving;
        solver.setSettings(settings);
    }
    floe_activation_request request{};
    request.struct_size = sizeof request;
    request.block_count = static_cast<uint32_t>(asked.state.size());
    request.block = asked.block.data();
    request.max_speed = asked.maxSpeed.data();
    request.rest_time = asked.restTime.data();
    request.push_known = asked.pushKnown.data();
    request.push_speed = asked.pushSpeed.data();
    request.sound_speed = asked.soundSpeed.data();
    request.liquid_share = asked.liquidShare.data();
    request.cell_size = solver.settings().cellSize;
    request.domain_scale = scale;
    request.fps = fps;
    request.frame = context.frame();
    request.horizon = horizon > 0 ? horizon : solver.settings().longestStep;
    request.device = &context.device();
    request.time_scale = timeScale;
    const floe_activation_interface& table = *record.table;
    const bool spares = FLOE_HAS(&table, depends) && table.depends &&
                        !table.depends(record.self, &request, asked.state.data());
    const std::uint32_t wants = spares ? 0 : table.wants;
    SpeedField field;
    if (wants & FLOE_SPEED_FIELD) {
        field = solver.speedField();
        request.field_count = static_cast<uint32_t>(field.block.size() / 3);
        request.field_block = field.block.data();
        request.field_speed = field.speed.data();
    }
    std::vector<float> future;
    if (wants & (FLOE_NEXT_STEP_SPEED | FLOE_EVALUATION_SPEED)) {
        future = lookAhead(solver, asked, wants & FLOE_EVALUATION_SPEED ? horizon : 0);
        request.future_speed = future.empty() ? nullptr : future.data();
    }
    sdk::Context::require(table.evaluate(record.self, context.raw(), &request, asked.state.data()));
    return asked;
}

void ActivationPace::answered(const ActivationRecord& record, const ActivationRequest& asked,
                              double time, double frame)
{
    const auto active = std::count(asked.state.begin(), asked.state.end(),
                                   static_cast<std::uint8_t>(BlockState::active));
    const auto blocks = static_cast<std::int64_t>(asked.state.size());
    awake_ = active < blocks ? 0 : awake_ + 1;
    steps_ = wanted_ = 0;
    next_ = time;
    // Oracles serve to train strategies, and kEveryStep is explicit: never skip their evaluations.
    if (record.evaluationsPerFrame == ActivationRecord::kEveryStep ||
        (record.table->wants & (FLOE_NEXT_STEP_SPEED | FLOE_EVALUATION_SPEED)))
        return;
    constexpr std::int64_t kMaxFrames = 4, kSteps = 10;
    next_ += static_cast<double>(std::min(awake_ / 2, kMaxFrames)) * frame * (1 - 1e-6);
    if (record.wakeSpeed != 0 && 2 * active > blocks)
        wanted_ = kSteps;
}

} // namespace floe::mpm
