#pragma once

#include "floe/render/image.hpp"
#include "floe/render/scene.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace floe::render {

/// A Vulkan device as described by its driver.
struct DeviceInfo {
    int index = 0;
    std::string name;
    enum class Kind { Other, Integrated, Discrete, Virtual, Cpu } kind = Kind::Other;
    std::array<std::uint8_t, 16> uuid{}; ///< equals cudaDeviceProp::uuid of the same device
    bool usable = false;                 ///< Vulkan 1.1 with a graphics queue
    bool exportsMemory = false;          ///< ExternalBuffer works (VK_KHR_external_memory_fd)
};

/// Returns the devices of this machine; none without a driver, which is not an error.
std::vector<DeviceInfo> listDevices();

struct RendererSettings {
    /// "auto": discrete before integrated before virtual before processor; a number: the index in
    /// listDevices(); 32 hexadecimal digits: the UUID; otherwise a part of the name, in any case.
    std::string device = "auto";
    /// Enables the Khronos validation layer, with synchronisation checks.
    bool validation = false;
    /// Receives messages of the validation layer; may be empty. Called on the rendering thread.
    std::function<void(const std::string&)> log;
};

/// Timing of one render() [s].
struct RenderTimes {
    double prepare = 0; ///< bounds, checks, normals
    double upload = 0;  ///< copies to the device
    double draw = 0;    ///< the device's work
    double read = 0;    ///< copies back, legend and caption
    double total = 0;
};

/// What pixels show, from left to right and from the top.
struct Visible {
    int width = 0, height = 0; ///< [pixels]
    struct Pixel {
        std::uint32_t object = 0; ///< 0: nothing; particle sets from 1 on, then meshes
        std::uint32_t element =
            0; ///< place of the particle in its set, of the triangle in its mesh
    };
    std::vector<Pixel> pixels;
};

/// Device memory that other programs on the same device (CUDA) may import and fill, so that
/// particles are drawn without passing through the host.
///
/// Write to it only while no render() uses it, and finish (synchronise the stream) before calling
/// render(). May outlive the renderer.
class ExternalBuffer {
public:
    virtual ~ExternalBuffer() = default;
    /// Returns a new descriptor of the memory (opaque, for cudaExternalMemoryHandleTypeOpaqueFd). A
    /// successful import takes ownership; otherwise the caller closes it.
    virtual int exportDescriptor() const = 0;
    virtual std::uint64_t bytes() const = 0;           ///< usable size
    virtual std::uint64_t allocationBytes() const = 0; ///< size to pass when importing
    virtual const std::array<std::uint8_t, 16>& deviceUuid() const = 0;
    virtual bool dedicated() const = 0; ///< import needs cudaExternalMemoryDedicated
    /// Returns the host's mapping of the memory (processors, integrated devices), else null.
    virtual void* mapped() const = 0;
};

/// Draws scenes without a window on any Vulkan 1.1 device. Keeps its device, pipelines and buffers
/// between pictures; buffers grow as needed.
///
/// One thread at a time; different renderers are independent.
///
/// Pictures are made in passes (Saito and Takahashi 1990): shadow map; colour, normal, surface and
/// depth of visible geometry; smoothing of normals; ambient occlusion (McGuire et al. 2012);
/// lighting; 3D Gaussians, sorted by distance and blended; tone mapping of each sample, Gaussians
/// over it, and averaging.
class Renderer {
public:
    /// @throws DeviceError no usable device, or none of that name; says what to install
    explicit Renderer(RendererSettings settings = {});
    ~Renderer();
    Renderer(Renderer&&) noexcept;
    Renderer& operator=(Renderer&&) noexcept;

    /// @throws InputError  a value of the scene is unusable; the place names it
    /// @throws MemoryError not enough host or device memory
    /// @throws DeviceError the device failed
    Image render(const Scene& scene);

    /// What each pixel of a picture shows at its middle: particles as balls of their radius, clear
    /// ones too, and meshes. Gaussians, the ground, lights and samples play no part.
    /// @throws as render()
    Visible visible(const Scene& scene);

    const DeviceInfo& device() const;
    const RenderTimes& times() const;   ///< of the last render()
    std::uint64_t messageCount() const; ///< warnings and errors of the validation layer so far

    bool canExport() const { return device().exportsMemory; }
    /// May be called while another thread renders.
    /// @throws DeviceError not canExport()
    /// @throws MemoryError
    std::shared_ptr<ExternalBuffer> createExternalBuffer(std::uint64_t bytes);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace floe::render
