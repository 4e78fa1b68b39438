#include "picture_ring.hpp"

#include <algorithm>
#include <cstring>

namespace floe::serve {

bool PictureRing::hasPlace() const
{
    const std::lock_guard lock(mutex_);
    return std::find(taken_.begin(), taken_.end(), 0u) != taken_.end();
}

std::optional<Json> PictureRing::put(std::span<const std::uint8_t> pixels, int width, int height)
{
    const std::lock_guard lock(mutex_);
    if (pixels.size() > memory_.bytes() / kPlaces) { // the client can still read the old segment
        memory_ = {};
        memory_ = SharedMemory(kPlaces * ((pixels.size() + 4095) / 4096 * 4096),
                               "make the view smaller, or give /dev/shm more space");
        taken_.fill(0);
    }
    const auto place = std::find(taken_.begin(), taken_.end(), 0u);
    if (place == taken_.end())
        return std::nullopt;
    const std::size_t offset =
        static_cast<std::size_t>(place - taken_.begin()) * (memory_.bytes() / kPlaces);
    std::memcpy(memory_.data() + offset, pixels.data(), pixels.size());
    *place = ++sequence_;
    return Json{{"sequence", sequence_}, {"segment", memory_.name()},
                {"offset", offset},      {"stride", 4 * width},
                {"width", width},        {"height", height}};
}

void PictureRing::shown(std::uint64_t sequence)
{
    const std::lock_guard lock(mutex_);
    if (sequence > 0)
        std::replace(taken_.begin(), taken_.end(), sequence, std::uint64_t{0});
}

void PictureRing::reset()
{
    const std::lock_guard lock(mutex_);
    taken_.fill(0);
}

void PictureRing::remove()
{
    const std::lock_guard lock(mutex_);
    memory_ = {};
}

std::uint64_t PictureRing::nextSequence()
{
    const std::lock_guard lock(mutex_);
    return ++sequence_;
}

} // namespace floe::serve
