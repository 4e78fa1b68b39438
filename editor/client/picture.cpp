#include "client/picture.hpp"

#include "floe/base/error.hpp"

#include <QBuffer>
#include <QByteArray>
#include <QImageReader>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace floe::client {

namespace {

[[noreturn]] void refuse(const std::string& cause)
{
    throw InputError({}, "the runtime sent a picture that cannot be shown: " + cause);
}

class Segment {
public:
    explicit Segment(const std::string& name)
    {
        if (name.size() < 2 || name.size() > 200 || name[0] != '/' ||
            name.find('/', 1) != std::string::npos || name.find('\0') != std::string::npos)
            refuse("'" + name.substr(0, 60) + "' is not a name of shared memory");
        descriptor_ = ::shm_open(name.c_str(), O_RDONLY | O_CLOEXEC, 0);
        if (descriptor_ < 0)
            refuse("shared memory " + name + ": " + std::strerror(errno));
        struct stat info {};
        if (::fstat(descriptor_, &info) == 0 && info.st_uid == ::geteuid())
            size_ = info.st_size;
    }
    ~Segment() { ::close(descriptor_); }
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    qint64 size() const { return size_; } ///< 0 when it is not ours

    /// Reads through the descriptor instead of mapping it: a segment that is truncated while it is
    /// read gives a short count, where a mapping would raise SIGBUS.
    void read(void* to, qint64 bytes, qint64 offset) const
    {
        auto* out = static_cast<char*>(to);
        while (bytes > 0) {
            const ssize_t got = ::pread(descriptor_, out, static_cast<std::size_t>(bytes), offset);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                refuse("its shared memory ended early");
            out += got;
            offset += got;
            bytes -= got;
        }
    }

private:
    int descriptor_ = -1;
    qint64 size_ = 0;
};

QImage decode(const Json& data)
{
    QByteArray bytes =
        QByteArray::fromBase64(QByteArray::fromStdString(data.get_ref<const std::string&>()));
    QBuffer buffer(&bytes);
    QImageReader reader(&buffer, "png");
    const QSize size = reader.size();
    if (!size.isValid() || size.width() > kLargestPicture || size.height() > kLargestPicture)
        refuse("its data is no PNG of at most 16384 x 16384 pixels");
    QImage image = reader.read();
    if (image.isNull())
        refuse("its data is not a readable PNG");
    return image.convertToFormat(QImage::Format_RGBA8888);
}

} // namespace

Picture readPicture(const Json& params)
{
    Picture picture;
    picture.sequence = integerOf(params, "sequence", 0, 0, qint64(1) << 53);
    picture.view = static_cast<int>(integerOf(params, "view", 0, 0, kMaxViews - 1));
    picture.frame = static_cast<int>(integerOf(params, "frame", 0));
    picture.milliseconds = numberOf(params, "milliseconds", 0);
    const Json* cached = member(params, "cached");
    picture.cached = !cached || !cached->is_boolean() || cached->get<bool>();
    picture.camera = camera(params, "camera");
    picture.legend = legend(params, "legend");
    if (const Json* data = member(params, "data"); data && data->is_string()) {
        picture.image = decode(*data);
        return picture;
    }
    constexpr qint64 kLargest = qint64(1) << 53;
    const qint64 width = integerOf(params, "width", 0, -1, kLargest);
    const qint64 height = integerOf(params, "height", 0, -1, kLargest);
    const qint64 stride = integerOf(params, "stride", width * 4, -1, kLargest);
    const qint64 offset = integerOf(params, "offset", 0, -1, kLargest);
    if (width < 1 || height < 1 || width > kLargestPicture || height > kLargestPicture)
        refuse("it is " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
    if (stride < width * 4 || stride > kLargestPicture * 16 || offset < 0)
        refuse("its rows do not fit their stride");
    const Segment segment(textOf(params, "segment").toStdString());
    const qint64 bytes = stride * (height - 1) + width * 4;
    if (offset > segment.size() || bytes > segment.size() - offset)
        refuse("it does not lie inside its shared memory");
    picture.image =
        QImage(static_cast<int>(width), static_cast<int>(height), QImage::Format_RGBA8888);
    if (picture.image.isNull())
        refuse("there is no memory for it");
    if (picture.image.bytesPerLine() == stride) {
        segment.read(picture.image.bits(), bytes, offset);
    } else {
        for (qint64 y = 0; y < height; ++y)
            segment.read(picture.image.scanLine(static_cast<int>(y)), width * 4,
                         offset + y * stride);
    }
    return picture;
}

} // namespace floe::client
