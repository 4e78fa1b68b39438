#include "value_page.hpp"

#include "floe/base/error.hpp"
#include "floe/data/describe.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/volume.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace floe::serve {

namespace {

/// One component of an attribute.
struct Column {
    const Attribute* attribute;
    std::uint32_t component;
    std::string name;
};

std::vector<Column> columnsOf(const ParticlesValue& particles)
{
    static constexpr const char* kAxes[] = {"x", "y", "z"};
    std::vector<Column> columns;
    for (const Attribute& attribute : particles.attributes())
        for (std::uint32_t c = 0; c < attribute.components; ++c) {
            std::string name = attribute.name;
            if (attribute.components == 3)
                name += std::string(".") + kAxes[c];
            else if (attribute.components > 1)
                name += "." + std::to_string(c);
            columns.push_back({&attribute, c, std::move(name)});
        }
    return columns;
}

template <class Visitor>
auto visitElements(const Attribute& attribute, const Visitor& visitor)
{
    const void* data = attribute.data.data();
    switch (attribute.element) {
    case Element::int32:
        return visitor(static_cast<const std::int32_t*>(data));
    case Element::uint32:
        return visitor(static_cast<const std::uint32_t*>(data));
    case Element::uint8:
        return visitor(static_cast<const std::uint8_t*>(data));
    case Element::uint64:
        return visitor(static_cast<const std::uint64_t*>(data));
    default:
        return visitor(static_cast<const float*>(data));
    }
}

Json cell(const Attribute& attribute, std::uint64_t index)
{
    return visitElements(attribute, [index](const auto* values) { return Json(values[index]); });
}

Json cellOf(const Value* value)
{
    if (const auto* number = as<NumberValue>(value))
        return number->number();
    if (const auto* vector = as<VectorValue>(value))
        return Json::array({vector->vector()[0], vector->vector()[1], vector->vector()[2]});
    if (const auto* boolean = as<BooleanValue>(value))
        return boolean->boolean();
    if (const auto* text = as<StringValue>(value))
        return text->string().substr(0, 4096);
    return value ? Json(describe(*value)) : Json();
}

/// A row of the table of a value without arrays.
struct Fact {
    std::string name;
    Json value;
};

constexpr int kDepth = 8; ///< nested records

/// Lists fields; those of nested records with a dot.
void addFields(const Fields& fields, const std::string& prefix, int depth, std::vector<Fact>& facts)
{
    for (const Field& field : fields.list()) {
        const Fields* inner = field.value ? fieldsOf(*field.value) : nullptr;
        if (inner && depth < kDepth && !inner->list().empty())
            addFields(*inner, prefix + field.name + ".", depth + 1, facts);
        else
            facts.push_back({prefix + field.name, cellOf(field.value.get())});
    }
}

std::vector<Fact> factsOf(const VolumeValue& volume)
{
    const VolumeInfo& info = volume.info();
    const auto& world = info.worldBounds;
    const auto& index = info.indexBounds;
    std::vector<Fact> facts{{"kind", info.isLevelSet ? "level set"
                                     : info.isVector ? "vector volume"
                                                     : "volume"}};
    if (!info.name.empty())
        facts.push_back({"name", info.name});
    facts.insert(facts.end(), {{"voxel size [m]", info.voxelSize},
                               {"active voxels", info.activeVoxels},
                               {"lowest corner [m]", Json::array({world[0], world[1], world[2]})},
                               {"highest corner [m]", Json::array({world[3], world[4], world[5]})},
                               {"lowest voxel", Json::array({index[0], index[1], index[2]})},
                               {"highest voxel", Json::array({index[3], index[4], index[5]})},
                               {"memory [bytes]", volume.gridBytes()}});
    return facts;
}

Ref<const ParticlesValue> hostParticles(const ValueRef& value)
{
    return inHostMemory(Ref<const ParticlesValue>::share(&expect<ParticlesValue>(value)));
}

} // namespace

void ValuePages::clear()
{
    sorted_ = nullptr;
    order_ = {};
}

const std::vector<std::uint32_t>& ValuePages::order(const ValueRef& value,
                                                    const ParticlesValue& particles,
                                                    const std::string& sort, bool descending)
{
    if (sorted_ == value && column_ == sort && descending_ == descending)
        return order_;
    const auto columns = columnsOf(particles);
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const Column& c) { return c.name == sort; });
    if (column == columns.end())
        throw InputError({.parameter = "sort"}, "there is no column '" + sort + "'");
    clear();
    std::vector<std::uint32_t> order(particles.count());
    std::iota(order.begin(), order.end(), 0u);
    visitElements(*column->attribute, [&](const auto* values) {
        const std::size_t width = column->attribute->components;
        const auto key = [&](std::uint32_t i) {
            const auto number = values[i * width + column->component];
            // NaN comes last in both directions: otherwise there is no order.
            if constexpr (std::is_floating_point_v<std::decay_t<decltype(number)>>)
                if (std::isnan(number))
                    return descending ? -std::numeric_limits<float>::infinity()
                                      : std::numeric_limits<float>::infinity();
            return number;
        };
        if (descending)
            std::stable_sort(order.begin(), order.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return key(a) > key(b); });
        else
            std::stable_sort(order.begin(), order.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    });
    order_ = std::move(order);
    sorted_ = value;
    column_ = sort;
    descending_ = descending;
    return order_;
}

