#include "floe/plugin/scan.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/hash.hpp"
#include "floe/base/json.hpp"
#include "floe/sdk/floe.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <thread>

namespace floe::plugin {
namespace fs = std::filesystem;
namespace {

using Outcome = ProbeResult::Outcome;

constexpr int kCacheFormat = 3;
/// A cache keeps the results of the versions of this program that wrote to it last, each of plugins
/// that exist.
constexpr std::size_t kMaxPrograms = 4;
constexpr std::size_t kMaxPlugins = 1024;
constexpr std::uint64_t kLargestCache = 16u << 20;
constexpr std::uint64_t kLargestFile = 4ull << 30;
constexpr int kMaxFiles = 4096; ///< read in one plugin folder
constexpr Outcome kOutcomes[] = {Outcome::usable, Outcome::refused, Outcome::crashed, Outcome::hung,
                                 Outcome::killed};

/// Whether a result holds as long as the plugin's files stay the same.
bool lasts(Outcome outcome)
{
    return outcome != Outcome::refused && outcome != Outcome::killed;
}

/// Fingerprint of a plugin's files: their properties and their content.
struct Stamp {
    std::string look;    ///< names, sizes and times
    std::string content; ///< hash; empty: not read yet
};

struct Entry {
    Stamp stamp;
    ProbeResult result;
};

/// The results of one version of this program, by folder.
struct Results {
    std::string program;
    std::map<std::string, Entry> plugins;
};

/// Newest first: this program's own, then those of others that share the file.
using Cache = std::vector<Results>;

/// Returns the manifest and the libraries of a folder, by name.
std::vector<fs::path> filesThatMatter(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    int seen = 0;
    for (fs::directory_iterator entry(folder, error), end;
         !error && entry != end && ++seen <= kMaxFiles; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code unknown; // reading a pipe or device would block
        if ((name == "plugin.json" || name.ends_with(".so")) && entry->is_regular_file(unknown))
            files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string lookOf(const fs::path& folder)
{
    std::string look;
    for (const fs::path& file : filesThatMatter(folder)) {
        struct stat info {};
        if (::stat(file.c_str(), &info) != 0)
            continue;
        look += file.filename().string() + " " + std::to_string(info.st_size) + " " +
                std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) +
                "\n";
    }
    return hashBytes(look).text();
}

/// Empty when a file cannot be read: such a plugin is never taken from the cache.
std::string contentOf(const fs::path& folder)
{
    Hash hash;
    try {
        for (const fs::path& file : filesThatMatter(folder))
            hash = combine(combine(hash, hashBytes(file.filename().string())),
                           hashBytes(readFile(file, kLargestFile)));
    } catch (const Error&) {
        return {};
    }
    return hash.text();
}

/// Results are valid for the program and interface that produced them.
std::string programVersion()
{
    return std::string(FLOE_VERSION) + ", plugin interface " + std::to_string(FLOE_ABI_MAJOR) +
           "." + std::to_string(FLOE_ABI_MINOR);
}

std::optional<Outcome> outcomeNamed(const std::string& text)
{
    for (const Outcome outcome : kOutcomes)
        if (name(outcome) == text)
            return outcome;
    return std::nullopt;
}

Results readResults(const Json& json, const fs::path& file)
{
    Results results{json.at("program").get<std::string>(), {}};
    for (const auto& [folder, saved] : json.at("plugins").items()) {
        const auto outcome = outcomeNamed(saved.at("outcome").get<std::string>());
        if (!outcome)
            throw IoError({.file = file.string()}, "has an unknown outcome");
        Entry entry;
        entry.stamp = {saved.at("look").get<std::string>(), saved.at("content").get<std::string>()};
        entry.result.outcome = *outcome;
        entry.result.reason = saved.at("reason").get<std::string>();
        entry.result.seconds = saved.at("seconds").get<double>();
        results.plugins.emplace(folder, std::move(entry));
    }
    return results;
}

/// @param program  whose results come first; it has some afterwards, none if the file has none
Cache readCache(const fs::path& file, const std::string& program,
                std::vector<std::string>& warnings)
{
    Cache cache;
    std::error_code error;
    if (!file.empty() && fs::exists(file, error))
        try {
            const Json json = parseJson(readFile(file, kLargestCache), file.string());
            if (json.at("format").get<int>() == kCacheFormat) // else another version: not a fault
                for (const Json& results : json.at("results"))
                    cache.push_back(readResults(results, file));
        } catch (const std::exception&) {
            warnings.push_back(file.string() +
                               ": the list of tested plugins is broken and was ignored; "
                               "it is written anew");
            cache.clear();
        }
    const auto own = std::find_if(cache.begin(), cache.end(), [&](const Results& results) {
        return results.program == program;
    });
    if (own == cache.end())
        cache.insert(cache.begin(), Results{program, {}});
    else
        std::rotate(cache.begin(), own, own + 1);
    if (cache.size() > kMaxPrograms)
        cache.resize(kMaxPrograms);
    return cache;
}

void writeCache(const fs::path& file, const Cache& cache, std::vector<std::string>& warnings)
{
    Json all = Json::array();
    for (const Results& results : cache) {
        Json plugins = Json::object();
        for (const auto& [folder, entry] : results.plugins)
            plugins[folder] = {{"outcome", name(entry.result.outcome)},
                               {"reason", entry.result.reason},
                               {"seconds", entry.result.seconds},
                               {"look", entry.stamp.look},
                               {"content", entry.stamp.content}};
        all.push_back({{"program", results.program}, {"plugins", plugins}});
    }
    const Json json = {{"format", kCacheFormat}, {"results", all}};
    try {
        writeFileAtomically(file, formatJson(json));
    } catch (const Error& error) {
        warnings.push_back(std::string("plugins are tested anew each time: ") + error.what());
    }
}

/// Drops results of plugins that no longer exist, and of more than are kept.
/// @param scanned  kept in any case, of the first program's
/// @return whether any was dropped
bool prune(Cache& cache, const std::vector<ScannedPlugin>& scanned)
{
    std::size_t dropped = 0;
    for (Results& results : cache) {
        dropped += std::erase_if(results.plugins, [](const auto& entry) {
            std::error_code error;
            return !fs::exists(entry.first, error);
        });
        auto entry = results.plugins.begin();
        while (results.plugins.size() > kMaxPlugins && entry != results.plugins.end()) {
            const bool kept = &results == &cache.front() &&
                              std::any_of(scanned.begin(), scanned.end(), [&](const auto& plugin) {
                                  return plugin.folder == entry->first;
                              });
            dropped += !kept;
            entry = kept ? std::next(entry) : results.plugins.erase(entry);
        }
    }
    return dropped > 0;
}

/// Returns the earlier result for unchanged files; completes `stamp`.
const Entry* findInCache(const Results& results, const fs::path& folder, Stamp& stamp)
{
    const auto found = results.plugins.find(folder.string());
    if (found == results.plugins.end() || !lasts(found->second.result.outcome))
        return nullptr;
    if (found->second.stamp.look == stamp.look) {
        stamp.content = found->second.stamp.content;
        return &found->second;
    }
    stamp.content = contentOf(folder);
    const bool same = !stamp.content.empty() && stamp.content == found->second.stamp.content;
    return same ? &found->second : nullptr;
}

/// Probes the `plugins` that are not cached, several at a time, since each waits for a process.
void probeRest(std::vector<ScannedPlugin>& plugins, const ScanSettings& settings)
{
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    const auto work = [&] {
        for (std::size_t i; (i = next++) < plugins.size() && !failed;) {
            if (plugins[i].fromCache)
                continue;
            try {
                plugins[i].result = probe(plugins[i].folder, settings.probe);
            } catch (...) {
                if (!failed.exchange(true))
                    error = std::current_exception();
            }
        }
    };
    const auto rest = std::count_if(plugins.begin(), plugins.end(),
                                    [](const ScannedPlugin& plugin) { return !plugin.fromCache; });
    {
        std::vector<std::jthread> threads;
        for (int i = 1; i < std::min<long>(settings.threads, rest); ++i)
            threads.emplace_back(work);
        work();
    }
    if (error)
        std::rethrow_exception(error);
}

} // namespace

ScanReport scan(std::span<const fs::path> folders, const ScanSettings& settings)
{
    ScanReport report;
    const std::string program = settings.program.empty() ? programVersion() : settings.program;
    Cache cache = readCache(settings.cacheFile, program, report.warnings);
    Results& own = cache.front();
    const std::size_t warningsOfCache = report.warnings.size();

    std::vector<Stamp> stamps;
    for (const fs::path& given : folders) {
        std::error_code error;
        fs::path folder = fs::weakly_canonical(given, error);
        if (error)
            folder = given;
        // Stamped before probing: a plugin that changes meanwhile is probed again next time.
        Stamp stamp{lookOf(folder), {}};
        const Entry* known = settings.rescan ? nullptr : findInCache(own, folder, stamp);
        report.plugins.push_back(
            {given, folder, known ? known->result : ProbeResult{}, known != nullptr});
        stamps.push_back(stamp);
    }

    for (std::size_t i = 0; i < stamps.size(); ++i)
        if (stamps[i].content.empty())
            stamps[i].content = contentOf(report.plugins[i].folder);
    probeRest(report.plugins, settings);

    bool changed = warningsOfCache > 0;
    for (std::size_t i = 0; i < report.plugins.size(); ++i) {
        const ScannedPlugin& plugin = report.plugins[i];
        Entry& entry = own.plugins[plugin.folder.string()];
        changed |= !plugin.fromCache || entry.stamp.look != stamps[i].look;
        entry = {stamps[i], plugin.result};
        if (!plugin.result.usable())
            report.warnings.push_back(plugin.folder.string() +
                                      ": plugin is not used: " + plugin.result.reason);
    }
    changed |= prune(cache, report.plugins);
    if (changed && !settings.cacheFile.empty())
        writeCache(settings.cacheFile, cache, report.warnings);
    return report;
}

bool ScanReport::usable(const fs::path& folder) const
{
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(folder, error);
    return std::any_of(plugins.begin(), plugins.end(), [&](const ScannedPlugin& plugin) {
        return plugin.folder == (error ? folder : canonical) && plugin.result.usable();
    });
}

fs::path defaultScanCache()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && fs::path(cache).is_absolute())
        return fs::path(cache) / "floe" / "plugins.json";
    const char* home = std::getenv("HOME");
    return home && *home ? fs::path(home) / ".cache" / "floe" / "plugins.json" : fs::path();
}

std::string name(Outcome outcome)
{
    switch (outcome) {
    case Outcome::usable:
        return "usable";
    case Outcome::refused:
        return "refused";
    case Outcome::crashed:
        return "crashed";
    case Outcome::hung:
        return "hung";
    case Outcome::killed:
        return "killed";
    }
    return "usable";
}

} // namespace floe::plugin
