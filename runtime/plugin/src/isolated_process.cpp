#include "floe/plugin/isolated_plugin.hpp"

#include "channel.hpp"

#include "floe/base/child_process.hpp"
#include "floe/data/value_stream.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace floe::plugin {
namespace {

constexpr std::chrono::milliseconds kPoll{10}; ///< between questions whether to stop

/// The program at the other end, for one call. Of any threads of the plugin, one asks at a time.
class RemoteEnvironment final : public Environment {
public:
    explicit RemoteEnvironment(Channel& channel) : channel_(channel) {}

    std::optional<Parameter> parameter(std::string_view name, double frame) override
    {
        const Message answer = ask({{"ask", "parameter"}, {"name", name}, {"frame", frame}});
        const auto value = answer.header.find("value");
        if (value == answer.header.end())
            return std::nullopt;
        if (value->is_boolean())
            return Parameter(value->get<bool>());
        if (value->is_number_integer())
            return Parameter(value->get<std::int64_t>());
        if (value->is_string())
            return Parameter(value->get<std::string>());
        if (value->is_array())
            return Parameter(value->get<std::array<double, 3>>());
        return Parameter(numberOf(answer.header, "value"));
    }

    std::span<const ValueRef> inputs(std::string_view socket) override
    {
        const std::lock_guard lock(inputsMutex_);
        const auto known = inputs_.find(socket);
        if (known != inputs_.end())
            return known->second;
        Message answer = ask({{"ask", "inputs"}, {"socket", socket}});
        std::istringstream bytes(std::move(answer.bytes));
        std::vector<ValueRef> values;
        const double count = numberOf(answer.header, "count");
        while (static_cast<double>(values.size()) < count)
            values.push_back(readValue(bytes));
        return inputs_.emplace(socket, std::move(values)).first->second;
    }

    bool setOutput(std::string_view socket, ValueRef value) override
    {
        if (!isStorable(*value))
            throw InputError({.parameter = std::string(socket)},
                             "hands out functions, which cannot leave the plugin's process",
                             "run without --isolate for this plugin");
        const Message answer = ask({{"ask", "output"}, {"socket", socket}}, writeValue(*value));
        return answer.header.value("known", false);
    }

    bool cancelled() override
    {
        const auto now = std::chrono::steady_clock::now();
        {
            const std::lock_guard lock(mutex_);
            if (cancelled_ || now - asked_ < kPoll)
                return cancelled_;
            asked_ = now;
        }
        const bool answer = ask({{"ask", "cancelled"}}).header.value("cancelled", false);
        const std::lock_guard lock(mutex_);
        return cancelled_ = cancelled_ || answer;
    }

    void progress(double fraction) override { tell({{"tell", "progress"}, {"value", fraction}}); }
    void message(std::int32_t level, const std::string& text) override
    {
        tell({{"tell", "message"}, {"value", level}, {"text", text}});
    }
    void statistic(const std::string& name, double value) override
    {
        tell({{"tell", "statistic"}, {"name", name}, {"value", value}});
    }

private:
    Message ask(const Json& question, std::string_view bytes = {})
    {
        const std::lock_guard lock(mutex_);
        std::optional<Message> answer;
        if (channel_.send(question, bytes))
            answer = channel_.receive();
        if (!answer)
            ::_exit(EXIT_FAILURE); // nobody is there any more
        if (answer->header.contains("error"))
            raiseError(answer->header["error"], {});
        return std::move(*answer);
    }
    void tell(const Json& what)
    {
        const std::lock_guard lock(mutex_);
        channel_.send(what);
    }

    Channel& channel_;
    std::mutex mutex_, inputsMutex_;
    std::map<std::string, std::vector<ValueRef>, std::less<>> inputs_;
    bool cancelled_ = false;
    std::chrono::steady_clock::time_point asked_{};
};

CookSettings settingsOf(const Json& request)
{
    const Json& json = request.at("settings");
    return {.node = textOf(json, "node"),
            .outputFolder = textOf(json, "outputFolder"),
            .frame = numberOf(json, "frame"),
            .fps = numberOf(json, "fps"),
            .rangeStart = numberOf(json, "rangeStart"),
            .rangeEnd = numberOf(json, "rangeEnd"),
            .start = json.value("start", false)};
}

class Served {
public:
    Served(const std::filesystem::path& folder, Channel& channel)
        : folder_(folder), channel_(channel)
    {}

    /// Does a request. @return the bytes that answer it
    std::string serve(const Message& request)
    {
        const Json& header = request.header;
        const std::string what = textOf(header, "do");
        if (!plugin_)
            plugin_ = load(folder_);
        if (what == "migrate")
            return migrate(*plugin_, textOf(header, "type"), header.at("from").get<std::uint32_t>(),
                           request.bytes);
        const int object = header.at("object").get<int>();
        if (what == "make") {
            nodes_[object] = std::make_unique<NodeInstance>(plugin_, textOf(header, "type"),
                                                            textOf(header, "name"));
            return {};
        }
        if (what == "destroy") {
            nodes_.erase(object);
            return {};
        }
        NodeInstance& node = *nodes_.at(object);
        RemoteEnvironment environment(channel_);
        CookContext context(settingsOf(header), environment);
        if (what == "cook")
            node.cook(context);
        else if (what == "save")
            return node.save(context);
        else if (what == "load")
            node.load(context, request.bytes);
        else if (what == "finish")
            node.finish(context);
        return {};
    }

private:
    std::filesystem::path folder_;
    Channel& channel_;
    std::shared_ptr<const LoadedPlugin> plugin_;
    std::map<int, std::unique_ptr<NodeInstance>> nodes_;
};

} // namespace

int isolatedMain(const std::filesystem::path& folder)
{
    Channel channel{Descriptor(kReportDescriptor)};
    Served served(folder, channel);
    while (const auto request = channel.receive()) {
        try {
            const std::string bytes = served.serve(*request);
            channel.send({{"done", true}}, bytes);
        } catch (const std::exception& error) {
            channel.send({{"failed", errorJson(error)}});
        }
    }
    return EXIT_SUCCESS;
}

} // namespace floe::plugin
