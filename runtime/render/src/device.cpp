#include "device.hpp"

#include "floe/compute/memory.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace floe::render {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr const char* kDriverCure =
    "install a Vulkan driver, for example the package mesa-vulkan-drivers, which needs no GPU";

std::vector<VkPhysicalDevice> physicalDevices(VkInstance instance)
{
    std::uint32_t count = 0;
    if (vkEnumeratePhysicalDevices(instance, &count, nullptr) != VK_SUCCESS)
        return {};
    std::vector<VkPhysicalDevice> devices(count);
    const VkResult result = vkEnumeratePhysicalDevices(instance, &count, devices.data());
    devices.resize(result == VK_SUCCESS || result == VK_INCOMPLETE ? count : 0);
    return devices;
}

/// The first queue family that draws and computes; -1 when there is none.
int graphicsFamily(VkPhysicalDevice device)
{
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    for (std::size_t i = 0; i < families.size(); ++i)
        if ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0 &&
            (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0)
            return static_cast<int>(i);
    return -1;
}

bool hasExtension(VkPhysicalDevice device, const char* name)
{
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

/// Whether a storage buffer's memory can leave as an opaque descriptor.
bool exportsMemory(VkPhysicalDevice device)
{
    if (!hasExtension(device, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME))
        return false;
    VkPhysicalDeviceExternalBufferInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalBufferProperties properties{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vkGetPhysicalDeviceExternalBufferProperties(device, &info, &properties);
    return (properties.externalMemoryProperties.externalMemoryFeatures &
            VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0;
}

DeviceInfo describe(VkPhysicalDevice device, int index)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    DeviceInfo info;
    info.index = index;
    info.name = properties.deviceName;
    switch (properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        info.kind = DeviceInfo::Kind::Integrated;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        info.kind = DeviceInfo::Kind::Discrete;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        info.kind = DeviceInfo::Kind::Virtual;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        info.kind = DeviceInfo::Kind::Cpu;
        break;
    default:
        break;
    }
    info.usable = properties.apiVersion >= VK_API_VERSION_1_1 && graphicsFamily(device) >= 0;
    if (properties.apiVersion >= VK_API_VERSION_1_1) {
        VkPhysicalDeviceIDProperties ids{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
        VkPhysicalDeviceProperties2 more{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        more.pNext = &ids;
        vkGetPhysicalDeviceProperties2(device, &more);
        std::copy_n(ids.deviceUUID, 16, info.uuid.begin());
        info.exportsMemory = exportsMemory(device);
    }
    return info;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string hexadecimal(const std::array<std::uint8_t, 16>& bytes)
{
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

VkInstanceCreateInfo instanceInfo(const VkApplicationInfo& application)
{
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    return info;
}

VkApplicationInfo applicationInfo()
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = "Floe";
    application.pEngineName = "Floe";
    application.apiVersion = VK_API_VERSION_1_1;
    return application;
}

/// So little address space [bytes] that it is the likely reason of a failure to allocate.
constexpr std::uint64_t kScarce = std::uint64_t{1} << 30;

/// Drivers that draw on the processor do not look whether memory was given: without the room they
/// crash, or say that they are not there. Measured with Mesa's: code and compiler, and for each of
/// their threads a stack and a heap.
void requireAddressSpace()
{
    constexpr std::uint64_t kMiB = 1u << 20;
    const std::uint64_t needed =
        (512 + 40 * std::uint64_t{std::thread::hardware_concurrency()}) * kMiB;
    const std::uint64_t left = compute::addressSpaceLeft();
    if (left < needed)
        throw MemoryError({},
                          "renderer: the limit on the address space leaves " +
                              std::to_string(left / kMiB) + " MiB, and a Vulkan driver needs " +
                              std::to_string(needed / kMiB),
                          "raise the limit (ulimit -v), or run without nodes that draw");
}

} // namespace

void check(VkResult result, const char* action)
{
    if (result == VK_SUCCESS)
        return;
    const std::string cause = std::string("renderer: cannot ") + action;
    const bool outOfMemory =
        result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
    // Where the processor draws, either is the process's own memory.
    if (const std::uint64_t left = compute::addressSpaceLeft(); outOfMemory && left < kScarce)
        throw MemoryError({},
                          cause + ": the limit on the address space leaves " +
                              std::to_string(left >> 20) + " MiB",
                          "raise the limit (ulimit -v), or lower the resolution or the samples");
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        throw MemoryError({}, cause + ": host memory ran out",
                          "lower the resolution, the samples or the number of particles");
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        throw MemoryError({}, cause + ": device memory ran out",
                          "lower the resolution, the samples or the number of particles");
    case VK_ERROR_DEVICE_LOST:
        throw DeviceError({}, cause + ": the Vulkan device stopped working",
                          "look at the driver's log, or choose another device");
    default:
        throw DeviceError({}, cause + ": Vulkan error " + std::to_string(result));
    }
}

std::vector<DeviceInfo> listDevices()
{
    requireAddressSpace();
    const VkApplicationInfo application = applicationInfo();
    const VkInstanceCreateInfo info = instanceInfo(application);
    VkInstance instance = VK_NULL_HANDLE;
    if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS)
        return {};
    std::vector<DeviceInfo> list;
    for (const VkPhysicalDevice device : physicalDevices(instance))
        list.push_back(describe(device, static_cast<int>(list.size())));
    vkDestroyInstance(instance, nullptr);
    return list;
}

VkBool32 VKAPI_PTR Device::onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                     VkDebugUtilsMessageTypeFlagsEXT,
                                     const VkDebugUtilsMessengerCallbackDataEXT* data, void* self)
{
    auto* device = static_cast<Device*>(self);
    ++device->messages_;
    if (device->log_)
        device->log_(data->pMessage);
    return VK_FALSE;
}

Device::Device(const RendererSettings& settings) : log_(settings.log)
{
    requireAddressSpace();
    try {
        createInstance(settings);
        chooseDevice(settings.device);
        createDevice();
    } catch (...) {
        close();
        throw;
    }
}

Device::~Device()
{
    close();
}

void Device::close()
{
    if (device_ != VK_NULL_HANDLE) {
        vkDeviceWaitIdle(device_);
        fence_ = {};
        pool_ = {};
        vkDestroyDevice(device_, nullptr);
        device_ = VK_NULL_HANDLE;
    }
    if (messenger_ != VK_NULL_HANDLE) {
        const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
            vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
        destroy(instance_, messenger_, nullptr);
        messenger_ = VK_NULL_HANDLE;
    }
    if (instance_ != VK_NULL_HANDLE)
        vkDestroyInstance(instance_, nullptr);
    instance_ = VK_NULL_HANDLE;
}

void Device::createInstance(const RendererSettings& settings)
{
    const VkApplicationInfo application = applicationInfo();
    VkInstanceCreateInfo info = instanceInfo(application);

    VkDebugUtilsMessengerCreateInfoEXT messenger{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                            VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messenger.pfnUserCallback = &Device::onMessage;
    messenger.pUserData = this;

    const VkValidationFeatureEnableEXT enabled =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = &enabled;
    features.pNext = &messenger;

    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    if (settings.validation) {
        std::uint32_t count = 0;
        vkEnumerateInstanceLayerProperties(&count, nullptr);
        std::vector<VkLayerProperties> layers(count);
        vkEnumerateInstanceLayerProperties(&count, layers.data());
        if (std::none_of(layers.begin(), layers.end(), [](const auto& layer) {
                return std::strcmp(layer.layerName, kValidationLayer) == 0;
            }))
            throw DeviceError(
                {}, "renderer: the Vulkan validation layer is not installed",
                "install the package vulkan-validationlayers, or turn validation off");
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &kValidationLayer;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    const VkResult result = vkCreateInstance(&info, nullptr, &instance_);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        instance_ = VK_NULL_HANDLE;
        throw DeviceError({}, "renderer: no Vulkan driver was found", kDriverCure);
    }
    check(result, "start Vulkan");
    if (settings.validation) {
        const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
            vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
        check(create(instance_, &messenger, nullptr, &messenger_),
              "listen to the validation layer");
    }
}

void Device::chooseDevice(const std::string& choice)
{
    const std::vector<VkPhysicalDevice> devices = physicalDevices(instance_);
    std::vector<DeviceInfo> list;
    std::string names;
    for (const VkPhysicalDevice device : devices) {
        list.push_back(describe(device, static_cast<int>(list.size())));
        names += (names.empty() ? "" : ", ") + std::to_string(list.back().index) + " '" +
                 list.back().name + "'";
    }
    if (list.empty())
        throw DeviceError({}, "renderer: no Vulkan device was found", kDriverCure);

    int best = -1;
    if (choice.empty() || choice == "auto") {
        const auto rank = [](const DeviceInfo& info) {
            switch (info.kind) {
            case DeviceInfo::Kind::Discrete:
                return 4;
            case DeviceInfo::Kind::Integrated:
                return 3;
            case DeviceInfo::Kind::Virtual:
                return 2;
            default:
                return 1;
            }
        };
        for (const DeviceInfo& info : list)
            if (info.usable && (best < 0 || rank(info) > rank(list[best])))
                best = info.index;
        if (best < 0)
            throw DeviceError({}, "renderer: no device does Vulkan 1.1 (found " + names + ")",
                              kDriverCure);
    } else {
        int index = -1;
        const auto [end, error] =
            std::from_chars(choice.data(), choice.data() + choice.size(), index);
        const bool number = error == std::errc() && end == choice.data() + choice.size();
        for (const DeviceInfo& info : list) {
            const bool match = number && choice.size() < 10
                                   ? info.index == index
                                   : hexadecimal(info.uuid) == lower(choice) ||
                                         lower(info.name).find(lower(choice)) != std::string::npos;
            if (match && best < 0)
                best = info.index;
        }
        if (best < 0)
            throw DeviceError({}, "renderer: there is no Vulkan device '" + choice + "'",
                              "choose auto or one of " + names);
        if (!list[best].usable)
            throw DeviceError({}, "renderer: '" + list[best].name + "' does not do Vulkan 1.1",
                              "choose another of " + names);
    }
    info_ = list[best];
    physical_ = devices[best];
    family_ = static_cast<std::uint32_t>(graphicsFamily(physical_));
    vkGetPhysicalDeviceProperties(physical_, &properties_);
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
}

void Device::createDevice()
{
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = family_;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    const char* extension = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
    VkPhysicalDeviceFeatures has{};
    vkGetPhysicalDeviceFeatures(physical_, &has);
    VkPhysicalDeviceFeatures features{};
    features.shaderClipDistance = has.shaderClipDistance; // meshes are cut by it
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.pEnabledFeatures = &features;
    if (info_.exportsMemory) {
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    check(vkCreateDevice(physical_, &info, nullptr, &device_), "open the Vulkan device");
    vkGetDeviceQueue(device_, family_, 0, &queue_);
    if (info_.exportsMemory)
        getMemoryFd = reinterpret_cast<PFN_vkGetMemoryFdKHR>(
            vkGetDeviceProcAddr(device_, "vkGetMemoryFdKHR"));
    info_.exportsMemory = getMemoryFd != nullptr;

    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    poolInfo.queueFamilyIndex = family_;
    VkCommandPool pool;
    check(vkCreateCommandPool(device_, &poolInfo, nullptr, &pool), "create a command pool");
    pool_ = {device_, pool};
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(device_, &allocate, &commands_), "create a command buffer");
    const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    check(vkCreateFence(device_, &fenceInfo, nullptr, &fence), "create a fence");
    fence_ = {device_, fence};
}

std::uint64_t Device::localHeapBytes() const
{
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < memory_.memoryHeapCount; ++i)
        if ((memory_.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
            bytes = std::max<std::uint64_t>(bytes, memory_.memoryHeaps[i].size);
    // Drivers for processors name some heap size and allocate from the host's memory.
    if (info_.kind == DeviceInfo::Kind::Cpu)
        bytes = std::max(bytes, static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                    static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2);
    return bytes;
}

bool Device::blends(VkFormat format) const
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(physical_, format, &properties);
    return (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) != 0;
}

int Device::memoryType(std::uint32_t allowed, VkMemoryPropertyFlags wanted) const
{
    for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i)
        if ((allowed >> i & 1u) != 0 && (memory_.memoryTypes[i].propertyFlags & wanted) == wanted)
            return static_cast<int>(i);
    return -1;
}

void Device::run(const std::function<void(VkCommandBuffer)>& record)
{
    check(vkResetCommandBuffer(commands_, 0), "reset the commands");
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vkBeginCommandBuffer(commands_, &begin), "begin the commands");
    record(commands_);
    check(vkEndCommandBuffer(commands_), "end the commands");
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands_;
    const VkFence fence = fence_.get();
    check(vkResetFences(device_, 1, &fence), "reset the fence");
    check(vkQueueSubmit(queue_, 1, &submit, fence), "submit the commands");
    check(vkWaitForFences(device_, 1, &fence, VK_TRUE, UINT64_MAX), "wait for the device");
}

} // namespace floe::render
