#pragma once

#include "floe/base/error.hpp"
#include "floe/data/scalars.hpp"
#include "floe/plugin/cook_context.hpp"
#include "floe/plugin/loaded_plugin.hpp"
#include "floe/plugin/node_instance.hpp"

#include <map>
#include <string>
#include <vector>

namespace floe::test {

/// What a node sees in these tests: parameters and inputs by name; keeps what comes back.
class TestEnvironment final : public plugin::Environment {
public:
    std::map<std::string, plugin::Parameter, std::less<>> parameters;
    std::map<std::string, std::vector<ValueRef>, std::less<>> sockets;
    std::map<std::string, ValueRef, std::less<>> outputs{{"out", nullptr}};
    std::vector<std::string> messages;
    std::map<std::string, double> statistics;
    double fraction = 0;
    bool stop = false;

    std::optional<plugin::Parameter> parameter(std::string_view name, double frame) override
    {
        if (name == "broken")
            throw GraphError({.parameter = "broken"}, "the expression divides by zero");
        if (name == "frame")
            return frame;
        const auto found = parameters.find(name);
        return found == parameters.end() ? std::nullopt : std::optional(found->second);
    }
    std::span<const ValueRef> inputs(std::string_view socket) override
    {
        const auto found = sockets.find(socket);
        return found == sockets.end() ? std::span<const ValueRef>()
                                      : std::span<const ValueRef>(found->second);
    }
    bool setOutput(std::string_view socket, ValueRef value) override
    {
        const auto found = outputs.find(socket);
        if (found == outputs.end())
            return false;
        if (value->kind() == Kind::string)
            throw InputError({.parameter = std::string(socket)}, "takes no string");
        found->second = std::move(value);
        return true;
    }
    bool cancelled() override { return stop; }
    void progress(double value) override { fraction = value; }
    void message(std::int32_t level, const std::string& text) override
    {
        messages.push_back(std::to_string(level) + " " + text);
    }
    void statistic(const std::string& name, double value) override { statistics[name] = value; }

    double number(const char* socket = "out")
    {
        return expect<NumberValue>(outputs.find(socket)->second).number();
    }
};

inline plugin::CookSettings at(double frame)
{
    plugin::CookSettings settings;
    settings.node = "debris/ball";
    settings.outputFolder = "/tmp";
    settings.frame = frame;
    return settings;
}

inline std::filesystem::path pluginFolder(const std::string& name)
{
    return std::filesystem::path(ABI_PLUGINS) / name;
}

} // namespace floe::test
