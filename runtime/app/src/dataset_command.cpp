#include "dataset_command.hpp"

#include "activation_scene.hpp"
#include "exit_code.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace floe::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::atomic<bool> stopped{false};

/// Seventy scenes of a hundred train, fifteen choose the model, fifteen are seen by neither.
const char* splitOf(int scene)
{
    switch (scene % 20) {
    case 3:
    case 9:
    case 16:
        return "validation";
    case 6:
    case 13:
    case 19:
        return "test";
    default:
        return "train";
    }
}

std::string nameOf(int scene)
{
    char text[32];
    std::snprintf(text, sizeof text, "scene_%05d", scene);
    return text;
}

/// A scene that is being simulated.
struct Child {
    int scene = 0;
    pid_t process = 0;
    fs::path folder; ///< where it writes until it is done
    Clock::time_point begin;
    bool late = false;
};

class Dataset {
public:
    explicit Dataset(const DatasetSettings& settings)
        : settings_(settings), lock_(made(settings.output))
    {
        plan_ = {{"format", "floe.activation.dataset/1"},
                 {"seed", settings.seed},
                 {"frames", settings.frames},
                 {"size", settings.size},
                 {"stiffness", settings.stiffness},
                 {"lookAhead", settings.lookAhead}};
        const fs::path file = settings.output / "dataset.json";
        if (fs::exists(file)) {
            const Json there = loadJson(file.string());
            for (const auto& [key, value] : plan_.items())
                if (!there.contains(key) || there[key] != value)
                    throw InputError({.file = file.string()},
                                     "is of a data set with another " + key,
                                     "give the same " + key + ", or another folder");
        }
        collectShapes();
    }

