#pragma once

#include "floe/compute/buffer.hpp"
#include "floe/data/fields.hpp"
#include "floe/data/value.hpp"

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace floe {

/// Types of attribute elements, numbered as in the plugin interface and in files.
using compute::Element;

/// Returns the size of one element [bytes]; 0 for an invalid type.
std::size_t elementBytes(Element element);
/// "float32"
const char* elementName(Element element);

template <class T>
constexpr Element elementOf()
{
    if constexpr (std::is_same_v<T, float>)
        return Element::float32;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return Element::int32;
    else if constexpr (std::is_same_v<T, std::uint32_t>)
        return Element::uint32;
    else if constexpr (std::is_same_v<T, std::uint8_t>)
        return Element::uint8;
    else {
        static_assert(std::is_same_v<T, std::uint64_t>, "no attribute holds this type");
        return Element::uint64;
    }
}

/// Memory of an attribute: one array, which several particles can hold.
class AttributeMemory {
public:
    AttributeMemory() = default;
    explicit AttributeMemory(compute::Buffer buffer);
    /// A number that no other array of this process has, also after this one is gone; not 0.
    std::uint64_t serial() const { return serial_; }
    const void* data() const { return buffer_ ? buffer_->data() : nullptr; }
    std::uint64_t bytes() const { return buffer_ ? buffer_->bytes() : 0; }
    compute::Space space() const { return buffer_ ? buffer_->space() : compute::Space::host; }
    compute::Buffer toHost() const { return buffer_ ? buffer_->toHost() : compute::Buffer(); }

private:
    friend class ParticlesValue;
    std::shared_ptr<compute::Buffer> buffer_;
    std::uint64_t serial_ = 0;
};

/// One array over all particles; particle i starts at i * components.
struct Attribute {
    std::string name;
    Element element = Element::float32;
    std::uint32_t components = 1;
    AttributeMemory data;

    compute::Space space() const { return data.space(); }
    compute::ArrayView view() const
    {
        const std::uint64_t item = elementBytes(element) * components;
        return {data.data(), element, components, item == 0 ? 0 : data.bytes() / item};
    }
};

/// A number of particles with named attributes, all in the memory of one device, and fields common
/// to all of them (a solver sets `materials` and `cellSize`).
///
/// Names in use: x position [m], v velocity [m/s], F deformation gradient (9, row-major), J,
/// material (index), id (uint64), state (activation), stiffnessScale, densityScale, volume [m^3].
class ParticlesValue final : public Value {
public:
    static constexpr Kind kKind = Kind::particles;
    static constexpr std::uint32_t kMaxComponents = 64;
    static constexpr std::size_t kMaxAttributes = 256;

    /// Makes particles without attributes.
    explicit ParticlesValue(std::uint64_t count,
                            compute::DevicePointer device = compute::cpuDevice());

    std::uint64_t count() const { return count_; }
    const compute::DevicePointer& device() const { return device_; }
    compute::Space space() const { return device_->space(); }

    /// Adds an attribute and returns its uninitialised memory, in space(), for the maker to fill.
    /// @throws InputError   sealed, not a name, name taken, type or size unusable
    /// @throws MemoryError
    void* add(std::string_view name, Element element, std::uint32_t components);
    template <class T>
    std::span<T> add(std::string_view name, std::uint32_t components)
    {
        return {static_cast<T*>(add(name, elementOf<T>(), components)), count_ * components};
    }
    /// Adds an attribute from host memory of `count() * components` elements.
    template <class T>
    void copyIn(std::string_view name, std::uint32_t components, std::span<const T> values)
    {
        copyIn(name, elementOf<T>(), components, values.data(), values.size_bytes());
    }
    void copyIn(std::string_view name, Element element, std::uint32_t components,
                const void* values, std::uint64_t bytes);

    /// Adds an attribute of other particles, without a copy: both hold one array from now on, which
    /// bytes() counts for each. Seals the others.
    /// @throws InputError  sealed, name taken or not among theirs, not as many, on another device
    void share(std::string_view name, const ParticlesValue& others);

    std::span<const Attribute> attributes() const { return attributes_; }
    /// Returns the attribute of that name, or null.
    const Attribute* find(std::string_view name) const;
    /// Returns an attribute in host memory; empty when there is none of that name, type and size.
    template <class T>
    std::span<const T> get(std::string_view name, std::uint32_t components) const
    {
        const Attribute* found = find(name);
        if (!found || found->element != elementOf<T>() || found->components != components ||
            found->space() != compute::Space::host)
            return {};
        return {static_cast<const T*>(found->data.data()), count_ * components};
    }

    const Fields& fields() const { return fields_; }
    /// @throws InputError  sealed, or what Fields::set refuses
    void setField(std::string_view name, ValueRef value);

private:
    void checkAddition(std::string_view name) const; // throws as add() does
    friend Ref<const ParticlesValue> inHostMemory(const Ref<const ParticlesValue>& particles);

    std::uint64_t count_;
    compute::DevicePointer device_;
    std::vector<Attribute> attributes_;
    Fields fields_;
    mutable std::mutex hostMutex_;
    mutable Ref<const ParticlesValue> host_; ///< the copy that inHostMemory() made
};

/// Returns the particles with all attributes in host memory: `particles` itself if they are already
/// there, else a sealed copy. For sealed particles the copy is made once, shared, and lives as long
/// as they do.
Ref<const ParticlesValue> inHostMemory(const Ref<const ParticlesValue>& particles);

} // namespace floe
