#include "floe/plugin/scan.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/plugin/loaded_plugin.hpp"

#include <cstdlib>
#include <new>
#include <sstream>

namespace floe::plugin {
namespace {

// The child's report, by lines: what it is about to do; at the end "done", "refused WHY"
// or "short WHY".
constexpr const char* kLoading = "loading";
constexpr const char* kUnloading = "unloading";
constexpr const char* kDone = "done";
constexpr const char* kRefused = "refused ";
constexpr const char* kShort = "short "; // of memory or descriptors

/// Set in such children: a program without `plugin-probe` could start itself for ever.
constexpr const char* kMark = "FLOE_PLUGIN_PROBE";

constexpr int kTries = 3; ///< of a process that is killed from outside

ProbeResult probeOnce(const std::filesystem::path& folder, const ProbeSettings& settings)
{
    std::vector<std::string> command = settings.command;
    if (command.empty())
        command = {"/proc/self/exe", "plugin-probe"};
    command.push_back(folder.string());
    const ChildResult child = runChild(command, settings.limits, {std::string(kMark) + "=1"});

    std::string stage;
    std::string refusal, shortage;
    bool done = false;
    std::istringstream lines(child.report);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kRefused))
            refusal = line.substr(std::string_view(kRefused).size());
        else if (line.starts_with(kShort))
            shortage = line.substr(std::string_view(kShort).size());
        else if (line == kDone)
            done = true;
        else if (line == kLoading || line == kUnloading)
            stage = line;
    }

    ProbeResult result;
    result.seconds = child.seconds;
    const std::string where = done            ? " while the process was ending"
                              : stage.empty() ? ""
                                              : " while " + stage;
    // What ends it before it loads anything has nothing to do with the plugin.
    const bool began = done || !stage.empty();
    if ((child.end.fromOutside() || (child.end.signal != 0 && !began)) &&
        (child.inTime || child.stopped)) {
        result.outcome = ProbeResult::Outcome::killed;
        result.reason = "the process" + where + " " + child.describe() +
                        "; run `floe plugin list --rescan` when there is more memory";
    } else if (!child.inTime) {
        result.outcome = ProbeResult::Outcome::hung;
        result.reason = "the plugin" + where + " " + child.describe();
    } else if (!shortage.empty()) {
        result.outcome = ProbeResult::Outcome::killed;
        result.reason = shortage + "; then run `floe plugin list --rescan`";
    } else if (!refusal.empty()) {
        result.outcome = ProbeResult::Outcome::refused;
        result.reason = refusal;
    } else if (!done || !child.end.good()) {
        result.outcome = ProbeResult::Outcome::crashed;
        result.reason = "the process" + where + " " + child.describe();
    }
    return result;
}

} // namespace

ProbeResult probe(const std::filesystem::path& folder, const ProbeSettings& settings)
{
    if (std::getenv(kMark))
        throw PluginError({}, "a process that tries out a plugin must not try out others");
    ProbeResult result = probeOnce(folder, settings);
    for (int i = 1; i < kTries && result.outcome == ProbeResult::Outcome::killed; ++i)
        result = probeOnce(folder, settings);
    return result;
}

int probeMain(const std::filesystem::path& folder)
{
    endAsKilledFromOutside();
    try {
        reportLine(kLoading);
        auto plugin = load(folder);
        reportLine(kUnloading);
        plugin.reset();
        reportLine(kDone);
        return EXIT_SUCCESS;
    } catch (const MemoryError& error) {
        reportLine(kShort + error.cause() + "; " +
                   (error.cure().empty() ? "give the process more memory" : error.cure()));
    } catch (const std::bad_alloc&) {
        reportLine(kShort + std::string("memory ran out; give the process more"));
    } catch (const Error& error) {
        reportLine(kRefused +
                   (error.cure().empty() ? error.cause() : error.cause() + "; " + error.cure()));
    } catch (const std::exception& error) {
        reportLine(kRefused + std::string(error.what()));
    }
    return EXIT_FAILURE;
}

} // namespace floe::plugin
