// A node with a CUDA kernel: adds the energy of each particle as an attribute, to colour by.
// Without CUDA, in the build or in the machine, the same node works on the CPU.
#include "energy.hpp"

#include "floe/sdk/node.hpp"

#include <cstring>
#include <string>

namespace {

namespace sdk = floe::sdk;

#if defined(EXAMPLE_HAVE_CUDA)
constexpr bool kBuiltWithCuda = true;
#else
constexpr bool kBuiltWithCuda = false;
#endif

/// Bytes of one element of an attribute.
uint64_t sizeOf(floe_element element)
{
    switch (element) {
    case FLOE_UINT8:
        return 1;
    case FLOE_UINT64:
        return 8;
    default:
        return 4;
    }
}

class EnergyNode final : public sdk::Node {
public:
    static constexpr const char* kType = "example.particles.energy";

    void cook(sdk::Context& context) override
    {
        const sdk::Value input = context.input("particles");
        if (!input)
            throw sdk::Failure("link particles to the input 'particles'");
        const floe_device& device = context.device();
        const bool cuda = kBuiltWithCuda && device.kind == FLOE_DEVICE_CUDA;
        const uint64_t count = input.particleCount();
        sdk::Value output = sdk::makeParticles(count, cuda ? &device : nullptr);
        copyAttributes(device, cuda, input, output);

        EnergyBatch batch{};
        batch.count = count;
        batch.position = floats(output, "x");
        batch.velocity = floats(output, "v");
        batch.energy = output.addAttribute<float>("energy", 1).data();
        batch.gravity = static_cast<float>(context.number("gravity"));
        batch.ground = static_cast<float>(context.number("ground"));
        if (cuda)
            computeOnCuda(batch, device);
        else
            context.parallelFor(count, 4096, [&](uint64_t begin, uint64_t end) {
                for (uint64_t i = begin; i < end; ++i)
                    batch.energy[i] = specificEnergy(batch.position + 3 * i, batch.velocity + 3 * i,
                                                     batch.gravity, batch.ground);
            });
        context.setOutput("particles", output);
    }

private:
    /// Values are immutable: the input is copied into this device's memory.
    static void copyAttributes(const floe_device& device, bool toCuda, const sdk::Value& from,
                               sdk::Value& to)
    {
        const floe_value_api& values = *sdk::host().values;
        bool hostMemoryInUse = !toCuda;
        uint64_t count = 0;
        uint32_t attributes = 0;
        sdk::Context::require(values.get_particles(from.get(), &count, &attributes));
        for (uint32_t i = 0; i < attributes; ++i) {
            floe_attribute source{};
            source.struct_size = sizeof source;
            sdk::Context::require(values.get_attribute_at(from.get(), i, &source));
            if (std::strcmp(source.name, "energy") == 0)
                continue; // of an earlier node of this type
            void* target = nullptr;
            sdk::Context::require(values.add_attribute(to.writable(), source.name, source.element,
                                                       source.components, &target));
            const uint64_t bytes = count * source.components * sizeOf(source.element);
            const bool fromCuda = source.space == FLOE_SPACE_CUDA;
            if (bytes == 0)
                continue;
            hostMemoryInUse |= !fromCuda;
            if (!toCuda && !fromCuda)
                std::memcpy(target, source.data, bytes);
            else
                sdk::Context::require(device.copy(&device, target, source.data, bytes,
                                                  !toCuda    ? FLOE_COPY_TO_HOST
                                                  : fromCuda ? FLOE_COPY_ON_DEVICE
                                                             : FLOE_COPY_TO_DEVICE));
        }
        // Copies are enqueued: until they finish, the CPU must not read their targets, and the
        // input must stay alive.
        if (hostMemoryInUse)
            sdk::Context::require(device.synchronise(&device));
        // Fields common to all particles: their materials, their cell size.
        for (uint32_t i = 0; i < values.field_count(from.get()); ++i) {
            const char* name = values.field_name(from.get(), i);
            sdk::Context::require(
                values.set_field(to.writable(), name, values.field(from.get(), name)));
        }
    }

    static const float* floats(const sdk::Value& particles, const char* name)
    {
        floe_attribute attribute{};
        attribute.struct_size = sizeof attribute;
        if (sdk::host().values->get_attribute(particles.get(), name, &attribute) != FLOE_OK ||
            attribute.element != FLOE_FLOAT32 || attribute.components != 3)
            throw sdk::Failure(std::string("the particles have no vector attribute '") + name + "'",
                               FLOE_WRONG_KIND);
        return static_cast<const float*>(attribute.data);
    }

    static void computeOnCuda([[maybe_unused]] const EnergyBatch& batch,
                              [[maybe_unused]] const floe_device& device)
    {
#if defined(EXAMPLE_HAVE_CUDA)
        // Enqueued after the copies; readers of the result use the same stream.
        if (const char* reason = launchEnergyKernel(batch, device.stream))
            throw sdk::Failure(std::string("the energy kernel failed: ") + reason,
                               FLOE_DEVICE_FAILED);
#endif
    }
};

} // namespace

FLOE_PLUGIN("example.particles", "1.0.0", EnergyNode)
