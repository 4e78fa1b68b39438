#include "body_fields.hpp"

#include <algorithm>
#include <memory>

namespace floe::mpm {

BodyFields::BodyFields(const CpuState& state, const BlockGrid& grid, const ThinWalls& walls,
                       MemorySource& memory)
    : state_(&state), grid_(&grid), walls_(&walls), extents_(memory)
{}

/// Adds the parts of a scattered block.
void BodyFields::addParts(std::size_t slot)
{
    const std::vector<BinRef>& bins = grid_->blocks[grid_->scatterList[slot]].bins;
    const auto add = [&](std::uint16_t body, std::uint32_t firstBin, std::uint32_t count) {
        const bool first = parts_.size() == firstPart_.back();
        parts_.push_back(
            {body, static_cast<std::int32_t>(first ? slot : arenaCount_++), firstBin, count});
        blockOf_.push_back(grid_->scatterList[slot]);
    };
    if (state_->thinWalls) {
        const auto all = static_cast<std::uint32_t>(bins.size());
        add(ThinWalls::kSeen, 0, all);
        if (walls_->isNear(slot))
            add(ThinWalls::kHidden, 0, all);
    } else {
        for (std::uint32_t begin = 0, end = 0; begin < bins.size(); begin = end) {
            while (end < bins.size() && bins[end].material == bins[begin].material)
                ++end;
            add(bins[begin].material, begin, end - begin);
        }
    }
    firstPart_.push_back(static_cast<std::uint32_t>(parts_.size()));
}

void BodyFields::find()
{
    const auto& scattered = grid_->scatterList;
    firstPart_.assign(1, 0);
    parts_.clear();
    blockOf_.clear();
    arenaCount_ = scattered.size() + grid_->ghostList.size();
    for (std::size_t slot = 0; slot < scattered.size(); ++slot)
        addParts(slot);

    const auto& nodes = grid_->gridList;
    std::vector<std::vector<std::uint16_t>> bodies(nodes.size());
    state_->executor->parallelFor(nodes.size(), 32, [&](std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            std::vector<std::uint16_t>& here = bodies[slot];
            for (const std::int32_t n : grid_->blocks[nodes[slot]].neighbour) {
                const std::int32_t arena = n < 0 ? -1 : grid_->blocks[n].arena;
                if (arena < 0)
                    continue;
                for (const Part& part : partsOf(static_cast<std::size_t>(arena)))
                    if (std::find(here.begin(), here.end(), part.body) == here.end())
                        here.push_back(part.body);
            }
            std::sort(here.begin(), here.end());
        }
    });
    firstField_.assign(1, 0);
    fields_.clear();
    nodesCount_ = nodes.size();
    std::vector<std::uint8_t> meets(grid_->blocks.size());
    for (std::size_t slot = 0; slot < nodes.size(); ++slot) {
        std::size_t own = slot;
        for (const std::uint16_t body : bodies[slot]) {
            fields_.push_back({body, static_cast<std::int32_t>(own)});
            own = nodesCount_;
            nodesCount_ += body != bodies[slot].back();
        }
        firstField_.push_back(static_cast<std::uint32_t>(fields_.size()));
        if (bodies[slot].size() < 2)
            continue;
        for (const std::int32_t n : grid_->blocks[nodes[slot]].neighbour)
            if (n >= 0)
                meets[static_cast<std::size_t>(n)] = 1;
    }
    extentOf_.assign(parts_.size(), -1);
    near_.clear();
    for (std::size_t p = 0; p < parts_.size(); ++p)
        if (!state_->thinWalls && meets[static_cast<std::size_t>(blockOf_[p])]) {
            extentOf_[p] = static_cast<std::int32_t>(near_.size());
            near_.push_back(p);
        }
}

std::int32_t BodyFields::arenaOf(std::int32_t slot, std::uint16_t body) const
{
    for (const Part& part : partsOf(static_cast<std::size_t>(slot)))
        if (part.body == body)
            return part.arena;
    return -1;
}

std::int32_t BodyFields::nodesOf(std::int32_t slot, std::uint16_t body) const
{
    for (const Field& field : fieldsOf(static_cast<std::size_t>(slot)))
        if (field.body == body)
            return field.nodes;
    return -1;
}

