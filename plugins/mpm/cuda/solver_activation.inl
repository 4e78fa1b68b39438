// Which blocks of the CUDA solver move; included by solver.cuh. The rules are those of
// core/activation.cpp.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline ActivationRequest CudaSolver::activationRequest()
{
    core_.device().makeCurrent();
    const HostBlocks blocks = core_.blocks();
    ActivationRequest request;
    request.block = blocks.coordinate;
    for (std::size_t b = 0; b < blocks.state.size(); ++b) {
        const bool active = blocks.state[b] == kActive, boundary = blocks.state[b] == kBoundary;
        request.maxSpeed.push_back(active ? blocks.speed[b] : 0);
        request.restTime.push_back(blocks.restTime[b]);
        request.pushKnown.push_back(boundary);
        request.pushSpeed.push_back(boundary ? blocks.pushSpeed[b] : 0);
        request.state.push_back(static_cast<std::uint8_t>(blocks.state[b]));
        float sound = 0;
        std::uint32_t liquid = 0, all = 0;
        for (std::size_t m = 0; m < materials_.size(); ++m) {
            const std::uint32_t count = blocks.particles[b * materials_.size() + m];
            all += count;
            liquid += materials_[m].law.isLiquid() ? count : 0;
            if (count > 0)
                sound = std::max(sound, soundSpeed(materials_[m]));
        }
        request.soundSpeed.push_back(sound);
        request.liquidShare.push_back(all > 0 ? float(liquid) / float(all) : 0);
    }
    return request;
}

/// The colliders that move, where they are now.
inline std::vector<std::shared_ptr<Collider>> CudaSolver::movingNow() const
{
    const std::vector<std::shared_ptr<Collider>> colliders = surroundings_.colliders();
    for (const auto& collider : colliders)
        collider->moveTo(time_, lastStep_ > 0 ? lastStep_ : settings_.longestStep);
    return movingOf(colliders);
}

inline bool CudaSolver::isNear(const std::int32_t* block,
                               std::span<const std::shared_ptr<Collider>> moving,
                               double reach) const
{
    // Which nodes its particles feel is not known here: any from its first to the sixth.
    ArenaSet nodes;
    for (int n = 0; n < 6 * 6 * 6; ++n)
        nodes.set(static_cast<std::size_t>(64 * (n / 36 + 1) + 8 * (n / 6 % 6 + 1) + n % 6 + 1));
    const auto enough = static_cast<float>(settings_.wakeSpeed);
    return speedAtNodes(moving, settings_.cellSize, {block[0], block[1], block[2]}, reach, nodes,
                        enough) > enough;
}

inline SpeedField CudaSolver::speedField()
{
    core_.device().makeCurrent();
    const HostBlocks blocks = core_.blocks();
    const std::vector<float> matter = core_.cellSpeeds();
    std::map<BlockCoordinate, std::array<float, kBlockNodes>> cells;
    std::vector<std::shared_ptr<Collider>> moving;
    if (settings_.wakeSpeed <= 0) // a guard looks ahead of them itself
        moving = movingNow();
    for (std::size_t b = 0; b < blocks.state.size(); ++b) {
        const std::int32_t* c = blocks.coordinate.data() + 3 * b;
        if (blocks.state[b] == kActive)
            std::copy_n(matter.begin() + std::ptrdiff_t(b * kBlockNodes), kBlockNodes,
                        cells[{c[0], c[1], c[2]}].begin());
        for (int n = 0; !moving.empty() && n < 27; ++n)
            cells[{c[0] + n / 9 - 1, c[1] + n / 3 % 3 - 1, c[2] + n % 3 - 1}];
    }
    SpeedField field;
    for (auto& [coordinate, speed] : cells) {
        if (!moving.empty())
            raiseToColliders(moving, settings_.cellSize, coordinate, settings_.cellSize, speed);
        if (*std::max_element(speed.begin(), speed.end()) == 0)
            continue;
        field.block.insert(field.block.end(), coordinate.begin(), coordinate.end());
        field.speed.insert(field.speed.end(), speed.begin(), speed.end());
    }
    return field;
}

inline bool CudaSolver::isStiff(const HostBlocks& blocks, std::size_t block) const
{
    for (std::size_t m = 0; m < materials_.size(); ++m)
        if (blocks.particles[block * materials_.size() + m] > 0 &&
            soundSpeed(materials_[m]) >= settings_.stiffSpeed)
            return true;
    return false;
}

