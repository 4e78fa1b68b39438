#pragma once

#include "floe/graph/translatable_text.hpp"

#include <QString>

#include <exception>

namespace floe::editor {

/// What the runtime's libraries say, in the language of the editor; in English where a pattern has
/// no translation (a runtime that is newer). Any thread.
QString translated(const graph::TranslatableText& message);

/// What an exception says.
QString translated(const std::exception& error);

} // namespace floe::editor
