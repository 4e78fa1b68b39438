#pragma once

#include "floe/base/error.hpp"
#include "floe/sdk/ranks.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Processes that simulate one scene together: MPI where a launcher (mpirun, srun) has started this
/// one as one of several, else this one alone. `floe` is not linked to MPI; the library that is
/// gets loaded by join().
namespace floe::ranks {

/// Another rank is gone.
class RankLost : public Error {
public:
    using Error::Error;
};

/// Another rank is there, or was, but shows no sign of life: stopped, or on a machine out of reach.
class RankSilent : public RankLost {
public:
    using RankLost::RankLost;
};

/// Returns whether a launcher started this process as one of several. Never loads anything.
bool launched();

/// Returns the rank that the launcher gave to this process; 0 where there is none.
int launchedRank();

/// Joins the other ranks, once in a process; alone where there is no launcher.
/// @param partition  floe_ranks::partition; must outlive the process
/// @return valid until the process ends
/// @throws InputError  MPI is not installed, or this build knows none
const floe_ranks& join(const char* partition = "bisection");

/// Returns what join() returned; null before.
const floe_ranks* joined();

/// Returns whether the ranks are more than one. False before join().
bool several();

/// Returns whether all ranks give the same number: a call that all make.
/// @throws RankLost  one of them does not answer
bool agree(std::int64_t number);

/// Tells every rank a text: a call that all make.
/// @param cancelled  may be null; whether this rank's run is to end: the others may not answer then
/// @return the texts of all, by rank
/// @throws RankLost, CancelledError
std::vector<std::string> share(const std::string& text, const std::atomic<bool>* cancelled);

/// Returns "rank 2 on host render-07".
std::string ownName();

/// Name of the run that this process belongs to, from its launcher: hexadecimal digits, the same
/// for all its ranks and their parents, another for the next run; "0" where the launcher gives
/// none.
std::string jobName();

/// A rank that is lost is noted in a file, by the process that watches over it; the others look for
/// it while they wait. Its name has that of the run in it: what remains of a killed run may still
/// note its losses when the next one, with --resume, has begun.
/// @param folder  of the run's output, the same for all ranks
std::filesystem::path lossNote(const std::filesystem::path& folder);

/// Writes that note, once: the first loss is the cause. No effect where it cannot be written.
/// @param why  a clause: "the process was killed"
void noteLoss(const std::filesystem::path& folder, const std::string& why);

/// Looks for the note in this folder from now on, and shows there that this rank is alive. Rank 0
/// removes older notes and signs, before the others go on.
void watchFor(const std::filesystem::path& folder);

/// What has become of another rank.
struct Loss {
    std::string sentence; ///< names the rank and its host
    bool silent = false;  ///< RankSilent; else RankLost
};

/// Returns what the note says; nothing: no rank was lost. The one that finds out that the next rank
/// is silent writes the note.
std::optional<Loss> loss();

/// Throws what loss() has returned. @throws RankLost
[[noreturn]] void throwLoss(const Loss& loss, const Place& place = {});

/// Waits for the others and leaves. All ranks have ended well; one that has not ends its process
/// without.
void leave();

} // namespace floe::ranks
