#include "floe/ranks/ranks.hpp"

#include "heartbeat.hpp"
#include "lone_rank.hpp"
#include "mpi_library.h"

#include "floe/base/file.hpp"
#include "floe/base/hash.hpp"
#include "floe/sdk/parallel/ranks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace floe::ranks {
namespace fs = std::filesystem;

namespace {

#ifdef FLOE_MPI_LIBRARY
constexpr const char* kMpi = FLOE_MPI_LIBRARY;
#else
constexpr const char* kMpi = nullptr; ///< this build knows none
#endif

/// What launchers tell the processes that they start.
struct Launcher {
    const char* size;
    const char* rank;
};
constexpr std::array kLaunchers = {
    Launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, // mpirun of Open MPI
    Launcher{"PMI_SIZE", "PMI_RANK"},                         // mpirun of MPICH, srun --mpi=pmi2
    Launcher{"SLURM_STEP_NUM_TASKS", "PMIX_RANK"},            // srun --mpi=pmix
};

/// Returns a number of the environment; -1: there is none.
int numberOf(const char* variable)
{
    const char* text = std::getenv(variable);
    char* end = nullptr;
    const long number = text ? std::strtol(text, &end, 10) : -1;
    return text && *text && *end == '\0' && number >= 0 && number < 1'000'000
               ? static_cast<int>(number)
               : -1;
}

const Launcher* launcher()
{
    for (const Launcher& each : kLaunchers)
        if (numberOf(each.size) > 1 && numberOf(each.rank) >= 0)
            return &each;
    return nullptr;
}

struct State {
    const floe_ranks* ranks = nullptr;
    const FloeMpi* mpi = nullptr; ///< null: alone
    std::mutex mutex;
    fs::path note;                        ///< guarded by the mutex; empty: nobody looks
    std::unique_ptr<Heartbeat> heartbeat; ///< likewise
};
State& state()
{
    static State& instance = *new State; // may be asked while the process ends
    return instance;
}

int lostToMpi(char* reason, unsigned size)
{
    const std::optional<Loss> found = loss();
    if (!found)
        return 0;
    std::snprintf(reason, size, "%s", found->sentence.c_str());
    return 1;
}

/// The library beside this program: bin/floe, lib/floe/floe_ranks_mpi.so.
fs::path libraryPath()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return program.parent_path().parent_path() / FLOE_RANKS_LIBRARY;
}

const FloeMpi* openMpi(const char* partition)
{
    const fs::path path = libraryPath();
    std::error_code error;
    if (!kMpi || !fs::exists(path, error))
        throw InputError({},
                         "a launcher started this as one of several ranks, but this floe was "
                         "built without MPI",
                         "install libopenmpi-dev, and build it again");
    const auto load = [](const char* name) {
        void* library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
        if (!library) {
            const char* why = ::dlerror();
            throw InputError({}, std::string("MPI cannot be used: ") + (why ? why : name),
                             "install it: apt-get install openmpi-bin");
        }
        return library;
    };
    load(kMpi);
    void* library = load(path.c_str());
    const auto open = reinterpret_cast<FloeMpiOpen>(::dlsym(library, FLOE_MPI_OPEN));
    const FloeMpi* mpi = open ? open(lostToMpi, partition) : nullptr;
    if (!mpi)
        throw InputError({}, "MPI did not start",
                         "use the launcher of the MPI that floe was built with");
    return mpi;
}

std::string hostName()
{
    char name[256] = "";
    ::gethostname(name, sizeof name - 1);
    return name;
}

} // namespace

bool launched()
{
    return launcher() != nullptr;
}

int launchedRank()
{
    const Launcher* by = launcher();
    return by ? numberOf(by->rank) : 0;
}

const floe_ranks& join(const char* partition)
{
    State& s = state();
    if (s.ranks)
        return *s.ranks;
    if (launched()) {
        s.mpi = openMpi(partition);
        s.ranks = s.mpi->ranks;
    } else {
        s.ranks = &loneRank();
    }
    return *s.ranks;
}

const floe_ranks* joined()
{
    return state().ranks;
}

bool several()
{
    return joined() && joined()->size > 1;
}

