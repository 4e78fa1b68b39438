#pragma once

/// What libraries throw when memory or threads run out.

#include <exception>
#include <new>
#include <string_view>
#include <system_error>

namespace floe {

/// Whether the text of an exception says so, of those that have no type for it: NanoVDB, TBB.
inline bool saysScarcity(std::string_view text)
{
    return text.find("malloc failed") != text.npos ||
           text.find("pthread_create has failed") != text.npos;
}

/// Whether an exception says so by its type or its text.
inline bool isScarcity(const std::exception& error)
{
    if (dynamic_cast<const std::bad_alloc*>(&error))
        return true;
    if (const auto* failure = dynamic_cast<const std::system_error*>(&error))
        return failure->code() == std::errc::resource_unavailable_try_again ||
               failure->code() == std::errc::not_enough_memory;
    return saysScarcity(error.what());
}

} // namespace floe
