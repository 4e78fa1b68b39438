#pragma once

#include "floe/compute/device.hpp"
#include "floe/data/value.hpp"
#include "floe/sdk/floe.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace floe::plugin {

/// What a parameter has at a frame; colours are vectors, choices and paths are strings.
using Parameter = std::variant<double, std::int64_t, bool, std::string, std::array<double, 3>>;

/// What one call of a node may ask of the program and tell it. The session implements this;
/// exceptions of floe::Error thrown here become a status for the plugin, and its message.
class Environment {
public:
    virtual ~Environment() = default;

    /// From any thread. Nothing: the node type declares no such parameter.
    /// @throws Error an expression has no value at that frame
    virtual std::optional<Parameter> parameter(std::string_view name, double frame) = 0;
    /// From any thread. Values on an input socket in link order; they stay alive during the call.
    virtual std::span<const ValueRef> inputs(std::string_view socket) = 0;
    /// Takes a sealed value. False: the node type declares no such output.
    /// @throws InputError the socket does not take this kind
    virtual bool setOutput(std::string_view socket, ValueRef value) = 0;

    virtual bool cancelled() { return false; }    ///< from any thread
    virtual void progress(double /*fraction*/) {} ///< 0 to 1
    /// From any thread. `text` is valid UTF-8 of bounded length. Errors come here only when they
    /// are not the reason why the call failed: that one is thrown.
    virtual void message(std::int32_t /*level*/, const std::string& /*text*/) {}
    /// From any thread; `value` is finite.
    virtual void statistic(const std::string& /*name*/, double /*value*/) {}
};

/// Where and when a call takes place.
struct CookSettings {
    std::string node;         ///< in the graph, "debris/ball"
    std::string outputFolder; ///< absolute
    double frame = 0;
    double fps = 24;
    double rangeStart = 0;
    double rangeEnd = 0;
    bool start = false; ///< solver: the first frame
    compute::DevicePointer device = compute::cpuDevice();
};

/// The context that a plugin's function gets: checks every argument, turns exceptions into
/// statuses, remembers what the plugin says is wrong. Make one for each call.
class CookContext {
public:
    CookContext(CookSettings settings, Environment& environment);
    CookContext(const CookContext&) = delete;
    CookContext& operator=(const CookContext&) = delete;

    const floe_context* raw() const { return &raw_; }
    const CookSettings& settings() const { return settings_; }
    /// The context behind the interface; null for null. @pre it is one of this host's
    static CookContext* of(const floe_context* context);

    Environment& environment() { return environment_; }
    /// What a function of the plugin interface, or of an extension, failed with: becomes the
    /// reason that is thrown if the call fails.
    void fail(const std::string& reason);
    /// Ends the call's bookkeeping: the last error said, for the exception (the others go to
    /// Environment::message), or everything to Environment::message when the call succeeded.
    std::string takeReason(bool failed);
    /// An exception left code that must not throw; the call then counts as failed.
    bool broken() const { return broken_; }

private:
    struct Calls;
    CookSettings settings_;
    Environment& environment_;
    floe_device device_{};
    floe_context raw_{};
    std::mutex mutex_;
    std::set<std::string, std::less<>> strings_; ///< handed out, valid during the call
    std::vector<std::string> errors_;
    std::atomic<bool> broken_{false};
};

/// The plugin interface's view of a device, for extensions and tests; `device` must outlive it.
floe_device deviceInterface(compute::Device& device);

/// The status that an exception of floe::Error stands for.
floe_status statusOf(const std::exception& error);
/// What to tell a person about it.
std::string sentenceOf(const std::exception& error);

} // namespace floe::plugin
