// A machine that loses power keeps what was synchronised and may lose all else. The functions below
// take the place of the C library's, so that every call is seen; a disk is replayed from them.
#include "files/file.hpp"
#include "temporary_folder.hpp"

#include "floe/base/file.hpp"
#include "floe/data/scalars.hpp"
#include "floe/session/checkpoint.hpp"
#include "floe/session/frame_cache.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace floe {
namespace {

namespace fs = std::filesystem;

struct Call {
    enum class Kind { Write, Sync, Rename, MakeFolder } kind;
    std::string path;
    std::string to; ///< Rename
};

std::mutex mutex;
std::vector<Call> calls;
bool recording = false;

std::string pathOf(int descriptor)
{
    char path[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t length = ::readlink(link.c_str(), path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "";
}

void record(Call::Kind kind, std::string path, std::string to = {})
{
    const std::lock_guard lock(mutex);
    if (recording)
        calls.push_back({kind, std::move(path), std::move(to)});
}

template <class Function>
Function real(const char* name)
{
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// What a disk holds when nothing but what was synchronised has reached it.
class Disk {
public:
    explicit Disk(const std::vector<Call>& done)
    {
        std::set<std::string> dirty;                       // content
        std::map<std::string, std::string> names, folders; // renamed to, made in; not yet lasting
        for (const Call& call : done)
            switch (call.kind) {
            case Call::Kind::Write:
                dirty.insert(call.path);
                break;
            case Call::Kind::Rename:
                names[call.to] = call.path;
                if (dirty.contains(call.path))
                    dirty.insert(call.to);
                break;
            case Call::Kind::MakeFolder:
                folders[call.path] = fs::path(call.path).parent_path();
                break;
            case Call::Kind::Sync:
                dirty.erase(call.path);
                std::erase_if(folders, [&](const auto& made) { return made.second == call.path; });
                for (auto name = names.begin(); name != names.end();)
                    if (fs::path(name->first).parent_path() == call.path) {
                        if (!dirty.contains(name->first))
                            whole_.insert(name->first);
                        name = names.erase(name);
                    } else {
                        ++name;
                    }
            }
        for (const auto& [folder, parent] : folders)
            lost_.push_back(folder + "/");
    }
    bool holds(const fs::path& file) const
    {
        for (const std::string& folder : lost_)
            if (file.string().starts_with(folder))
                return false;
        return whole_.contains(file.string());
    }

private:
    std::set<std::string> whole_;
    std::vector<std::string> lost_;
};

/// The calls of `body`.
template <class Body>
std::vector<Call> callsOf(const Body& body)
{
    calls.clear();
    recording = true;
    body();
    recording = false;
    return calls;
}

class Durability : public testing::Test {
protected:
    /// Whether a file is there, whole, if power fails as soon as `body` has returned.
    template <class Body>
    void expectLasting(const fs::path& file, const Body& body)
    {
        const std::vector<Call> done = callsOf(body);
        ASSERT_TRUE(fs::exists(file));
        EXPECT_TRUE(Disk(done).holds(file)) << file;
        // It is no accident: without any one of the synchronisations it would be lost.
        std::size_t syncs = 0;
        for (std::size_t i = 0; i < done.size(); ++i) {
            if (done[i].kind != Call::Kind::Sync)
                continue;
            ++syncs;
            std::vector<Call> without = done;
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
            EXPECT_FALSE(Disk(without).holds(file)) << "needless: " << done[i].path;
        }
        EXPECT_GE(syncs, 2u); // the file, then its folder
    }

    test::TemporaryFolder folder;
};

TEST_F(Durability, AFileWrittenAtomicallyLasts)
{
    expectLasting(folder / "a.bin", [&] { writeFileAtomically(folder / "a.bin", "content"); });
    expectLasting(folder / "a.bin", [&] { writeFileAtomically(folder / "a.bin", "other"); });
}

TEST_F(Durability, TheFoldersMadeForItLastToo)
{
    const fs::path deep = folder / "out/images/a.bin";
    expectLasting(deep, [&] { writeFileAtomically(deep, "content"); });
}

TEST_F(Durability, AFileOfGaussiansLasts)
{
    const fs::path deep = folder / "out/gaussians/a.splat";
    gaussians::GaussianSet set;
    set.resize(3);
    expectLasting(deep, [&] { gaussians::writeGaussians(deep.string(), set, [] {}); });
}

TEST_F(Durability, ACheckpointLasts)
{
    session::Checkpoint checkpoint;
    checkpoint.frame = 12;
    checkpoint.states["solver"] = std::string(3 << 20, 'x');
    checkpoint.types["solver"] = "test 1";
    checkpoint.histories["solver"] = hashBytes("history");
    const fs::path path = session::checkpointPath(folder.path(), 12);
    expectLasting(path, [&] { session::writeCheckpoint(path, checkpoint); });
}

TEST_F(Durability, ACachedFrameLasts)
{
    const session::FrameCache cache(folder.path());
    expectLasting(cache.path("solver", "out", 3),
                  [&] { cache.write("solver", "out", 3, make<NumberValue>(7.0)); });
}

} // namespace
} // namespace floe

// Visible to the C++ library too.
#pragma GCC visibility push(default)
extern "C" {

ssize_t write(int descriptor, const void* data, size_t bytes)
{
    floe::record(floe::Call::Kind::Write, floe::pathOf(descriptor));
    return floe::real<decltype(&write)>("write")(descriptor, data, bytes);
}

ssize_t writev(int descriptor, const struct iovec* pieces, int count)
{
    floe::record(floe::Call::Kind::Write, floe::pathOf(descriptor));
    return floe::real<decltype(&writev)>("writev")(descriptor, pieces, count);
}

int fsync(int descriptor)
{
    floe::record(floe::Call::Kind::Sync, floe::pathOf(descriptor));
    return floe::real<decltype(&fsync)>("fsync")(descriptor);
}

int rename(const char* from, const char* to) noexcept
{
    floe::record(floe::Call::Kind::Rename, from, to);
    return floe::real<int (*)(const char*, const char*)>("rename")(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept
{
    floe::record(floe::Call::Kind::MakeFolder, path);
    return floe::real<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}
}
#pragma GCC visibility pop
