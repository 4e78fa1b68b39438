#include "machine_library.hpp"

#include <cstdio>

namespace floe::app {

std::unique_ptr<session::Library> openLibrary(bool rescan, bool quiet,
                                              const std::vector<std::string>& isolated)
{
    plugin::ScanSettings settings;
    settings.cacheFile = plugin::defaultScanCache();
    settings.rescan = rescan;
    auto library = std::make_unique<session::Library>(plugin::searchFolders(), settings);
    if (!quiet)
        for (const std::string& warning : library->warnings())
            std::fprintf(stderr, "warning: %s\n", warning.c_str());
    for (const std::string& id : isolated)
        library->isolate(id);
    return library;
}

} // namespace floe::app
