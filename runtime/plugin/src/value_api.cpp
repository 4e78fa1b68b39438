#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/data/curve.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/data/volume.hpp"
#include "floe/plugin/cook_context.hpp"
#include "floe/plugin/loaded_plugin.hpp"
#include "floe/plugin/node_instance.hpp"
#include "guarded_interface.hpp"
#include "plugin_errors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace floe::plugin {

// The interface hands out the values themselves.
static_assert(sizeof(TransformKey) == sizeof(floe_transform_key));
static_assert(offsetof(TransformKey, frame) == offsetof(floe_transform_key, frame));
static_assert(offsetof(TransformKey, position) == offsetof(floe_transform_key, position));
static_assert(offsetof(TransformKey, rotation) == offsetof(floe_transform_key, rotation));
static_assert(offsetof(TransformKey, scale) == offsetof(floe_transform_key, scale));
static_assert(static_cast<int>(Kind::number) == FLOE_KIND_NUMBER);
static_assert(static_cast<int>(Kind::vector) == FLOE_KIND_VECTOR);
static_assert(static_cast<int>(Kind::string) == FLOE_KIND_STRING);
static_assert(static_cast<int>(Kind::boolean) == FLOE_KIND_BOOLEAN);
static_assert(static_cast<int>(Kind::transform) == FLOE_KIND_TRANSFORM);
static_assert(static_cast<int>(Kind::curve) == FLOE_KIND_CURVE);
static_assert(static_cast<int>(Kind::mesh) == FLOE_KIND_MESH);
static_assert(static_cast<int>(Kind::volume) == FLOE_KIND_VOLUME);
static_assert(static_cast<int>(Kind::image) == FLOE_KIND_IMAGE);
static_assert(static_cast<int>(Kind::particles) == FLOE_KIND_PARTICLES);
static_assert(static_cast<int>(Kind::record) == FLOE_KIND_RECORD);
static_assert(static_cast<int>(Kind::interface) == FLOE_KIND_INTERFACE);
static_assert(static_cast<int>(Element::float32) == FLOE_FLOAT32);
static_assert(static_cast<int>(Element::int32) == FLOE_INT32);
static_assert(static_cast<int>(Element::uint32) == FLOE_UINT32);
static_assert(static_cast<int>(Element::uint8) == FLOE_UINT8);
static_assert(static_cast<int>(Element::uint64) == FLOE_UINT64);

