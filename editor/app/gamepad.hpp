#pragma once

#include <vector>

struct _SDL_GameController; // of SDL 2

namespace floe::editor {

/// The gamepads that are plugged in now, all as one. Where there is none, nothing is held. GUI
/// thread.
class Gamepad {
public:
    /// What is held: 1 is a stick as far as it goes.
    struct State {
        double right = 0, ahead = 0; ///< left stick
        double up = 0;               ///< right stick
        bool fast = false;           ///< a shoulder button
        bool end = false;            ///< B, the right one of four
    };

    Gamepad();
    ~Gamepad();
    Gamepad(const Gamepad&) = delete;
    Gamepad& operator=(const Gamepad&) = delete;

    State read();

private:
    std::vector<_SDL_GameController*> pads_;
};

} // namespace floe::editor
