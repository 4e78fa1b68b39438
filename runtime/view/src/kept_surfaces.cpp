#include "floe/view/kept_surfaces.hpp"

#include <iterator>

namespace floe::view {

namespace {

/// Of all frames: a few hundred coarse surfaces of 100,000 particles.
constexpr std::uint64_t kMaxBytes = 256ull << 20;

} // namespace

Ref<const MeshValue> KeptSurfaces::find(int frame, const Key& key,
                                        const SurfaceDetail& detail) const
{
    const auto at = frames_.find(frame);
    if (at == frames_.end())
        return nullptr;
    const auto found = at->second.find(key);
    return found != at->second.end() && found->second.cell <= detail.cell ? found->second.mesh
                                                                          : nullptr;
}

void KeptSurfaces::keep(int frame, const Key& key, const SurfaceDetail& detail,
                        Ref<const MeshValue> mesh)
{
    Kept& kept = frames_[frame][key];
    if (kept.mesh) {
        if (kept.cell <= detail.cell)
            return;
        bytes_ -= kept.mesh->bytes();
    }
    bytes_ += mesh->bytes();
    kept = {detail.cell, std::move(mesh)};
    while (bytes_ > kMaxBytes && frames_.size() > 1)
        forget(frame - frames_.begin()->first > frames_.rbegin()->first - frame
                   ? frames_.begin()->first
                   : frames_.rbegin()->first);
}

void KeptSurfaces::forget(std::optional<int> frame)
{
    if (!frame) {
        frames_.clear();
        bytes_ = 0;
    } else if (const auto found = frames_.find(*frame); found != frames_.end()) {
        for (const auto& [key, kept] : found->second)
            bytes_ -= kept.mesh->bytes();
        frames_.erase(found);
    }
}

} // namespace floe::view
