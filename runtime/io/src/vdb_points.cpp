#include "particle_formats.hpp"
#include "text.hpp"
#include "vdb_file.hpp"
#include "vdb_readers.hpp"

#include "floe/base/error.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include <openvdb/points/PointAttribute.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointDataGrid.h>
#include <tbb/parallel_for.h>

namespace floe::io {

namespace fs = std::filesystem;
namespace vdb = openvdb;
using PointGrid = vdb::points::PointDataGrid;

namespace {

// OpenVDB has no unsigned numbers; these names record Floe's types.
constexpr const char* kTypes = "floe_types";

/// The column of one attribute in the form that OpenVDB needs.
template <class Value, class From>
struct ColumnView {
    using PosType = Value;
    using value_type = Value;

    const From* data;
    std::size_t count;
    vdb::Index stride = 1; // values a particle

    std::size_t size() const { return count; }
    void getPos(std::size_t n, Value& value) const { get(value, n); }
    void get(Value& value, std::size_t n) const { get(value, n, 0); }
    void get(Value& value, std::size_t n, vdb::Index m) const
    {
        if constexpr (vdb::VecTraits<Value>::IsVec || vdb::MatTraits<Value>::IsMat) {
            const From* from = data + (n * stride + m) * (sizeof(Value) / sizeof(From));
            std::memcpy(value.asPointer(), from, sizeof(Value));
        } else {
            value = static_cast<Value>(data[n * stride + m]);
        }
    }
};

using Positions = ColumnView<vdb::Vec3f, float>;

/// Names of OpenVDB's attributes are letters, digits and a few signs.
std::string attributeName(const std::string& name)
{
    std::string result = name;
    for (char& c : result)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != ':' && c != '|')
            c = '_';
    return result;
}

class PointWriter {
public:
    PointWriter(const fs::path& path, const ParticlesValue& particles)
        : particles_(particles), positions_{positionsOf(particles, path).data(), particles.count()}
    {
        check(path);
        const auto transform = vdb::math::Transform::createLinearTransform(voxelSize());
        index_ =
            vdb::tools::createPointIndexGrid<vdb::tools::PointIndexGrid>(positions_, *transform);
        grid_ = vdb::points::createPointDataGrid<vdb::points::NullCodec, PointGrid>(
            *index_, positions_, *transform);
        grid_->setName("points");
    }

    PointGrid::Ptr write()
    {
        std::string types;
        for (const Attribute& attribute : particles_.attributes()) {
            if (attribute.name == "x")
                continue;
            const std::string name = attributeName(attribute.name);
            types += name + "\t" + elementName(attribute.element) + "\n";
            add(name, attribute);
        }
        const std::vector<float> radii = radiiOf(particles_);
        if (!radii.empty())
            append<float>("pscale", radii.data(), 1);
        grid_->insertMeta(kTypes, vdb::StringMetadata(types));
        return grid_;
    }

private:
    void check(const fs::path& path) const
    {
        for (std::uint64_t i = 0; i < 3 * particles_.count(); ++i)
            if (!(std::abs(positions_.data[i]) < 1e9f))
                throw InputError({.file = path.string()},
                                 "the position of particle " + std::to_string(i / 3) +
                                     " is not finite, or beyond a million kilometres");
    }
    /// About eight points per voxel, like Houdini.
    double voxelSize() const
    {
        if (particles_.count() < 2)
            return 0.1;
        // Sparse positions over a large extent must still have distinct cell indices.
        float extent = 0;
        for (std::uint64_t i = 0; i < 3 * particles_.count(); ++i)
            extent = std::max(extent, std::abs(positions_.data[i]));
        const double smallest = std::max(1e-6, static_cast<double>(extent) * 1e-7);
        const double best = vdb::points::computeVoxelSize(positions_, 8);
        return std::isfinite(best) ? std::max(best, smallest) : std::max(0.1, smallest);
    }
    void add(const std::string& name, const Attribute& attribute)
    {
        const std::uint32_t n = attribute.components;
        const void* data = attribute.data.data();
        switch (attribute.element) {
        case Element::float32: {
            const auto* from = static_cast<const float*>(data);
            return n == 3    ? append<vdb::Vec3f>(name, from, 1)
                   : n == 9  ? append<vdb::Mat3s>(name, from, 1)
                   : n == 16 ? append<vdb::Mat4s>(name, from, 1)
                             : append<float>(name, from, n);
        }
        case Element::int32:
            return append<std::int32_t>(name, static_cast<const std::int32_t*>(data), n);
        case Element::uint32:
            return append<std::int32_t>(name, static_cast<const std::uint32_t*>(data), n);
        case Element::uint8:
            return append<std::int16_t>(name, static_cast<const std::uint8_t*>(data), n);
        case Element::uint64:
            return append<std::int64_t>(name, static_cast<const std::uint64_t*>(data), n);
        }
    }
    template <class Value, class From>
    void append(const std::string& name, const From* data, std::uint32_t stride)
    {
        vdb::points::appendAttribute<Value>(grid_->tree(), name, vdb::zeroVal<Value>(), stride);
        const ColumnView<Value, From> column{data, particles_.count(), stride};
        vdb::points::populateAttribute(grid_->tree(), index_->tree(), name, column, stride);
    }

