#pragma once

#include "document/type_source.hpp"

namespace floe::test {

/// The node types of the plugins that were built.
inline editor::Types builtTypes()
{
    static const editor::Types types =
        editor::typesFromFolders({FLOE_BINARY_DIR "/lib/floe/plugins"});
    return types;
}

} // namespace floe::test
