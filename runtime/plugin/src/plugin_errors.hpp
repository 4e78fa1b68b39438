#pragma once

#include <string>
#include <string_view>

namespace floe::plugin {

/// Text from a plugin made fit for people and JSON: valid UTF-8, no control characters but line
/// breaks and tabs, bounded length. Null gives an empty text.
std::string printable(const char* text);

/// Passes on what a plugin logs: to the innermost ErrorCapture of this thread, or the logger.
void keepOrLog(int level, const char* text);

/// While it lives, errors that plugins log on this thread are kept instead of printed: calls
/// without a context have no other way to say why they failed.
class ErrorCapture {
public:
    ErrorCapture();
    ~ErrorCapture();
    ErrorCapture(const ErrorCapture&) = delete;
    ErrorCapture& operator=(const ErrorCapture&) = delete;
    /// The last one; empty when there was none.
    const std::string& last() const { return last_; }

private:
    friend void keepOrLog(int level, const char* text);
    std::string last_;
    ErrorCapture* outer_;
};

/// Why the value interface last refused something on this thread. `make_*` can only say NULL: this
/// is where the caller of a failed call finds the reason.
struct Refusal {
    std::string reason; ///< empty: nothing was refused since the last success
    bool memory = false;
};
Refusal& lastRefusal();

} // namespace floe::plugin
