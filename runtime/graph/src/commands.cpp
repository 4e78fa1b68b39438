#include "floe/graph/commands.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/diff.hpp"

#include <algorithm>
#include <optional>
#include <ostream>

namespace floe::graph {

namespace {

void raise(Outcome& outcome, Outcome to)
{
    outcome = std::max(outcome, to);
}

Fault toFault(const Error& error, const std::string& file, const char* code)
{
    Fault fault;
    fault.code = code;
    fault.file = error.place().file.empty() ? file : error.place().file;
    fault.cause = error.cause();
    fault.cure = error.cure();
    return fault;
}

/// Loads a graph; what stops that is a fault too.
std::optional<Document> load(const std::string& file, std::vector<Fault>& faults, Outcome& outcome)
{
    try {
        return Document::load(file);
    } catch (const IoError& error) {
        faults.push_back(toFault(error, file, "unreadable"));
        raise(outcome, Outcome::Unreadable);
    } catch (const Error& error) {
        faults.push_back(toFault(error, file, "not-a-graph"));
        raise(outcome, Outcome::Faulty);
    }
    return std::nullopt;
}

} // namespace

Outcome validate(const std::vector<std::string>& files, const TypeLibrary& types, bool json,
                 std::ostream& out)
{
    Outcome outcome = Outcome::Good;
    Json list = Json::array();
    for (const std::string& file : files) {
        std::vector<Fault> faults;
        const auto document = load(file, faults, outcome);
        if (document)
            faults = check(*document, types);
        if (document && anyError(faults))
            raise(outcome, anyMissingPlugin(faults) ? Outcome::MissingPlugin : Outcome::Faulty);
        if (json) {
            Json entry = {{"file", file}, {"sound", !anyError(faults)}};
            entry["faults"] = Json::array();
            for (const Fault& fault : faults)
                entry["faults"].push_back(toJson(fault));
            list.push_back(std::move(entry));
            continue;
        }
        for (const Fault& fault : faults)
            out << fault.text() << "\n";
        out << file << ": ";
        if (faults.empty())
            out << "sound, " << document->graph.nodes.size() << " nodes\n";
        else
            out << faults.size() << (faults.size() == 1 ? " fault\n" : " faults\n");
    }
    if (json)
        out << formatJson(list);
    return outcome;
}

Outcome format(const std::vector<std::string>& files, const TypeLibrary& types, FormatMode mode,
               std::ostream& out)
{
    Outcome outcome = Outcome::Good;
    for (const std::string& file : files) {
        std::vector<Fault> faults;
        const auto document = load(file, faults, outcome);
        if (document && !document->lossless) {
            faults = document->faults;
            raise(outcome, Outcome::Faulty);
        }
        for (const Fault& fault : faults)
            out << fault.text() << "\n";
        if (!document || !document->lossless)
            continue;
        try {
            const std::string text = document->format(types);
            if (mode == FormatMode::Print) {
                out << text;
            } else if (text != readFile(file)) {
                if (mode == FormatMode::Write)
                    writeFileAtomically(file, text);
                else
                    raise(outcome, Outcome::Differs);
                out << file << (mode == FormatMode::Write ? ": formatted\n" : ": not formatted\n");
            }
        } catch (const IoError& error) {
            out << toFault(error, file, "unreadable").text() << "\n";
            raise(outcome, Outcome::Unreadable);
        }
    }
    return outcome;
}

Outcome diffFiles(const std::string& a, const std::string& b, bool json, std::ostream& out)
{
    Outcome outcome = Outcome::Good;
    std::vector<Fault> faults;
    const auto before = load(a, faults, outcome);
    const auto after = load(b, faults, outcome);
    for (const Fault& fault : faults)
        out << fault.text() << "\n";
    if (!before || !after)
        return outcome;
    const std::vector<Change> changes = diff(*before, *after);
    if (json)
        out << formatJson(toJson(changes));
    else
        for (const Change& change : changes)
            out << change.text() << "\n";
    return changes.empty() ? Outcome::Good : Outcome::Differs;
}

} // namespace floe::graph