    const ParticlesValue& particles_;
    Positions positions_;
    vdb::tools::PointIndexGrid::Ptr index_;
    PointGrid::Ptr grid_;
};

/// The attribute that a file's attribute becomes.
struct Incoming {
    std::string file, name;
    std::string type;
    vdb::Index stride = 1;
    Element element = Element::float32;
    std::uint32_t components = 1; // of the values in the file: 3 of a vector
    void* data = nullptr;
};

std::optional<Incoming> incomingFor(const std::string& name, const std::string& type,
                                    vdb::Index stride)
{
    Incoming result{name, name == "P" ? "x" : name, type, stride};
    if (type == "float" || type == "double")
        result.components = 1;
    else if (type == "vec3s" || type == "vec3d")
        result.components = 3;
    else if (type == "mat3s")
        result.components = 9;
    else if (type == "mat4s")
        result.components = 16;
    else if (type == "int32" || type == "int16" || type == "int8" || type == "bool")
        result.element = Element::int32;
    else if (type == "int64")
        result.element = Element::uint64;
    else
        return std::nullopt; // groups, strings
    return result;
}

class PointReader {
public:
    PointReader(const fs::path& path, const PointGrid& grid) : path_(path), grid_(grid)
    {
        for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
            leaf->validateOffsets();
            offsets_.push_back(count_);
            leaves_.push_back(&*leaf);
            count_ += leaf->getLastValue();
        }
        // Packing takes at least a twentieth of a byte per position.
        if (count_ / 25 > fs::file_size(path))
            fail("says it holds more points than its bytes can");
        findAttributes();
    }

    Ref<const ParticlesValue> read()
    {
        const Ref<ParticlesValue> particles = make<ParticlesValue>(count_);
        for (Incoming& attribute : attributes_)
            attribute.data =
                particles->add(attribute.name, attribute.element,
                               attribute.components * static_cast<std::uint32_t>(attribute.stride));
        tbb::parallel_for(std::size_t(0), leaves_.size(), [&](std::size_t l) {
            for (const Incoming& attribute : attributes_)
                readLeaf(*leaves_[l], offsets_[l], attribute);
        });
        for (const float value : particles->get<float>("x", 3))
            if (!std::isfinite(value))
                fail("has a point whose position is not finite");
        particles->seal();
        return particles;
    }

private:
    using Leaf = PointGrid::TreeType::LeafNodeType;

    [[noreturn]] void fail(const std::string& cause) const
    {
        throw IoError({.file = path_.string()}, cause);
    }

    void findAttributes()
    {
        if (leaves_.empty())
            return;
        std::map<std::string, std::string> types;
        if (const auto meta = grid_.getMetadata<vdb::StringMetadata>(kTypes)) {
            std::istringstream lines(meta->value());
            for (std::string name, type;
                 std::getline(lines, name, '\t') && std::getline(lines, type);)
                types[name] = type;
        }
        const auto& set = leaves_.front()->attributeSet();
        for (const auto& [name, position] : set.descriptor().map()) {
            const auto& array = *set.getConst(position);
            if (!array.hasConstantStride() || array.stride() < 1 || !isName(name))
                continue;
            auto attribute = incomingFor(name, array.valueType(), array.stride());
            if (!attribute ||
                attribute->components * std::uint64_t(attribute->stride) >
                    ParticlesValue::kMaxComponents ||
                attributes_.size() >= ParticlesValue::kMaxAttributes)
                continue;
            const auto known = types.find(name);
            if (known != types.end() && attribute->element != Element::float32)
                for (const Element element : {Element::int32, Element::uint32, Element::uint8})
                    if (known->second == elementName(element) &&
                        attribute->element == Element::int32)
                        attribute->element = element;
            attributes_.push_back(std::move(*attribute));
        }
        const auto position = std::ranges::find(attributes_, "P", &Incoming::file);
        if (position == attributes_.end() || position->type != "vec3s" || position->stride != 1)
            fail("has points without positions");
        std::swap(*position, attributes_.front());
        for (std::size_t i = 1; i < attributes_.size(); ++i)
            if (attributes_[i].name == "x")
                attributes_[i].name = "x_1";
    }