void BodyFields::measure()
{
    extents_.reserve(near_.size() * kArenaFloats, 0);
    state_->executor->parallelFor(near_.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Part& part = parts_[near_[i]];
            const Block& block = grid_->blocks[blockOf_[near_[i]]];
            state_->kernels().extents({block.bins.data() + part.firstBin, part.binCount,
                                       extents_.data() + i * kArenaFloats});
        }
    });
}

/// Sums the extents of a body at a block's nodes.
void BodyFields::sumExtents(const Block& block, std::uint16_t body, float* sums) const
{
    const float* arenas[27];
    for (int o = 0; o < kOffsets; ++o) {
        arenas[o] = nullptr;
        const std::int32_t n = block.neighbour[static_cast<std::size_t>(o)];
        const std::int32_t arena = n < 0 ? -1 : grid_->blocks[n].arena;
        if (arena < 0)
            continue;
        const auto slot = static_cast<std::size_t>(arena);
        for (std::uint32_t p = firstPart_[slot]; p < firstPart_[slot + 1]; ++p)
            if (parts_[p].body == body)
                arenas[o] = extents_.data() + static_cast<std::size_t>(extentOf_[p]) * kArenaFloats;
    }
    state_->kernels().implicit->sum(arenas, sums);
}

void BodyFields::meet(std::size_t slot, float* nodes, std::uint64_t left, double dt) const
{
    const std::span<const Field> fields = fieldsOf(slot);
    const Block& block = grid_->blocks[grid_->gridList[slot]];
    const auto extents = std::make_unique_for_overwrite<float[]>(fields.size() * kBlockFloats);
    for (std::size_t f = 0; f < fields.size(); ++f)
        sumExtents(block, fields[f].body, extents.get() + f * kBlockFloats);
    const double h = state_->settings.cellSize;
    const rules::Reach& reach = state_->settings.kernel == Kernel::cubic ? cubic_ : quadratic_;
    std::vector<rules::BodyAtNode> here;
    std::vector<float*> from;
    std::vector<std::size_t> which; ///< of `fields`, by entry of `here`
    struct Pair {
        std::size_t a, b;
        double friction, gapSpeed;
        rules::Meeting meeting;
    };
    std::vector<Pair> pairs;
    std::vector<double> friction(fields.size() * fields.size()), sound(friction.size());
    for (std::size_t a = 0; a < fields.size(); ++a)
        for (std::size_t b = a + 1; b < fields.size(); ++b) {
            const std::uint16_t one = fields[a].body, other = fields[b].body;
            friction[a * fields.size() + b] =
                frictionBetween(state_->materials[one], state_->materials[other]);
            sound[a * fields.size() + b] =
                std::min(state_->materials.soundSpeed(one), state_->materials.soundSpeed(other));
        }
    for (int n = 0; n < kBlockNodes; ++n) {
        if (left >> n & 1)
            continue;
        here.clear();
        from.clear();
        which.clear();
        for (std::size_t f = 0; f < fields.size(); ++f) {
            float* const node =
                nodes + static_cast<std::size_t>(fields[f].nodes) * kBlockFloats + 4 * n;
            const float* const extent = extents.get() + f * kBlockFloats + 4 * n;
            const float volume = extent[3];
            if (!(node[3] > 0 && rules::isNear(volume, h)))
                continue;
            here.push_back({{node[0], node[1], node[2]},
                            node[3],
                            {extent[0] / volume, extent[1] / volume, extent[2] / volume}});
            from.push_back(node);
            which.push_back(f);
        }
        if (here.size() < 2)
            continue;
        pairs.clear();
        for (std::size_t a = 0; a < here.size(); ++a)
            for (std::size_t b = a + 1; b < here.size(); ++b) {
                const rules::Meeting meeting = rules::meetingOf(reach, here[a], here[b]);
                const std::size_t pair = which[a] * fields.size() + which[b];
                pairs.push_back({a, b, friction[pair],
                                 rules::gapSpeed(meeting.gap, h, dt, sound[pair]), meeting});
            }
        for (int round = 0; round < (pairs.size() == 1 ? 1 : rules::kRounds); ++round)
            for (const Pair& pair : pairs)
                rules::meet(pair.meeting, pair.gapSpeed, pair.friction, here[pair.a], here[pair.b]);
        for (std::size_t b = 0; b < here.size(); ++b)
            for (int axis = 0; axis < 3; ++axis)
                from[b][axis] = static_cast<float>(here[b].v[axis]);
    }
}

} // namespace floe::mpm
