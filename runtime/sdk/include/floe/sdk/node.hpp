#pragma once

/// C++20 wrapper of floe.h, header-only. A node is a class:
///
///     class Sphere final : public floe::sdk::Node {
///     public:
///         static constexpr const char* kType = "my.shape.sphere";
///         void cook(floe::sdk::Context& context) override
///         {
///             const double radius = context.number("radius");
///             ...
///             context.setOutput("shape", context.makeVolume(grid.data(), grid.size()));
///         }
///     };
///     FLOE_PLUGIN("my.shapes", "1.0.0", Sphere)
///
/// Throw `floe::sdk::Failure` (or any std::exception) to fail: the message is shown at the node.
/// Except for Value, nothing here may be used after the call it was passed to has returned.

#include "floe/sdk/floe.h"

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace floe::sdk {

using Vector = std::array<double, 3>;

/// Thrown to end the call with a status and a sentence for the user.
class Failure : public std::runtime_error {
public:
    explicit Failure(const std::string& message, floe_status status = FLOE_FAILED)
        : std::runtime_error(message), status_(status)
    {}
    floe_status status() const { return status_; }

private:
    floe_status status_;
};

namespace detail {

inline const floe_host*& host()
{
    static const floe_host* instance = nullptr;
    return instance;
}

/// Runs `body`; turns exceptions into a status and a message.
template <class Body>
floe_status guarded(const floe_context* context, Body&& body) noexcept
{
    const auto say = [context](const char* text) {
        if (context)
            context->message(context, FLOE_LEVEL_ERROR, text);
        else if (host())
            host()->log(FLOE_LEVEL_ERROR, text);
    };
    try {
        body();
        return FLOE_OK;
    } catch (const Failure& failure) {
        if (failure.what()[0] != '\0')
            say(failure.what());
        return failure.status();
    } catch (const std::bad_alloc&) {
        say("memory ran out");
        return FLOE_OUT_OF_MEMORY;
    } catch (const std::exception& error) {
        say(error.what());
        return FLOE_FAILED;
    } catch (...) {
        say("unknown C++ exception");
        return FLOE_FAILED;
    }
}

} // namespace detail

/// The host that loaded this plugin; set before any node is made.
inline const floe_host& host()
{
    return *detail::host();
}

/// A counted reference to a value.
class Value {
public:
    Value() = default;
    /// Takes over one reference.
    static Value own(const floe_value* value) { return Value(value); }
    /// Adds a reference to a borrowed value.
    static Value share(const floe_value* value)
    {
        if (value)
            host().values->retain(value);
        return Value(value);
    }
    Value(const Value& other) : Value(share(other.value_)) {}
    Value(Value&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    Value& operator=(Value other) noexcept
    {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Value()
    {
        if (value_)
            host().values->release(value_);
    }

    explicit operator bool() const { return value_ != nullptr; }
    const floe_value* get() const { return value_; }
    /// For the maker, while the value is still writable.
    floe_value* writable() { return const_cast<floe_value*>(value_); }
    floe_kind kind() const { return host().values->kind(value_); }

    /// Contents. @throws Failure the value is of another kind
    double number() const
    {
        double result = 0;
        check(host().values->get_number(value_, &result), "a number");
        return result;
    }
    bool boolean() const
    {
        int32_t result = 0;
        check(host().values->get_boolean(value_, &result), "a boolean");
        return result != 0;
    }
    Vector vector() const
    {
        Vector result{};
        check(host().values->get_vector(value_, result.data()), "a vector");
        return result;
    }
    std::string string() const
    {
        const char* result = "";
        check(host().values->get_string(value_, &result), "a string");
        return result;
    }
    floe_mesh mesh() const
    {
        floe_mesh result{};
        result.struct_size = sizeof result;
        check(host().values->get_mesh(value_, &result), "a mesh");
        return result;
    }
    floe_volume volume() const
    {
        floe_volume result{};
        result.struct_size = sizeof result;
        check(host().values->get_volume(value_, &result), "a volume");
        return result;
    }
    floe_image image() const
    {
        floe_image result{};
        result.struct_size = sizeof result;
        check(host().values->get_image(value_, &result), "an image");
        return result;
    }
    std::span<const floe_transform_key> transform() const
    {
        const floe_transform_key* keys = nullptr;
        uint32_t count = 0;
        check(host().values->get_transform(value_, &keys, &count), "a transform");
        return {keys, count};
    }
    uint64_t particleCount() const
    {
        uint64_t count = 0;
        check(host().values->get_particles(value_, &count, nullptr), "particles");
        return count;
    }
    /// Returns one attribute of particles in host memory; empty when there is none of that name.
    /// @throws Failure it is of another type
    template <class Element>
    std::span<const Element> attribute(const char* name, uint32_t components) const
    {
        floe_attribute view{};
        view.struct_size = sizeof view;
        if (host().values->get_attribute(value_, name, &view) == FLOE_NOT_FOUND)
            return {};
        if (view.element != elementOf<Element>() || view.components != components ||
            view.space != FLOE_SPACE_HOST)
            throw Failure(std::string("particle attribute '") + name +
                              "' is not of the type expected",
                          FLOE_WRONG_KIND);
        return {static_cast<const Element*>(view.data), particleCount() * components};
    }
    /// Returns a field of a record or of particles; empty when absent.
    Value field(const char* name) const { return share(host().values->field(value_, name)); }
    /// Returns a field that must be present. @throws Failure it is absent
    Value require(const char* name) const
    {
        Value result = field(name);
        if (!result)
            throw Failure(std::string("record '") + schema() + "' has no field '" + name + "'",
                          FLOE_NOT_FOUND);
        return result;
    }
    std::string schema() const
    {
        const char* name = host().values->record_schema(value_);
        return name ? name : "";
    }
    /// Returns the table and object of an interface. @throws Failure another interface or revision
    template <class Table>
    std::pair<const Table*, void*> interface(const char* id) const
    {
        const void* table = nullptr;
        void* self = nullptr;
        if (host().values->get_interface(value_, id, &table, &self) != FLOE_OK)
            throw Failure(std::string("expected the interface '") + id + "'", FLOE_WRONG_KIND);
        return {static_cast<const Table*>(table), self};
    }

    // Filling a value that was just made.
    Value& set(const char* name, const Value& value)
    {
        if (host().values->set_field(writable(), name, value.get()) != FLOE_OK)
            throw Failure(std::string("cannot set field '") + name + "'", FLOE_BAD_ARGUMENT);
        return *this;
    }
    /// Adds a particle attribute; the span is in the particles' memory space.
    template <class Element>
    std::span<Element> addAttribute(const char* name, uint32_t components)
    {
        void* data = nullptr;
        const floe_status status =
            host().values->add_attribute(writable(), name, elementOf<Element>(), components, &data);
        if (status == FLOE_OUT_OF_MEMORY)
            throw std::bad_alloc();
        if (status != FLOE_OK)
            throw Failure(std::string("cannot add particle attribute '") + name + "'", status);
        return {static_cast<Element*>(data), particleCount() * components};
    }

    template <class Element>
    static constexpr floe_element elementOf()
    {
        if constexpr (std::is_same_v<Element, float>)
            return FLOE_FLOAT32;
        else if constexpr (std::is_same_v<Element, int32_t>)
            return FLOE_INT32;
        else if constexpr (std::is_same_v<Element, uint32_t>)
            return FLOE_UINT32;
        else if constexpr (std::is_same_v<Element, uint8_t>)
            return FLOE_UINT8;
        else {
            static_assert(std::is_same_v<Element, uint64_t>, "no attribute holds this type");
            return FLOE_UINT64;
        }
    }

private:
    explicit Value(const floe_value* value) : value_(value) {}
    static void check(floe_status status, const char* expected)
    {
        if (status != FLOE_OK)
            throw Failure(std::string("expected ") + expected, FLOE_WRONG_KIND);
    }

    const floe_value* value_ = nullptr;
};

// ------------------------------------------------------------------------------ making values

/// Takes over a value that the host made. @throws std::bad_alloc, Failure  the host refused
inline Value made(floe_value* value)
{
    if (!value)
        throw Failure("a value could not be made: memory ran out or its contents are unusable");
    return Value::own(value);
}
inline Value makeNumber(double value)
{
    return made(host().values->make_number(value));
}
inline Value makeVector(const Vector& value)
{
    return made(host().values->make_vector(value.data()));
}
inline Value makeBoolean(bool value)
{
    return made(host().values->make_boolean(value ? 1 : 0));
}
inline Value makeString(const std::string& value)
{
    return made(host().values->make_string(value.c_str()));
}
inline Value makeRecord(const char* schema)
{
    return made(host().values->make_record(schema));
}
inline Value makeTransform(std::span<const floe_transform_key> keys)
{
    return made(host().values->make_transform(keys.data(), static_cast<uint32_t>(keys.size())));
}
inline Value makeVolume(const void* grid, uint64_t bytes)
{
    return made(host().values->make_volume(grid, bytes));
}
inline Value makeMesh(std::span<const float> points, std::span<const uint32_t> triangles)
{
    floe_mesh mesh{};
    mesh.struct_size = sizeof mesh;
    mesh.point_count = static_cast<uint32_t>(points.size() / 3);
    mesh.points = points.data();
    mesh.triangle_count = static_cast<uint32_t>(triangles.size() / 3);
    mesh.triangles = triangles.data();
    return made(host().values->make_mesh(&mesh));
}
inline Value makeImage(uint32_t width, uint32_t height, uint32_t channels, const float* pixels)
{
    floe_image image{sizeof(floe_image), width, height, channels, pixels};
    return made(host().values->make_image(&image));
}
inline Value makeParticles(uint64_t count, const floe_device* device = nullptr)
{
    return made(host().values->make_particles(count, device));
}
/// Makes an interface that owns `object`, deleted with the last reference. `Table` must be static.
template <class Object, class Table>
Value makeInterface(const char* id, const Table& table, std::unique_ptr<Object> object)
{
    Value value = made(host().values->make_interface(
        id, &table, object.get(), [](void* self) { delete static_cast<Object*>(self); }));
    object.release();
    return value;
}

// ------------------------------------------------------------------------------------ context

/// What a call of a node receives.
class Context {
public:
    explicit Context(const floe_context* context) : context_(context) {}

    const floe_context* raw() const { return context_; }
    const floe_device& device() const { return *context_->device; }
    std::string nodeName() const { return context_->node_name; }
    std::string outputFolder() const { return context_->output_folder; }
    double frame() const { return context_->frame; }
    double fps() const { return context_->fps; }
    bool isStart() const { return context_->start != 0; }

    /// Returns a parameter at the context's frame, or at another one. @throws Failure
    double number(const char* name) const { return number(name, frame()); }
    double number(const char* name, double atFrame) const
    {
        double value = 0;
        check(context_->number(context_, name, atFrame, &value), name);
        return value;
    }
    int64_t integer(const char* name) const
    {
        int64_t value = 0;
        check(context_->integer(context_, name, frame(), &value), name);
        return value;
    }
    bool boolean(const char* name) const
    {
        int32_t value = 0;
        check(context_->boolean(context_, name, frame(), &value), name);
        return value != 0;
    }
    Vector vector(const char* name) const { return vector(name, frame()); }
    Vector vector(const char* name, double atFrame) const
    {
        Vector value{};
        check(context_->vector(context_, name, atFrame, value.data()), name);
        return value;
    }
    std::string string(const char* name) const
    {
        const char* value = "";
        check(context_->string(context_, name, frame(), &value), name);
        return value;
    }

    uint32_t inputCount(const char* socket) const
    {
        return context_->input_count(context_, socket);
    }
    /// Returns the value on an input; empty when nothing is connected.
    Value input(const char* socket, uint32_t index = 0) const
    {
        return index < inputCount(socket) ? Value::share(context_->input(context_, socket, index))
                                          : Value();
    }
    std::vector<Value> inputs(const char* socket) const
    {
        std::vector<Value> values;
        for (uint32_t i = 0; i < inputCount(socket); ++i)
            values.push_back(input(socket, i));
        return values;
    }
    void setOutput(const char* socket, const Value& value)
    {
        check(context_->set_output(context_, socket, value.get()), socket);
    }

    bool cancelled() const { return context_->cancelled(context_) != 0; }
    /// @throws Failure with FLOE_CANCELLED when the run is being stopped
    void throwIfCancelled() const
    {
        if (cancelled())
            throw Failure("", FLOE_CANCELLED);
    }
    void progress(double fraction) { context_->progress(context_, fraction); }
    void warn(const std::string& text)
    {
        context_->message(context_, FLOE_LEVEL_WARNING, text.c_str());
    }
    void statistic(const char* name, double value) { context_->statistic(context_, name, value); }

    /// Calls body(begin, end) over [0, count) on the host's threads. `body` must not throw.
    template <class Body>
    void parallelFor(uint64_t count, uint64_t grain, const Body& body) const
    {
        context_->parallel_for(
            context_, count, grain,
            [](void* user, uint64_t begin, uint64_t end) {
                (*static_cast<const Body*>(user))(begin, end);
            },
            const_cast<Body*>(&body));
    }

    /// Returns a host extension's table. @throws Failure this host does not have it
    template <class Table>
    const Table& extension(const char* id) const
    {
        const void* table = context_->host->extension ? context_->host->extension(id) : nullptr;
        if (!table)
            throw Failure(std::string("this version of Floe does not offer '") + id + "'",
                          FLOE_UNSUPPORTED);
        return *static_cast<const Table*>(table);
    }
    /// Throws the failure of an extension's function, which has already reported its message.
    static void require(floe_status status)
    {
        if (status != FLOE_OK)
            throw Failure("", status);
    }

private:
    static void check(floe_status status, const char* name)
    {
        if (status == FLOE_OK)
            return;
        if (status == FLOE_NOT_FOUND)
            throw Failure(std::string("the manifest declares no '") + name + "'", status);
        if (status == FLOE_WRONG_KIND)
            throw Failure(std::string("'") + name + "' is of another type in the manifest", status);
        throw Failure("", status); // the host has said why
    }

    const floe_context* context_;
};

/// Writes a solver's state.
class Writer {
public:
    explicit Writer(floe_writer* writer) : writer_(writer) {}
    void bytes(const void* data, uint64_t size)
    {
        const floe_status status = writer_->write(writer_, data, size);
        if (status != FLOE_OK)
            throw Failure("", status);
    }
    template <class T>
    void value(const T& object)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(&object, sizeof object);
    }
    template <class T>
    void array(const std::vector<T>& objects)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        value<uint64_t>(objects.size());
        bytes(objects.data(), objects.size() * sizeof(T));
    }

private:
    floe_writer* writer_;
};

/// Reads a solver's state. Sizes are checked against the bytes left before memory is allocated.
class Reader {
public:
    explicit Reader(floe_reader* reader) : reader_(reader), size_(reader->remaining) {}
    uint64_t remaining() const { return reader_->remaining; }
    /// Bytes before the next one.
    uint64_t position() const { return size_ - reader_->remaining; }
    /// Goes to a position. @throws Failure  it is behind the end
    void seek(uint64_t position)
    {
        if (position > size_)
            throw Failure("the saved state is shorter than it says", FLOE_IO_FAILED);
        if (!FLOE_HAS(reader_, seek) || !reader_->seek)
            throw Failure("this version of Floe reads states from front to back only",
                          FLOE_UNSUPPORTED);
        const floe_status status = reader_->seek(reader_, position);
        if (status != FLOE_OK)
            throw Failure("", status);
    }
    void bytes(void* data, uint64_t size)
    {
        if (size > reader_->remaining)
            throw Failure("the saved state is shorter than it says", FLOE_IO_FAILED);
        const floe_status status = reader_->read(reader_, data, size);
        if (status != FLOE_OK)
            throw Failure("", status);
    }
    template <class T>
    T value()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T object;
        bytes(&object, sizeof object);
        return object;
    }
    template <class T>
    std::vector<T> array()
    {
        const auto count = value<uint64_t>();
        if (count > reader_->remaining / sizeof(T))
            throw Failure("the saved state is shorter than it says", FLOE_IO_FAILED);
        std::vector<T> objects(count);
        bytes(objects.data(), count * sizeof(T));
        return objects;
    }

private:
    floe_reader* reader_;
    uint64_t size_;
};

