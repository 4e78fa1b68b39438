#include "cuda_arrays.hpp"
#include "cuda_backend.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cstring>
#include <cuda_runtime_api.h>
#include <unistd.h>

namespace floe::compute::cuda {

namespace {

[[noreturn]] void fail(cudaError_t error, const std::string& device, const char* action)
{
    cudaGetLastError(); // clears the error for the next call
    if (error == cudaErrorMemoryAllocation)
        throw MemoryError({}, "the memory of " + device + " ran out");
    throw DeviceError({}, device + " failed to " + action + ": " + cudaGetErrorString(error) +
                              " (" + cudaGetErrorName(error) + ")");
}

std::string idOf(int ordinal)
{
    return "cuda:" + std::to_string(ordinal);
}

/// A buffer over the whole memory of a file descriptor.
class CudaImportedMemory final : public ImportedMemory {
public:
    CudaImportedMemory(DevicePointer device, cudaExternalMemory_t memory, void* data)
        : device_(std::move(device)), memory_(memory), data_(data)
    {}
    ~CudaImportedMemory() override
    {
        cudaSetDevice(device_->ordinal());
        cudaFree(data_);
        cudaDestroyExternalMemory(memory_);
    }
    void* data() const override { return data_; }

private:
    DevicePointer device_;
    cudaExternalMemory_t memory_;
    void* data_;
};

/// The runtime's current device belongs to the thread: every call sets it first.
class CudaDevice final : public Device {
public:
    explicit CudaDevice(int ordinal) : ordinal_(ordinal)
    {
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, ordinal), "be examined");
        name_ = properties.name;
        static_assert(sizeof properties.uuid == sizeof uuid_);
        std::memcpy(uuid_.data(), &properties.uuid, sizeof uuid_);
        const int architecture = properties.major * 10 + properties.minor;
        if (architecture < FLOE_CUDA_LOWEST_ARCHITECTURE)
            throw DeviceError({}, name_ + " (" + id() + ") is of architecture " +
                                      std::to_string(architecture) + ", this Floe was built for " +
                                      std::to_string(FLOE_CUDA_LOWEST_ARCHITECTURE) + " and later");
        select();
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a stream");
        cudaMemPoolProps settings{};
        settings.allocType = cudaMemAllocationTypePinned;
        settings.location.type = cudaMemLocationTypeDevice;
        settings.location.id = ordinal;
        cudaError_t made = cudaMemPoolCreate(&pool_, &settings);
        if (made == cudaSuccess) {
            // Keep freed memory for the next frame instead of returning it at each synchronise.
            std::uint64_t threshold = UINT64_MAX;
            made = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &threshold);
        }
        if (made != cudaSuccess) {
            close();
            check(made, "make a memory pool");
        }
    }
    ~CudaDevice() override
    {
        cudaSetDevice(ordinal_);
        cudaStreamSynchronize(stream_);
        close();
    }

    DeviceKind kind() const override { return DeviceKind::cuda; }
    int ordinal() const override { return ordinal_; }
    std::string id() const override { return idOf(ordinal_); }
    std::string name() const override { return name_; }
    void* stream() const override { return stream_; }

    void* allocate(std::uint64_t bytes) override
    {
        select();
        void* memory = nullptr;
        const std::size_t size = std::max<std::uint64_t>(bytes, 1);
        cudaError_t error = cudaMallocFromPoolAsync(&memory, size, pool_, stream_);
        if (error == cudaErrorMemoryAllocation) {
            // Freed memory may still be used by pending work, or be fragmented.
            cudaGetLastError();
            check(cudaStreamSynchronize(stream_), "finish earlier work");
            cudaMemPoolTrimTo(pool_, 0);
            error = cudaMallocFromPoolAsync(&memory, size, pool_, stream_);
        }
        check(error, "give memory");
        return memory;
    }
    void release(void* memory) noexcept override
    {
        if (!memory)
            return;
        cudaSetDevice(ordinal_);
        cudaFreeAsync(memory, stream_);
    }
    void copy(void* to, const void* from, std::uint64_t bytes, Copy direction) override
    {
        if (bytes == 0)
            return;
        select();
        const cudaMemcpyKind kind = direction == Copy::toDevice ? cudaMemcpyHostToDevice
                                    : direction == Copy::toHost ? cudaMemcpyDeviceToHost
                                                                : cudaMemcpyDeviceToDevice;
        check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "copy memory");
    }
    void synchronise() override
    {
        select();
        check(cudaStreamSynchronize(stream_), "finish its work");
    }
    std::array<std::uint8_t, 16> uuid() const override { return uuid_; }
    std::unique_ptr<ImportedMemory> import(int descriptor, std::uint64_t bytes,
                                           bool dedicated) override
    {
        cudaExternalMemoryHandleDesc handle{};
        handle.type = cudaExternalMemoryHandleTypeOpaqueFd;
        handle.handle.fd = descriptor;
        handle.size = bytes;
        handle.flags = dedicated ? cudaExternalMemoryDedicated : 0;
        cudaExternalMemory_t memory = nullptr;
        const bool selected = cudaSetDevice(ordinal_) == cudaSuccess;
        const cudaError_t imported =
            selected ? cudaImportExternalMemory(&memory, &handle) : cudaErrorInvalidDevice;
        if (imported != cudaSuccess) {
            ::close(descriptor); // a successful import takes ownership
            check(imported, "import memory of the renderer");
        }
        cudaExternalMemoryBufferDesc whole{};
        whole.size = bytes;
        void* data = nullptr;
        const cudaError_t mapped = cudaExternalMemoryGetMappedBuffer(&data, memory, &whole);
        if (mapped != cudaSuccess) {
            cudaDestroyExternalMemory(memory);
            check(mapped, "map memory of the renderer");
        }
        return std::make_unique<CudaImportedMemory>(shared_from_this(), memory, data);
    }

    void magnitudes(const ArrayView& from, float* to) override
    {
        if (from.count == 0)
            return;
        select();
        cuda::magnitudes(from, to, stream_);
        check(cudaGetLastError(), "measure an array");
    }
    void narrow(const ArrayView& from, std::uint8_t* to) override
    {
        if (from.count == 0)
            return;
        select();
        cuda::narrow(from, to, stream_);
        check(cudaGetLastError(), "convert an array");
    }
    Extent extent(const ArrayView& of, float most) override
    {
        unsigned char bits[cuda::kExtentBytes];
        cuda::startExtent(bits);
        if (of.count == 0)
            return cuda::finishExtent(bits);
        void* memory = allocate(sizeof bits);
        try {
            copy(memory, bits, sizeof bits, Copy::toDevice);
            cuda::extent(of, most, memory, stream_);
            check(cudaGetLastError(), "measure an array");
            copy(bits, memory, sizeof bits, Copy::toHost);
            synchronise();
        } catch (...) {
            cudaStreamSynchronize(stream_); // `bits` may still be read or written
            release(memory);
            throw;
        }
        release(memory);
        return cuda::finishExtent(bits);
    }

    std::uint64_t usedBytes() const override { return poolBytes(cudaMemPoolAttrUsedMemCurrent); }
    std::uint64_t peakBytes() const override { return poolBytes(cudaMemPoolAttrUsedMemHigh); }

