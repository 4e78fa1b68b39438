#include "floe/io/image.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/regular_file.hpp"
#include "floe/compute/memory.hpp"

#include <algorithm>
#include <set>

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfInputFile.h>
#include <ImfOutputFile.h>
#include <ImfStringAttribute.h>

namespace floe::io {

void writeExr(const std::filesystem::path& path, int width, int height,
              const std::vector<ExrChannel>& channels, const ImageRemarks& remarks)
{
    const Place place{.file = path.string()};
    if (width < 1 || height < 1 || width > kMaxImageSide || height > kMaxImageSide ||
        static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) > kMaxImagePixels)
        throw InputError(place, "an image cannot be " + std::to_string(width) + " x " +
                                    std::to_string(height) + " pixels");
    if (channels.empty())
        throw InputError(place, "an EXR image needs at least one channel");
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    std::set<std::string> names;
    for (const ExrChannel& channel : channels) {
        if (channel.name.empty() || !names.insert(channel.name).second)
            throw InputError(place, "channel names must be different and not empty");
        if (channel.stride < 1 || channel.values.size() < (pixels - 1) * channel.stride + 1)
            throw InputError(place, "channel '" + channel.name + "' has too few values");
    }

    // Half samples are converted here, one block of memory per channel.
    std::vector<std::vector<Imath::half>> halves(channels.size());
    replaceFile(path, [&](const std::filesystem::path& temporary) {
        try {
            Imf::Header header(width, height);
            header.compression() = Imf::ZIP_COMPRESSION;
            for (const auto& [name, text] : remarks)
                header.insert(name.c_str(), Imf::StringAttribute(text));
            Imf::FrameBuffer frame;
            for (std::size_t c = 0; c < channels.size(); ++c) {
                const ExrChannel& channel = channels[c];
                const auto type = channel.half ? Imf::HALF : Imf::FLOAT;
                header.channels().insert(channel.name, Imf::Channel(type));
                if (channel.half) {
                    halves[c].resize(pixels);
                    for (std::size_t i = 0; i < pixels; ++i)
                        halves[c][i] = Imath::half(
                            std::clamp(channel.values[i * channel.stride], -65504.0f, 65504.0f));
                    frame.insert(channel.name,
                                 Imf::Slice(type, reinterpret_cast<char*>(halves[c].data()),
                                            sizeof(Imath::half), sizeof(Imath::half) * width));
                } else {
                    const std::size_t step = sizeof(float) * channel.stride;
                    frame.insert(channel.name,
                                 Imf::Slice(type,
                                            reinterpret_cast<char*>(
                                                const_cast<float*>(channel.values.data())),
                                            step, step * width));
                }
            }
            Imf::OutputFile file(temporary.c_str(), header);
            file.setFrameBuffer(frame);
            file.writePixels(height);
        } catch (const Error&) {
            throw;
        } catch (const std::bad_alloc&) {
            throw MemoryError(place, "host memory ran out");
        } catch (const std::exception& error) {
            throw IoError(place, std::string("cannot write: ") + error.what());
        }
    });
}

LoadedImage readExr(const std::filesystem::path& path)
{
    const Place place{.file = path.string()};
    static_cast<void>(openRegularFile(path));
    try {
        Imf::InputFile file(path.c_str());
        const Imath::Box2i window = file.header().dataWindow();
        const std::int64_t width = static_cast<std::int64_t>(window.max.x) - window.min.x + 1;
        const std::int64_t height = static_cast<std::int64_t>(window.max.y) - window.min.y + 1;
        if (width < 1 || height < 1 || width > kMaxImageSide || height > kMaxImageSide ||
            static_cast<std::uint64_t>(width * height) > kMaxImagePixels)
            throw IoError(place, "is " + std::to_string(width) + " x " + std::to_string(height) +
                                     " pixels, which is too large");

        const Imf::ChannelList& list = file.header().channels();
        std::vector<std::string> names;
        if (list.findChannel("R") || list.findChannel("G") || list.findChannel("B"))
            names = {"R", "G", "B"};
        else if (list.findChannel("Y"))
            names = {"Y"};
        else
            throw IoError(place, "has none of the channels R, G, B and Y");
        if (list.findChannel("A"))
            names.push_back("A");

        LoadedImage image;
        image.width = static_cast<int>(width);
        image.height = static_cast<int>(height);
        image.channels = static_cast<int>(names.size());
        image.bits = 16;
        image.linear = true;
        const compute::HostClaim claim(sizeof(float) * static_cast<std::size_t>(width * height) *
                                       names.size());
        image.samples.resize(static_cast<std::size_t>(width * height) * names.size());
        Imf::FrameBuffer frame;
        for (std::size_t c = 0; c < names.size(); ++c) {
            if (const Imf::Channel* channel = list.findChannel(names[c])) {
                if (channel->type != Imf::HALF)
                    image.bits = 32;
                if (channel->xSampling != 1 || channel->ySampling != 1)
                    throw IoError(place, "has subsampled channels", "give full resolution");
            }
            frame.insert(names[c], Imf::Slice::Make(Imf::FLOAT, image.samples.data() + c, window,
                                                    sizeof(float) * names.size()));
        }
        file.setFrameBuffer(frame);
        file.readPixels(window.min.y, window.max.y);
        return image;
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw MemoryError(place, "host memory ran out");
    } catch (const std::exception& error) {
        throw IoError(place, std::string("cannot read: ") + error.what());
    }
}

} // namespace floe::io