    void readLeaf(const Leaf& leaf, std::uint64_t offset, const Incoming& attribute) const
    {
        const std::size_t position = leaf.attributeSet().find(attribute.file);
        if (position == vdb::points::AttributeSet::INVALID_POS)
            fail("has leaves with different attributes");
        const auto& array = *leaf.attributeSet().getConst(position);
        if (array.valueType() != attribute.type || !array.hasConstantStride() ||
            array.stride() != attribute.stride || array.size() != leaf.getLastValue())
            fail("has leaves with different attributes");
        if (attribute.file == "P")
            return readPositions(leaf, array, offset, attribute);
        if (attribute.type == "float")
            readValues<float, float>(array, offset, attribute);
        else if (attribute.type == "double")
            readValues<double, float>(array, offset, attribute);
        else if (attribute.type == "vec3s")
            readValues<vdb::Vec3f, float>(array, offset, attribute);
        else if (attribute.type == "vec3d")
            readValues<vdb::Vec3d, float>(array, offset, attribute);
        else if (attribute.type == "mat3s")
            readValues<vdb::Mat3s, float>(array, offset, attribute);
        else if (attribute.type == "mat4s")
            readValues<vdb::Mat4s, float>(array, offset, attribute);
        else if (attribute.type == "int64")
            readValues<std::int64_t, std::uint64_t>(array, offset, attribute);
        else
            visitElement(attribute.element, [&]<class To>(To*) {
                if (attribute.type == "int32")
                    readValues<std::int32_t, To>(array, offset, attribute);
                else if (attribute.type == "int16")
                    readValues<std::int16_t, To>(array, offset, attribute);
                else if (attribute.type == "int8")
                    readValues<std::int8_t, To>(array, offset, attribute);
                else
                    readValues<bool, To>(array, offset, attribute);
            });
    }

    void readPositions(const Leaf& leaf, const vdb::points::AttributeArray& array,
                       std::uint64_t offset, const Incoming& attribute) const
    {
        const vdb::points::AttributeHandle<vdb::Vec3f> handle(array);
        auto* to = static_cast<float*>(attribute.data) + 3 * offset;
        // In a damaged file inactive voxels hold points too: use the offsets.
        vdb::Index begin = 0;
        for (vdb::Index voxel = 0; voxel < Leaf::SIZE; ++voxel) {
            const vdb::Index end = leaf.getValue(voxel);
            const vdb::Vec3d corner = leaf.offsetToGlobalCoord(voxel).asVec3d();
            for (; begin < end; ++begin) {
                const vdb::Vec3d world =
                    grid_.transform().indexToWorld(corner + vdb::Vec3d(handle.get(begin)));
                for (int k = 0; k < 3; ++k)
                    *to++ = static_cast<float>(world[k]);
            }
        }
    }

    template <class Value, class To>
    static void readValues(const vdb::points::AttributeArray& array, std::uint64_t offset,
                           const Incoming& attribute)
    {
        const vdb::points::AttributeHandle<Value> handle(array);
        const auto stride = attribute.stride;
        auto* to = static_cast<To*>(attribute.data) + offset * attribute.components * stride;
        for (vdb::Index i = 0; i < array.size(); ++i)
            for (vdb::Index m = 0; m < stride; ++m) {
                const Value value = handle.get(i, m);
                if constexpr (vdb::VecTraits<Value>::IsVec)
                    for (int k = 0; k < 3; ++k)
                        *to++ = static_cast<To>(value[k]);
                else if constexpr (vdb::MatTraits<Value>::IsMat)
                    for (unsigned k = 0; k < Value::numElements(); ++k)
                        *to++ = static_cast<To>(value.asPointer()[k]);
                else
                    *to++ = static_cast<To>(value);
            }
    }

    fs::path path_;
    const PointGrid& grid_;
    std::uint64_t count_ = 0;
    std::vector<std::uint64_t> offsets_;
    std::vector<const Leaf*> leaves_;
    std::vector<Incoming> attributes_;
};

} // namespace

void writeVdbParticles(const fs::path& path, const ParticlesValue& particles)
{
    startOpenVdb();
    writeVdb(path, {PointWriter(path, particles).write()});
}

Ref<const ParticlesValue> readVdbPoints(const fs::path& path)
{
    const Place place{.file = path.string()};
    std::string others;
    bool found = false;
    const auto grids = readVdb(path, [&](const GridInfo& info) {
        const bool wanted = !found && info.type == "points";
        others += (others.empty() ? "" : ", ") + inQuotes(info.name) + " (" + info.type + ")";
        found = found || wanted;
        return wanted;
    });
    const PointGrid::Ptr grid =
        grids.empty() ? nullptr : vdb::gridPtrCast<PointGrid>(grids.front());
    if (!grid)
        throw IoError(place, "has no points", others.empty() ? "" : "it holds " + others);
    try {
        return PointReader(path, *grid).read();
    } catch (const vdb::Exception& error) {
        throw IoError(place, std::string("has damaged points: ") + error.what());
    }
}

} // namespace floe::io
