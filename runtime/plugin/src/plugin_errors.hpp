#pragma once

#include <string>
#include <string_view>

namespace floe::plugin {

/// Sanitises text from a plugin for people and JSON: valid UTF-8, no control characters except line
/// breaks and tabs, bounded length. Null gives an empty text.
std::string printable(const char* text);

/// Passes a plugin's log message to the innermost ErrorCapture of this thread, or to the logger.
void keepOrLog(int level, const char* text);

/// Captures errors that plugins log on this thread during its lifetime, instead of printing them:
/// calls without a context have no other way to give a reason.
class ErrorCapture {
public:
    ErrorCapture();
    ~ErrorCapture();
    ErrorCapture(const ErrorCapture&) = delete;
    ErrorCapture& operator=(const ErrorCapture&) = delete;
    /// Returns the last error; empty when there was none.
    const std::string& last() const { return last_; }

private:
    friend void keepOrLog(int level, const char* text);
    std::string last_;
    ErrorCapture* outer_;
};

/// Last refusal of the value interface on this thread. `make_*` can only return NULL; the caller
/// finds the reason here.
struct Refusal {
    std::string reason; ///< empty: nothing was refused since the last success
    bool memory = false;
};
Refusal& lastRefusal();

} // namespace floe::plugin