private:
    void select() const { check(cudaSetDevice(ordinal_), "be selected"); }
    void check(cudaError_t error, const char* action) const
    {
        if (error != cudaSuccess)
            fail(error, name_.empty() ? id() : name_ + " (" + id() + ")", action);
    }
    std::uint64_t poolBytes(cudaMemPoolAttr attribute) const
    {
        std::uint64_t bytes = 0;
        return cudaMemPoolGetAttribute(pool_, attribute, &bytes) == cudaSuccess ? bytes : 0;
    }
    void close() noexcept
    {
        if (pool_)
            cudaMemPoolDestroy(pool_);
        if (stream_)
            cudaStreamDestroy(stream_);
    }

    int ordinal_;
    std::string name_;
    std::array<std::uint8_t, 16> uuid_{};
    cudaStream_t stream_ = nullptr;
    cudaMemPool_t pool_ = nullptr;
};

} // namespace

std::string whyNone()
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return {};
    cudaGetLastError();
    if (error == cudaErrorInsufficientDriver)
        return "the NVIDIA driver is missing or older than this CUDA runtime needs";
    if (error == cudaErrorNoDevice || error == cudaSuccess)
        return "the NVIDIA driver finds none in this machine";
    return cudaGetErrorString(error);
}

std::vector<DeviceInfo> list()
{
    std::vector<DeviceInfo> devices;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        count = 0;
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, i) == cudaSuccess)
            devices.push_back({idOf(i), properties.name, properties.totalGlobalMem});
        else
            devices.push_back({idOf(i), "unknown CUDA device", 0});
    }
    cudaGetLastError();
    return devices;
}

DevicePointer open(int ordinal)
{
    return std::make_shared<CudaDevice>(ordinal);
}

} // namespace floe::compute::cuda