namespace {

void refused(const char* function, const std::string& why, bool memory = false) noexcept
{
    try {
        lastRefusal() = {std::string(function) + ": " + why, memory};
    } catch (...) { // no memory for the reason; the status still reports it
    }
}

/// Runs `body`; an exception becomes a status, and its reason is stored.
template <class Body>
floe_status guarded(const char* function, Body&& body) noexcept
{
    try {
        const floe_status status = body();
        if (status == FLOE_OK)
            lastRefusal().reason.clear();
        else if (status == FLOE_BAD_ARGUMENT)
            refused(function, "a pointer is NULL or a struct_size is too small");
        return status;
    } catch (const Error& error) {
        const floe_status status = statusOf(error);
        refused(function, error.what(), status == FLOE_OUT_OF_MEMORY);
        return status;
    } catch (const std::bad_alloc&) {
        refused(function, "memory ran out", true);
        return FLOE_OUT_OF_MEMORY;
    } catch (const std::exception& error) {
        refused(function, error.what());
        return FLOE_FAILED;
    } catch (...) {
        refused(function, "unknown failure");
        return FLOE_FAILED;
    }
}

/// The same for makers: NULL on failure. `body` returns a new value or, for bad arguments, null.
template <class Body>
floe_value* making(const char* function, Body&& body) noexcept
{
    Value* made = nullptr;
    guarded(function, [&]() -> floe_status {
        auto value = body();
        made = value.detach();
        return made ? FLOE_OK : FLOE_BAD_ARGUMENT;
    });
    return reinterpret_cast<floe_value*>(made);
}

Value* writable(floe_value* value)
{
    return reinterpret_cast<Value*>(value);
}

/// Passes the value as class T to a reading function, or returns the status that tells why not.
template <class T, class Body>
floe_status reading(const floe_value* value, Body&& body) noexcept
{
    if (!value)
        return FLOE_BAD_ARGUMENT;
    const T* typed = as<T>(fromInterface(value));
    return typed ? body(*typed) : FLOE_WRONG_KIND;
}

/// Sizes of the structs in version 1.0: the minimum that a caller may pass.
template <class T>
constexpr std::size_t kFirstSize = 0;
template <>
constexpr std::size_t kFirstSize<floe_mesh> = offsetof(floe_mesh, velocities) + sizeof(void*);
template <>
constexpr std::size_t kFirstSize<floe_volume> = offsetof(floe_volume, bytes) +
                                                sizeof(std::uint64_t);
template <>
constexpr std::size_t kFirstSize<floe_image> = offsetof(floe_image, pixels) + sizeof(void*);
template <>
constexpr std::size_t kFirstSize<floe_attribute> = offsetof(floe_attribute, data) + sizeof(void*);
template <>
constexpr std::size_t kFirstSize<floe_device> = offsetof(floe_device, synchronise) + sizeof(void*);

/// Returns false for NULL or a truncated struct.
template <class T>
bool isUsable(const T* from)
{
    static_assert(kFirstSize<T> != 0);
    return from && from->struct_size >= kFirstSize<T>;
}

/// Fills the part of the caller's struct that both caller and host know.
template <class T>
floe_status give(T* to, T from)
{
    if (!isUsable(to))
        return FLOE_BAD_ARGUMENT;
    from.struct_size = to->struct_size;
    std::memcpy(to, &from, std::min<std::size_t>(to->struct_size, sizeof(T)));
    return FLOE_OK;
}

/// Copies the caller's struct; fields unknown to the caller are zero.
template <class T>
T taken(const T* from)
{
    T result{};
    std::memcpy(&result, from, std::min<std::size_t>(from->struct_size, sizeof(T)));
    return result;
}

void retain(const floe_value* value)
{
    if (value)
        fromInterface(value)->retain();
}
void release(const floe_value* value)
{
    if (value)
        fromInterface(value)->release();
}
floe_kind kind(const floe_value* value)
{
    return value ? static_cast<floe_kind>(fromInterface(value)->kind()) : 0;
}

// ------------------------------------------------------------------------------------ scalars

floe_value* makeNumber(double number)
{
    return making("make_number", [&] { return make<NumberValue>(number); });
}
floe_status getNumber(const floe_value* value, double* number)
{
    return reading<NumberValue>(value, [&](const NumberValue& typed) -> floe_status {
        if (!number)
            return FLOE_BAD_ARGUMENT;
        *number = typed.number();
        return FLOE_OK;
    });
}
floe_value* makeVector(const double vector[3])
{
    return making("make_vector", [&] {
        return vector ? make<VectorValue>(std::array{vector[0], vector[1], vector[2]})
                      : Ref<VectorValue>();
    });
}
floe_status getVector(const floe_value* value, double vector[3])
{
    return reading<VectorValue>(value, [&](const VectorValue& typed) -> floe_status {
        if (!vector)
            return FLOE_BAD_ARGUMENT;
        std::copy_n(typed.vector().data(), 3, vector);
        return FLOE_OK;
    });
}
floe_value* makeBoolean(std::int32_t boolean)
{
    return making("make_boolean", [&] { return make<BooleanValue>(boolean != 0); });
}
floe_status getBoolean(const floe_value* value, std::int32_t* boolean)
{
    return reading<BooleanValue>(value, [&](const BooleanValue& typed) -> floe_status {
        if (!boolean)
            return FLOE_BAD_ARGUMENT;
        *boolean = typed.boolean() ? 1 : 0;
        return FLOE_OK;
    });
}
floe_value* makeString(const char* string)
{
    return making("make_string",
                  [&] { return string ? make<StringValue>(string) : Ref<StringValue>(); });
}
floe_status getString(const floe_value* value, const char** string)
{
    return reading<StringValue>(value, [&](const StringValue& typed) -> floe_status {
        if (!string)
            return FLOE_BAD_ARGUMENT;
        *string = typed.string().c_str();
        return FLOE_OK;
    });
}

// ------------------------------------------------------------------------- transforms, curves

floe_value* makeTransform(const floe_transform_key* keys, std::uint32_t count)
{
    return making("make_transform", [&] {
        if (!keys)
            return Ref<TransformValue>();
        const auto* typed = reinterpret_cast<const TransformKey*>(keys);
        return make<TransformValue>(std::span(typed, count));
    });
}
floe_status getTransform(const floe_value* value, const floe_transform_key** keys,
                         std::uint32_t* count)
{
    return reading<TransformValue>(value, [&](const TransformValue& typed) -> floe_status {
        if (!keys || !count)
            return FLOE_BAD_ARGUMENT;
        *keys = reinterpret_cast<const floe_transform_key*>(typed.keys().data());
        *count = static_cast<std::uint32_t>(typed.keys().size());
        return FLOE_OK;
    });
}
floe_value* makeCurve(const float* points, std::uint32_t count)
{
    return making("make_curve", [&] {
        return points ? make<CurveValue>(std::span(points, std::size_t{count} * 2))
                      : Ref<CurveValue>();
    });
}
floe_status getCurve(const floe_value* value, const float** points, std::uint32_t* count)
{
    return reading<CurveValue>(value, [&](const CurveValue& typed) -> floe_status {
        if (!points || !count)
            return FLOE_BAD_ARGUMENT;
        *points = typed.points().data();
        *count = static_cast<std::uint32_t>(typed.count());
        return FLOE_OK;
    });
}

// ------------------------------------------------------------------- meshes, volumes, images

floe_value* makeMesh(const floe_mesh* given)
{
    return making("make_mesh", [&] {
        if (!isUsable(given))
            return Ref<MeshValue>();
        const floe_mesh mesh = taken(given);
        if ((mesh.point_count > 0 && !mesh.points) || (mesh.triangle_count > 0 && !mesh.triangles))
            return Ref<MeshValue>();
        const std::size_t numbers = std::size_t{mesh.point_count} * 3;
        return make<MeshValue>(
            std::span(mesh.points, numbers),
            std::span(mesh.triangles, std::size_t{mesh.triangle_count} * 3),
            mesh.velocities ? std::span(mesh.velocities, numbers) : std::span<const float>(),
            mesh.colours ? std::span(mesh.colours, numbers) : std::span<const float>());
    });
}
floe_status getMesh(const floe_value* value, floe_mesh* mesh)
{
    return reading<MeshValue>(value, [&](const MeshValue& typed) -> floe_status {
        floe_mesh view{};
        view.point_count = typed.pointCount();
        view.points = typed.points().data();
        view.triangle_count = typed.triangleCount();
        view.triangles = typed.triangles().data();
        view.velocities = typed.velocities().empty() ? nullptr : typed.velocities().data();
        view.colours = typed.colours().empty() ? nullptr : typed.colours().data();
        return give(mesh, view);
    });
}
floe_value* makeVolume(const void* grid, std::uint64_t bytes)
{
    return making("make_volume", [&] {
        return grid ? make<VolumeValue>(std::span(static_cast<const std::byte*>(grid), bytes))
                    : Ref<VolumeValue>();
    });
}
floe_status getVolume(const floe_value* value, floe_volume* volume)
{
    return reading<VolumeValue>(value, [&](const VolumeValue& typed) -> floe_status {
        floe_volume view{};
        view.space = FLOE_SPACE_HOST;
        view.grid = typed.grid();
        view.bytes = typed.gridBytes();
        return give(volume, view);
    });
}
floe_value* makeImage(const floe_image* given)
{
    return making("make_image", [&] {
        if (!isUsable(given) || !given->pixels)
            return Ref<ImageValue>();
        const floe_image image = taken(given);
        std::size_t count = 0; // stays 0 for a size that the value refuses: no product overflows
        if (image.width <= ImageValue::kMaxSide && image.height <= ImageValue::kMaxSide &&
            image.channels <= 4)
            count = std::size_t{image.width} * image.height * image.channels;
        return make<ImageValue>(image.width, image.height, image.channels,
                                std::span(image.pixels, count));
    });
}
floe_status getImage(const floe_value* value, floe_image* image)
{
    return reading<ImageValue>(value, [&](const ImageValue& typed) -> floe_status {
        floe_image view{};
        view.width = typed.width();
        view.height = typed.height();
        view.channels = typed.channels();
        view.pixels = typed.pixels().data();
        return give(image, view);
    });
}

// ---------------------------------------------------------------------------------- particles

compute::DevicePointer deviceOf(const floe_device* device)
{
    if (!device)
        return compute::cpuDevice();
    const floe_device ours = deviceInterface(*compute::cpuDevice());
    if (!isUsable(device) || !device->self || device->allocate != ours.allocate)
        throw InputError({}, "the device is not one that the host handed out");
    return static_cast<compute::Device*>(device->self)->shared_from_this();
}

floe_value* makeParticles(std::uint64_t count, const floe_device* device)
{
    return making("make_particles", [&] { return make<ParticlesValue>(count, deviceOf(device)); });
}
floe_status addAttribute(floe_value* value, const char* name, floe_element element,
                         std::uint32_t components, void** data)
{
    return guarded("add_attribute", [&]() -> floe_status {
        if (!value || !name || !data)
            return FLOE_BAD_ARGUMENT;
        if (writable(value)->kind() != Kind::particles)
            return FLOE_WRONG_KIND;
        *data = static_cast<ParticlesValue*>(writable(value))
                    ->add(name, static_cast<Element>(element), components);
        return FLOE_OK;
    });
}
floe_status shareAttribute(floe_value* value, const char* name, const floe_value* others)
{
    return guarded("share_attribute", [&]() -> floe_status {
        if (!value || !name || !others)
            return FLOE_BAD_ARGUMENT;
        const auto* from = as<ParticlesValue>(fromInterface(others));
        if (writable(value)->kind() != Kind::particles || !from)
            return FLOE_WRONG_KIND;
        if (!from->find(name))
            return FLOE_NOT_FOUND;
        static_cast<ParticlesValue*>(writable(value))->share(name, *from);
        return FLOE_OK;
    });
}
floe_status getParticles(const floe_value* value, std::uint64_t* count,
                         std::uint32_t* attributeCount)
{
    return reading<ParticlesValue>(value, [&](const ParticlesValue& typed) -> floe_status {
        if (count)
            *count = typed.count();
        if (attributeCount)
            *attributeCount = static_cast<std::uint32_t>(typed.attributes().size());
        return FLOE_OK;
    });
}
floe_status giveAttribute(const Attribute& from, floe_attribute* attribute)
{
    floe_attribute view{};
    view.element = static_cast<floe_element>(from.element);
    view.components = from.components;
    view.space = from.space() == compute::Space::cuda ? FLOE_SPACE_CUDA : FLOE_SPACE_HOST;
    view.name = from.name.c_str();
    view.data = from.data.data();
    return give(attribute, view);
}
floe_status getAttributeAt(const floe_value* value, std::uint32_t index, floe_attribute* attribute)
{
    return reading<ParticlesValue>(value, [&](const ParticlesValue& typed) -> floe_status {
        if (index >= typed.attributes().size())
            return FLOE_NOT_FOUND;
        return giveAttribute(typed.attributes()[index], attribute);
    });
}
floe_status getAttribute(const floe_value* value, const char* name, floe_attribute* attribute)
{
    return reading<ParticlesValue>(value, [&](const ParticlesValue& typed) -> floe_status {
        if (!name)
            return FLOE_BAD_ARGUMENT;
        const Attribute* found = typed.find(name);
        return found ? giveAttribute(*found, attribute) : FLOE_NOT_FOUND;
    });
}

// ------------------------------------------------------------------------ records, interfaces

floe_value* makeRecord(const char* schema)
{
    return making("make_record",
                  [&] { return schema ? make<RecordValue>(schema) : Ref<RecordValue>(); });
}
floe_status setField(floe_value* owner, const char* name, const floe_value* value)
{
    return guarded("set_field", [&]() -> floe_status {
        if (!owner || !name || !value)
            return FLOE_BAD_ARGUMENT;
        const auto field = ValueRef::share(fromInterface(value));
        Value* target = writable(owner);
        if (target->kind() == Kind::record)
            static_cast<RecordValue*>(target)->setField(name, field);
        else if (target->kind() == Kind::particles)
            static_cast<ParticlesValue*>(target)->setField(name, field);
        else
            return FLOE_WRONG_KIND;
        return FLOE_OK;
    });
}
const char* recordSchema(const floe_value* record)
{
    const auto* typed = as<RecordValue>(fromInterface(record));
    return typed ? typed->schema().c_str() : nullptr;
}
const Fields* fieldsIn(const floe_value* value)
{
    return value ? fieldsOf(*fromInterface(value)) : nullptr;
}
std::uint32_t fieldCount(const floe_value* record)
{
    const Fields* fields = fieldsIn(record);
    return fields ? static_cast<std::uint32_t>(fields->list().size()) : 0;
}
const char* fieldName(const floe_value* record, std::uint32_t index)
{
    const Fields* fields = fieldsIn(record);
    return fields && index < fields->list().size() ? fields->list()[index].name.c_str() : nullptr;
}
const floe_value* field(const floe_value* record, const char* name)
{
    const Fields* fields = fieldsIn(record);
    return fields && name ? toInterface(fields->find(name)) : nullptr;
}
floe_value* makeInterface(const char* id, const void* table, void* self, void (*destroy)(void*))
{
    return making("make_interface", [&] {
        return id ? makeGuardedInterface(id, table, self, destroy) : Ref<InterfaceValue>();
    });
}
floe_status getInterface(const floe_value* value, const char* id, const void** table, void** self)
{
    return reading<InterfaceValue>(value, [&](const InterfaceValue& typed) -> floe_status {
        if (!id || !table || !self)
            return FLOE_BAD_ARGUMENT;
        return interfaceOf(&typed, id, table, self) ? FLOE_OK : FLOE_NOT_FOUND;
    });
}

} // namespace

bool interfaceOf(const Value* value, std::string_view id, const void** table, void** self)
{
    const auto* typed = as<InterfaceValue>(value);
    if (!typed || typed->id() != id)
        return false;
    *table = typed->table();
    *self = typed->self();
    return true;
}

const floe_value_api* valueInterface()
{
    static const floe_value_api api = {
        sizeof(floe_value_api),
        retain,
        release,
        kind,
        makeNumber,
        getNumber,
        makeVector,
        getVector,
        makeBoolean,
        getBoolean,
        makeString,
        getString,
        makeTransform,
        getTransform,
        makeCurve,
        getCurve,
        makeMesh,
        getMesh,
        makeVolume,
        getVolume,
        makeImage,
        getImage,
        makeParticles,
        addAttribute,
        getParticles,
        getAttributeAt,
        getAttribute,
        makeRecord,
        setField,
        recordSchema,
        fieldCount,
        fieldName,
        field,
        makeInterface,
        getInterface,
    };
    return &api;
}

const floe_sharing* sharingInterface()
{
    static const floe_sharing sharing = {sizeof(floe_sharing), shareAttribute};
    return &sharing;
}

} // namespace floe::plugin
