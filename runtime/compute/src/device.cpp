#include "floe/compute/device.hpp"

#include "cuda_backend.hpp"
#include "floe/base/error.hpp"
#include "floe/compute/memory.hpp"
#include "floe/compute/parallel.hpp"

#include <charconv>
#include <cstring>
#include <map>
#include <mutex>

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
    std::uint64_t usedBytes() const override { return hostBytes(); }
    std::uint64_t peakBytes() const override { return peakHostBytes(); }
};

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

std::vector<DeviceInfo> listDevices()
{
    std::vector<DeviceInfo> devices{{"cpu", cpuDevice()->name(), hostMemoryLimit()}};
    for (DeviceInfo& device : cuda::list())
        devices.push_back(std::move(device));
    return devices;
}

} // namespace floe::compute
