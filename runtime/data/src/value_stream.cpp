#include "floe/data/value_stream.hpp"

#include "floe/base/error.hpp"
#include "floe/base/hash.hpp"
#include "floe/data/curve.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/data/volume.hpp"

#include <bit>
#include <cstring>
#include <istream>
#include <ostream>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace floe {

static_assert(std::endian::native == std::endian::little, "the layout is little endian");

namespace {

constexpr char kMagic[8] = {'F', 'L', 'O', 'E', 'V', 'A', 'L', 'U'};
constexpr std::uint32_t kVersion = 2; // 1: meshes without colours

// ------------------------------------------------------------------------------ where bytes go

class Sink {
public:
    virtual ~Sink() = default;
    void bytes(const void* data, std::uint64_t size)
    {
        if (size == 0)
            return;
        hash_ = combine(hash_, hashBytes(data, size));
        put(data, size);
    }
    template <class T>
    void value(const T& object)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(&object, sizeof object);
    }
    void text(std::string_view string)
    {
        value(static_cast<std::uint64_t>(string.size()));
        bytes(string.data(), string.size());
    }
    template <class T>
    void array(std::span<const T> objects)
    {
        value(static_cast<std::uint64_t>(objects.size()));
        bytes(objects.data(), objects.size_bytes());
    }
    /// Of all bytes so far, by the pieces in which they came.
    Hash hash() const { return hash_; }

private:
    virtual void put(const void* data, std::uint64_t size) = 0;
    Hash hash_;
};

class StreamSink final : public Sink {
public:
    explicit StreamSink(std::ostream& stream) : stream_(stream) {}

private:
    void put(const void* data, std::uint64_t size) override
    {
        if (!stream_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size)))
            throw IoError({}, "a value could not be written: the disk is full or the file is gone");
    }
    std::ostream& stream_;
};

class StringSink final : public Sink {
public:
    std::string content;

private:
    void put(const void* data, std::uint64_t size) override
    {
        content.append(static_cast<const char*>(data), size);
    }
};

// ------------------------------------------------------------------------- where they come from

[[noreturn]] void damaged(const std::string& why)
{
    throw IoError({}, "damaged value: " + why);
}

class Source {
public:
    virtual ~Source() = default;
    void bytes(void* data, std::uint64_t size)
    {
        if (size == 0)
            return;
        demand(size);
        take(data, size);
        remaining_ -= size;
        hash_ = combine(hash_, hashBytes(data, size));
    }
    template <class T>
    T value()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T object;
        bytes(&object, sizeof object);
        return object;
    }
    std::string text(std::uint64_t most)
    {
        const auto size = value<std::uint64_t>();
        if (size > most)
            damaged("a text is too long");
        demand(size);
        std::string string(size, '\0');
        bytes(string.data(), size);
        return string;
    }
    template <class T>
    compute::Array<T> array()
    {
        const auto count = value<std::uint64_t>();
        demand(count, sizeof(T));
        compute::Array<T> objects(count);
        bytes(objects.data(), objects.bytes());
        return objects;
    }
    /// Before memory is taken for them: so many bytes are there.
    void demand(std::uint64_t count, std::uint64_t size = 1) const
    {
        if (size != 0 && count > remaining_ / size)
            damaged("it is cut off");
    }
    Hash hash() const { return hash_; }

protected:
    explicit Source(std::uint64_t remaining) : remaining_(remaining) {}

private:
    virtual void take(void* data, std::uint64_t size) = 0;
    std::uint64_t remaining_;
    Hash hash_;
};

std::uint64_t bytesLeft(std::istream& stream)
{
    const std::istream::pos_type here = stream.tellg();
    stream.seekg(0, std::ios::end);
    const std::istream::pos_type end = stream.tellg();
    stream.seekg(here);
    if (!stream || here == std::istream::pos_type(-1) || end < here)
        throw IoError({}, "a value could not be read: the stream is broken or cannot seek");
    return static_cast<std::uint64_t>(end - here);
}

class StreamSource final : public Source {
public:
    explicit StreamSource(std::istream& stream) : Source(bytesLeft(stream)), stream_(stream) {}

private:
    void take(void* data, std::uint64_t size) override
    {
        if (!stream_.read(static_cast<char*>(data), static_cast<std::streamsize>(size)))
            throw IoError({}, "a value could not be read: the file shrank or the disk failed");
    }
    std::istream& stream_;
};

class MemorySource final : public Source {
public:
    explicit MemorySource(std::span<const std::byte> bytes)
        : Source(bytes.size()), next_(bytes.data())
    {}

private:
    void take(void* data, std::uint64_t size) override
    {
        std::memcpy(data, next_, size);
        next_ += size;
    }
    const std::byte* next_;
};

