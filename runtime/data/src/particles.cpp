#include "floe/data/particles.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace floe {

std::size_t elementBytes(Element element)
{
    switch (element) {
    case Element::float32:
    case Element::int32:
    case Element::uint32:
        return 4;
    case Element::uint8:
        return 1;
    case Element::uint64:
        return 8;
    }
    return 0;
}

const char* elementName(Element element)
{
    switch (element) {
    case Element::float32:
        return "float32";
    case Element::int32:
        return "int32";
    case Element::uint32:
        return "uint32";
    case Element::uint8:
        return "uint8";
    case Element::uint64:
        return "uint64";
    }
    return "unknown";
}

AttributeMemory::AttributeMemory(compute::Buffer buffer)
    : buffer_(std::make_shared<compute::Buffer>(std::move(buffer)))
{
    static std::atomic<std::uint64_t> last{0};
    serial_ = ++last;
}

ParticlesValue::ParticlesValue(std::uint64_t count, compute::DevicePointer device)
    : Value(kKind), count_(count), device_(std::move(device))
{
    if (!device_)
        throw InputError({}, "particles need a device");
}

void ParticlesValue::checkAddition(std::string_view name) const
{
    const Place place{.parameter = std::string(name.substr(0, 255))};
    if (sealed())
        throw InputError(place, "the particles have been handed on and cannot change any more");
    if (!isName(name))
        throw InputError(place, "is not a name for an attribute");
    if (find(name))
        throw InputError(place, "the particles have this attribute already");
    if (attributes_.size() == kMaxAttributes)
        throw InputError(place, "there are too many attributes");
}

void* ParticlesValue::add(std::string_view name, Element element, std::uint32_t components)
{
    const Place place{.parameter = std::string(name.substr(0, 255))};
    checkAddition(name);
    const std::uint64_t size = elementBytes(element);
    if (size == 0)
        throw InputError(place, "an attribute cannot hold elements of type " +
                                    std::to_string(static_cast<std::int32_t>(element)));
    if (components < 1 || components > kMaxComponents)
        throw InputError(place, "an attribute has 1 to " + std::to_string(kMaxComponents) +
                                    " components, not " + std::to_string(components));
    if (count_ > UINT64_MAX / (size * components))
        throw MemoryError(place, "memory ran out: an attribute of " + std::to_string(count_) +
                                     " particles was asked for");
    attributes_.reserve(attributes_.size() + 1);
    AttributeMemory data(compute::Buffer(device_, count_ * size * components));
    void* const memory = data.buffer_->data();
    account(data.bytes() + sizeof(Attribute));
    attributes_.push_back({std::string(name), element, components, std::move(data)});
    return memory;
}

void ParticlesValue::share(std::string_view name, const ParticlesValue& others)
{
    const Place place{.parameter = std::string(name.substr(0, 255))};
    checkAddition(name);
    const Attribute* const shared = others.find(name);
    if (!shared)
        throw InputError(place, "the other particles have no such attribute");
    if (others.count_ != count_ || others.device_ != device_)
        throw InputError(place, "an attribute is shared by as many particles on the same device");
    others.seal();
    attributes_.push_back(*shared);
    account(shared->data.bytes() + sizeof(Attribute));
}

void ParticlesValue::copyIn(std::string_view name, Element element, std::uint32_t components,
                            const void* values, std::uint64_t bytes)
{
    const std::uint64_t size = elementBytes(element) * components;
    if (size == 0 || bytes % size != 0 || bytes / size != count_)
        throw InputError({.parameter = std::string(name.substr(0, 255))},
                         "an attribute's values are not as many as its particles");
    void* memory = add(name, element, components);
    if (bytes == 0)
        return;
    device_->copy(memory, values, bytes, compute::Copy::toDevice);
    device_->synchronise(); // the caller may let go of `values`
}

const Attribute* ParticlesValue::find(std::string_view name) const
{
    const auto found = std::ranges::find(attributes_, name, &Attribute::name);
    return found == attributes_.end() ? nullptr : &*found;
}

void ParticlesValue::setField(std::string_view name, ValueRef value)
{
    if (sealed())
        throw InputError({.parameter = std::string(name)},
                         "the particles have been handed on and cannot change any more");
    const std::size_t before = fields_.list().size();
    fields_.set(*this, name, std::move(value));
    if (fields_.list().size() != before)
        account(sizeof(Field) + name.size());
}

Ref<const ParticlesValue> inHostMemory(const Ref<const ParticlesValue>& particles)
{
    if (!particles || particles->space() == compute::Space::host)
        return particles;
    std::unique_lock lock(particles->hostMutex_, std::defer_lock);
    if (particles->sealed()) {
        lock.lock(); // others wait for the copy rather than make their own
        if (particles->host_)
            return particles->host_;
    }
    const Ref<ParticlesValue> copy = make<ParticlesValue>(particles->count());
    compute::Device& device = *particles->device();
    for (const Attribute& attribute : particles->attributes()) {
        void* memory = copy->add(attribute.name, attribute.element, attribute.components);
        if (attribute.data.bytes() != 0)
            device.copy(memory, attribute.data.data(), attribute.data.bytes(),
                        compute::Copy::toHost);
    }
    device.synchronise();
    for (const Field& field : particles->fields().list())
        copy->setField(field.name, field.value);
    copy->seal();
    if (lock.owns_lock())
        particles->host_ = copy;
    return copy;
}

} // namespace floe
