#include "nodes.hpp"

#include "attributes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace floe::particles {

namespace {

/// Attributes of all sets by name, in the order in which they appear first.
std::vector<floe_attribute> unionOf(const std::vector<sdk::Value>& sets)
{
    std::vector<floe_attribute> all;
    for (const sdk::Value& set : sets)
        for (const floe_attribute& attribute : attributesOf(set)) {
            const auto known = std::ranges::find_if(all, [&](const floe_attribute& other) {
                return std::strcmp(other.name, attribute.name) == 0;
            });
            if (known == all.end())
                all.push_back(attribute);
            else if (known->element != attribute.element ||
                     known->components != attribute.components)
                throw sdk::Failure(std::string("the particles to merge have attributes '") +
                                       attribute.name +
                                       "' of different types; remake one of them with Attribute "
                                       "expression, or take it out of what is written",
                                   FLOE_WRONG_KIND);
        }
    return all;
}

/// What a particle has where its set lacks the attribute: undeformed, of the material's own
/// stiffness and density, and else 0.
void fillIn(const floe_attribute& attribute, std::byte* to, uint64_t count)
{
    const std::string name = attribute.name;
    const std::size_t bytes = entryBytes(attribute);
    std::vector<std::byte> entry(bytes);
    if (attribute.element == FLOE_FLOAT32) {
        auto* numbers = reinterpret_cast<float*>(entry.data());
        if (name == "F" && attribute.components == 9)
            numbers[0] = numbers[4] = numbers[8] = 1;
        else if (name == "J" || name == "stiffnessScale" || name == "densityScale")
            numbers[0] = 1;
    }
    for (uint64_t i = 0; i < count; ++i)
        std::memcpy(to + i * bytes, entry.data(), bytes);
}

/// The materials of all sets, equal ones once; gives each set the new numbers of its own.
class Materials {
public:
    /// @return new number by old one
    std::map<uint32_t, uint32_t> add(const sdk::Value& set)
    {
        const floe_value_api& values = *sdk::host().values;
        std::map<uint32_t, uint32_t> numbers;
        const sdk::Value own = set.field("materials");
        for (uint32_t i = 0; own && i < values.field_count(own.get()); ++i) {
            const std::string name = values.field_name(own.get(), i);
            if (name.empty() || name.size() > 9 ||
                name.find_first_not_of("0123456789") != std::string::npos)
                continue;
            const sdk::Value record = own.field(name.c_str());
            auto known = std::ranges::find_if(
                all_, [&](const sdk::Value& other) { return other.get() == record.get(); });
            if (known == all_.end())
                known = all_.insert(all_.end(), record);
            numbers[static_cast<uint32_t>(std::stoul(name))] =
                static_cast<uint32_t>(known - all_.begin());
        }
        return numbers;
    }
    /// The number of particles whose material no record describes.
    uint32_t unknown() const { return static_cast<uint32_t>(all_.size()); }
    bool any() const { return !all_.empty(); }
    sdk::Value record() const
    {
        sdk::Value materials = sdk::makeRecord("materials");
        for (std::size_t i = 0; i < all_.size(); ++i)
            materials.set(std::to_string(i).c_str(), all_[i]);
        return materials;
    }

private:
    std::vector<sdk::Value> all_;
};

/// Makes the ids of a set different from all other sets': id * sets + number of the set.
void setIds(const uint64_t* from, uint64_t count, uint64_t set, uint64_t sets, uint64_t* to)
{
    const uint64_t largest = std::numeric_limits<uint64_t>::max() / sets - 1;
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t id = from ? from[i] : i;
        if (id > largest)
            throw sdk::Failure("particle id " + std::to_string(id) +
                                   " is too large to be made unique; switch 'uniqueIds' off",
                               FLOE_BAD_ARGUMENT);
        to[i] = id * sets + set;
    }
}

} // namespace

void MergeNode::cook(sdk::Context& context)
{
    const std::vector<sdk::Value> sets = context.inputs("particles");
    const bool uniqueIds = context.boolean("uniqueIds") && sets.size() > 1;
    uint64_t total = 0;
    for (const sdk::Value& set : sets)
        total += set.particleCount();
    std::vector<floe_attribute> attributes = unionOf(sets);
    Materials materials;
    std::vector<std::map<uint32_t, uint32_t>> numbers;
    for (const sdk::Value& set : sets)
        numbers.push_back(materials.add(set));

    sdk::Value merged = sdk::makeParticles(total);
    for (const floe_attribute& attribute : attributes) {
        const std::size_t bytes = entryBytes(attribute);
        const std::string name = attribute.name;
        std::byte* to = addLike(merged, attribute);
        const bool isId =
            name == "id" && attribute.element == FLOE_UINT64 && attribute.components == 1;
        const bool isMaterial =
            name == "material" && attribute.element == FLOE_UINT32 && attribute.components == 1;
        for (std::size_t s = 0; s < sets.size(); ++s) {
            context.throwIfCancelled();
            const uint64_t count = sets[s].particleCount();
            floe_attribute own{};
            own.struct_size = sizeof own;
            const bool has =
                sdk::host().values->get_attribute(sets[s].get(), name.c_str(), &own) == FLOE_OK;
            if (isId && uniqueIds)
                setIds(has ? static_cast<const uint64_t*>(own.data) : nullptr, count, s,
                       sets.size(), reinterpret_cast<uint64_t*>(to));
            else if (has && count > 0)
                std::memcpy(to, own.data, count * bytes);
            else if (!has)
                fillIn(attribute, to, count);
            if (isMaterial && materials.any()) {
                auto* material = reinterpret_cast<uint32_t*>(to);
                for (uint64_t i = 0; i < count; ++i) {
                    const auto found = numbers[s].find(material[i]);
                    material[i] = found == numbers[s].end() ? materials.unknown() : found->second;
                }
            }
            to += count * bytes;
        }
    }
    for (std::size_t s = sets.size(); s-- > 0;) // the first one's fields stay
        copyFields(sets[s], merged);
    if (materials.any())
        merged.set("materials", materials.record());
    context.statistic("particles", static_cast<double>(total));
    context.setOutput("particles", merged);
}

} // namespace floe::particles
