#include "part_files.hpp"

#include "output_file.hpp"

#include "floe/sdk/output_file.hpp"
#include "floe/sdk/ranks.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

namespace floe::output {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

const floe_ranks* ranksOfRun()
{
    return static_cast<const floe_ranks*>(sdk::host().extension(FLOE_RANKS_EXTENSION));
}

constexpr const char* kReceipt = ".written-";

/// Where rank 0 learns that a part is there: beside it, of this run, gone when the index is there.
fs::path receiptOf(const std::string& file, int rank, const std::string& run)
{
    const fs::path part = partOf(file, rank);
    return part.parent_path() / ("." + part.filename().string() + kReceipt + run);
}

void writeJson(const std::string& path, const Json& content)
{
    const std::string text = content.dump(2) + "\n";
    sdk::OutputFile out(path);
    out.write(text.data(), text.size());
    out.commit();
}

/// @return nothing where there is no such file, or not yet
std::optional<Json> readJson(const fs::path& path)
{
    std::ifstream in(path);
    Json content = in ? Json::parse(in, nullptr, false) : Json();
    return content.is_object() ? std::optional(std::move(content)) : std::nullopt;
}

void removeFile(const fs::path& path)
{
    std::error_code error;
    fs::remove(path, error);
    if (error)
        throw sdk::Failure(path.string() + ": cannot be removed: " + error.message(),
                           FLOE_IO_FAILED);
}

/// Waits for what another rank does.
template <class Condition>
void waitUntil(const sdk::Context& context, const Condition& condition)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kBetween{5}, kLook{500};
    Clock::time_point looked = Clock::now();
    while (!condition()) {
        context.throwIfCancelled();
        if (const floe_ranks* ranks = ranksOfRun(); Clock::now() - looked > kLook) {
            looked = Clock::now();
            if (ranks && FLOE_HAS(ranks, lost) && ranks->lost && ranks->lost(ranks))
                throw sdk::Failure("another rank, which writes a part of the particles, is gone",
                                   FLOE_FAILED);
        }
        std::this_thread::sleep_for(kBetween);
    }
}

/// Removes an index, and the parts that it names of ranks that there are no more.
void removeIndex(const fs::path& index, const std::string& file, int size)
{
    const auto old = readJson(index);
    removeFile(index);
    if (!old || !old->contains("parts") || !(*old)["parts"].is_array())
        return;
    const auto count = static_cast<int>(std::min<std::size_t>((*old)["parts"].size(), 1 << 20));
    for (int rank = size; rank < count; ++rank)
        removeFile(partOf(file, rank));
}

} // namespace

std::string partsIndexOf(const std::string& file)
{
    return fs::path(file).replace_extension(".parts.json").string();
}

std::string partOf(const std::string& file, int rank)
{
    const std::string extension = fs::path(file).extension().string();
    return fs::path(file).replace_extension(".rank" + std::to_string(rank) + extension).string();
}

std::vector<std::string> filesInParts(const std::string& file)
{
    std::vector<std::string> files = {partsIndexOf(file)};
    if (const auto index = readJson(files.front()); index && index->contains("parts"))
        for (std::size_t rank = 0; rank < (*index)["parts"].size(); ++rank)
            files.push_back(partOf(file, static_cast<int>(rank)));
    return files;
}

void removeReceipts(const std::string& file)
{
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(file).parent_path(), error), end;
         !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with('.') && name.find(kReceipt) != std::string::npos)
            removeFile(entry->path());
    }
}

PartWriters::PartWriters()
{
    const floe_ranks* ranks = ranksOfRun();
    if (!ranks)
        return;
    rank = ranks->rank;
    size = ranks->size;
    if (FLOE_HAS(ranks, run) && ranks->run)
        run = ranks->run;
}

void writePart(const sdk::Context& context, const std::string& file, const sdk::Value& particles)
{
    const PartWriters writers;
    const fs::path index = partsIndexOf(file);
    std::error_code error;
    if (writers.rank == 0) {
        removeFile(file); // readers would take it for the frame
        if (fs::exists(index, error))
            removeIndex(index, file, writers.size);
    } else {
        waitUntil(context, [&] {
            const auto old = readJson(index);
            return !old || old->value("run", "") == writers.run;
        });
    }

    const std::string part = partOf(file, writers.rank);
    sdk::Context::require(files().write_particles(context.raw(), part.c_str(), particles.get()));
    const Json entry = {{"file", fs::path(part).filename().string()},
                        {"particles", particles.particleCount()},
                        {"bytes", fs::file_size(part)}};
    if (writers.rank > 0) {
        writeJson(receiptOf(file, writers.rank, writers.run).string(), entry);
        return;
    }
    Json parts = Json::array({entry});
    std::uint64_t all = particles.particleCount();
    for (int rank = 1; rank < writers.size; ++rank) {
        std::optional<Json> written;
        waitUntil(context, [&] {
            written = readJson(receiptOf(file, rank, writers.run));
            return written.has_value();
        });
        all += written->value("particles", std::uint64_t{0});
        parts.push_back(std::move(*written));
    }
    writeJson(index.string(), {{"format", "floe.parts"},
                               {"version", 1},
                               {"frame", std::llround(context.frame())},
                               {"particles", all},
                               {"run", writers.run},
                               {"parts", std::move(parts)}});
    for (int rank = 1; rank < writers.size; ++rank)
        removeFile(receiptOf(file, rank, writers.run));
}

} // namespace floe::output