// ------------------------------------------------------------------------------------- writing

/// All values reachable from `root`, fields before what holds them, each once.
std::vector<const Value*> inOrder(const Value& root)
{
    struct Visit {
        const Value* value;
        std::size_t next;
    };
    std::vector<const Value*> order;
    std::unordered_set<const Value*> seen{&root};
    std::vector<Visit> stack{{&root, 0}};
    while (!stack.empty()) {
        Visit& top = stack.back();
        const Fields* fields = fieldsOf(*top.value);
        if (fields && top.next < fields->list().size()) {
            const Value* inner = fields->list()[top.next++].value.get();
            if (seen.insert(inner).second)
                stack.push_back({inner, 0});
            continue;
        }
        order.push_back(top.value);
        stack.pop_back();
    }
    return order;
}

using Numbers = std::unordered_map<const Value*, std::uint32_t>;

void putFields(Sink& sink, const Fields& fields, const Numbers& numbers)
{
    sink.value(static_cast<std::uint32_t>(fields.list().size()));
    for (const Field& field : fields.list()) {
        sink.text(field.name);
        sink.value(numbers.at(field.value.get()));
    }
}

void putParticles(Sink& sink, const ParticlesValue& particles, const Numbers& numbers)
{
    sink.value(particles.count());
    sink.value(static_cast<std::uint32_t>(particles.attributes().size()));
    for (const Attribute& attribute : particles.attributes()) {
        sink.text(attribute.name);
        sink.value(static_cast<std::int32_t>(attribute.element));
        sink.value(attribute.components);
        if (attribute.space() == compute::Space::host) {
            sink.bytes(attribute.data.data(), attribute.data.bytes());
        } else { // one attribute at a time, so that little host memory is needed
            const compute::Buffer copy = attribute.data.toHost();
            sink.bytes(copy.data(), copy.bytes());
        }
    }
    putFields(sink, particles.fields(), numbers);
}

void put(Sink& sink, const Value& value, const Numbers& numbers)
{
    sink.value(static_cast<std::int32_t>(value.kind()));
    switch (value.kind()) {
    case Kind::number:
        return sink.value(expect<NumberValue>(&value).number());
    case Kind::vector:
        return sink.value(expect<VectorValue>(&value).vector());
    case Kind::boolean:
        return sink.value<std::uint8_t>(expect<BooleanValue>(&value).boolean() ? 1 : 0);
    case Kind::string:
        return sink.text(expect<StringValue>(&value).string());
    case Kind::transform:
        return sink.array(expect<TransformValue>(&value).keys());
    case Kind::curve:
        return sink.array(expect<CurveValue>(&value).points());
    case Kind::mesh: {
        const auto& mesh = expect<MeshValue>(&value);
        sink.array(mesh.points());
        sink.array(mesh.triangles());
        sink.array(mesh.velocities());
        return sink.array(mesh.colours());
    }
    case Kind::volume: {
        const auto& volume = expect<VolumeValue>(&value);
        return sink.array(
            std::span(static_cast<const std::byte*>(volume.grid()), volume.gridBytes()));
    }
    case Kind::image: {
        const auto& image = expect<ImageValue>(&value);
        sink.value(image.width());
        sink.value(image.height());
        sink.value(image.channels());
        return sink.array(image.pixels());
    }
    case Kind::particles:
        return putParticles(sink, expect<ParticlesValue>(&value), numbers);
    case Kind::record: {
        const auto& record = expect<RecordValue>(&value);
        sink.text(record.schema());
        return putFields(sink, record.fields(), numbers);
    }
    case Kind::interface:
        break;
    }
    throw InputError({}, std::string("a value of kind ") + kindName(value.kind()) +
                             " cannot be stored");
}

void write(Sink& sink, const Value& root)
{
    if (!isStorable(root))
        throw InputError({}, "a value that holds an interface cannot be stored");
    const std::vector<const Value*> values = inOrder(root);
    Numbers numbers;
    sink.bytes(kMagic, sizeof kMagic);
    sink.value(kVersion);
    sink.value(static_cast<std::uint32_t>(values.size()));
    for (const Value* value : values) {
        put(sink, *value, numbers);
        numbers.emplace(value, static_cast<std::uint32_t>(numbers.size()));
    }
    const Hash hash = sink.hash();
    sink.value(hash.high);
    sink.value(hash.low);
}

// ------------------------------------------------------------------------------------- reading

template <class Owner>
void takeFields(Source& source, Owner& owner, const std::vector<ValueRef>& values)
{
    const auto count = source.value<std::uint32_t>();
    source.demand(count, 12); // each takes at least a length and an index
    if (count > Fields::kMaxCount)
        damaged("it has too many fields");
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name = source.text(255);
        const auto index = source.value<std::uint32_t>();
        if (index >= values.size())
            damaged("a field names a value that is not there");
        owner.setField(name, values[index]);
    }
}

