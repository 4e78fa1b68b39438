#include "command_line.hpp"
#include "commands.hpp"
#include "dataset_command.hpp"
#include "exit_code.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/compute/memory.hpp"
#include "floe/plugin/scan.hpp"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

namespace floe::app {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 other failure, 2 command line, 3 graph, 4 plugin, 5 files, 6 memory,\n"
    "            7 diverged, 8 device, 130 cancelled.";

void addOverrides(CLI::App& command, std::vector<std::string>& overrides)
{
    command.add_option("--set", overrides, "Set a parameter: node.parameter=value")
        ->type_name("NODE.PARAMETER=VALUE")
        ->allow_extra_args(false);
}

void addRunOptions(CLI::App& command, session::RunSettings& settings, ProgressStyle& progress)
{
    command.add_option("graph", settings.graph, "Graph file (*.floe.json)")->required();
    addOverrides(command, settings.overrides);
    command.add_option("-o,--output", settings.output, "Folder to write into (out/<graph name>)");
    command.add_option("--start", settings.start, "First frame, in place of the graph's");
    command.add_option("--end", settings.end, "Last frame, in place of the graph's");
    command.add_option("--device", settings.device, "auto, cpu, cuda or cuda:N")
        ->capture_default_str();
    command.add_option("--threads", settings.threads, "CPU threads; 0: all")
        ->check(CLI::Range(0, 1024));
    command
        .add_option_function<double>(
            "--memory",
            [](double gigabytes) {
                compute::setHostMemoryLimit(static_cast<std::uint64_t>(gigabytes * 1e9));
            },
            "Memory for values and solvers [GB]; 0: what the machine or its control group has")
        ->check(CLI::Range(0.0, 1e6));
    command
        .add_option("--queue", settings.queueLength, "Frames that may wait for each output node")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    command
        .add_option("--progress", progress, "auto, bar, lines, json (one object a line) or quiet")
        ->type_name("STYLE")
        ->transform(oneOf<ProgressStyle>({{"auto", ProgressStyle::Auto},
                                          {"bar", ProgressStyle::Bar},
                                          {"lines", ProgressStyle::Lines},
                                          {"json", ProgressStyle::Json},
                                          {"quiet", ProgressStyle::Quiet}}));
}

/// After a command whose product is what it printed: all of it must have arrived, unless the reader
/// has gone and wants no more. @throws IoError
int printed(int code)
{
    errno = 0;
    if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && errno != EPIPE)
        throw cannotWrite("standard output");
    return code;
}

