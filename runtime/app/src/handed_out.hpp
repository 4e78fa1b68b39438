#pragma once

#include "floe/compute/device.hpp"
#include "floe/data/value.hpp"
#include "floe/plugin/cook_context.hpp"

#include <functional>
#include <string>
#include <vector>

namespace floe::app {

/// One thing that is wrong with a node, named as compilers name theirs:
/// "error: output 'material': update writes past the end of stress[5] [array-overrun]".
struct Finding {
    bool error = true; ///< else a warning
    std::string text;
    std::string name;
    std::string line() const;
};

/// Tries out what a node handed out, on small data: the functions of emitters, materials,
/// activation strategies and forces are called as a solver does, between fences around every array;
/// colliders and domains are read as a solver reads them. Everything is held against what
/// floe/sdk/records.h promises.
/// @param settings  of calls that take a context; their device is the one that is tried
/// @param doing     hears what is about to be called, which may end the process
std::vector<Finding> tryOutput(const std::string& socket, const ValueRef& value,
                               const plugin::CookSettings& settings,
                               plugin::Environment& environment,
                               const std::function<void(const std::string&)>& doing);

} // namespace floe::app
