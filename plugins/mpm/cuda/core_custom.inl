// The models of plugins in a step of the CUDA solver; included by core.cuh.

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Returns a batch's arrays from a lane on.
inline CustomBatch rowsOf(const Batch& batch, std::uint32_t lane)
{
    const auto row = [&](unsigned number) {
        return batch.values + std::size_t(number) * batch.pitch + lane;
    };
    CustomBatch rows{};
    for (unsigned k = 0; k < 9; ++k) {
        rows.F[k] = row(kBatchF + k);
        rows.gradient[k] = row(kBatchGradient + k);
    }
    for (unsigned k = 0; k < 4; ++k)
        rows.state[k] = row(kBatchState + k);
    for (unsigned k = 0; k < 6; ++k)
        rows.stress[k] = row(kBatchStress + k);
    rows.stiffness = row(kBatchStiffness);
    return rows;
}

inline void Core::askModels(Asked asked, std::uint64_t firstId, float dt)
{
    for (CustomMaterial& custom : custom_) {
        if (particleBlocks_ == 0)
            return;
        listed_.need(particles_);
        listedCount_.need(1);
        listedCount_.fill(0, 1);
        FLOE_LAUNCH(listBatch, particleBlocks_, kThreads, 0, device_.stream(), particles(),
                    now().view(), custom.index, asked, firstId, listed_.data(),
                    listedCount_.data());
        device_.checkLaunch("listBatch");
        std::uint32_t count = 0;
        device_.download(&count, listedCount_.data(), sizeof count);
        for (std::uint32_t first = 0; first < count; first += kBatch)
            askModel(custom, listed_.data() + first, std::min(count - first, kBatch),
                     asked == Asked::atRest, dt);
    }
}

inline void Core::askModel(CustomMaterial& custom, const std::uint32_t* list, std::uint32_t count,
                           bool atRest, float dt)
{
    const std::uint32_t pitch = (count + kLanes - 1) / kLanes * kLanes;
    batch_.need(std::size_t(kBatchRows) * pitch);
    const Batch batch{batch_.data(), pitch};
    InitialState initial;
    std::copy_n(custom.initialState, 4, initial.values);
    FLOE_LAUNCH(fillBatch, groups(pitch, kThreads), kThreads, 0, device_.stream(), particles(),
                list, count, batch, atRest, initial);
    device_.checkLaunch("fillBatch");
    const CustomModel& model = *custom.model;
    auto answer = CustomModel::Answer::unsupported;
    if (model.updateOnDevice && !custom.onHost)
        answer = model.updateOnDevice(model.self, dt, pitch, rowsOf(batch, 0));
    custom.onHost = answer == CustomModel::Answer::unsupported;
    if (custom.onHost)
        answer = askOnHost(model, batch, dt);
    if (answer != CustomModel::Answer::done)
        throw std::runtime_error("material '" + custom.name + "': its plugin's model failed");
    withScheme([&]<class Scheme>() {
        FLOE_LAUNCH((takeBatch<Scheme::kSupport>), groups(count, kThreads), kThreads, 0,
                    device_.stream(), particles(), list, count, batch, custom.index,
                    model.waveModulus, dx_, report_.data());
    });
    device_.checkLaunch("takeBatch");
}

inline CustomModel::Answer Core::askOnHost(const CustomModel& model, const Batch& batch, float dt)
{
    const auto rows = [&](unsigned count) {
        return std::size_t(count) * batch.pitch;
    };
    batchOnHost_.need(rows(kBatchRows));
    const Batch host{batchOnHost_.data(), batch.pitch};
    device_.download(host.values, batch.values, sizeof(float) * rows(kBatchStress));
    std::atomic<bool> done = true;
    executor_->parallelFor(batch.pitch / kLanes, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t bin = begin; bin < end; ++bin) {
            const CustomBatch of = rowsOf(host, static_cast<std::uint32_t>(bin) * kLanes);
            if (!model.update(model.self, dt, of.F, of.state, of.gradient, of.stiffness, of.stress))
                done = false;
        }
    });
    // It waits, so that the next batch may be written to the same memory.
    device_.upload(batch.values + rows(kBatchF), host.values + rows(kBatchF),
                   sizeof(float) * rows(kBatchRows - kBatchF));
    return done ? CustomModel::Answer::done : CustomModel::Answer::failed;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
