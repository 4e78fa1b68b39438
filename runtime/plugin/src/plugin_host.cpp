#include "floe/plugin/plugin_host.hpp"

#include "plugin_errors.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace floe::plugin {

namespace {

constexpr std::size_t kMaxSpoken = 4096; ///< [bytes]

/// Length of the UTF-8 character that begins at `text`, 0 when there is none.
std::size_t characterLength(std::string_view text)
{
    const auto byte = [text](std::size_t i) {
        return static_cast<unsigned char>(text[i]);
    };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    // Overlong forms, surrogates, beyond U+10FFFF.
    if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
        (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
        return 0;
    return length;
}

thread_local ErrorCapture* innermost = nullptr;

// Never destroyed: plugins may still log while the program ends.
struct Registry {
    std::mutex mutex;
    std::map<std::string, const void*, std::less<>> extensions = {
        {FLOE_SHARING_EXTENSION, sharingInterface()}};
};
Registry& registry()
{
    static Registry& instance = *new Registry;
    return instance;
}

const void* extension(const char* id) noexcept
{
    if (!id)
        return nullptr;
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto found = all.extensions.find(std::string_view(id));
    return found == all.extensions.end() ? nullptr : found->second;
}

void log(std::int32_t level, const char* message) noexcept
{
    try {
        keepOrLog(level, message);
    } catch (...) { // no memory for a message: it is lost
    }
}

} // namespace

std::string printable(const char* text)
{
    std::string result;
    if (!text)
        return result;
    std::string_view rest(text, ::strnlen(text, kMaxSpoken + 4));
    const bool tooLong = rest.size() > kMaxSpoken;
    while (!rest.empty() && result.size() < kMaxSpoken) {
        const std::size_t length = characterLength(rest);
        const auto first = static_cast<unsigned char>(rest[0]);
        if (length == 0)
            result += "\xef\xbf\xbd"; // the replacement character
        else if (length == 1 && (first < 32 || first == 127) && first != '\n' && first != '\t')
            result += ' ';
        else
            result += rest.substr(0, length);
        rest.remove_prefix(length == 0 ? 1 : length);
    }
    if (tooLong)
        result += "...";
    return result;
}

ErrorCapture::ErrorCapture() : outer_(std::exchange(innermost, this)) {}

ErrorCapture::~ErrorCapture()
{
    innermost = outer_;
}

Refusal& lastRefusal()
{
    thread_local Refusal refusal;
    return refusal;
}

void keepOrLog(int level, const char* message)
{
    const std::string text = printable(message);
    if (level >= FLOE_LEVEL_ERROR && innermost) {
        innermost->last_ = text;
        return;
    }
    if (level >= FLOE_LEVEL_WARNING)
        std::fprintf(stderr, "floe: %s\n", text.c_str());
}

const floe_host* hostInterface()
{
    static const floe_host host = {sizeof(floe_host), FLOE_ABI_MAJOR,   FLOE_ABI_MINOR, "floe",
                                   FLOE_VERSION,      valueInterface(), extension,      log};
    return &host;
}

void registerExtension(const std::string& id, const void* table)
{
    const std::lock_guard lock(registry().mutex);
    if (table)
        registry().extensions[id] = table;
    else
        registry().extensions.erase(id);
}

} // namespace floe::plugin
