#include "commands.hpp"
#include "exit_code.hpp"
#include "machine_library.hpp"
#include "run_cost.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/compute/device.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/diff.hpp"
#include "floe/graph/merge.hpp"
#include "floe/graph/reference.hpp"
#include "floe/render/renderer.hpp"

#include <cstdio>
#include <filesystem>
#include <iostream>

namespace floe::app {

namespace {

void printFault(const graph::Fault& fault, bool json)
{
    if (!json) {
        std::printf("%s\n", fault.text().c_str());
        return;
    }
    const Json line = {{"severity", fault.severity == graph::Severity::Error ? "error" : "warning"},
                       {"code", fault.code},
                       {"file", fault.file},
                       {"node", fault.node},
                       {"type", fault.type},
                       {"field", fault.field},
                       {"cause", fault.cause.text()},
                       {"cure", fault.cure.text()}};
    std::printf("%s\n", dumpJson(line).c_str());
}

/// A file without content stands for a graph without any: git names /dev/null, or an empty file,
/// where a side has none.
graph::Document loadOrNothing(const std::string& file)
{
    std::error_code unreadable;
    const bool isEmpty =
        file == "/dev/null" || (std::filesystem::is_regular_file(file, unreadable) &&
                                std::filesystem::file_size(file, unreadable) == 0);
    if (!isEmpty)
        return graph::Document::load(file);
    graph::Document nothing;
    nothing.path = file;
    return nothing;
}

} // namespace

int validateCommand(const std::vector<std::string>& files,
                    const std::vector<std::string>& overrides, bool json, bool cost)
{
    const auto library = openLibrary();
    int code = kSuccess;
    for (const std::string& file : files) {
        std::vector<graph::Fault> faults;
        try {
            graph::Document document = graph::Document::load(file);
            if (!overrides.empty())
                graph::migrate(document, library->types());
            for (const std::string& assignment : overrides)
                graph::applyOverride(document, assignment, library->types());
            faults = graph::check(document, library->types());
        } catch (const Error& error) {
            graph::Fault fault;
            fault.code = "unreadable";
            fault.file = file;
            fault.cause = graph::causeOf(error);
            fault.cure = graph::cureOf(error);
            printFault(fault, json);
            code = std::max(code, exitCodeOf(std::current_exception()));
            continue;
        }
        for (const graph::Fault& fault : faults)
            printFault(fault, json);
        if (graph::anyMissingPlugin(faults))
            code = std::max<int>(code, kPlugin);
        else if (graph::anyError(faults))
            code = std::max<int>(code, kGraph);
        else if (!json)
            std::printf("%s: no errors\n", file.c_str());
        if (cost && !graph::anyMissingPlugin(faults) && !graph::anyError(faults))
            code = std::max<int>(code, sayRunCost(file, overrides, *library, json));
    }
    return code;
}

int formatCommand(const std::vector<std::string>& files, bool checkOnly)
{
    const auto library = openLibrary();
    int code = kSuccess;
    for (const std::string& file : files) {
        const graph::Document document = graph::Document::load(file);
        const std::string before = readFile(file);
        const std::string after = document.format(library->types());
        if (before == after)
            continue;
        if (checkOnly) {
            std::printf("%s: would change\n", file.c_str());
            code = kGraph;
        } else {
            writeFileAtomically(file, after);
            std::printf("%s: rewritten\n", file.c_str());
        }
    }
    return code;
}

int diffCommand(const std::string& before, const std::string& after, bool json)
{
    const graph::Document a = loadOrNothing(before);
    const graph::Document b = loadOrNothing(after);
    const std::vector<graph::Change> changes = graph::diff(a, b);
    if (json)
        std::printf("%s", formatJson(graph::toJson(changes)).c_str());
    else
        for (const graph::Change& change : changes)
            std::printf("%s\n", change.text().c_str());
    return changes.empty() ? kSuccess : kOther;
}

int mergeCommand(const std::vector<std::string>& files, const std::string& output,
                 std::optional<graph::Side> side, bool json)
{
    const auto library = openLibrary();
    graph::Choose choose;
    if (side)
        choose = [side](const graph::Conflict&) {
            return *side;
        };
    const graph::Merged merged =
        graph::merge(loadOrNothing(files.at(0)), graph::Document::load(files.at(1)),
                     graph::Document::load(files.at(2)), library->types(), choose);
    const std::string text = merged.document.format(library->types());
    if (output.empty())
        std::printf("%s", text.c_str());
    else
        writeFileAtomically(output, text);
    if (json)
        std::printf("%s", formatJson({{"conflicts", graph::toJson(merged.conflicts)},
                                      {"renamed", graph::toJson(merged.renamed)}})
                              .c_str());
    else {
        for (const graph::Change& change : merged.renamed)
            std::fprintf(stderr, "%s\n", change.text().c_str());
        for (const graph::Conflict& conflict : merged.conflicts)
            std::fprintf(stderr, "%s\n", conflict.text().c_str());
    }
    return merged.conflicts.empty() || side ? kSuccess : kOther;
}

int nodesCommand()
{
    const auto library = openLibrary(false, true);
    graph::writeNodeReference(library->types(), std::cout);
    return kSuccess;
}

int devicesCommand()
{
    std::printf("Compute (--device):\n");
    for (const compute::DeviceInfo& device : compute::listDevices())
        std::printf("  %-8s %s\n", device.id.c_str(), device.name.c_str());
    std::printf("Pictures (Vulkan):\n");
    const auto devices = render::listDevices();
    for (const render::DeviceInfo& device : devices)
        std::printf("  %-8d %s%s\n", device.index, device.name.c_str(),
                    device.usable ? "" : " (not usable: no Vulkan 1.1 graphics queue)");
    if (devices.empty())
        std::printf("  none: install a Vulkan driver (mesa-vulkan-drivers draws on the CPU)\n");
    return kSuccess;
}

} // namespace floe::app
