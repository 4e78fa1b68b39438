#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace floe::io {

/// Lets a long read be cancelled: asks now and then, by the work done, so rarely that it costs
/// nothing. Used by one thread.
class Cancellation {
public:
    /// @param cancelled  may be empty
    /// @param file       for the message
    Cancellation(std::function<bool()> cancelled, std::string file)
        : cancelled_(std::move(cancelled)), file_(std::move(file))
    {}

    /// To be called in every loop whose length the file decides.
    /// @param work  since the last call, in bytes or simple steps
    /// @throws CancelledError
    void after(std::uint64_t work)
    {
        work_ += work;
        if (work_ >= kWorkBetween)
            ask();
    }

private:
    static constexpr std::uint64_t kWorkBetween = 64u << 10;

    void ask();

    std::function<bool()> cancelled_;
    std::string file_;
    std::uint64_t work_ = 0;
};

} // namespace floe::io
