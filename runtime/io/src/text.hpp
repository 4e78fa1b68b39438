#pragma once

/// Reading the text formats: lines, words and numbers, with the line number for messages.

#include "cancellation.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace floe::io {

/// Reads a text file in memory, line by line, word by word.
class TextReader {
public:
    /// @param stop  must outlive the reader
    TextReader(std::string_view text, std::string file, Cancellation& stop)
        : text_(text), file_(std::move(file)), stop_(&stop)
    {}

    /// Goes to the next line; false at the end. Line ends are \n, \r\n or \r.
    /// @throws IoError the line has more than 64 MiB
    /// @throws CancelledError
    bool nextLine();
    /// Returns the next word of the current line; empty at its end. A backslash at a line's end
    /// joins the next line to it.
    std::string_view word();
    /// The next word, on this line or a later one; empty at the end of the file.
    std::string_view wordOnAnyLine();
    /// Returns the rest of the current line.
    std::string_view restOfLine() const { return line_; }
    /// Returns the position after the current line [bytes].
    std::size_t position() const { return position_; }
    std::uint64_t lineNumber() const { return lineNumber_; }

    /// Returns the next word of the line as a number. @throws IoError there is none
    double number(const char* what);

    [[noreturn]] void fail(const std::string& cause) const;

private:
    std::string_view text_;
    std::string file_;
    Cancellation* stop_;
    std::string_view line_;
    std::size_t position_ = 0;
    std::uint64_t lineNumber_ = 0;
};

/// Parses a whole word as a number; false when it is not one. Independent of the locale. Numbers
/// too small for a double become 0; too large ones, infinities and NaN are returned as such.
bool parseNumber(std::string_view word, double& number);
bool parseInteger(std::string_view word, std::int64_t& number);

/// Quotes a `word` for a message, shortened and made printable: it may come from a damaged file.
std::string inQuotes(std::string_view word);

} // namespace floe::io
