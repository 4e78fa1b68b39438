#pragma once

#include "floe/data/value.hpp"

#include <array>
#include <string>

namespace floe {

/// A finite number. Constructors of this file throw InputError for numbers that are not finite.
class NumberValue final : public Value {
public:
    static constexpr Kind kKind = Kind::number;
    explicit NumberValue(double number);
    double number() const { return number_; }

private:
    double number_;
};

/// Three finite numbers: a position, direction, or colour (linear RGB).
class VectorValue final : public Value {
public:
    static constexpr Kind kKind = Kind::vector;
    explicit VectorValue(const std::array<double, 3>& vector);
    const std::array<double, 3>& vector() const { return vector_; }

private:
    std::array<double, 3> vector_;
};

class BooleanValue final : public Value {
public:
    static constexpr Kind kKind = Kind::boolean;
    explicit BooleanValue(bool boolean) : Value(kKind), boolean_(boolean) {}
    bool boolean() const { return boolean_; }

private:
    bool boolean_;
};

/// UTF-8 text without zero bytes, at most kMaxBytes long (else InputError).
class StringValue final : public Value {
public:
    static constexpr Kind kKind = Kind::string;
    static constexpr std::size_t kMaxBytes = 64u << 20;
    explicit StringValue(std::string string);
    const std::string& string() const { return string_; }

private:
    std::string string_;
};

} // namespace floe