/// Makes active what is connected to active blocks through stiff material.
inline void CudaSolver::spreadThroughStiff(const HostBlocks& blocks,
                                           std::vector<std::uint32_t>& state) const
{
    if (settings_.stiffSpeed <= 0)
        return;
    std::map<BlockCoordinate, std::size_t> at;
    std::vector<std::size_t> active;
    for (std::size_t b = 0; b < state.size(); ++b) {
        const std::int32_t* c = blocks.coordinate.data() + 3 * b;
        if (!isStiff(blocks, b))
            continue;
        at[{c[0], c[1], c[2]}] = b;
        if (state[b] == kActive)
            active.push_back(b);
    }
    for (std::size_t i = 0; i < active.size(); ++i) {
        const std::int32_t* c = blocks.coordinate.data() + 3 * active[i];
        for (int n = 0; n < 27; ++n) {
            const auto found = at.find({c[0] + n / 9 - 1, c[1] + n / 3 % 3 - 1, c[2] + n % 3 - 1});
            if (found == at.end() || state[found->second] == kActive)
                continue;
            state[found->second] = kActive;
            active.push_back(found->second);
        }
    }
}

/// After the guard has woken some.
inline void CudaSolver::spreadThroughStiff()
{
    if (settings_.stiffSpeed <= 0)
        return;
    const HostBlocks blocks = core_.blocks();
    std::vector<std::uint32_t> state = blocks.state;
    spreadThroughStiff(blocks, state);
    if (state != blocks.state)
        core_.setStates(state, blocks.restTime);
}

/// As Solver::wakeBeforeColliders().
inline double CudaSolver::wakeBeforeColliders(double longest)
{
    if (settings_.wakeSpeed <= 0)
        return longest;
    const std::vector<std::shared_ptr<Collider>> colliders = surroundings_.colliders();
    const auto step = [&] {
        const double begun = beginning(longest);
        return begun > 0 ? begun : chooseStep(longest, real(core_.found().maxComponent));
    };
    for (const auto& collider : colliders)
        collider->moveTo(time_, step());
    const double fastest = fastestOf(colliders);
    if (fastest <= settings_.wakeSpeed)
        return longest;
    const double interval = lookInterval(settings_, fastest);
    if (topSpeed() == 0 && interval > 0)
        longest = std::min(longest, interval);
    const double next = step(), window = std::max(interval, next);
    collidersFree_ = std::min(collidersFree_, time_ + window);
    if (time_ + next <= collidersFree_ + 1e-9 * window)
        return longest;
    collidersFree_ = time_ + window;
    const double reach = lookReach(settings_, fastest, window);
    const std::vector<std::shared_ptr<Collider>> moving = movingOf(colliders);
    const HostBlocks blocks = core_.blocks();
    std::vector<std::uint32_t> state = blocks.state;
    std::vector<float> restTime = blocks.restTime;
    bool woken = false;
    for (std::size_t b = 0; b < state.size(); ++b) {
        if (state[b] == kActive || !isNear(blocks.coordinate.data() + 3 * b, moving, reach))
            continue;
        state[b] = kActive;
        woken = true;
    }
    if (!woken)
        return longest;
    spreadThroughStiff(blocks, state);
    for (std::size_t b = 0; b < state.size(); ++b)
        if (state[b] == kActive && blocks.state[b] != kActive) {
            restTime[b] = 0;
            ++statistics_.guardWakes;
        }
    core_.setStates(state, restTime);
    return longest;
}

inline void CudaSolver::applyActivation(const ActivationRequest& request)
{
    core_.device().makeCurrent();
    const HostBlocks blocks = core_.blocks();
    if (request.state.size() != blocks.state.size() || request.block != blocks.coordinate)
        throw std::invalid_argument("activation states are for another set of blocks");
    std::vector<std::uint32_t> state(blocks.state.size());
    for (std::size_t b = 0; b < state.size(); ++b) {
        bool active = request.state[b] == kActive;
        for (std::size_t m = 0; m < materials_.size(); ++m)
            active = active ||
                     (!materials_[m].sleeps && blocks.particles[b * materials_.size() + m] > 0);
        state[b] = active ? kActive : kPassive;
    }
    // What a collider is about to reach would wake in the step to come, only without its motion.
    std::vector<std::shared_ptr<Collider>> moving;
    if (settings_.wakeSpeed > 0)
        moving = movingNow();
    const double fastest = fastestOf(moving);
    const double reach = lookReach(settings_, fastest, lookInterval(settings_, fastest));
    for (std::size_t b = 0; !moving.empty() && b < state.size(); ++b)
        if (state[b] == kPassive && blocks.state[b] == kActive &&
            isNear(blocks.coordinate.data() + 3 * b, moving, reach))
            state[b] = kActive;
    spreadThroughStiff(blocks, state);
    std::vector<float> restTime = blocks.restTime;
    bool changed = false;
    for (std::size_t b = 0; b < state.size(); ++b) {
        const bool active = state[b] == kActive;
        if (active == (blocks.state[b] == kActive)) {
            state[b] = blocks.state[b];
            continue;
        }
        restTime[b] = 0;
        changed = true;
    }
    if (changed)
        core_.setStates(state, restTime);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
