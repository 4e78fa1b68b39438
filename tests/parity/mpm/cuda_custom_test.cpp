// A plugin's model in the memory of the device, and one that does not know it.
#include "plugins/examples/material/foam_kernel.cuh"
#include "plugins/mpm/cuda/cuda_backend.cuh"
#include "solver_scene.hpp"

namespace floe::mpm {
namespace {

/// The foam of the examples. @tparam kKnows  whether it knows CUDA
template <bool kKnows>
struct Foam {
    KelvinVoigt law = KelvinVoigt::of(3e4, 0.3, 5);
    int onHost = 0, onDevice = 0;

    static bool update(void* self, double, float* const F[9], float* const*,
                       const float* const gradient[9], const float* stiffness,
                       float* const stress[6])
    {
        Foam& foam = *static_cast<Foam*>(self);
        ++foam.onHost;
        for (int i = 0; i < kLanes; ++i) {
            physics::Mat3<float> f, g;
            for (int k = 0; k < 9; ++k) {
                f[k / 3][k % 3] = F[k][i];
                g[k / 3][k % 3] = gradient[k][i];
            }
            const auto tau = foam.law.stress(f, g, stiffness[i]);
            const float entries[6] = {tau.xx, tau.yy, tau.zz, tau.xy, tau.xz, tau.yz};
            for (int k = 0; k < 6; ++k)
                stress[k][i] = entries[k];
        }
        return true;
    }
    static CustomModel::Answer updateOnDevice(void* self, double dt, std::uint32_t count,
                                              const CustomBatch& rows)
    {
        Foam& foam = *static_cast<Foam*>(self);
        ++foam.onDevice;
        if (!kKnows)
            return CustomModel::Answer::unsupported;
        floe_material_batch batch{};
        batch.struct_size = sizeof batch;
        batch.count = count;
        batch.time_step = dt;
        std::copy_n(rows.F, 9, batch.F);
        std::copy_n(rows.gradient, 9, batch.gradient);
        batch.stiffness = rows.stiffness;
        std::copy_n(rows.stress, 6, batch.stress);
        enqueueFoam(foam.law, batch, static_cast<cuda::Device::Stream>(test::cudaDevice().stream));
        return CustomModel::Answer::done;
    }
    SolverMaterial material()
    {
        SolverMaterial m;
        m.name = "foam";
        m.law.density = 500;
        CustomModel model;
        model.update = update;
        model.updateOnDevice = updateOnDevice;
        model.self = this;
        model.waveModulus = law.lambda + 2 * law.mu;
        m.custom = std::make_shared<CustomModel>(model);
        return m;
    }
};

/// On a card the solver's kernels are those of this source.
std::unique_ptr<Stepper> solverOf(const SolverSettings& s)
{
    return std::make_unique<Stepper>(
        s,
        std::make_unique<cuda::CudaBackend>(s, cuda::Device(test::cudaDevice()), serialExecutor()),
        serialExecutor());
}

template <bool kKnows>
void expectTheCpusFoam(Transfer transfer)
{
    Foam<kKnows> foam[2]; // one for each solver
    SolverSettings s = settings();
    s.transfer = transfer;
    s.longestStep = 2e-4;
    SerialExecutor executor;
    const auto cpu = makeCpuStepper(s, executor), gpu = solverOf(s);
    const auto all = [](double, double, double) {
        return true;
    };
    Stepper* const solvers[] = {cpu.get(), gpu.get()};
    for (int i = 0; i < 2; ++i) {
        Scene scene;
        scene.materials = {material("water", physics::LawKind::liquid), foam[i].material()};
        scene.points = {fill({0.25, 0, -0.15}, {0.45, 0.1, 0.15}, all),
                        fill({-0.1, 0.25, -0.1}, {0.1, 0.4, 0.1}, all, {0.5f, -3, 0})};
        scene.domain = floorAt(0, Contact::separate);
        scene.colliders = {sphereAtRest};
        setUp(*solvers[i], scene);
    }
    const State start = stateOf(*cpu);
    for (Stepper* solver : solvers)
        for (int left = 150; left > 0; --left) // each is told that more will follow
            ASSERT_EQ(solver->advance(2e-4 * left), 2e-4);
    const State a = stateOf(*cpu), b = stateOf(*gpu);
    ASSERT_EQ(a.id, b.id);
    double apart = 0, travelled = 0;
    for (std::size_t i = 0; i < a.x.size(); ++i) {
        apart = std::max(apart, std::abs(a.x[i] - b.x[i]) / kDx);
        travelled = std::max(travelled, std::abs(a.x[i] - start.x[i]) / kDx);
    }
    EXPECT_GT(travelled, 0.5);
    EXPECT_LT(apart, kTolerance);
    EXPECT_EQ(foam[0].onDevice, 0);
    if (kKnows) {
        EXPECT_EQ(foam[1].onHost, 0);
        EXPECT_GT(foam[1].onDevice, 150);
    } else {
        EXPECT_GT(foam[1].onHost, 150);
        EXPECT_EQ(foam[1].onDevice, 1);
    }
}

TEST(CudaCustom, AModelThatKnowsTheDeviceIsAskedThere)
{
    expectTheCpusFoam<true>(Transfer::apic);
}

TEST(CudaCustom, OneThatDoesNotIsAskedOnTheHost)
{
    expectTheCpusFoam<false>(Transfer::picFlip);
}

} // namespace
} // namespace floe::mpm
