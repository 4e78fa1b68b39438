#include "plugin_cook.hpp"

#include "example_values.hpp"
#include "floe/base/error.hpp"
#include "floe/data/describe.hpp"
#include "floe/data/value_stream.hpp"
#include "floe/plugin/loaded_plugin.hpp"
#include "floe/plugin/node_instance.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unistd.h>

namespace floe::app {
namespace fs = std::filesystem;
namespace {

using Inputs = std::map<std::string, std::vector<ValueRef>, std::less<>>;

/// Default parameters and example inputs; keeps what the node gives.
class TrialEnvironment final : public plugin::Environment {
public:
    TrialEnvironment(const graph::NodeType& type, const Inputs& inputs)
        : type_(type), inputs_(inputs)
    {}

    std::optional<plugin::Parameter> parameter(std::string_view name, double) override
    {
        const graph::ParameterSpec* spec = type_.parameter(name);
        if (!spec) {
            undeclared("parameter", name);
            return std::nullopt;
        }
        {
            const std::lock_guard lock(mutex_);
            read_.insert(spec->name);
        }
        if (spec->automatic && spec->defaultValue == graph::ParameterValue(0.0))
            return plugin::Parameter(spec->automatic->otherwise); // no solver is there
        return std::visit([](const auto& value) { return plugin::Parameter(value); },
                          spec->defaultValue);
    }
    std::span<const ValueRef> inputs(std::string_view socket) override
    {
        const auto found = inputs_.find(socket);
        if (found != inputs_.end())
            return found->second;
        if (!type_.input(socket))
            undeclared("input", socket);
        return {};
    }
    bool setOutput(std::string_view name, ValueRef value) override
    {
        const graph::Socket* socket = type_.output(name);
        if (!socket) {
            undeclared("output", name);
            return false;
        }
        if (std::ranges::none_of(socket->kinds,
                                 [&](const std::string& kind) { return isOfKind(*value, kind); }))
            throw InputError({.parameter = std::string(name)},
                             "the output gives " + describe(*value) +
                                 ", which is not of the kind in the manifest");
        outputs_[std::string(name)] = std::move(value);
        return true;
    }
    void message(std::int32_t level, const std::string& text) override
    {
        const std::lock_guard lock(mutex_);
        if (level >= FLOE_LEVEL_WARNING && messages_.size() < 20)
            messages_.push_back("says: " + text);
    }

    const std::map<std::string, ValueRef>& outputs() const { return outputs_; }
    const std::set<std::string>& parametersRead() const { return read_; }
    /// What the node said, and what it asked for that the manifest does not declare.
    const std::vector<std::string>& messages() const { return messages_; }

private:
    void undeclared(const char* what, std::string_view name)
    {
        const std::string text = std::string("asks for the ") + what + " '" +
                                 std::string(name.substr(0, 100)) +
                                 "', which the manifest does not declare";
        const std::lock_guard lock(mutex_);
        if (std::ranges::find(messages_, text) == messages_.end() && messages_.size() < 20)
            messages_.push_back(text);
    }

    const graph::NodeType& type_;
    const Inputs& inputs_;
    std::map<std::string, ValueRef> outputs_;
    std::set<std::string> read_;
    std::mutex mutex_;
    std::vector<std::string> messages_;
};

bool soundsLikeVectors(const std::string& socket)
{
    std::string name;
    for (const char letter : socket)
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return name.find("velocity") != std::string::npos || name.find("field") != std::string::npos ||
           name.find("wind") != std::string::npos;
}

/// One run of a node type, from its making to its end.
class Trial {
public:
    Trial(std::shared_ptr<const plugin::LoadedPlugin> plugin, const graph::NodeType& type,
          compute::DevicePointer device, fs::path outputFolder,
          const std::function<void(const std::string&)>& doing)
        : plugin_(std::move(plugin)), type_(type), device_(std::move(device)),
          folder_(std::move(outputFolder)), doing_(doing)
    {}

    /// @throws Error why the node failed
    void run(const Inputs& inputs)
    {
        notes.clear();
        TrialEnvironment environment(type_, inputs);
        try {
            plugin::NodeInstance node(plugin_, type_.type, "example");
            cook(node, environment, 1);
            if (type_.role == graph::Role::Solver)
                advance(node, environment);
            if (type_.role == graph::Role::Sink) {
                cook(node, environment, 2);
                doing_("finish");
                call(environment, 2, [&](plugin::CookContext& context) { node.finish(context); });
            }
        } catch (...) {
            notes = environment.messages();
            throw;
        }
        describeResult(environment);
        tryOutputs(environment);
        read_.insert(environment.parametersRead().begin(), environment.parametersRead().end());
    }

    /// Once all runs are done.
    void findUnread()
    {
        if (type_.keepsFrames || type_.shiftsFrame)
            return; // the host reads them
        for (const graph::ParameterSpec& spec : type_.parameters)
            if (spec.shownWhen.empty() && !read_.contains(spec.name))
                find({false,
                      "parameter '" + spec.name +
                          "' is never read: read it in cook, or take it out of the manifest",
                      "parameter-unread"});
    }

    std::vector<std::string> notes;
    std::vector<Finding> findings;
    std::string result;

private:
    void find(Finding finding)
    {
        if (std::ranges::find(findings, finding.line(), &Finding::line) == findings.end())
            findings.push_back(std::move(finding));
    }

