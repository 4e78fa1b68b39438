#include "value_arrays.hpp"

#include "rpc.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cstring>

namespace floe::serve {

namespace {

constexpr std::uint64_t kAlignment = 64; ///< of each array [bytes]

} // namespace

ArraySlice::ArraySlice(const ValueRef& value, std::span<const std::string> names,
                       std::uint64_t offset, std::uint64_t count, std::uint64_t maxBytes)
{
    particles_ = inHostMemory(Ref<const ParticlesValue>::share(&expect<ParticlesValue>(value)));
    std::uint64_t perParticle = 0;
    const auto take = [&](const Attribute& attribute) {
        const std::uint64_t item = elementBytes(attribute.element) * attribute.components;
        parts_.push_back({&attribute, item, 0});
        perParticle += item;
    };
    if (names.empty())
        for (const Attribute& attribute : particles_->attributes())
            take(attribute);
    for (const std::string& name : names) {
        const Attribute* found = particles_->find(name);
        if (!found) {
            std::string all;
            for (const Attribute& attribute : particles_->attributes())
                all += (all.empty() ? "" : ", ") + attribute.name;
            throw InputError({.parameter = "attributes"},
                             "there is no attribute '" + name.substr(0, 100) + "'",
                             all.empty() ? "there are none" : "take one of " + all);
        }
        take(*found);
    }
    first_ = std::min(offset, particles_->count());
    count_ = std::min(count, particles_->count() - first_);
    const std::uint64_t padding = kAlignment * parts_.size();
    if (perParticle > 0 && count_ > 0 && count_ * perParticle + padding > maxBytes)
        count_ =
            std::max<std::uint64_t>(1, maxBytes > padding ? (maxBytes - padding) / perParticle : 1);
    for (Part& part : parts_) {
        part.offset = (bytes_ + kAlignment - 1) / kAlignment * kAlignment;
        bytes_ = part.offset + count_ * part.item;
    }
}

Json ArraySlice::layout() const
{
    Json arrays = Json::array();
    for (const Part& part : parts_)
        arrays.push_back({{"name", part.attribute->name},
                          {"type", elementName(part.attribute->element)},
                          {"components", part.attribute->components},
                          {"offset", part.offset}});
    return {{"total", particles_->count()},
            {"offset", first_},
            {"count", count_},
            {"bytes", bytes_},
            {"arrays", std::move(arrays)}};
}

void ArraySlice::copyTo(std::uint8_t* memory) const
{
    for (const Part& part : parts_)
        if (count_ > 0 && part.item > 0)
            std::memcpy(memory + part.offset,
                        static_cast<const std::uint8_t*>(part.attribute->data.data()) +
                            first_ * part.item,
                        count_ * part.item);
}

Json ValueArrays::share(const ArraySlice& slice)
{
    Json layout = slice.layout();
    if (slice.bytes() == 0)
        return layout;
    {
        const std::lock_guard lock(mutex_);
        if (segments_.size() >= kMaxSegments)
            throw RpcError(RpcCode::Busy, std::to_string(kMaxSegments) +
                                              " arrays are not released yet; send value.release "
                                              "when one is mapped");
    }
    SharedMemory memory(slice.bytes(), "ask for fewer attributes or particles, or give /dev/shm "
                                       "more space");
    slice.copyTo(memory.data());
    layout["segment"] = memory.name();
    const std::lock_guard lock(mutex_);
    segments_.emplace(std::string(memory.name()), std::move(memory));
    return layout;
}

void ValueArrays::release(const std::string& segment)
{
    const std::lock_guard lock(mutex_);
    segments_.erase(segment);
}

void ValueArrays::clear()
{
    const std::lock_guard lock(mutex_);
    segments_.clear();
}

} // namespace floe::serve
