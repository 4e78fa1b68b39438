#include "floe/session/report.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

namespace floe::session {

double FrameStatistics::total(const std::string& name) const
{
    double sum = 0;
    for (const auto& [node, reported] : values)
        if (const auto found = reported.find(name); found != reported.end())
            sum += found->second;
    return sum;
}

Json toJson(const FrameStatistics& frame)
{
    Json entry = {{"frame", frame.frame},
                  {"seconds", frame.seconds},
                  {"sinkWaitSeconds", frame.sinkWaitSeconds},
                  {"residentBytes", frame.residentBytes}};
    Json& nodes = entry["nodes"] = Json::object();
    for (const auto& [node, seconds] : frame.nodeSeconds)
        nodes[node]["seconds"] = seconds;
    for (const auto& [node, reported] : frame.values)
        for (const auto& [name, value] : reported)
            nodes[node][name] = value;
    return entry;
}

Report::Report(std::filesystem::path path, Json beginning)
    : path_(std::move(path)), head_(std::move(beginning))
{}

void Report::continueFrom(int lastFrame)
{
    try {
        const Json old = loadJson(path_.string());
        for (const Json& frame : old.at("frames"))
            if (frame.at("frame").get<int>() <= lastFrame)
                frames_.push_back(frame);
        head_["resumedAfterFrame"] = lastFrame;
    } catch (const Error&) {
    } catch (const nlohmann::json::exception&) {
        frames_ = Json::array();
    }
}

void Report::add(const FrameStatistics& frame)
{
    frames_.push_back(toJson(frame));
}

void Report::add(const Message& message)
{
    if (messages_.size() >= kMaxMessages) {
        ++droppedMessages_;
        return;
    }
    static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
    Json entry = {{"level", kNames[static_cast<int>(message.level)]}, {"frame", message.frame}};
    if (!message.node.empty())
        entry["node"] = message.node;
    entry["text"] = message.text;
    messages_.push_back(std::move(entry));
}

void Report::write(const std::string& result, int exitCode)
{
    Json report = head_;
    report["result"] = result;
    if (result != "running")
        report["exitCode"] = exitCode;
    report["messages"] = messages_;
    if (droppedMessages_ > 0)
        report["droppedMessages"] = droppedMessages_;
    report["frames"] = frames_;
    writeFileAtomically(path_, formatJson(report));
}

} // namespace floe::session
