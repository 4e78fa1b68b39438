#include "plugin_archive.hpp"

#include "floe/base/descriptor.hpp"
#include "floe/base/error.hpp"
#include "floe/base/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <memory>
#include <string>
#include <unistd.h>

#ifdef FLOE_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace floe::app {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kMaxBytes = 4ull << 30;  ///< of all files of a package
constexpr int kMaxEntries = 20000;               ///< files and folders of a package
constexpr std::uint64_t kAnyBytes = 64ull << 20; ///< that an archive may hold however small it is
constexpr std::uint64_t kMaxRatio = 200;         ///< of an archive's contents to its size
constexpr std::size_t kMaxName = 1000;           ///< bytes of a name in an archive
constexpr std::ptrdiff_t kMaxDepth = 32;         ///< of its folders

/// What a package may not be.
class Bounds {
public:
    explicit Bounds(const fs::path& package) : package_(package) {}

    [[noreturn]] void refuse(const std::string& why) const
    {
        throw InputError({.file = package_.string()}, why,
                         "a package holds a plugin's folder: plugin.json and what lies beside it");
    }
    void entry()
    {
        if (++entries_ > kMaxEntries)
            refuse("holds more than " + std::to_string(kMaxEntries) + " files");
    }
    void bytes(std::uint64_t more)
    {
        bytes_ += more;
        if (bytes_ > kMaxBytes)
            refuse("holds more than " + std::to_string(kMaxBytes >> 30) + " GiB");
        if (archive_ > 0 && bytes_ > kAnyBytes && bytes_ / archive_ >= kMaxRatio)
            refuse("unpacks to more than " + std::to_string(kMaxRatio) + " times its size");
    }
    /// It is an archive, of so many bytes.
    void ofArchive(std::uint64_t size) { archive_ = std::max<std::uint64_t>(size, 1); }
    /// A file says how large it is, before it is unpacked.
    void announced(std::uint64_t size) const
    {
        Bounds after = *this;
        after.bytes(std::min(size, 2 * kMaxBytes));
    }

private:
    const fs::path& package_;
    int entries_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t archive_ = 0; ///< 0: a folder
};

void makeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw IoError({.file = folder.string()}, "cannot be made: " + error.message());
}

void copyFolder(const fs::path& from, const fs::path& into, Bounds& bounds)
{
    makeFolder(into);
    std::error_code error;
    for (fs::recursive_directory_iterator entry(from, error), end; !error && entry != end;
         entry.increment(error)) {
        bounds.entry();
        const fs::path relative = entry->path().lexically_relative(from);
        std::error_code unknown;
        const fs::file_status status = entry->symlink_status(unknown);
        if (fs::is_directory(status)) {
            makeFolder(into / relative);
        } else if (fs::is_regular_file(status)) {
            bounds.bytes(entry->file_size(unknown));
            fs::copy_file(entry->path(), into / relative, unknown);
            if (unknown)
                throw IoError({.file = entry->path().string()},
                              "cannot be copied: " + unknown.message());
        } else {
            bounds.refuse("holds '" + relative.string() + "', which is neither file nor folder");
        }
    }
    if (error)
        throw IoError({.file = from.string()}, "cannot be read: " + error.message());
}

#ifdef FLOE_HAVE_LIBARCHIVE

/// A name of an archive, if it stays inside.
fs::path inside(const char* name, const Bounds& bounds)
{
    const fs::path path = fs::path(name ? name : "").lexically_normal();
    bool good = name && !path.empty() && path.is_relative();
    for (const fs::path& part : path)
        good = good && part != "..";
    const std::string shown = std::string(name ? name : "").substr(0, 100);
    if (!good)
        bounds.refuse("holds the name '" + shown + "', which leads out of it");
    if (path.native().size() > kMaxName || std::distance(path.begin(), path.end()) > kMaxDepth)
        bounds.refuse("holds the name '" + shown + "...', which is too long");
    return path;
}

std::string reasonOf(archive& from)
{
    const char* text = ::archive_error_string(&from);
    return text ? text : "unknown reason";
}

