#pragma once

#include "fenced_array.hpp"
#include "handed_out.hpp"

#include "floe/data/record.hpp"
#include "floe/plugin/node_instance.hpp"
#include "floe/plugin/plugin_host.hpp"
#include "floe/sdk/records.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace floe::app {

/// The output that is tried out, and with what; see tryOutput().
struct Subject {
    const std::string& socket;
    const plugin::CookSettings& settings;
    plugin::Environment& environment;
    const std::function<void(const std::string&)>& doing;
};

// One for each kind of record.
std::vector<Finding> tryMaterial(const RecordValue& record, const Subject& subject);
std::vector<Finding> tryEmitter(const RecordValue& record, const Subject& subject);
std::vector<Finding> tryActivation(const RecordValue& record, const Subject& subject);
/// A force, a collider or a domain.
std::vector<Finding> tryWorld(const RecordValue& record, const Subject& subject);

/// What an output holds before the call: a number of its own, which nothing computes.
inline const float kUnset = std::bit_cast<float>(std::uint32_t{0x7fc0f10e});

inline bool isUnset(float value)
{
    return std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(kUnset);
}

inline std::string shortNumber(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// What all trials of one output share.
class Trial {
public:
    explicit Trial(const Subject& subject)
        : socket_(subject.socket), settings_(subject.settings), environment_(subject.environment),
          doing_(subject.doing)
    {}

    std::vector<Finding> findings;

protected:
    compute::Device& device() const { return *settings_.device; }

    void error(const std::string& name, const std::string& text) { say(true, name, text); }
    void warning(const std::string& name, const std::string& text) { say(false, name, text); }

    /// @return whether the function went well
    template <class Call>
    bool call(const std::string& function, const Call& body)
    {
        doing_(function + " of output '" + socket_ + "'");
        plugin::CookContext context(settings_, environment_);
        const floe_status status = body(context);
        const std::string reason = context.takeReason(status != FLOE_OK);
        if (status == FLOE_UNSUPPORTED) {
            error("unsupported-device", function + " does not work on this device, though the "
                                                   "node's backends say so");
        } else if (status != FLOE_OK) {
            error("call-failed", function + " failed with status " + std::to_string(status) +
                                     (reason.empty() ? "" : ": " + reason));
        }
        return status == FLOE_OK;
    }

    /// Reads an array back; writing outside it is an error.
    template <class T>
    std::vector<T> read(const std::string& function, const FencedArray<T>& array)
    {
        return array.get([&](const std::string& where) {
            error("array-overrun", function + " writes " + where + " " + array.name());
        });
    }

    /// Whether all of an output were set, to finite numbers.
    bool checkNumbers(const std::string& function, const std::string& name,
                      const std::vector<float>& values)
    {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (isUnset(values[i])) {
                error("output-unset", function + " does not set " + name + "[" + std::to_string(i) +
                                          "] of " + std::to_string(values.size()));
                return false;
            }
            if (!std::isfinite(values[i])) {
                error("not-finite", function + " gives " + shortNumber(values[i]) + " in " + name +
                                        "[" + std::to_string(i) + "]");
                return false;
            }
        }
        return true;
    }

    const std::string socket_;
    const plugin::CookSettings& settings_;
    plugin::Environment& environment_;
    const std::function<void(const std::string&)>& doing_;

private:
    void say(bool isError, const std::string& name, const std::string& text)
    {
        Finding finding{isError, "output '" + socket_ + "': " + text, name};
        for (const Finding& other : findings)
            if (other.text == finding.text)
                return;
        constexpr std::size_t kMax = 20;
        if (findings.size() < kMax)
            findings.push_back(std::move(finding));
    }
};

inline const Value* fieldOf(const RecordValue& record, const char* name)
{
    const Value* value = record.fields().find(name);
    return value;
}

/// The table and object of a field; null where it is another interface.
template <class Table>
const Table* tableOf(const RecordValue& record, const char* field, const char* id, void*& self)
{
    const void* table = nullptr;
    return plugin::interfaceOf(fieldOf(record, field), id, &table, &self)
               ? static_cast<const Table*>(table)
               : nullptr;
}

} // namespace floe::app
