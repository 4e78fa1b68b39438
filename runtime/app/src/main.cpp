#include "command_line.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "launch_ranks.hpp"
#include "python_command.hpp"
#include "standard_output.hpp"
#include "supervisor.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/compute/memory.hpp"
#include "floe/plugin/scan.hpp"
#include "floe/session/library.hpp"

#include <floe/sdk/grid/partition.hpp>

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace floe::app {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 other failure, 2 command line, 3 graph, 4 plugin, 5 files, 6 memory,\n"
    "            7 diverged, 8 device, 9 crashed, 10 a rank was lost, 11 one is silent, 130 "
    "cancelled.";

/// An amount of memory or disk [GB]. CLI11's range lets NaN pass.
CLI::Validator gigabytes()
{
    return CLI::Validator(
        [](const std::string& text) -> std::string {
            char* end = nullptr;
            const double amount = std::strtod(text.c_str(), &end);
            if (*end != '\0' || (amount >= 0 && amount <= 1e6))
                return {}; // what is not a number is explained elsewhere
            return "'" + text + "' is not an amount from 0 to 1000000 GB";
        },
        "GB");
}

void addOverrides(CLI::App& command, std::vector<std::string>& overrides)
{
    command.add_option("--set", overrides, "Set a parameter: node.parameter=value")
        ->type_name("NODE.PARAMETER=VALUE")
        ->allow_extra_args(false);
}

void addIsolate(CLI::App& command, std::vector<std::string>& isolated)
{
    command
        .add_option("--isolate", isolated,
                    "Run a plugin's code in a process of its own: if it crashes or hangs, its node "
                    "fails and nothing else")
        ->type_name("PLUGIN")
        ->allow_extra_args(false);
}

void addRunOptions(CLI::App& command, session::RunSettings& settings, ProgressStyle& progress)
{
    command.add_option("graph", settings.graph, "Graph file (*.floe.json)")->required();
    addOverrides(command, settings.overrides);
    command.add_option("-o,--output", settings.output, "Folder to write into (out/<graph name>)");
    command.add_option("--start", settings.start, "First frame, in place of the graph's");
    command.add_option("--end", settings.end, "Last frame, in place of the graph's");
    command
        .add_option("--device", settings.device,
                    "auto, cpu, cuda or cuda:N; with several ranks also cuda:0-3, of which each "
                    "takes one")
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
        ->check(gigabytes());
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

/// After a command whose product is what it printed. @throws IoError  not all of it arrived
int printed(int code)
{
    finishOutput();
    return code;
}

/// Says, where memory ran out, that a limit on the address space may be why: libraries that could
/// not allocate do not know.
void nameLimit(int code)
try {
    constexpr std::uint64_t kScarce = std::uint64_t{1} << 30;
    if (code != kMemory)
        return;
    if (const std::uint64_t left = compute::addressSpaceLeft(); left < kScarce)
        std::fprintf(stderr,
                     "note: the limit on the address space leaves %llu MiB; raise it (ulimit -v)\n",
                     static_cast<unsigned long long>(left >> 20));
} catch (const std::bad_alloc&) { // not even room to look
}

/// The exit code of whatever an action throws; what it is goes to standard error.
std::function<int()> guarded(std::function<int()> action)
{
    return [action = std::move(action)]() -> int {
        try {
            const int code = action();
            nameLimit(code);
            return code;
        } catch (const std::bad_alloc&) {
            sayError("memory ran out");
            nameLimit(kMemory);
            return kMemory;
        } catch (const std::exception& error) {
            std::fflush(stdout);
            sayError(error.what());
            const int code = exitCodeOf(std::current_exception());
            nameLimit(code);
            return code;
        } catch (...) {
            sayError("unknown failure");
            return kOther;
        }
    };
}

/// For a script whose variable is not set: CLI11 takes an empty number for 0, or for none.
void refuseEmptyValues(const CLI::App& command)
{
    for (const CLI::Option* option : command.get_options())
        for (const std::string& value : option->results())
            if (value.empty())
                throw CLI::ValidationError(option->get_name(), "the value is empty");
}

/// Every command with its options, and what it does.
class Commands {
public:
    explicit Commands(CLI::App& app) : app_(app)
    {
        addRun();
        addRender();
        addServe();
        addGraphs();
        addPlugins();
        addPython();
        addTrials();
    }
    Commands(const Commands&) = delete; // the options have its members' addresses
    Commands& operator=(const Commands&) = delete;

    /// Does what the command line asked for. @param arguments  of main() @return an exit code
    int run(char* const* arguments) const
    {
        for (const CLI::App* command : python_)
            if (command->parsed())
                return pythonCommand(arguments);
        if (const int ranks = ranks_ > 0 ? ranks_ : deviceRanks_; ranks > 0)
            launchRanks(ranks, arguments);
        for (const auto& [command, action] : actions_)
            if (command->parsed())
                return command->get_group().empty()
                           ? action()
                           : supervise(guarded(action), watched(), arguments);
        return kUsage;
    }

private:
    CLI::App& add(CLI::App& parent, const char* name, const char* what, std::function<int()> action)
    {
        CLI::App* command = parent.add_subcommand(name, what);
        command->parse_complete_callback([command] { refuseEmptyValues(*command); });
        actions_.emplace_back(command, std::move(action));
        return *command;
    }

    Watched watched() const;

    void addRun();
    void addRender();
    void addServe();
    void addGraphs();
    void addPlugins();
    void addPython();
    void addTrials();

    CLI::App& app_;
    std::vector<const CLI::App*> python_;
    std::vector<std::pair<CLI::App*, std::function<int()>>> actions_;

    struct Running {
        session::RunSettings settings;
        ProgressStyle progress = ProgressStyle::Auto;
    } run_, render_;
    struct Serving {
        serve::ServeSettings settings;
        double diskGigabytes = 0, memoryGigabytes = 0;
    } serve_;
    bool watch_ = false;                ///< run: with a page
    std::vector<std::string> isolated_; ///< run, render, serve: plugins with their own process
    int ranks_ = 0;                     ///< run: to start; 0: as many as there are
    int deviceRanks_ = 0;               ///< run: of --devices, one each; 0: not several
    std::string partition_ = "bisection";
    struct Graphs {
        std::vector<std::string> files, overrides;
        bool json = false, check = false, cost = false;
        std::string output; ///< merge
        bool mine = false, theirs = false;
    } graphs_;
    struct Plugins {
        bool rescan = false, json = false, plainC = false;
        std::string path, name, folder;
    } plugins_;
    struct Trial {
        std::string folder, type, device, output;
    } trial_;
};

/// What of a command outlives its process.
Watched Commands::watched() const
{
    const auto of = [](const Running& running, const char* report) {
        return Watched{.report = session::outputFolder(running.settings) / report,
                       .json = running.progress == ProgressStyle::Json,
                       .bar = running.progress == ProgressStyle::Auto ||
                              running.progress == ProgressStyle::Bar};
    };
    if (!run_.settings.graph.empty())
        return of(run_, "run.json");
    return render_.settings.graph.empty() ? Watched{} : of(render_, "render.json");
}

void Commands::addRun()
{
    session::RunSettings& settings = run_.settings;
    CLI::App& run = add(app_, "run", "Simulate a graph, frame by frame", [this] {
        return runCommand(run_.settings, run_.progress, isolated_, watch_, partition_);
    });
    addRunOptions(run, settings, run_.progress);
    addIsolate(run, isolated_);
    run.add_option("--checkpoint-every", settings.checkpointEvery,
                   "Frames between checkpoints; 0: none")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    run.add_option("--keep-checkpoints", settings.keepCheckpoints,
                   "Newest checkpoints to keep; 0: all")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    CLI::Option* resume =
        run.add_flag("--resume", settings.resume, "Go on from the newest checkpoint, bit for bit");
    run.add_option("--resume-from", settings.resumeFrom,
                   "Go on from this frame's checkpoint, also when the graph has changed")
        ->excludes(resume);
    run.add_flag("--cache", settings.cache, "Keep every frame's particles for `floe render`");
    run.add_flag(
        "--watch", watch_,
        "Show it in a browser while it runs, at an address of this machine that is printed "
        "(Python)");
    run.add_option_function<std::string>(
           "--devices",
           [this](const std::string& list) {
               const std::size_t count = compute::devicesOf(list).size();
               run_.settings.device = list;
               deviceRanks_ = count > 1 ? static_cast<int>(count) : 0;
           },
           "Simulate on these GPUs together, cuda:0-3 or cuda:0,2: a rank on each")
        ->excludes("--device")
        ->type_name("LIST");
    run.add_option("--ranks", ranks_, "Simulate in this many processes together, by mpirun")
        ->check(CLI::Range(1, kMaxRanks));
    run.add_option(
           "--partition", partition_,
           "How ranks divide space: bisection, curve, boxes, or fixed boxes that never move; "
           "particles: each keeps those that it was given. The first three go by measured time; "
           "curve:particles, boxes:blocks and so on by these numbers, fixed:2x2x1 by so many boxes "
           "along each axis, for comparison")
        ->check(CLI::Validator(
            [](const std::string& text) {
                const std::string_view kind = std::string_view(text).substr(0, text.find(':'));
                const std::string_view rest = std::string_view(text).substr(kind.size());
                const bool dynamic = kind == "bisection" || kind == "curve" || kind == "boxes";
                const bool known =
                    (dynamic && (rest.empty() || rest == ":particles" || rest == ":blocks")) ||
                    (kind == "particles" && rest.empty()) ||
                    (kind == "fixed" && (rest.empty() || sdk::grid::topologyOf(rest.substr(1))));
                return known ? std::string()
                             : "there is no partition '" + text +
                                   "': bisection, curve or boxes, with :particles or :blocks; "
                                   "fixed, or fixed:2x2x1; particles";
            },
            "PARTITION"))
        ->capture_default_str();
}

void Commands::addRender()
{
    session::RunSettings& settings = render_.settings;
    CLI::App& render =
        add(app_, "render", "Draw and write cached frames again, without simulating",
            [this] { return renderCommand(render_.settings, render_.progress, isolated_); });
    addRunOptions(render, settings, render_.progress);
    addIsolate(render, isolated_);
    render.add_option("--cache", settings.readCache, "Folder of cached frames (<output>/cache)");
    render.add_option("--node", settings.sinks, "Output nodes to run (all)")->type_name("NODE");
}

void Commands::addServe()
{
    serve::ServeSettings& settings = serve_.settings;
    CLI::App& serve =
        add(app_, "serve", "Simulate and draw for one client (an editor) over a socket", [this] {
            serve::ServeSettings chosen = serve_.settings;
            chosen.cacheBytes = static_cast<std::uint64_t>(serve_.diskGigabytes * 1e9);
            chosen.cacheMemory = static_cast<std::uint64_t>(serve_.memoryGigabytes * 1e9);
            return serveCommand(std::move(chosen), isolated_);
        });
    serve.add_option("--socket", settings.socket, "Unix socket (a new one in the user's folder)");
    serve
        .add_option("--listen", settings.listen, "TCP instead; prints the token clients must show")
        ->type_name("HOST:PORT");
    serve.add_flag("--keep", settings.keep, "Stay when the client goes, for the next one");
    serve
        .add_option("--cache-size", serve_.diskGigabytes,
                    "Simulated frames kept on disk [GB]; 0: auto")
        ->check(gigabytes());
    serve
        .add_option("--cache-memory", serve_.memoryGigabytes,
                    "Simulated frames kept in memory [GB]; 0: auto")
        ->check(gigabytes());
    serve
        .add_option("--take-over", settings.predecessor,
                    "Keep the frames of a server that died, by its process number")
        ->check(CLI::Range(0, 1 << 30))
        ->type_name("PID");
    addIsolate(serve, isolated_);
    serve.add_option("--threads", settings.threads, "CPU threads; 0: all")
        ->check(CLI::Range(0, 1024));
}

void Commands::addGraphs()
{
    Graphs& g = graphs_;
    CLI::App& validate = add(app_, "validate", "Say everything that is wrong with graphs", [&g] {
        return printed(validateCommand(g.files, g.overrides, g.json, g.cost));
    });
    validate.add_option("graph", g.files, "Graph files")->required();
    addOverrides(validate, g.overrides);
    validate.add_flag("--json", g.json, "One JSON object a fault");
    validate.add_flag("--cost", g.cost,
                      "Also make the first frames, without output nodes, and say what a run takes: "
                      "particles, memory, steps, time");
    CLI::App& format = add(app_, "fmt", "Rewrite graphs in the standard layout",
                           [&g] { return formatCommand(g.files, g.check); });
    format.add_option("graph", g.files, "Graph files")->required();
    format.add_flag("--check", g.check, "Change nothing; fail when a file would change");
    CLI::App& diff = add(app_, "diff", "Compare two graphs node by node", [&g] {
        return printed(diffCommand(g.files.at(0), g.files.at(1), g.json));
    });
    diff.add_option("graphs", g.files, "Two graph files")->required()->expected(2);
    diff.add_flag("--json", g.json, "As JSON");
    CLI::App& merge =
        add(app_, "merge", "Join what two sides have made of a graph, node by node", [&g] {
            std::optional<graph::Side> side;
            if (g.mine || g.theirs)
                side = g.mine ? graph::Side::Mine : graph::Side::Theirs;
            return printed(mergeCommand(g.files, g.output, side, g.json));
        });
    merge.add_option("graphs", g.files, "What both began from, mine, theirs")
        ->required()
        ->expected(3);
    CLI::Option* output =
        merge.add_option("-o,--output", g.output, "The file to write; one of the three may be it");
    CLI::Option* mine = merge.add_flag("--mine", g.mine, "Conflicts take mine, and are none");
    merge.add_flag("--theirs", g.theirs, "Conflicts take theirs, and are none")->excludes(mine);
    merge.add_flag("--json", g.json, "Print conflicts as JSON")->needs(output);
    add(app_, "nodes", "Print the node reference (Markdown)",
        [] { return printed(nodesCommand()); });
    add(app_, "devices", "List devices to compute and to draw on",
        [] { return printed(devicesCommand()); });
}

void Commands::addPlugins()
{
    Plugins& p = plugins_;
    CLI::App& plugins = *app_.add_subcommand("plugin", "List, install, check and begin plugins");
    plugins.require_subcommand(1);
    CLI::App& list = add(plugins, "list", "List the plugins found, and what is wrong with them",
                         [&p] { return printed(pluginListCommand(p.rescan, p.json)); });
    list.add_flag("--rescan", p.rescan, "Probe all of them again");
    list.add_flag("--json", p.json, "As JSON");
    CLI::App& check =
        add(plugins, "check", "Load a plugin, compare it with its manifest, cook every node",
            [&p] { return pluginCheckCommand(p.path); });
    check.add_option("folder", p.path, "Plugin folder, or the id of an installed one")->required();
    CLI::App& install = add(plugins, "install", "Check a package and put its plugin in place",
                            [&p] { return pluginInstallCommand(p.path); });
    install.add_option("package", p.path, "Archive (zip, tar.*) or folder")->required();
    CLI::App& remove = add(plugins, "remove", "Take away a plugin that was installed",
                           [&p] { return pluginRemoveCommand(p.name); });
    remove.add_option("id", p.name, "Id of the plugin")->required();
    CLI::App& info = add(plugins, "info", "Version, licence, interface, nodes and hash of a plugin",
                         [&p] { return printed(pluginInfoCommand(p.path, p.json)); });
    info.add_option("folder", p.path, "Plugin folder, or the id of an installed one")->required();
    info.add_flag("--json", p.json, "As JSON");
    CLI::App& begin = add(plugins, "new", "Write a skeleton that builds and works",
                          [&p] { return pluginNewCommand(p.name, p.folder, p.plainC); });
    begin.add_option("name", p.name, "Id of the plugin, such as studio.ropes")->required();
    begin.add_option("--folder", p.folder, "Where (a new folder of that name)");
    begin.add_flag("--c", p.plainC, "In C rather than C++");
}

/// What the Python package does, which explains its options itself.
void Commands::addPython()
{
    for (const PythonCommand& python : kPythonCommands) {
        CLI::App* command = app_.add_subcommand(python.name, python.help);
        command->set_help_flag();
        command->prefix_command();
        python_.push_back(command);
    }
}

/// What this program runs in processes of its own; not for people.
void Commands::addTrials()
{
    Trial& t = trial_;
    CLI::App& probe = add(app_, "plugin-probe", "", [&t] { return plugin::probeMain(t.folder); });
    probe.group("");
    probe.add_option("folder", t.folder)->required();
    CLI::App& process =
        add(app_, "plugin-process", "", [&t] { return session::isolatedMain(t.folder); });
    process.group("");
    process.add_option("folder", t.folder)->required();
    CLI::App& cook = add(app_, "plugin-cook", "",
                         [&t] { return pluginCookCommand(t.folder, t.type, t.device, t.output); });
    cook.group("");
    cook.add_option("folder", t.folder)->required();
    cook.add_option("type", t.type)->required();
    cook.add_option("device", t.device)->required();
    cook.add_option("output", t.output)->required();
}

int main(int argc, char** argv)
{
    CLI::App app("Floe: node graphs for physical simulation.", "floe");
    app.set_version_flag("--version", std::string("floe ") + FLOE_VERSION);
    app.require_subcommand(1);
    app.footer(kFooter);
    app.fallthrough(false);
    const Commands commands(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) // help or version was asked for
            return printed(app.exit(error) == 0 ? kSuccess : kUsage);
        std::fprintf(stderr, "error: %s\nRun with --help for more information.\n",
                     explain(app, error, argc, argv).c_str());
        return kUsage;
    }
    // Writing beyond a limit on the size of files (ulimit -f) fails as on a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    // Who started this program may have ignored it: then no child's end could be known.
    std::signal(SIGCHLD, SIG_DFL);
    return commands.run(argv);
}

} // namespace
} // namespace floe::app

int main(int argc, char** argv)
{
    return floe::app::guarded([&] { return floe::app::main(argc, argv); })();
}
