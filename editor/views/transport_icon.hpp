#pragma once

#include <QIcon>

namespace floe::views {

enum class Transport {
    First,
    Back,
    Play,
    Pause,
    Forward,
    Last,
    Loop,
    Simulate,
    Stop,
    Resume,
    Live,
    Cells,
    FrameAll,
    Move,
    Turn,
    Size,
    Snap
};

/// Drawn as paths in the text colour of the application's palette: sharp at every scale.
QIcon transportIcon(Transport shape);

} // namespace floe::views
