#pragma once

#include <cerrno>
#include <utility>

namespace floe {

/// What a system call gives once no signal interrupts it any more.
template <class Call>
auto uninterrupted(Call call)
{
    for (;;)
        if (const auto result = call(); result >= 0 || errno != EINTR)
            return result;
}

/// A file descriptor that closes itself.
class Descriptor {
public:
    /// @param value  taken over; negative: none
    explicit Descriptor(int value = -1) : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(value_, other.value_);
        return *this;
    }

    int get() const { return value_; }
    bool valid() const { return value_ >= 0; }
    void close();

private:
    int value_;
};

} // namespace floe
