#include "app/gamepad.hpp"

#include <SDL.h>

#include <algorithm>
#include <cmath>

namespace floe::editor {

namespace {

constexpr double kSlack = 0.15; // of a stick that nobody touches

double axisOf(SDL_GameController* pad, SDL_GameControllerAxis axis)
{
    const double value = SDL_GameControllerGetAxis(pad, axis) / 32767.0;
    const double moved = std::clamp((std::abs(value) - kSlack) / (1 - kSlack), 0.0, 1.0);
    return std::copysign(moved, value);
}

} // namespace

Gamepad::Gamepad()
{
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1"); // it knows none of our windows
    SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER); // where that fails, there are no pads
}

Gamepad::~Gamepad()
{
    for (SDL_GameController* pad : pads_)
        SDL_GameControllerClose(pad);
    SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER);
}

Gamepad::State Gamepad::read()
{
    SDL_GameControllerUpdate();
    std::erase_if(pads_, [](SDL_GameController* pad) {
        const bool gone = !SDL_GameControllerGetAttached(pad);
        if (gone)
            SDL_GameControllerClose(pad);
        return gone;
    });
    for (int i = 0; i < SDL_NumJoysticks(); ++i)
        if (SDL_IsGameController(i) &&
            !SDL_GameControllerFromInstanceID(SDL_JoystickGetDeviceInstanceID(i)))
            if (SDL_GameController* pad = SDL_GameControllerOpen(i))
                pads_.push_back(pad);
    SDL_FlushEvents(SDL_FIRSTEVENT, SDL_LASTEVENT); // nobody asks for them

    State state;
    for (SDL_GameController* pad : pads_) {
        const auto pressed = [&](SDL_GameControllerButton button) {
            return SDL_GameControllerGetButton(pad, button) != 0;
        };
        state.right += axisOf(pad, SDL_CONTROLLER_AXIS_LEFTX);
        state.ahead -= axisOf(pad, SDL_CONTROLLER_AXIS_LEFTY);
        state.up -= axisOf(pad, SDL_CONTROLLER_AXIS_RIGHTY);
        state.fast = state.fast || pressed(SDL_CONTROLLER_BUTTON_LEFTSHOULDER) ||
                     pressed(SDL_CONTROLLER_BUTTON_RIGHTSHOULDER);
        state.end = state.end || pressed(SDL_CONTROLLER_BUTTON_B);
    }
    return state;
}

} // namespace floe::editor
