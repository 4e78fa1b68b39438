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

/// Value of a parameter at a frame; colours are vectors, choices and paths are strings.
using Parameter = std::variant<double, std::int64_t, bool, std::string, std::array<double, 3>>;

/// What one call of a node may request from the program and report to it. The session implements
/// it; a floe::Error thrown here becomes a status for the plugin, with its message.
class Environment {
public:
    virtual ~Environment() = default;

    /// From any thread. Returns nothing when the node type declares no such parameter.
    /// @throws Error an expression has no value at that frame
    virtual std::optional<Parameter> parameter(std::string_view name, double frame) = 0;
    /// From any thread. Returns the values on an input socket in link order; valid during the call.
    virtual std::span<const ValueRef> inputs(std::string_view socket) = 0;
    /// Takes a sealed value. Returns false when the node type declares no such output.
    /// @throws InputError the socket does not take this kind
    virtual bool setOutput(std::string_view socket, ValueRef value) = 0;

    /// Whether each of several ranks is to give its own part of an output (floe_ranks::in_parts).
    virtual bool inParts(std::string_view /*output*/) { return false; }

    virtual bool cancelled() { return false; } ///< from any thread
    /// Whether a node may end with FLOE_CANCELLED: because of cancelled(), or of other processes.
    virtual bool mayBeCancelled() { return cancelled(); }
    virtual void progress(double /*fraction*/) {} ///< 0 to 1
    /// From any thread. `text` is valid UTF-8 of bounded length. Receives errors only when they did
    /// not make the call fail; that error is thrown.
    virtual void message(std::int32_t /*level*/, const std::string& /*text*/) {}
    /// From any thread; `value` is finite.
    virtual void statistic(const std::string& /*name*/, double /*value*/) {}
};

/// Circumstances of a call.
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

/// The context passed to a plugin's function: checks every argument, turns exceptions into
/// statuses, and stores the plugin's error messages. Make one for each call.
class CookContext {
public:
    CookContext(CookSettings settings, Environment& environment);
    CookContext(const CookContext&) = delete;
    CookContext& operator=(const CookContext&) = delete;

    const floe_context* raw() const { return &raw_; }
    const CookSettings& settings() const { return settings_; }
    /// Returns the context behind the interface; null for null. @pre it is one of this host's
    static CookContext* of(const floe_context* context);

    Environment& environment() { return environment_; }
    /// Records the failure of a function of the plugin interface or of an extension; it becomes the
    /// reason that is thrown if the call fails.
    void fail(const std::string& reason);
    /// Ends the call's bookkeeping. After a failure returns the last error, for the exception; all
    /// other errors go to Environment::message.
    std::string takeReason(bool failed);
    /// An exception escaped from code that must not throw; the call then counts as failed.
    bool broken() const { return broken_; }

private:
    struct Calls;
    CookSettings settings_;
    Environment& environment_;
    floe_device device_{};
    floe_context raw_{};
    std::mutex mutex_;
    std::set<std::string, std::less<>> strings_; ///< passed to the plugin, valid during the call
    std::vector<std::string> errors_;
    std::atomic<bool> broken_{false};
};

/// The plugin interface's view of a device, for extensions and tests; `device` must outlive it.
floe_device deviceInterface(compute::Device& device);

/// Returns the status for an exception of floe::Error.
floe_status statusOf(const std::exception& error);
/// Returns its message for the user.
std::string sentenceOf(const std::exception& error);

} // namespace floe::plugin
