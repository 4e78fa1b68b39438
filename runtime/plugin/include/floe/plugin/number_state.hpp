#pragma once

#include <cfenv>
#include <clocale>
#include <cstdint>
#include <string>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/// What a plugin's code may leave changed in the process, though results depend on it. A library
/// built with -ffast-math even changes it by being loaded.
namespace floe::plugin {

/// How this thread's processor rounds, and what it does with denormal numbers and at exceptions.
class FloatMode {
public:
    static FloatMode now() noexcept
    {
        FloatMode mode;
#if defined(__x86_64__)
        constexpr unsigned kFlags = 0x3f; // of operations so far
        mode.vector_ = _mm_getcsr() & ~kFlags;
        __asm__ volatile("fnstcw %0" : "=m"(mode.scalar_));
#else
        mode.rounding_ = std::fegetround();
#endif
        return mode;
    }
    void set() const noexcept
    {
#if defined(__x86_64__)
        _mm_setcsr(vector_);
        __asm__ volatile("fldcw %0" : : "m"(scalar_));
#else
        std::fesetround(rounding_);
#endif
    }
    bool operator==(const FloatMode&) const = default;

private:
#if defined(__x86_64__)
    std::uint32_t vector_ = 0; ///< MXCSR
    std::uint16_t scalar_ = 0; ///< the x87 unit's control word
#else
    int rounding_ = 0;
#endif
};

/// How the process writes numbers as text.
class NumericLocale {
public:
    static NumericLocale now()
    {
        NumericLocale locale;
        if (const char* name = std::setlocale(LC_NUMERIC, nullptr))
            locale.name_ = name;
        return locale;
    }
    void set() const { std::setlocale(LC_NUMERIC, name_.c_str()); }
    bool operator==(const NumericLocale&) const = default;

private:
    std::string name_ = "C";
};

} // namespace floe::plugin