bool agree(std::int64_t number)
{
    if (!several())
        return true;
    const floe_ranks* ranks = joined();
    std::int64_t range[] = {number, -number};
    floe_ranks_work* work = nullptr;
    if (ranks->begin_reduce_integers(ranks, FLOE_RANKS_MAX, range, 2, &work) != FLOE_OK ||
        ranks->finish(ranks, nullptr, work) != FLOE_OK)
        throwLoss(loss().value_or(Loss{"a rank does not answer"}));
    return range[0] == -range[1];
}

std::vector<std::string> share(const std::string& text, const std::atomic<bool>* cancelled)
{
    if (!several())
        return {text};
    floe_context context{};
    context.struct_size = sizeof context;
    context.self = const_cast<std::atomic<bool>*>(cancelled);
    context.cancelled = [](const floe_context* of) -> std::int32_t {
        return of->self && *static_cast<const std::atomic<bool>*>(of->self);
    };
    context.message = [](const floe_context*, std::int32_t, const char*) {
    }; // thrown below
    sdk::parallel::Ranks ranks(*joined());
    ranks.context = &context;
    try {
        sdk::parallel::BytesOut own;
        own.put(text.data(), text.size());
        std::vector<std::string> all;
        for (const auto& bytes : ranks.share(own.bytes))
            all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return all;
    } catch (const sdk::parallel::RanksFailure& failure) {
        if (failure.status == FLOE_CANCELLED)
            throw CancelledError({}, "cancelled");
        throwLoss(loss().value_or(Loss{"a rank does not answer"}));
    }
}

std::string ownName()
{
    return "rank " + std::to_string(launchedRank()) + " on host " + hostName();
}

std::string jobName()
{
    for (const char* variable : {"PMIX_NAMESPACE", "PMI_JOBID"})
        if (const char* name = std::getenv(variable); name && *name)
            return hashBytes(name).text().substr(0, 8);
    return "0";
}

fs::path lossNote(const fs::path& folder)
{
    return folder / (".rank-lost-" + jobName());
}

namespace {

/// Ends the sentence about a rank that is silent.
constexpr std::string_view kSilent = "\n(silent)\n";

void writeNote(const fs::path& note, const std::string& text)
{
    try {
        writeFileAtomically(note, text);
    } catch (const Error&) { // the launcher still sees that a process ended
    }
}

/// Signs of other runs, and all notes: where the launcher gives runs no names, an older one is
/// called as ours.
void removeOldSigns(const fs::path& folder)
{
    const std::string own = ".rank-" + jobName();
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (name.starts_with(".rank-") && !name.starts_with(own))
            fs::remove(entry->path(), ignored);
    }
}

} // namespace

void noteLoss(const fs::path& folder, const std::string& why)
{
    std::error_code error;
    const fs::path note = lossNote(folder);
    if (fs::exists(note, error))
        return;
    writeNote(note, ownName() + " is lost: " + why);
}

void watchFor(const fs::path& folder)
{
    State& s = state();
    if (joined() && joined()->rank == 0)
        removeOldSigns(folder);
    std::unique_ptr<Heartbeat> heartbeat;
    if (several())
        heartbeat = std::make_unique<Heartbeat>(folder, jobName(), joined()->rank, joined()->size,
                                                ownName(), Heartbeat::chosenPatience());
    agree(0); // nobody looks at an older note or sign
    const std::lock_guard lock(s.mutex);
    s.note = lossNote(folder);
    s.heartbeat = std::move(heartbeat);
}

std::optional<Loss> loss()
{
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (s.note.empty())
        return std::nullopt;
    std::ifstream in(s.note);
    if (!in) {
        const std::optional<std::string> silent =
            s.heartbeat ? s.heartbeat->silent() : std::nullopt;
        if (!silent)
            return std::nullopt;
        writeNote(s.note, *silent + std::string(kSilent));
        return Loss{*silent, true};
    }
    std::string text(2000, '\0'); // it is one sentence
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    const bool silent = text.ends_with(kSilent);
    if (silent)
        text.resize(text.size() - kSilent.size());
    return Loss{text, silent};
}

void throwLoss(const Loss& loss, const Place& place)
{
    if (loss.silent)
        throw RankSilent(place, loss.sentence, "go on with --resume");
    throw RankLost(place, loss.sentence, "go on with --resume");
}

void leave()
{
    State& s = state();
    if (s.mpi)
        s.mpi->leave();
    const std::lock_guard lock(s.mutex);
    s.heartbeat.reset();
}

} // namespace floe::ranks