/// Base of nodes. Override cook; solvers save and load too; sinks may finish. A class may also have
///     static std::string migrate(uint32_t fromVersion, std::string_view parameters);
/// which takes and returns a JSON object: see floe_node_class::migrate.
class Node {
public:
    virtual ~Node() = default;
    virtual void cook(Context& context) = 0;
    virtual void save(Context&, Writer&) {}
    virtual void load(Context&, Reader&) {}
    virtual void finish(Context&) {}
};

namespace detail {

/// Calls T::migrate, when the class has one.
template <class T>
constexpr decltype(floe_node_class::migrate) migrationOf()
{
    if constexpr (requires { T::migrate(uint32_t{}, std::string_view{}); })
        return [](const floe_host*, uint32_t from, const char* json, floe_writer* writer) {
            return guarded(nullptr, [&] {
                const std::string upgraded = T::migrate(from, json);
                Writer(writer).bytes(upgraded.data(), upgraded.size());
            });
        };
    else
        return nullptr;
}

template <class T>
inline constexpr floe_node_class kNodeClass = {
    sizeof(floe_node_class),
    T::kType,
    [](const floe_host*, void** node) -> floe_status {
        return guarded(nullptr, [&] { *node = static_cast<Node*>(new T()); });
    },
    [](void* node) { delete static_cast<Node*>(node); },
    [](void* node, const floe_context* raw) -> floe_status {
        return guarded(raw, [&] {
            Context context(raw);
            static_cast<Node*>(node)->cook(context);
        });
    },
    [](void* node, const floe_context* raw, floe_writer* writer) -> floe_status {
        return guarded(raw, [&] {
            Context context(raw);
            Writer wrapped(writer);
            static_cast<Node*>(node)->save(context, wrapped);
        });
    },
    [](void* node, const floe_context* raw, floe_reader* reader) -> floe_status {
        return guarded(raw, [&] {
            Context context(raw);
            Reader wrapped(reader);
            static_cast<Node*>(node)->load(context, wrapped);
        });
    },
    [](void* node, const floe_context* raw) -> floe_status {
        return guarded(raw, [&] {
            Context context(raw);
            static_cast<Node*>(node)->finish(context);
        });
    },
    migrationOf<T>()};

template <class... Nodes>
const floe_plugin* pluginOf(const char* id, const char* version)
{
    static constexpr const floe_node_class* classes[] = {&kNodeClass<Nodes>...};
    static const floe_plugin plugin = {sizeof(floe_plugin),
                                       FLOE_ABI_MAJOR,
                                       FLOE_ABI_MINOR,
                                       id,
                                       version,
                                       static_cast<uint32_t>(sizeof...(Nodes)),
                                       classes,
                                       [](const floe_host* given) -> floe_status {
                                           host() = given;
                                           return FLOE_OK;
                                       },
                                       nullptr};
    return &plugin;
}

} // namespace detail

} // namespace floe::sdk

/// Defines the exported symbol: FLOE_PLUGIN("id", "version", NodeClass, ...).
#define FLOE_PLUGIN(id, version, ...)                                                              \
    extern "C" FLOE_EXPORT const floe_plugin* floe_plugin_entry(void)                              \
    {                                                                                              \
        return ::floe::sdk::detail::pluginOf<__VA_ARGS__>(id, version);                            \
    }
