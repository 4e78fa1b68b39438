#pragma once

#include "temporary_folder.hpp"

#include "floe/base/json.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/value_stream.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace floe::test {

/// What a program printed and ended with.
struct Finished {
    int code = -1; ///< exit code; 128 + signal
    std::string output;
};

/// The option of `floe run` for the device that tests run on: that of FLOE_TEST_DEVICE, or the CPU,
/// also in a machine with a card.
inline std::string onDevice()
{
    const char* device = std::getenv("FLOE_TEST_DEVICE");
    return std::string(" --device ") + (device ? device : "cpu");
}

/// Runs a command through a shell; standard error goes into the output.
inline Finished shell(const std::string& command)
{
    Finished finished;
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::array<char, 4096> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
        finished.output.append(buffer.data(), count);
    const int status = ::pclose(pipe);
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return finished;
}

/// Runs the built `floe` with arguments through a shell.
/// @param before  what the shell does first: "ulimit -f 64;"
inline Finished runFloe(const std::string& arguments, const std::string& before = "")
{
    return shell(before + " exec " + FLOE_BINARY_DIR + "/bin/floe " + arguments);
}

/// Particles of a solver at one frame, from the run's cache.
class Frame {
public:
    explicit Frame(const std::filesystem::path& path)
    {
        std::ifstream stream(path, std::ios::binary);
        value_ = readValue(stream);
        particles_ = &expect<ParticlesValue>(value_);
    }
    std::size_t count() const { return particles_->count(); }
    const ParticlesValue& particles() const { return *particles_; }
    std::array<double, 3> position(std::size_t i) const { return at("x", i); }
    std::array<double, 3> velocity(std::size_t i) const { return at("v", i); }

    std::array<double, 3> meanPosition() const { return mean("x"); }
    std::array<double, 3> meanVelocity() const { return mean("v"); }
    /// Smallest and largest coordinate along an axis.
    std::array<double, 2> extent(std::size_t axis) const
    {
        std::array<double, 2> result = {1e300, -1e300};
        for (std::size_t i = 0; i < count(); ++i) {
            result[0] = std::min(result[0], position(i)[axis]);
            result[1] = std::max(result[1], position(i)[axis]);
        }
        return result;
    }
    bool allFinite() const
    {
        for (const char* name : {"x", "v"})
            for (const float number : particles_->get<float>(name, 3))
                if (!std::isfinite(number))
                    return false;
        return true;
    }

private:
    std::array<double, 3> at(const char* name, std::size_t i) const
    {
        const auto numbers = particles_->get<float>(name, 3);
        return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
    }
    std::array<double, 3> mean(const char* name) const
    {
        std::array<double, 3> sum{};
        for (std::size_t i = 0; i < count(); ++i)
            for (std::size_t axis = 0; axis < 3; ++axis)
                sum[axis] += at(name, i)[axis];
        for (double& component : sum)
            component /= static_cast<double>(count());
        return sum;
    }

    ValueRef value_;
    const ParticlesValue* particles_ = nullptr;
};

/// A graph of graphs/ run by the real program into a folder of its own, with its frames cached.
class GraphRun {
public:
    /// @param graph   below graphs/, "first_snow.floe.json"
    /// @param options of `floe run`
    GraphRun(const std::string& graph, const std::string& options)
    {
        finished_ = runFloe("run " + std::string(FLOE_SOURCE_DIR) + "/graphs/" + graph +
                            " --output " + (folder_ / "out").string() +
                            " --progress quiet --cache " + options + onDevice());
    }
    const Finished& finished() const { return finished_; }
    std::filesystem::path output() const { return folder_ / "out"; }
    Json report() const { return loadJson(output() / "run.json"); }
    Frame frame(const std::string& solver, int number) const
    {
        char name[256];
        std::snprintf(name, sizeof name, "cache/%s.particles.%04d.floe", solver.c_str(), number);
        return Frame(output() / name);
    }

private:
    TemporaryFolder folder_;
    Finished finished_;
};

} // namespace floe::test