    int run()
    {
        for (int scene = 0; scene < settings_.scenes; ++scene) {
            const fs::path name = nameOf(scene);
            if (fs::exists(settings_.output / name))
                ++done_;
            else if (fs::exists(settings_.output / "failed" / name))
                ++failed_;
            else
                waiting_.push_back(scene);
        }
        std::reverse(waiting_.begin(), waiting_.end());
        if (done_ + failed_ > 0)
            std::printf("%d scenes are there already.\n", done_ + failed_);
        first_ = done_ + failed_;
        begin_ = Clock::now();
        writePlan();
        while (!stopped && (!waiting_.empty() || !children_.empty())) {
            while (!waiting_.empty() && static_cast<int>(children_.size()) < settings_.jobs) {
                start(waiting_.back());
                waiting_.pop_back();
            }
            collect();
            draw();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        for (const Child& child : children_)
            ::kill(child.process, SIGTERM);
        for (const Child& child : children_) {
            ::waitpid(child.process, nullptr, 0);
            std::error_code error;
            fs::remove_all(child.folder, error);
        }
        if (tty_)
            std::printf("\r\033[K");
        writePlan();
        std::printf("%s: %d scenes, %d failed, in %s\n", stopped ? "Stopped" : "Finished", done_,
                    failed_, settings_.output.c_str());
        return stopped ? kCancelled : done_ > 0 || settings_.scenes == 0 ? kSuccess : kOther;
    }

private:
    static const fs::path& made(const fs::path& folder)
    {
        std::error_code error;
        fs::create_directories(folder, error);
        if (error)
            throw IoError({.file = folder.string()}, "cannot be made: " + error.message(),
                          "choose a folder that you may write to");
        return folder;
    }

    void collectShapes()
    {
        if (settings_.shapes.empty())
            return;
        if (!fs::is_directory(settings_.shapes))
            throw InputError({.file = settings_.shapes.string()}, "is not a folder",
                             "give a folder of .vdb, .nvdb, .obj, .ply or .stl files");
        for (const auto& entry : fs::directory_iterator(settings_.shapes)) {
            const std::string kind = entry.path().extension().string();
            for (const char* known : {".vdb", ".nvdb", ".obj", ".ply", ".stl"})
                if (kind == known)
                    shapes_.push_back(fs::absolute(entry.path()));
        }
        std::sort(shapes_.begin(), shapes_.end()); // scenes must not depend on the folder's order
    }

    void start(int scene)
    {
        const std::string name = nameOf(scene);
        Child child;
        child.scene = scene;
        child.folder = settings_.output / ("." + name + ".part." + std::to_string(::getpid()));
        child.begin = Clock::now();
        fs::remove_all(child.folder);
        fs::create_directories(child.folder);
        ActivationSceneSettings wanted;
        wanted.seed = settings_.seed * 1000003 + static_cast<std::uint64_t>(scene);
        wanted.size = settings_.size;
        wanted.frames = settings_.frames;
        wanted.stiffness = settings_.stiffness;
        wanted.split = splitOf(scene);
        wanted.lookAhead = settings_.lookAhead;
        wanted.shapes = shapes_;
        const fs::path graph = child.folder / "scene.floe.json";
        writeFileAtomically(graph, formatJson(activationScene(wanted, name)));

        const int threads =
            std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / settings_.jobs);
        const std::string program = (programFolder() / "floe").string();
        std::vector<std::string> arguments = {program,
                                              "run",
                                              graph.string(),
                                              "--output",
                                              child.folder.string(),
                                              "--progress",
                                              "quiet",
                                              "--device",
                                              "cpu",
                                              "--checkpoint-every",
                                              "0",
                                              "--threads",
                                              std::to_string(threads)};
        std::vector<char*> raw;
        for (std::string& argument : arguments)
            raw.push_back(argument.data());
        raw.push_back(nullptr);
        const std::string log = (child.folder / "log.txt").string();
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                         0644);
        posix_spawn_file_actions_adddup2(&files, 1, 2);
        const int error =
            ::posix_spawn(&child.process, program.c_str(), &files, nullptr, raw.data(), environ);
        posix_spawn_file_actions_destroy(&files);
        if (error != 0)
            throw IoError({.file = program}, std::string("cannot be started: ") + strerror(error),
                          "check the installation");
        children_.push_back(std::move(child));
    }

    void collect()
    {
        for (std::size_t i = 0; i < children_.size();) {
            Child& child = children_[i];
            int status = 0;
            if (::waitpid(child.process, &status, WNOHANG) != child.process) {
                if (!child.late &&
                    Clock::now() - child.begin > std::chrono::seconds(settings_.secondsPerScene)) {
                    child.late = true;
                    ::kill(child.process, SIGKILL);
                }
                ++i;
                continue;
            }
            if (!stopped)
                finish(child, WIFEXITED(status) && WEXITSTATUS(status) == kSuccess);
            else
                fs::remove_all(child.folder);
            children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    void finish(const Child& child, bool good)
    {
        const fs::path samples = child.folder / "samples";
        // All matter may have been inside obstacles: then there is nothing to learn.
        good = good && fs::is_directory(samples) && !fs::is_empty(samples);
        const std::string name = nameOf(child.scene);
        if (good) {
            fs::rename(child.folder, settings_.output / name);
            ++done_;
        } else {
            fs::remove_all(samples);
            if (child.late)
                writeFileAtomically(child.folder / "log.txt", "It took too long: see --limit.\n");
            fs::create_directories(settings_.output / "failed");
            fs::rename(child.folder, settings_.output / "failed" / name);
            ++failed_;
        }
    }

    void writePlan()
    {
        Json plan = plan_;
        plan["scenes"] = done_;
        plan["failed"] = failed_;
        writeFileAtomically(settings_.output / "dataset.json", formatJson(plan));
    }

    void draw()
    {
        const int ended = done_ + failed_;
        if (ended == drawn_ && (!tty_ || Clock::now() - lastDrawn_ < std::chrono::seconds(1)))
            return;
        drawn_ = ended;
        lastDrawn_ = Clock::now();
        const double seconds = std::chrono::duration<double>(lastDrawn_ - begin_).count();
        const int left = settings_.scenes - ended;
        char time[48] = "";
        if (ended > first_)
            std::snprintf(time, sizeof time, "  %.0f min left",
                          std::ceil(seconds / (ended - first_) * left / 60));
        if (!tty_) {
            std::printf("scene %d/%d  %d failed%s\n", ended, settings_.scenes, failed_, time);
        } else {
            constexpr int kRoom = 32;
            const int filled = settings_.scenes > 0 ? kRoom * ended / settings_.scenes : kRoom;
            std::printf("\r[%s%s]  scene %d/%d  %d failed%s\033[K",
                        std::string(static_cast<std::size_t>(filled), '#').c_str(),
                        std::string(static_cast<std::size_t>(kRoom - filled), ' ').c_str(), ended,
                        settings_.scenes, failed_, time);
        }
        std::fflush(stdout);
    }

    const DatasetSettings& settings_;
    FolderLock lock_;
    Json plan_;
    std::vector<fs::path> shapes_;
    std::vector<int> waiting_; ///< the next one last
    std::vector<Child> children_;
    int done_ = 0, failed_ = 0, first_ = 0;
    int drawn_ = -1;
    const bool tty_ = ::isatty(STDOUT_FILENO) != 0;
    Clock::time_point begin_, lastDrawn_;
};

} // namespace

int datasetCommand(const DatasetSettings& settings)
{
    struct sigaction action {};
    action.sa_handler = [](int) {
        if (stopped.exchange(true))
            ::_exit(kCancelled);
    };
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        ::sigaction(signal, &action, nullptr);
    return Dataset(settings).run();
}

} // namespace floe::app