/// @param size  as announced; what is missing of it is a hole at the end of a sparse file
void writeEntry(archive& from, std::uint64_t size, const fs::path& to, Bounds& bounds)
{
    const Descriptor file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.valid() && errno == EEXIST)
        bounds.refuse("holds '" + to.filename().string() + "' twice");
    if (!file.valid())
        throw IoError({.file = to.string()},
                      std::string("cannot be made: ") + std::strerror(errno));
    char block[1 << 16];
    for (std::uint64_t total = 0;;) {
        const la_ssize_t read = ::archive_read_data(&from, block, sizeof block);
        if (read < 0)
            bounds.refuse("cannot be unpacked: " + reasonOf(from));
        if (read == 0) {
            if (total < size && ::ftruncate(file.get(), static_cast<off_t>(size)) != 0)
                throw cannotWrite(to);
            return;
        }
        total += static_cast<std::uint64_t>(read);
        bounds.bytes(static_cast<std::uint64_t>(read));
        for (la_ssize_t done = 0; done < read;) {
            const ssize_t written = uninterrupted([&] {
                return ::write(file.get(), block + done, static_cast<std::size_t>(read - done));
            });
            if (written < 0)
                throw cannotWrite(to);
            done += written;
        }
    }
}

void readArchive(const fs::path& package, const fs::path& into, Bounds& bounds)
{
    const std::unique_ptr<archive, int (*)(archive*)> from(::archive_read_new(),
                                                           ::archive_read_free);
    if (!from)
        throw std::bad_alloc();
    ::archive_read_support_format_zip(from.get());
    ::archive_read_support_format_tar(from.get());
    ::archive_read_support_filter_gzip(from.get());
    ::archive_read_support_filter_xz(from.get());
    ::archive_read_support_filter_zstd(from.get());
    const auto why = [&] {
        return reasonOf(*from);
    };
    std::error_code unknown;
    const std::uintmax_t size = fs::file_size(package, unknown);
    bounds.ofArchive(unknown ? 0 : size);
    constexpr std::size_t kBlock = 1 << 16;
    if (::archive_read_open_filename(from.get(), package.c_str(), kBlock) != ARCHIVE_OK)
        throw IoError({.file = package.string()}, "cannot be read as an archive: " + why());
    makeFolder(into);
    archive_entry* entry = nullptr;
    for (;;) {
        const int status = ::archive_read_next_header(from.get(), &entry);
        if (status == ARCHIVE_EOF)
            return;
        if (status < ARCHIVE_WARN)
            bounds.refuse("cannot be unpacked: " + why());
        bounds.entry();
        const fs::path name = inside(::archive_entry_pathname(entry), bounds);
        const auto type = ::archive_entry_filetype(entry);
        if (::archive_entry_hardlink(entry) || (type != AE_IFDIR && type != AE_IFREG))
            bounds.refuse("holds '" + name.string() + "', which is neither file nor folder");
        if (type == AE_IFDIR) {
            makeFolder(into / name);
            continue;
        }
        const std::int64_t said =
            ::archive_entry_size_is_set(entry) ? ::archive_entry_size(entry) : 0;
        const auto announced = static_cast<std::uint64_t>(std::max<std::int64_t>(said, 0));
        bounds.announced(announced);
        makeFolder((into / name).parent_path());
        writeEntry(*from, announced, into / name, bounds);
    }
}

#else

void readArchive(const fs::path& package, const fs::path&, Bounds&)
{
    throw InputError({.file = package.string()},
                     "this build of Floe reads no archives (it was built without libarchive)",
                     "unpack it, and give the folder");
}

#endif

} // namespace

void unpack(const fs::path& package, const fs::path& into)
{
    Bounds bounds(package);
    std::error_code error;
    const fs::file_status status = fs::status(package, error);
    if (fs::is_directory(status))
        copyFolder(package, into, bounds);
    else if (fs::is_regular_file(status))
        readArchive(package, into, bounds);
    else
        throw IoError({.file = package.string()}, "is neither a folder nor a file");
}

} // namespace floe::app