ValueRef takeParticles(Source& source, const std::vector<ValueRef>& values)
{
    const auto particles = make<ParticlesValue>(source.value<std::uint64_t>());
    const auto attributes = source.value<std::uint32_t>();
    for (std::uint32_t i = 0; i < attributes; ++i) {
        const std::string name = source.text(255);
        const auto element = static_cast<Element>(source.value<std::int32_t>());
        const auto components = source.value<std::uint32_t>();
        if (elementBytes(element) == 0 || components == 0 ||
            components > ParticlesValue::kMaxComponents)
            damaged("an attribute is of an unknown type");
        source.demand(particles->count(), elementBytes(element) * components);
        void* memory = particles->add(name, element, components);
        source.bytes(memory, particles->find(name)->data.bytes());
    }
    takeFields(source, *particles, values);
    return particles;
}

ValueRef take(Source& source, std::uint32_t version, const std::vector<ValueRef>& values)
{
    switch (static_cast<Kind>(source.value<std::int32_t>())) {
    case Kind::number:
        return make<NumberValue>(source.value<double>());
    case Kind::vector:
        return make<VectorValue>(source.value<std::array<double, 3>>());
    case Kind::boolean:
        return make<BooleanValue>(source.value<std::uint8_t>() != 0);
    case Kind::string:
        return make<StringValue>(source.text(StringValue::kMaxBytes));
    case Kind::transform:
        return make<TransformValue>(source.array<TransformKey>().span());
    case Kind::curve:
        return make<CurveValue>(source.array<float>().span());
    case Kind::mesh: {
        auto points = source.array<float>();
        auto triangles = source.array<std::uint32_t>();
        auto velocities = source.array<float>();
        auto colours = version > 1 ? source.array<float>() : compute::Array<float>();
        return make<MeshValue>(std::move(points), std::move(triangles), std::move(velocities),
                               std::move(colours));
    }
    case Kind::volume: {
        const auto size = source.value<std::uint64_t>();
        source.demand(size);
        compute::Buffer grid(compute::cpuDevice(), size);
        source.bytes(grid.data(), size);
        return make<VolumeValue>(std::move(grid));
    }
    case Kind::image: {
        const auto width = source.value<std::uint32_t>();
        const auto height = source.value<std::uint32_t>();
        const auto channels = source.value<std::uint32_t>();
        return make<ImageValue>(width, height, channels, source.array<float>());
    }
    case Kind::particles:
        return takeParticles(source, values);
    case Kind::record: {
        const auto record = make<RecordValue>(source.text(255));
        takeFields(source, *record, values);
        return record;
    }
    case Kind::interface:
        break;
    }
    damaged("it holds a value of an unknown kind");
}

ValueRef read(Source& source)
{
    char magic[sizeof kMagic];
    source.bytes(magic, sizeof magic);
    if (std::memcmp(magic, kMagic, sizeof magic) != 0)
        throw IoError({}, "this is not a stored value");
    const auto version = source.value<std::uint32_t>();
    if (version < 1 || version > kVersion)
        throw IoError({}, "the stored value is of version " + std::to_string(version) +
                              ", this Floe reads up to version " + std::to_string(kVersion));
    const auto count = source.value<std::uint32_t>();
    source.demand(count, 5); // a kind and a byte of contents
    std::vector<ValueRef> values;
    try {
        for (std::uint32_t i = 0; i < count; ++i) {
            values.push_back(take(source, version, values));
            values.back()->seal();
        }
    } catch (const InputError& error) { // contents that no value can have
        damaged(error.what());
    }
    const Hash expected = source.hash();
    Hash stored;
    stored.high = source.value<std::uint64_t>();
    stored.low = source.value<std::uint64_t>();
    if (values.empty() || stored != expected)
        damaged("its checksum does not fit");
    return values.back();
}

} // namespace

bool isStorable(const Value& value)
{
    for (const Value* inner : inOrder(value))
        if (inner->kind() == Kind::interface)
            return false;
    return true;
}

void writeValue(std::ostream& stream, const Value& value)
{
    StreamSink sink(stream);
    write(sink, value);
}

ValueRef readValue(std::istream& stream)
{
    StreamSource source(stream);
    return read(source);
}

std::string writeValue(const Value& value)
{
    StringSink sink;
    write(sink, value);
    return std::move(sink.content);
}

ValueRef readValue(std::span<const std::byte> bytes)
{
    MemorySource source(bytes);
    return read(source);
}

} // namespace floe
