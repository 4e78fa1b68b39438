#pragma once

#include "floe/render/renderer.hpp"
#include "floe/session/library.hpp"
#include "floe/view/node_pictures.hpp"

#include <filesystem>
#include <optional>

namespace floe::test {

/// The device that draws, when it can share memory: a driver on the processor.
inline std::optional<render::DeviceInfo> drawingDevice()
{
    for (const render::DeviceInfo& info : render::listDevices())
        if (info.usable && info.exportsMemory && info.kind == render::DeviceInfo::Kind::Cpu)
            return info;
    return std::nullopt;
}

/// The program's plugins, which may draw, with the solver's built for the emulator.
inline session::Library& emulatedLibrary()
{
    namespace fs = std::filesystem;
    static const view::NodePictures pictures;
    static session::Library instance(
        {fs::path(FLOE_TEST_PLUGINS), fs::path(FLOE_BINARY_DIR) / "lib/floe/plugins"}, [] {
            plugin::ScanSettings settings;
            settings.probe.command = {FLOE_TEST_PROBE};
            return settings;
        }());
    return instance;
}

} // namespace floe::test
