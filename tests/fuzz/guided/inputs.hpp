#pragma once

/// What a person or a network hands to Floe, by its kind: read as a program reads it.

#include <span>
#include <string>
#include <string_view>

namespace floe::fuzz {

struct Kind {
    const char* name; ///< also of its folder in corpus/
    void (*read)(std::string_view bytes);
};

std::span<const Kind> kinds();

/// @return whether the input is accepted; false: an Error with a text refuses it
/// @throws std::exception  one of another family, which is a fault
bool accepts(const Kind& kind, std::string_view bytes);

} // namespace floe::fuzz
