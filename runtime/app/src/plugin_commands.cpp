#include "commands.hpp"
#include "exit_code.hpp"
#include "machine_library.hpp"
#include "plugin_cook.hpp"
#include "plugin_folder.hpp"
#include "plugin_skeleton.hpp"
#include "temporary_folder.hpp"

#include "floe/base/child_process.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/compute/device.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/node_type.hpp"
#include "floe/graph/translation.hpp"
#include "floe/plugin/manifest.hpp"
#include "floe/plugin/scan.hpp"
#include "floe/view/node_pictures.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>

namespace floe::app {
namespace fs = std::filesystem;
namespace {

using Outcome = CookTrial::Outcome;

/// Example values are small. Nodes that hang get the first time together, and after that the least
/// time each; past the last, no others are tried.
constexpr std::chrono::milliseconds kTimeOfHanging{12000}, kLeastTime{1000}, kLastHanging{18000};

std::string seconds(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f s", value);
    return text;
}

/// "1 fault", "2 faults"
std::string counted(int number, const std::string& noun)
{
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// The check of one plugin, said line by line.
class Check {
public:
    explicit Check(fs::path folder) : folder_(std::move(folder)) {}

    int run()
    {
        const plugin::Manifest* manifest = readManifest();
        std::cout << (manifest ? manifest->id + " " + manifest->version : "plugin") << "  "
                  << folder_.string() << "\n";
        checkTypes();
        if (manifest)
            checkLoading();
        if (loads_)
            for (const graph::NodeType* type : own_)
                type->graph.empty() ? checkCooks(*type) : checkGraph(*type);
        std::cout << (faults_ == 0 ? "ok" : counted(faults_, "fault")) << ": "
                  << counted(static_cast<int>(own_.size()), "node type") << ", "
                  << counted(cooks_, "trial");
        if (skipped_ > 0)
            std::cout << ", " << skipped_ << " skipped";
        std::cout << "\n";
        return faults_ == 0 ? kSuccess : kPlugin;
    }

private:
    void say(const std::string& what, const std::string& state, const std::string& more)
    {
        std::string line = "  " + what;
        line.resize(std::max<std::size_t>(line.size() + 2, 44), ' ');
        std::cout << line << state << (more.empty() ? "" : "  " + more) << std::endl;
        faults_ += state == "FAILED";
    }

    const plugin::Manifest* readManifest()
    {
        try {
            manifest_ = plugin::readManifest(folder_);
            return &manifest_;
        } catch (const Error&) {
            return nullptr; // checkTypes says what is wrong, all of it
        }
    }

    /// The whole manifest, and what else is installed: subgraphs may use other plugins' nodes.
    void checkTypes()
    {
        const fs::path path = folder_ / "plugin.json";
        if (std::error_code unknown; !fs::is_regular_file(path, unknown)) {
            say("manifest", "FAILED", path.string() + " is not a file");
            loads_ = false;
            return;
        }
        const auto faults = types_.addManifestFile(path.string());
        if (graph::anyError(faults)) {
            say("manifest", "FAILED", "");
            for (const graph::Fault& fault : faults)
                std::cout << "    " << fault.text() << "\n";
            loads_ = false;
            return;
        }
        say("manifest", "ok", "");
        for (const graph::Fault& fault : faults)
            std::cout << "    " << fault.text() << "\n";
        own_ = types_.all();
        checkTranslations();
        for (const plugin::Manifest& other : plugin::discover(plugin::searchFolders()).plugins)
            if (other.id != manifest_.id)
                types_.addManifestFile(other.path().string());
    }

    /// Each translations/LANGUAGE.json: a broken one is a fault, a text without its line is said.
    void checkTranslations()
    {
        std::vector<fs::path> files;
        std::error_code none; // most plugins have no such folder
        for (const auto& entry : fs::directory_iterator(folder_ / "translations", none))
            if (entry.path().extension() == ".json")
                files.push_back(entry.path());
        std::ranges::sort(files);
        const graph::PluginInfo& plugin = *types_.plugins().front();
        for (const fs::path& file : files) {
            std::vector<graph::Fault> faults;
            if (const auto translation = graph::readTranslation(file.string(), faults)) {
                const auto more =
                    graph::checkTranslation(*translation, plugin, own_, file.string());
                faults.insert(faults.end(), more.begin(), more.end());
            }
            say("translation " + file.stem().string(), graph::anyError(faults) ? "FAILED" : "ok",
                "");
            constexpr std::size_t most = 20;
            for (std::size_t i = 0; i < std::min(faults.size(), most); ++i)
                std::cout << "    " << faults[i].text() << "\n";
            if (faults.size() > most)
                std::cout << "    and " << faults.size() - most << " more\n";
        }
    }

    void checkLoading()
    {
        const plugin::ProbeResult result = plugin::probe(folder_);
        loads_ = loads_ && result.usable();
        say("loading", result.usable() ? "ok" : "FAILED",
            result.usable() ? seconds(result.seconds) : result.reason);
    }

    void checkCooks(const graph::NodeType& type)
    {
        if (type.cpu)
            checkCook(type, "cpu");
        if (type.cuda == graph::CudaUse::None)
            return;
        const auto devices = compute::listDevices();
        const auto cuda = std::ranges::find_if(
            devices, [](const compute::DeviceInfo& device) { return device.id != "cpu"; });
        if (cuda != devices.end()) {
            checkCook(type, cuda->id);
        } else {
            say(type.type + " on cuda", "skipped", "there is no CUDA device");
            ++skipped_;
        }
    }

    /// In a child process: the next node is cooked whatever this one does.
    void checkCook(const graph::NodeType& type, const std::string& device)
    {
        if (hung_ >= kLastHanging) {
            say(type.type + " on " + device, "skipped",
                "nodes before it hung for " +
                    std::to_string(
                        std::chrono::duration_cast<std::chrono::seconds>(hung_).count()) +
                    " s; mend those first");
            ++skipped_;
            return;
        }
        const TemporaryFolder output;
        const auto limit = std::max(kLeastTime, kTimeOfHanging - hung_);
        const ChildResult child = runChild({"/proc/self/exe", "plugin-cook", folder_.string(),
                                            type.type, device, output.path().string()},
                                           {.time = limit});
        if (!child.inTime)
            hung_ += limit;
        std::string state, more, doing;
        std::vector<std::string> notes;
        std::istringstream lines(child.report);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t space = std::min(line.find(' '), line.size());
            const std::string word = line.substr(0, space);
            const std::string rest = line.substr(std::min(space + 1, line.size()));
            if (word == "note")
                notes.push_back(rest);
            else if (word == "doing")
                doing = rest;
            else if (word == "ok" || word == "failed" || word == "skipped") {
                state = word == "failed" ? "FAILED" : word;
                more = rest;
            }
        }
        const bool ended = child.inTime && child.end.good();
        if (state.empty() || !ended) {
            state = "FAILED";
            more = "the process " + child.describe() + (doing.empty() ? "" : ", in " + doing);
        }
        ++cooks_;
        skipped_ += state == "skipped";
        say(type.type + " on " + device, state, more);
        for (const std::string& note : notes)
            std::cout << "    " << note << "\n";
    }

    /// A node made of a graph: does the graph exist, and is it one?
    void checkGraph(const graph::NodeType& type)
    {
        const std::string text =
            R"({"floe": 1, "nodes": {"example": {"type": ")" + type.type + R"("}}})";
        std::string wrong;
        bool missing = false;
        try {
            const graph::Document document =
                graph::Document::parse(text, (folder_ / "example.floe.json").string());
            for (const graph::Fault& fault : graph::check(document, types_))
                if (fault.code == graph::kMissingPlugin)
                    missing = true;
                else if (fault.severity == graph::Severity::Error && fault.code != "missing-input")
                    wrong += "\n    " + fault.text();
        } catch (const Error& error) {
            wrong = error.what();
        }
        if (wrong.empty() && missing) {
            say(type.type + " (graph)", "skipped", "it uses plugins that are not installed");
            ++skipped_;
        } else {
            say(type.type + " (graph)", wrong.empty() ? "ok" : "FAILED", wrong);
        }
    }

    fs::path folder_;
    plugin::Manifest manifest_;
    graph::TypeLibrary types_;
    std::vector<const graph::NodeType*> own_;
    bool loads_ = true;
    std::chrono::milliseconds hung_{0}; ///< that trials which did not end were given
    int faults_ = 0;
    int cooks_ = 0;
    int skipped_ = 0;
};

} // namespace

int pluginListCommand(bool rescan, bool json)
{
    const auto library = openLibrary(rescan, true);
    const plugin::ScanReport& scan = library->scanReport();
    Json list = Json::array();
    for (const plugin::Manifest& manifest : library->discovery().plugins) {
        std::string state = "usable", reason;
        for (const plugin::ScannedPlugin& scanned : scan.plugins)
            if (scanned.given == manifest.folder && !scanned.result.usable()) {
                state = name(scanned.result.outcome);
                reason = scanned.result.reason;
            }
        if (reason.empty() && !library->types().plugin(manifest.id)) {
            state = "refused";
            reason = "the manifest has faults; `floe plugin check` lists them";
        }
        if (json) {
            Json types = Json::array();
            for (const plugin::ManifestNode& node : manifest.nodes)
                types.push_back(node.type);
            list.push_back({{"id", manifest.id},
                            {"version", manifest.version},
                            {"label", manifest.label},
                            {"folder", manifest.folder.string()},
                            {"state", state},
                            {"reason", reason},
                            {"nodes", types}});
            continue;
        }
        std::string line = manifest.id + " " + manifest.version;
        line.resize(std::max<std::size_t>(line.size() + 2, 32), ' ');
        line += counted(static_cast<int>(manifest.nodes.size()), "node type");
        line.resize(std::max<std::size_t>(line.size() + 2, 48), ' ');
        std::cout << line << manifest.folder.string() << "\n";
        if (!reason.empty())
            std::cout << "    NOT USED (" << state << "): " << reason << "\n";
    }
    if (json)
        std::cout << formatJson({{"plugins", list}});
    else if (list.empty() && library->discovery().plugins.empty())
        std::cout << "no plugins found\n";
    std::cout.flush();
    for (const std::string& warning : library->warnings())
        if (std::ranges::find(scan.warnings, warning) == scan.warnings.end())
            std::cerr << "warning: " << warning << "\n";
    return kSuccess;
}

int pluginCheckCommand(const std::string& folderOrId)
{
    return Check(pluginFolder(folderOrId)).run();
}

fs::path pluginFolder(const std::string& folderOrId)
{
    // A path to the manifest is as good as its folder, and so is the id of a plugin that is found.
    std::error_code none;
    fs::path folder = fs::absolute(folderOrId, none).lexically_normal();
    if (folder.filename() == "plugin.json" || folder.filename().empty())
        folder = folder.parent_path();
    if (!fs::exists(folder, none) || folderOrId.empty()) {
        const plugin::Discovery found = plugin::discover(plugin::searchFolders());
        const auto match = std::ranges::find(found.plugins, folderOrId, &plugin::Manifest::id);
        if (match == found.plugins.end())
            throw InputError({}, "'" + folderOrId + "' is neither a folder nor the id of a plugin",
                             "`floe plugin list` shows the plugins that are found");
        folder = match->folder;
    }
    return folder;
}

int pluginNewCommand(const std::string& name, const std::string& given, bool plainC)
{
    const SkeletonNames names = skeletonNames(name);
    const fs::path folder = given.empty() ? fs::path(names.library) : fs::path(given);
    if (fs::exists(folder) && (!fs::is_directory(folder) || !fs::is_empty(folder)))
        throw InputError({.file = folder.string()}, "is there already",
                         "give a folder that is empty or does not exist");
    for (const SkeletonFile& file : skeleton(names, plainC))
        writeFileAtomically(folder / file.name, file.content);
    std::cout << "Plugin " << names.id << " is in " << folder.string() << ". Build and check it:\n"
              << "  cd " << folder.string() << "\n"
              << "  cmake -B build && cmake --build build\n"
              << "  floe plugin check build/floe-plugins/" << names.library << "\n";
    return kSuccess;
}

int pluginCookCommand(const std::string& folder, const std::string& type, const std::string& device,
                      const std::string& output)
{
    const view::NodePictures pictures;    // for nodes that ask for them;
    const session::Library files({}, {}); // so are files
    graph::TypeLibrary types;
    types.addManifestFile((fs::path(folder) / "plugin.json").string());
    const graph::NodeType* found = types.find(type);
    if (!found) {
        reportLine("failed the manifest has no such type");
        return kPlugin;
    }
    const CookTrial trial = cookTrial(folder, *found, device, output,
                                      [](const std::string& what) { reportLine("doing " + what); });
    reportLine("doing the end of the process");
    for (const std::string& note : trial.notes)
        reportLine("note " + note);
    for (const Finding& finding : trial.findings)
        reportLine("note " + finding.line());
    const auto errors = std::ranges::count(trial.findings, true, &Finding::error);
    switch (trial.outcome) {
    case Outcome::ok:
        if (errors > 0) {
            reportLine("failed " + counted(static_cast<int>(errors), "error") + ":");
            break;
        }
        reportLine("ok " + seconds(trial.seconds) +
                   (trial.result.empty() ? "" : "  " + trial.result));
        break;
    case Outcome::failed:
        reportLine("failed " + trial.reason);
        break;
    case Outcome::skipped:
        reportLine("skipped " + trial.reason);
        break;
    }
    return kSuccess;
}

} // namespace floe::app