int main(int argc, char** argv)
{
    CLI::App app("Floe: node graphs for physical simulation.", "floe");
    app.set_version_flag("--version", std::string("floe ") + FLOE_VERSION);
    app.require_subcommand(1);
    app.footer(kFooter);
    app.fallthrough(false);

    session::RunSettings settings;
    ProgressStyle progress = ProgressStyle::Auto;
    CLI::App* run = app.add_subcommand("run", "Simulate a graph, frame by frame");
    addRunOptions(*run, settings, progress);
    run->add_option("--checkpoint-every", settings.checkpointEvery,
                    "Frames between checkpoints; 0: none")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    run->add_option("--keep-checkpoints", settings.keepCheckpoints,
                    "Newest checkpoints to keep; 0: all")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    CLI::Option* resume =
        run->add_flag("--resume", settings.resume, "Go on from the newest checkpoint, bit for bit");
    run->add_option("--resume-from", settings.resumeFrom,
                    "Go on from this frame's checkpoint, also when the graph has changed")
        ->excludes(resume);
    run->add_flag("--cache", settings.cache, "Keep every frame's particles for `floe render`");

    session::RunSettings rendering;
    ProgressStyle renderProgress = ProgressStyle::Auto;
    CLI::App* render =
        app.add_subcommand("render", "Draw and write cached frames again, without simulating");
    addRunOptions(*render, rendering, renderProgress);
    render->add_option("--cache", rendering.readCache, "Folder of cached frames (<output>/cache)");
    render->add_option("--node", rendering.sinks, "Output nodes to run (all)")->type_name("NODE");

    serve::ServeSettings serving;
    double cacheGigabytes = 0, memoryGigabytes = 0;
    CLI::App* serve =
        app.add_subcommand("serve", "Simulate and draw for one client (an editor) over a socket");
    serve->add_option("--socket", serving.socket, "Unix socket (a new one in the user's folder)");
    serve->add_option("--listen", serving.listen, "TCP instead; prints the token clients must show")
        ->type_name("HOST:PORT");
    serve->add_flag("--keep", serving.keep, "Stay when the client goes, for the next one");
    serve->add_option("--cache-size", cacheGigabytes, "Simulated frames kept on disk [GB]; 0: auto")
        ->check(CLI::Range(0.0, 1e6));
    serve
        ->add_option("--cache-memory", memoryGigabytes,
                     "Simulated frames kept in memory [GB]; 0: auto")
        ->check(CLI::Range(0.0, 1e6));
    serve
        ->add_option("--take-over", serving.predecessor,
                     "Keep the frames of a server that died, by its process number")
        ->check(CLI::Range(0, 1 << 30))
        ->type_name("PID");
    serve->add_option("--threads", serving.threads, "CPU threads; 0: all")
        ->check(CLI::Range(0, 1024));

    std::vector<std::string> files;
    bool json = false;
    bool check = false;
    CLI::App* validate = app.add_subcommand("validate", "Say everything that is wrong with graphs");
    validate->add_option("graph", files, "Graph files")->required();
    addOverrides(*validate, settings.overrides);
    validate->add_flag("--json", json, "One JSON object a fault");
    CLI::App* format = app.add_subcommand("fmt", "Rewrite graphs in the standard layout");
    format->add_option("graph", files, "Graph files")->required();
    format->add_flag("--check", check, "Change nothing; fail when a file would change");
    CLI::App* diff = app.add_subcommand("diff", "Compare two graphs node by node");
    diff->add_option("graphs", files, "Two graph files")->required()->expected(2);
    diff->add_flag("--json", json, "As JSON");

    CLI::App* datasets =
        app.add_subcommand("dataset", "Make data for training networks, by simulating");
    datasets->require_subcommand(1);
    DatasetSettings dataset;
    CLI::App* activation = datasets->add_subcommand(
        "activation",
        "Random scenes, and which of their blocks will move; goes on where it stopped");
    activation->add_option("--out", dataset.output, "Folder to write into")->required();
    activation->add_option("--scenes", dataset.scenes, "Scenes in all")
        ->check(CLI::Range(1, 99999))
        ->capture_default_str();
    activation->add_option("--frames", dataset.frames, "Frames of each scene")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    activation->add_option("--size", dataset.size, "Cells along each edge of the domain")
        ->check(CLI::Range(32, 128))
        ->capture_default_str();
    activation
        ->add_option("--stiffness", dataset.stiffness,
                     "Of materials, as a share of the full one; less is faster")
        ->check(CLI::Range(1e-4, 10.0))
        ->capture_default_str();
    activation->add_option("--jobs", dataset.jobs, "Scenes simulated at a time")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    activation->add_option("--seed", dataset.seed, "Of all scenes")->capture_default_str();
    activation->add_option("--shapes", dataset.shapes,
                           "Folder of level sets and meshes to use beside the built-in shapes");
    activation
        ->add_option("--look-ahead", dataset.lookAhead,
                     "What labels foretell: the next frame or step")
        ->type_name("frame or step")
        ->transform(oneOf<std::string>({{"frame", "evaluation"}, {"step", "step"}}))
        ->default_str("frame");
    activation->add_option("--limit", dataset.secondsPerScene, "Longest time for a scene [s]")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();

    CLI::App* nodes = app.add_subcommand("nodes", "Print the node reference (Markdown)");
    CLI::App* devices = app.add_subcommand("devices", "List devices to compute and to draw on");

    CLI::App* plugins = app.add_subcommand("plugin", "List, check and begin plugins");
    plugins->require_subcommand(1);
    bool rescan = false;
    CLI::App* list =
        plugins->add_subcommand("list", "List the plugins found, and what is wrong with them");
    list->add_flag("--rescan", rescan, "Probe all of them again");
    list->add_flag("--json", json, "As JSON");
    std::string path;
    CLI::App* checkPlugin = plugins->add_subcommand(
        "check", "Load a plugin, compare it with its manifest, cook every node");
    checkPlugin->add_option("folder", path, "Plugin folder, or the id of an installed one")
        ->required();
    std::string name;
    std::string folder;
    bool plainC = false;
    CLI::App* newPlugin = plugins->add_subcommand("new", "Write a skeleton that builds and works");
    newPlugin->add_option("name", name, "Id of the plugin, such as studio.ropes")->required();
    newPlugin->add_option("--folder", folder, "Where (a new folder of that name)");
    newPlugin->add_flag("--c", plainC, "In C rather than C++");

    std::string probed;
    CLI::App* probe = app.add_subcommand("plugin-probe", "");
    probe->group("");
    probe->add_option("folder", probed)->required();
    std::string cookedType;
    std::string cookedOn;
    std::string cookedOutput;
    CLI::App* cook = app.add_subcommand("plugin-cook", "");
    cook->group("");
    cook->add_option("folder", probed)->required();
    cook->add_option("type", cookedType)->required();
    cook->add_option("device", cookedOn)->required();
    cook->add_option("output", cookedOutput)->required();

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) // help or version was asked for
            return app.exit(error) == 0 ? kSuccess : kUsage;
        std::fprintf(stderr, "error: %s\nRun with --help for more information.\n",
                     explain(app, error, argc, argv).c_str());
        return kUsage;
    }

    // Writing beyond a limit on the size of files (ulimit -f) fails as on a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    if (probe->parsed())
        return plugin::probeMain(probed);
    if (cook->parsed())
        return pluginCookCommand(probed, cookedType, cookedOn, cookedOutput);
    if (run->parsed())
        return runCommand(settings, progress);
    if (render->parsed())
        return renderCommand(rendering, renderProgress);
    if (serve->parsed()) {
        serving.cacheBytes = static_cast<std::uint64_t>(cacheGigabytes * 1e9);
        serving.cacheMemory = static_cast<std::uint64_t>(memoryGigabytes * 1e9);
        return serveCommand(std::move(serving));
    }
    if (validate->parsed())
        return printed(validateCommand(files, settings.overrides, json));
    if (format->parsed())
        return formatCommand(files, check);
    if (diff->parsed())
        return printed(diffCommand(files.at(0), files.at(1), json));
    if (activation->parsed())
        return datasetCommand(dataset);
    if (nodes->parsed())
        return printed(nodesCommand());
    if (devices->parsed())
        return printed(devicesCommand());
    if (list->parsed())
        return printed(pluginListCommand(rescan, json));
    if (checkPlugin->parsed())
        return pluginCheckCommand(path);
    return pluginNewCommand(name, folder, plainC);
}

} // namespace
} // namespace floe::app

int main(int argc, char** argv)
{
    try {
        return floe::app::main(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "error: memory ran out\n");
        return floe::app::kMemory;
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "error: %s\n", error.what());
        return floe::app::exitCodeOf(std::current_exception());
    } catch (...) {
        std::fprintf(stderr, "error: unknown failure\n");
        return floe::app::kOther;
    }
}
