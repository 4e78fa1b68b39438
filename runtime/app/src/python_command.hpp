#pragma once

namespace floe::app {

/// A command that the Python package does: its name, which is also that of its module.
struct PythonCommand {
    const char* name; ///< "sweep": floe.sweep
    const char* help;
};

inline constexpr PythonCommand kPythonCommands[] = {
    {"sweep", "Simulate many variants of a graph, with a table, pictures and a page (Python)"},
    {"report", "Make one page of a run: movie, plots, messages, how to make it again (Python)"},
    {"scenes", "Make a data set of random scenes with text, validated (Python)"},
    {"ros", "Run a graph as a node of ROS: points, pictures, tf out, velocities in (Python)"},
};

/// Replaces this process by Python with the package's module.
///
/// The package is that of this installation or build tree, else an installed one; Python is
/// $FLOE_PYTHON, else the first of `python3` on PATH and /usr/bin/python3 that is 3.9 or later and
/// has NumPy. The module calls this program again, by FLOE_PROGRAM.
/// @param arguments  of main(): the program, the command's name, what the module gets
/// @return  only when it cannot: an exit code; what is missing goes to standard error
int pythonCommand(char* const* arguments);

} // namespace floe::app
