#include "command_line.hpp"

namespace floe::app {
namespace {

std::string describeExtra(const CLI::App& command, const std::string& extra)
{
    if (extra.empty() || extra[0] != '-')
        return "'" + command.get_display_name() + "' does not expect " + graph::quote(extra);
    std::vector<std::string> names;
    std::vector<std::string> longer; // options that begin so
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
            if (extra.size() > 3 && names.back().starts_with(extra))
                longer.push_back(names.back());
        }
    const std::string cure = longer.size() == 1 ? "did you mean " + graph::quote(longer[0]) + "?"
                                                : graph::didYouMean(extra, names).text();
    return "'" + command.get_display_name() + "' has no option " + graph::quote(extra) +
           (cure.empty() ? "" : "; " + cure);
}

std::string describeCommand(const CLI::App& app, const std::string& word)
{
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({}))
        if (!command->get_group().empty())
            names.push_back(command->get_name());
    return "no command " + graph::quote(word) + "; " +
           graph::didYouMean(word, names,
                             graph::TranslatableText::of("use {words}", graph::alternatives(names)))
               .text();
}

/// @param said  CLI11's words: "Could not convert: --end = abc"
std::string describeConversion(const CLI::App& command, const std::string& said)
{
    for (const CLI::Option* option : command.get_options()) {
        const std::string before = option->get_name() + " = ";
        const auto at = said.find(before);
        if (at == std::string::npos)
            continue;
        const std::string type = option->get_type_name();
        return option->get_name() + ": " + graph::quote(said.substr(at + before.size())) +
               (type == "INT"    ? " is not a whole number of at most nine digits"
                : type == "UINT" ? " is not a whole number from zero on"
                                 : " is not a number");
    }
    return said;
}

} // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc,
                    const char* const* argv)
{
    const CLI::App* command = &app;
    int depth = 1;
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        ++depth;
    }
    const bool hasCommands = !command->get_subcommands({}).empty();
    if (hasCommands && depth >= argc)
        return "a command is missing";
    if (hasCommands)
        return argv[depth][0] == '-' ? describeExtra(*command, argv[depth])
                                     : describeCommand(*command, argv[depth]);
    if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
        const std::vector<std::string> extras = command->remaining();
        for (const std::string& extra : extras)
            if (extra.starts_with("-"))
                return describeExtra(*command, extra);
        if (!extras.empty())
            return describeExtra(*command, extras.front());
    }
    if (dynamic_cast<const CLI::ConversionError*>(&error))
        return describeConversion(*command, error.what());
    return error.what();
}

} // namespace floe::app
