#include "floe/plugin/isolated_plugin.hpp"

#include "channel.hpp"

#include "floe/base/child_process.hpp"
#include "floe/data/value_stream.hpp"
#include "floe/plugin/call_site.hpp"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <future>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <utility>

namespace floe::plugin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{2}; ///< from the request to stop, or to end, to the kill

Json settingsJson(const CookSettings& settings)
{
    return {{"node", settings.node},
            {"outputFolder", settings.outputFolder},
            {"frame", settings.frame},
            {"fps", settings.fps},
            {"rangeStart", settings.rangeStart},
            {"rangeEnd", settings.rangeEnd},
            {"start", settings.start}};
}

/// What a request is answered with: a header, and bytes.
struct Answer {
    Json header;
    std::string bytes;
};

Answer parameterAnswer(Environment& environment, const Json& asked)
{
    const auto value = environment.parameter(textOf(asked, "name"), numberOf(asked, "frame"));
    if (!value)
        return {Json::object(), {}};
    return {std::visit([](const auto& held) { return Json{{"value", held}}; }, *value), {}};
}

Answer inputsAnswer(Environment& environment, const Json& asked, const std::string& plugin)
{
    const std::string socket = textOf(asked, "socket");
    std::ostringstream bytes;
    const auto values = environment.inputs(socket);
    for (const ValueRef& value : values) {
        if (!isStorable(*value))
            throw InputError({.parameter = socket},
                             "gets functions, which cannot cross to the process of '" + plugin +
                                 "'",
                             "run it without --isolate " + plugin);
        writeValue(bytes, *value);
    }
    return {{{"count", values.size()}}, std::move(bytes).str()};
}

/// Does what the process asks in the course of a call, or takes what it tells.
Answer answerTo(const Message& message, Environment& environment, const std::string& plugin)
{
    const Json& asked = message.header;
    const std::string what = textOf(asked, "ask");
    if (what == "parameter")
        return parameterAnswer(environment, asked);
    if (what == "inputs")
        return inputsAnswer(environment, asked, plugin);
    if (what == "output") {
        const std::string& bytes = message.bytes;
        auto value = readValue(std::as_bytes(std::span(bytes.data(), bytes.size())));
        return {{{"known", environment.setOutput(textOf(asked, "socket"), std::move(value))}}, {}};
    }
    if (what == "cancelled")
        return {{{"cancelled", environment.cancelled()}}, {}};
    throw PluginError({}, "the process asked for what there is not");
}

void hear(const Json& told, Environment& environment)
{
    const std::string what = textOf(told, "tell");
    const double value = numberOf(told, "value");
    if (what == "progress" && value >= 0 && value <= 1)
        environment.progress(value);
    else if (what == "statistic" && std::isfinite(value))
        environment.statistic(textOf(told, "name"), value);
    else if (what == "message")
        environment.message(static_cast<std::int32_t>(std::abs(value) < 100 ? value : 0),
                            textOf(told, "text"));
}

} // namespace

/// The running process. A child ends with the thread that started it, and threads that cook come
/// and go: one of its own keeps it.
class IsolatedPlugin::Process {
public:
    /// @throws IoError
    explicit Process(std::vector<std::string> command)
    {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            throw IoError({}, "no sockets for the process of a plugin", "raise ulimit -n");
        channel_.emplace(Descriptor(ends[0]));
        Descriptor theirs(ends[1]);
        ChildSettings settings;
        settings.command = std::move(command);
        settings.output = settings.errors = 2;
        settings.report = theirs.get();
        std::promise<void> started;
        std::future<void> isStarted = started.get_future();
        keeper_ = std::thread([this, &settings, &started] { keep(settings, started); });
        try {
            isStarted.get();
        } catch (...) {
            keeper_.join();
            throw;
        }
    }
    ~Process()
    {
        if (keeper_.joinable())
            end(false);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    Channel& channel() { return *channel_; }

    /// Lets it end, or kills it at once. Only once.
    ChildEnd end(bool now)
    {
        channel_.reset(); // it ends when nobody is there
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
            killing_ = now;
        }
        wake_.notify_one();
        keeper_.join();
        return end_;
    }

private:
    void keep(const ChildSettings& settings, std::promise<void>& started)
    {
        std::optional<ChildProcess> child;
        try {
            child.emplace(settings);
        } catch (...) {
            started.set_exception(std::current_exception());
            return;
        }
        started.set_value();
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ending_; });
        const auto limit = Clock::now() + kPatience;
        while (!killing_ && !child->hasEnded() && Clock::now() < limit)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (!child->hasEnded())
            child->kill();
        end_ = child->wait();
    }

    std::optional<Channel> channel_;
    std::thread keeper_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false, killing_ = false;
    ChildEnd end_;
};

/// A node of the process; made there when it is first called, and again in a new process.
class IsolatedPlugin::RemoteNode final : public Node {
public:
    RemoteNode(std::shared_ptr<IsolatedPlugin> plugin, std::string type, std::string name)
        : plugin_(std::move(plugin)), type_(std::move(type)), name_(std::move(name)),
          number_(plugin_->nodes_++)
    {}
    ~RemoteNode() override
    {
        try {
            const std::lock_guard lock(plugin_->mutex_);
            if (plugin_->process_ && made_ == plugin_->started_)
                plugin_->call({{"do", "destroy"}, {"object", number_}}, {}, {.node = name_},
                              nullptr);
        } catch (const std::exception&) { // it went with its process
        }
    }
    RemoteNode(const RemoteNode&) = delete;
    RemoteNode& operator=(const RemoteNode&) = delete;

