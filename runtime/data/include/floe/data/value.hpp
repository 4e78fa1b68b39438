#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace floe {

/// Kinds of values, numbered as in the plugin interface and in files.
enum class Kind : std::int32_t {
    number = 1,
    vector = 2,
    string = 3,
    boolean = 4,
    transform = 5,
    curve = 6,
    mesh = 7,
    volume = 8,
    image = 9,
    particles = 10,
    record = 11,
    interface = 12,
};

/// Returns the kind's name for manifests and messages, such as "mesh".
const char* kindName(Kind kind);

/// A value that flows along a wire. Immutable once sealed, reference-counted, shared between
/// threads.
///
/// `make<MeshValue>(...)` makes a value and returns a Ref. Particles and records are filled
/// afterwards; passing a value on seals it, and from then on it cannot change.
class Value {
public:
    Value(const Value&) = delete;
    Value& operator=(const Value&) = delete;

    Kind kind() const { return kind_; }

    /// Counting, for owners that cannot hold a Ref. A new value has one reference.
    void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() const noexcept
    {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete this;
    }

    /// Ends the time during which the maker may fill the value.
    void seal() const noexcept { sealed_.store(true, std::memory_order_release); }
    bool sealed() const noexcept { return sealed_.load(std::memory_order_acquire); }

    /// Returns the memory of this value itself [bytes], without the values in its fields.
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// Returns the same including everything reachable through fields, each value once.
    std::uint64_t totalBytes() const;

    /// Returns the sum of bytes(), and the number, of all values alive in this process.
    static std::uint64_t liveBytes() noexcept;
    static std::uint64_t liveCount() noexcept;

protected:
    explicit Value(Kind kind);
    virtual ~Value();
    /// Adds to bytes(); for constructors and while the value is filled.
    void account(std::uint64_t bytes) noexcept;

private:
    mutable std::atomic<std::uint32_t> references_{1};
    mutable std::atomic<bool> sealed_{false};
    Kind kind_;
    std::uint64_t bytes_ = 0;
};

/// A counted reference to a value; may be empty.
template <class T>
class Ref {
public:
    Ref() = default;
    Ref(std::nullptr_t) {}
    /// Takes over one reference.
    static Ref own(T* value) noexcept { return Ref(value); }
    /// Adds a reference.
    static Ref share(T* value) noexcept
    {
        if (value)
            value->retain();
        return Ref(value);
    }
    Ref(const Ref& other) noexcept : Ref(share(other.value_)) {}
    Ref(Ref&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    /// From a reference to a derived or non-const value.
    template <class U>
    requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& other)
    noexcept : Ref(share(other.get())) {}
    template <class U>
    requires std::is_convertible_v<U*, T*> Ref(Ref<U>&& other)
    noexcept : value_(other.detach()) {}
    Ref& operator=(Ref other) noexcept
    {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Ref()
    {
        if (value_)
            value_->release();
    }

    T* get() const noexcept { return value_; }
    T& operator*() const noexcept { return *value_; }
    T* operator->() const noexcept { return value_; }
    explicit operator bool() const noexcept { return value_ != nullptr; }
    /// Releases the reference to the caller.
    T* detach() noexcept { return std::exchange(value_, nullptr); }
    friend bool operator==(const Ref& a, const Ref& b) noexcept { return a.value_ == b.value_; }

private:
    explicit Ref(T* value) noexcept : value_(value) {}
    T* value_ = nullptr;
};

using ValueRef = Ref<const Value>;

/// Makes a value. @throws what its constructor throws, std::bad_alloc
template <class T, class... Arguments>
Ref<T> make(Arguments&&... arguments)
{
    return Ref<T>::own(new T(std::forward<Arguments>(arguments)...));
}

/// Returns the value as the class of its kind, or null when it is null or of another kind.
template <class T>
const T* as(const Value* value) noexcept
{
    return value && value->kind() == T::kKind ? static_cast<const T*>(value) : nullptr;
}
template <class T, class V>
const T* as(const Ref<V>& value) noexcept
{
    return as<T>(value.get());
}

namespace detail {
[[noreturn]] void throwWrongKind(Kind expected, const Value* value);
}

/// Returns the value as the class of its kind. @throws InputError it is missing or of another kind
template <class T>
const T& expect(const Value* value)
{
    if (const T* typed = as<T>(value))
        return *typed;
    detail::throwWrongKind(T::kKind, value);
}
template <class T, class V>
const T& expect(const Ref<V>& value)
{
    return expect<T>(value.get());
}

} // namespace floe