    void tryOutputs(TrialEnvironment& environment)
    {
        for (const auto& [socket, value] : environment.outputs())
            for (Finding& finding : tryOutput(socket, value, settingsAt(1), environment, doing_))
                find(std::move(finding));
    }

    plugin::CookSettings settingsAt(double frame) const
    {
        plugin::CookSettings settings;
        settings.node = "example";
        settings.outputFolder = folder_.string();
        settings.frame = frame;
        settings.rangeStart = 1;
        settings.rangeEnd = 4;
        settings.start = frame == 1;
        settings.device = device_;
        return settings;
    }

    template <class Call>
    void call(TrialEnvironment& environment, double frame, const Call& body)
    {
        plugin::CookContext context(settingsAt(frame), environment);
        body(context);
    }
    void cook(plugin::NodeInstance& node, TrialEnvironment& environment, double frame)
    {
        doing_("cook");
        call(environment, frame, [&](plugin::CookContext& context) { node.cook(context); });
    }
    std::string save(plugin::NodeInstance& node, TrialEnvironment& environment, double frame)
    {
        std::string state;
        doing_("save");
        call(environment, frame, [&](plugin::CookContext& context) { state = node.save(context); });
        return state;
    }

    /// Two more frames, and the same from a saved state: both must end bit for bit alike.
    void advance(plugin::NodeInstance& node, TrialEnvironment& environment)
    {
        cook(node, environment, 2);
        const std::string state = save(node, environment, 2);
        plugin::NodeInstance resumed(plugin_, type_.type, "example");
        doing_("load");
        call(environment, 2, [&](plugin::CookContext& context) { resumed.load(context, state); });
        cook(resumed, environment, 3);
        const std::string fromState = save(resumed, environment, 3);
        cook(node, environment, 3);
        if (save(node, environment, 3) != fromState)
            throw PluginError({},
                              "a solver that is loaded from its saved state goes on differently");
        if (state.empty())
            notes.push_back("saves no state");
    }

    void describeResult(const TrialEnvironment& environment)
    {
        result.clear();
        for (const graph::Socket& socket : type_.outputs) {
            const auto found = environment.outputs().find(socket.name);
            if (found == environment.outputs().end())
                find({true,
                      "output '" + socket.name +
                          "' is not set: cook must set every output that the manifest declares",
                      "output-unset"});
            else
                result += (result.empty() ? "" : "; ") + describe(*found->second);
        }
        for (const std::string& message : environment.messages())
            notes.push_back(message);
    }

    std::shared_ptr<const plugin::LoadedPlugin> plugin_;
    const graph::NodeType& type_;
    compute::DevicePointer device_;
    fs::path folder_;
    const std::function<void(const std::string&)>& doing_;
    std::set<std::string> read_; ///< parameters
};

/// Examples for the sockets; `missing` gets the first kind that has none.
Inputs examples(const graph::NodeType& type, bool all, bool swapVolumes, std::string& missing)
{
    Inputs inputs;
    for (const graph::Socket& socket : type.inputs) {
        if (!socket.required && !all)
            continue;
        ValueRef value;
        for (const std::string& kind : socket.kinds)
            if (!value)
                value = exampleValue(
                    kind, {.vectorVolume = soundsLikeVectors(socket.name) != swapVolumes});
        if (value)
            inputs[socket.name].assign(socket.multiple && all ? 2 : 1, value);
        else if (socket.required)
            missing = socket.kinds.empty() ? "" : socket.kinds.front();
    }
    return inputs;
}

bool hasVolume(const graph::NodeType& type)
{
    return std::ranges::any_of(type.inputs, [](const graph::Socket& socket) {
        return std::ranges::find(socket.kinds, "volume") != socket.kinds.end();
    });
}

bool needsFile(const graph::NodeType& type)
{
    return std::ranges::any_of(type.parameters, [](const graph::ParameterSpec& spec) {
        const std::string* text = std::get_if<std::string>(&spec.defaultValue);
        return spec.type == graph::ValueType::Path && text && text->empty();
    });
}

} // namespace

CookTrial cookTrial(const fs::path& folder, const graph::NodeType& type, const std::string& device,
                    const fs::path& outputFolder,
                    const std::function<void(const std::string&)>& doing)
{
    CookTrial trial;
    const auto start = std::chrono::steady_clock::now();
    std::optional<Trial> run;
    try {
        run.emplace(plugin::load(folder), type, compute::selectDevice(device), outputFolder, doing);
        for (const bool all : {false, true}) {
            std::string missing;
            const Inputs inputs = examples(type, all, false, missing);
            if (!missing.empty()) {
                trial.outcome = CookTrial::Outcome::skipped;
                trial.reason = "there is no example of kind '" + missing + "'";
                return trial;
            }
            try {
                run->run(inputs);
            } catch (const Error&) {
                // A level set where vectors were wanted, or the other way round?
                if (!hasVolume(type))
                    throw;
                run->run(examples(type, all, true, missing));
            }
        }
        trial.result = run->result;
        run->findUnread();
    } catch (const std::exception& error) {
        const bool file = needsFile(type);
        trial.outcome = file ? CookTrial::Outcome::skipped : CookTrial::Outcome::failed;
        trial.reason = (file ? "it needs a file: " : "") + std::string(error.what());
    }
    if (run) {
        trial.notes = run->notes;
        trial.findings = run->findings;
    }
    trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return trial;
}

} // namespace floe::app
