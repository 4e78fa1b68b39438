#include "floe/compute/device.hpp"

#include "array_items.hpp"
#include "cuda_backend.hpp"
#include "floe/base/error.hpp"
#include "floe/compute/memory.hpp"
#include "floe/compute/parallel.hpp"

#include <charconv>
#include <cstring>
#include <map>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace floe::compute {

namespace {

class CpuDevice final : public Device {
public:
    DeviceKind kind() const override { return DeviceKind::cpu; }
    int ordinal() const override { return 0; }
    std::string id() const override { return "cpu"; }
    std::string name() const override
    {
        const int threads = threadCount();
        return "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    }
    void* stream() const override { return nullptr; }
    void* allocate(std::uint64_t bytes) override { return allocateHost(bytes); }
    void release(void* memory) noexcept override { releaseHost(memory); }
    void copy(void* to, const void* from, std::uint64_t bytes, Copy) override
    {
        if (bytes != 0)
            std::memmove(to, from, bytes);
    }
    void synchronise() override {}
    void magnitudes(const ArrayView& from, float* to) override
    {
        visitArray(from, [&](const auto* values) {
            eachRange(from.count, [&](std::uint64_t i) {
                to[i] = magnitudeOf(values + i * from.components, from.components);
            });
        });
    }
    void narrow(const ArrayView& from, std::uint8_t* to) override
    {
        visitArray(from, [&](const auto* values) {
            eachRange(from.count, [&](std::uint64_t i) { to[i] = narrowed(values[i]); });
        });
    }
    Extent extent(const ArrayView& of, float most) override
    {
        const auto* values = static_cast<const float*>(of.data);
        constexpr std::uint64_t kGrain = 65536;
        std::vector<Extent> parts((of.count + kGrain - 1) / kGrain, kNoExtent);
        parallelFor(of.count, kGrain, [&](std::uint64_t begin, std::uint64_t end) {
            Extent& part = parts[begin / kGrain];
            for (std::uint64_t i = begin; i < end; ++i)
                include(part, values + i * of.components, of.components, most);
        });
        Extent all = kNoExtent;
        for (const Extent& part : parts)
            include(all, part);
        return all;
    }
    std::uint64_t usedBytes() const override { return hostBytes(); }
    std::uint64_t peakBytes() const override { return peakHostBytes(); }

private:
    template <class Body>
    static void eachRange(std::uint64_t count, const Body& body)
    {
        parallelFor(count, 65536, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i)
                body(i);
        });
    }
};

std::mutex offeredMutex;
std::map<std::string, std::weak_ptr<Device>, std::less<>> offered;

DevicePointer openShared(int ordinal)
{
    static std::mutex mutex;
    static std::map<int, std::weak_ptr<Device>> open;
    const std::lock_guard lock(mutex);
    DevicePointer device = open[ordinal].lock();
    if (!device) {
        device = cuda::open(ordinal);
        open[ordinal] = device;
    }
    return device;
}

} // namespace

std::unique_ptr<ImportedMemory> Device::import(int descriptor, std::uint64_t, bool)
{
    ::close(descriptor);
    throw DeviceError({}, name() + " cannot use memory of another driver");
}

void offerDevice(const DevicePointer& device)
{
    const std::lock_guard lock(offeredMutex);
    offered[device->id()] = device;
}

DevicePointer cpuDevice()
{
    static const DevicePointer device = std::make_shared<CpuDevice>();
    return device;
}

DevicePointer selectDevice(std::string_view text)
{
    if (text == "cpu")
        return cpuDevice();
    if (text == "auto") {
        const int count = static_cast<int>(cuda::list().size());
        for (int i = 0; i < count; ++i) {
            try {
                return openShared(i);
            } catch (const DeviceError&) { // too old for this build, or broken: try the next
            }
        }
        return cpuDevice();
    }

    {
        const std::lock_guard lock(offeredMutex);
        if (const auto found = offered.find(text); found != offered.end())
            if (DevicePointer device = found->second.lock())
                return device;
    }

    int ordinal = 0;
    const bool bare = text == "cuda";
    bool valid = bare;
    if (text.starts_with("cuda:")) {
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data() + 5, end, ordinal);
        valid = error == std::errc{} && stop == end && ordinal >= 0;
    }
    if (!valid)
        throw InputError({}, "unknown device '" + std::string(text.substr(0, 64)) + "'",
                         "give auto, cpu, cuda or cuda:N");
    if (const std::string reason = cuda::whyNone(); !reason.empty())
        throw DeviceError({}, "no CUDA device: " + reason, "choose the device 'cpu' or 'auto'");
    const auto devices = cuda::list();
    if (static_cast<std::size_t>(ordinal) >= devices.size())
        throw DeviceError({}, "no CUDA device " + std::to_string(ordinal) + ": the highest is " +
                                  std::to_string(devices.size() - 1));
    return openShared(ordinal);
}

std::vector<std::string> devicesOf(const std::string& text)
{
    constexpr std::string_view kPrefix = "cuda:";
    constexpr int kMost = 1024;
    if (!text.starts_with(kPrefix) || text.find_first_of(",-") == std::string::npos)
        return {text};
    const auto refuse = [&] {
        throw InputError({}, "unknown devices '" + text.substr(0, 64) + "'",
                         "give some by their numbers, as cuda:0-3 or cuda:0,2");
    };
    std::vector<std::string> devices;
    const char *at = text.data() + kPrefix.size(), *const end = text.data() + text.size();
    const auto number = [&] {
        int value = 0;
        const auto [stop, error] = std::from_chars(at, end, value);
        if (error != std::errc{} || value < 0 || value >= kMost || *at == '-')
            refuse();
        at = stop;
        return value;
    };
    for (;;) {
        const int first = number();
        int last = first;
        if (at != end && *at == '-') {
            ++at;
            last = number();
        }
        if (last < first || devices.size() + static_cast<std::size_t>(last - first) >= kMost)
            refuse();
        for (int i = first; i <= last; ++i)
            devices.push_back(std::string(kPrefix) + std::to_string(i));
        if (at == end)
            return devices;
        if (*at++ != ',')
            refuse();
    }
}

std::vector<DeviceInfo> listDevices()
{
    std::vector<DeviceInfo> devices{{"cpu", cpuDevice()->name(), hostMemoryLimit()}};
    for (DeviceInfo& device : cuda::list())
        devices.push_back(std::move(device));
    return devices;
}

} // namespace floe::compute