    void cook(CookContext& context) override { request("cook", context, {}); }
    std::string save(CookContext& context) override { return request("save", context, {}); }
    void load(CookContext& context, StateSource& state) override
    {
        std::string bytes(state.size(), '\0');
        state.read(0, bytes.data(), bytes.size());
        request("load", context, bytes);
    }
    void finish(CookContext& context) override { request("finish", context, {}); }

private:
    std::string request(const char* what, CookContext& context, std::string_view bytes)
    {
        const Place place{.node = name_,
                          .frame = static_cast<int>(std::floor(context.settings().frame))};
        const std::lock_guard lock(plugin_->mutex_);
        const ManifestNode* known = plugin_->manifest_.find(type_);
        if (!plugin_->process_ && made_ > 0 && known && known->isSolver)
            throw PluginError(place,
                              "its state went with the process of '" + plugin_->manifest_.id + "'",
                              "go on from a checkpoint");
        plugin_->start();
        if (std::exchange(made_, plugin_->started_) != plugin_->started_)
            plugin_->call({{"do", "make"}, {"object", number_}, {"type", type_}, {"name", name_}},
                          {}, place, nullptr);
        return plugin_->call(
            {{"do", what}, {"object", number_}, {"settings", settingsJson(context.settings())}},
            bytes, place, &context);
    }

    std::shared_ptr<IsolatedPlugin> plugin_;
    std::string type_, name_;
    int number_;
    int made_ = 0; ///< in which process, from 1
};

std::shared_ptr<IsolatedPlugin> IsolatedPlugin::make(Manifest manifest,
                                                     std::vector<std::string> command)
{
    if (command.empty())
        command = {"/proc/self/exe", "plugin-process"};
    command.push_back(manifest.folder.string());
    return std::shared_ptr<IsolatedPlugin>(
        new IsolatedPlugin(std::move(manifest), std::move(command)));
}

IsolatedPlugin::IsolatedPlugin(Manifest manifest, std::vector<std::string> command)
    : manifest_(std::move(manifest)), command_(std::move(command))
{}

IsolatedPlugin::~IsolatedPlugin() = default;

std::unique_ptr<Node> IsolatedPlugin::makeNode(const std::string& type, const std::string& node)
{
    const std::lock_guard lock(mutex_);
    return std::make_unique<RemoteNode>(shared_from_this(), type, node);
}

std::string IsolatedPlugin::migrate(const std::string& type, std::uint32_t fromVersion,
                                    const std::string& json)
{
    const std::lock_guard lock(mutex_);
    start();
    return call({{"do", "migrate"}, {"type", type}, {"from", fromVersion}}, json, {.node = type},
                nullptr);
}

void IsolatedPlugin::start()
{
    if (process_)
        return;
    process_ = std::make_unique<Process>(command_);
    ++started_;
}

std::string IsolatedPlugin::call(Json request, std::string_view bytes, const Place& place,
                                 CookContext* context)
{
    std::optional<CallScope> scope; // for whoever asks what is waited for
    if (context)
        scope.emplace(request.value("do", std::string()), place.node, manifest_.id,
                      context->settings().frame);
    Channel& channel = process_->channel();
    std::optional<Clock::time_point> asked; // to stop
    const auto idle = [&] {
        if (!context || !context->environment().cancelled())
            return;
        if (!asked)
            asked = Clock::now();
        if (Clock::now() - *asked < kPatience)
            return;
        std::exchange(process_, nullptr)->end(true);
        throw CancelledError(place, "stopped; the plugin '" + manifest_.id +
                                        "' did not answer, and its process was ended");
    };
    if (!channel.send(request, bytes))
        sayHowItEnded(place);
    for (;;) {
        std::optional<Message> message = channel.receive(idle);
        if (!message)
            sayHowItEnded(place);
        const Json& header = message->header;
        if (header.contains("done"))
            return std::move(message->bytes);
        if (header.contains("failed"))
            raiseError(header["failed"], place);
        if (header.contains("tell")) {
            if (context)
                hear(header, context->environment());
            continue;
        }
        Answer answer;
        try {
            if (!context)
                throw PluginError({}, "there is nothing to ask for in this call");
            answer = answerTo(*message, context->environment(), manifest_.id);
        } catch (const std::exception& error) {
            answer = {{{"error", errorJson(error)}}, {}};
        }
        if (!channel.send(answer.header, answer.bytes))
            sayHowItEnded(place);
    }
}

void IsolatedPlugin::sayHowItEnded(const Place& place)
{
    const ChildEnd end = std::exchange(process_, nullptr)->end(false);
    const std::string who = "the plugin '" + manifest_.id + "', in a process of its own, ";
    if (end.fromOutside())
        throw PluginError(place, who + "was killed from outside, perhaps for want of memory");
    throw PluginError(place, who + end.describe(),
                      "tell its maker; `floe plugin check` may show it too");
}

} // namespace floe::plugin