Json ValuePages::page(const ValueRef& value, std::uint64_t offset, std::uint64_t count,
                      const std::string& sort, bool descending)
{
    count = std::min(count, kMaxRows);
    Json columns = Json::array();
    Json rows = Json::array();
    std::uint64_t total = 0;
    if (as<ParticlesValue>(value)) {
        const auto particles = hostParticles(value);
        total = particles->count();
        const auto list = columnsOf(*particles);
        for (const Column& column : list)
            columns.push_back(column.name);
        const std::uint32_t* order =
            sort.empty() ? nullptr : this->order(value, *particles, sort, descending).data();
        for (std::uint64_t row = offset; row < total && row - offset < count; ++row) {
            const std::uint64_t index = order ? order[row] : row;
            Json cells = Json::array();
            for (const Column& column : list)
                cells.push_back(cell(*column.attribute,
                                     index * column.attribute->components + column.component));
            rows.push_back(std::move(cells));
        }
    } else if (const auto* mesh = as<MeshValue>(value)) {
        if (!sort.empty())
            throw InputError({.parameter = "sort"}, "points of meshes are not sorted");
        columns = {"x", "y", "z"};
        total = mesh->pointCount();
        for (std::uint64_t row = offset; row < total && row - offset < count; ++row)
            rows.push_back(Json::array({mesh->points()[3 * row], mesh->points()[3 * row + 1],
                                        mesh->points()[3 * row + 2]}));
    } else if (const auto* volume = as<VolumeValue>(value); volume || fieldsOf(*value)) {
        if (!sort.empty() && sort != "name")
            throw InputError({.parameter = "sort"}, "fields are sorted by 'name' only");
        columns = {"name", "value"};
        std::vector<Fact> facts;
        if (volume)
            facts = factsOf(*volume);
        else
            addFields(*fieldsOf(*value), {}, 0, facts);
        if (!sort.empty())
            std::stable_sort(facts.begin(), facts.end(), [&](const Fact& a, const Fact& b) {
                return descending ? a.name > b.name : a.name < b.name;
            });
        total = facts.size();
        for (std::uint64_t row = offset; row < total && row - offset < count; ++row)
            rows.push_back(Json::array({facts[row].name, std::move(facts[row].value)}));
    } else {
        columns = {"value"};
        total = 1;
        if (offset == 0 && count > 0)
            rows.push_back(Json::array({cellOf(value.get())}));
    }
    return {{"columns", std::move(columns)}, {"rows", std::move(rows)}, {"total", total}};
}

Json valueInfo(const ValueRef& value)
{
    Json info = {{"kind", kindName(value->kind())},
                 {"text", describe(*value)},
                 {"bytes", value->totalBytes()}};
    if (as<ParticlesValue>(value)) {
        const auto particles = hostParticles(value);
        info["count"] = particles->count();
        Json attributes = Json::array();
        for (const Attribute& attribute : particles->attributes()) {
            Json entry = {{"name", attribute.name},
                          {"type", elementName(attribute.element)},
                          {"components", attribute.components}};
            visitElements(attribute, [&](const auto* values) {
                Json low = Json::array(), high = Json::array();
                for (std::uint32_t c = 0; c < attribute.components && particles->count() > 0; ++c) {
                    auto least = std::numeric_limits<double>::infinity();
                    auto most = -least;
                    for (std::uint64_t i = 0; i < particles->count(); ++i) {
                        const auto number =
                            static_cast<double>(values[i * attribute.components + c]);
                        least = std::min(least, number);
                        most = std::max(most, number);
                    }
                    if (least <= most) {
                        low.push_back(least);
                        high.push_back(most);
                    }
                }
                entry["min"] = std::move(low);
                entry["max"] = std::move(high);
            });
            attributes.push_back(std::move(entry));
        }
        info["attributes"] = std::move(attributes);
    }
    if (const auto* record = as<RecordValue>(value))
        info["kind"] = record->schema();
    if (const auto* mesh = as<MeshValue>(value))
        info["count"] = mesh->pointCount();
    if (const auto* volume = as<VolumeValue>(value))
        info["count"] = volume->info().activeVoxels;
    if (const Fields* fields = fieldsOf(*value)) {
        Json list = Json::array();
        for (const Field& field : fields->list())
            list.push_back({{"name", field.name},
                            {"kind", kindName(field.value->kind())},
                            {"text", describe(*field.value)}});
        info["fields"] = std::move(list);
    }
    return info;
}

Json particleRow(const ParticlesValue& particles, std::uint64_t index)
{
    Json row = Json::object();
    for (const Attribute& attribute : particles.attributes()) {
        if (attribute.space() != compute::Space::host)
            continue;
        Json numbers = Json::array();
        for (std::uint32_t c = 0; c < attribute.components; ++c)
            numbers.push_back(cell(attribute, index * attribute.components + c));
        row[attribute.name] = attribute.components == 1 ? std::move(numbers[0]) : numbers;
    }
    return row;
}

} // namespace floe::serve
