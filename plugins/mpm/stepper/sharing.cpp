#include "sharing.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace floe::mpm {

using sdk::parallel::BytesIn;
using sdk::parallel::BytesOut;

namespace {

/// Appends the entries of a rank.
template <class T>
void append(std::vector<T>& to, BytesIn& in, std::size_t count)
{
    const auto bytes = in.take(count * sizeof(T));
    const std::size_t before = to.size();
    to.resize(before + count);
    if (count > 0)
        std::memcpy(to.data() + before, bytes.data(), bytes.size());
}

/// Takes the entries, `each` values long, in another order.
template <class T>
void reorder(std::vector<T>& values, std::span<const std::size_t> order, std::size_t each = 1)
{
    std::vector<T> sorted;
    sorted.reserve(order.size() * each);
    for (const std::size_t i : order)
        sorted.insert(sorted.end(), values.begin() + static_cast<std::ptrdiff_t>(i * each),
                      values.begin() + static_cast<std::ptrdiff_t>((i + 1) * each));
    values = std::move(sorted);
}

BlockCoordinate blockAt(const std::vector<std::int32_t>& blocks, std::size_t i)
{
    return {blocks[3 * i], blocks[3 * i + 1], blocks[3 * i + 2]};
}

/// Calls f(array, values per block) for everything that a request says of its blocks.
template <class Request, class Function>
void forArrays(Request& request, const Function& f)
{
    f(request.block, 3);
    f(request.maxSpeed, 1);
    f(request.restTime, 1);
    f(request.pushKnown, 1);
    f(request.pushSpeed, 1);
    f(request.soundSpeed, 1);
    f(request.liquidShare, 1);
    f(request.cells, 1);
    f(request.state, 1);
}

template <class T>
void putAll(BytesOut& out, const std::vector<T>& values)
{
    if (!values.empty())
        out.put(values.data(), values.size() * sizeof(T));
}

} // namespace

bool anywhere(const Ranks* ranks, bool here)
{
    if (!ranks)
        return here;
    std::int64_t bits[] = {here ? 1 : 0};
    ranks->reduce(FLOE_RANKS_OR, std::span<std::int64_t>(bits));
    return bits[0] != 0;
}

std::optional<std::uint16_t> firstMaterial(const Ranks* ranks, std::optional<std::uint16_t> own)
{
    if (!ranks)
        return own;
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    std::int64_t first[] = {own ? *own : kNone};
    ranks->reduce(FLOE_RANKS_MIN, std::span<std::int64_t>(first));
    return first[0] == kNone ? std::nullopt : std::optional(static_cast<std::uint16_t>(first[0]));
}

ActivationRequest ofAllRanks(const Ranks* ranks, ActivationRequest own)
{
    if (!ranks)
        return own;
    BytesOut out;
    out.put(static_cast<std::uint64_t>(own.state.size()));
    forArrays(own, [&](const auto& values, std::size_t) { putAll(out, values); });
    ActivationRequest all;
    for (const auto& bytes : ranks->share(out.bytes)) {
        BytesIn in(bytes);
        const auto count = static_cast<std::size_t>(in.get<std::uint64_t>());
        forArrays(all, [&](auto& values, std::size_t each) { append(values, in, count * each); });
    }
    std::vector<std::uint64_t> place(all.state.size());
    for (std::size_t i = 0; i < place.size(); ++i)
        place[i] = mortonOrder(blockAt(all.block, i));
    std::vector<std::size_t> order(place.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return place[a] < place[b]; });
    forArrays(all, [&](auto& values, std::size_t each) { reorder(values, order, each); });
    return all;
}

SpeedField ofAllRanks(const Ranks* ranks, SpeedField own)
{
    if (!ranks)
        return own;
    BytesOut out;
    out.put(static_cast<std::uint64_t>(own.block.size() / 3));
    putAll(out, own.block);
    putAll(out, own.speed);
    SpeedField all;
    for (const auto& bytes : ranks->share(out.bytes)) {
        BytesIn in(bytes);
        const auto count = static_cast<std::size_t>(in.get<std::uint64_t>());
        append(all.block, in, 3 * count);
        append(all.speed, in, kBlockNodes * count);
    }
    std::vector<std::size_t> order(all.block.size() / 3);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return blockAt(all.block, a) < blockAt(all.block, b);
    });
    order.erase(std::unique(order.begin(), order.end(),
                            [&](std::size_t a, std::size_t b) {
                                return blockAt(all.block, a) == blockAt(all.block, b);
                            }),
                order.end());
    reorder(all.block, order, 3);
    reorder(all.speed, order, kBlockNodes);
    return all;
}

Numbering numberTogether(const Ranks& ranks, std::span<const std::uint64_t> places)
{
    struct Group {
        std::uint64_t name, count;
    };
    const auto groupOf = [](std::uint64_t place) {
        return place >> 32;
    };
    std::vector<Group> own;
    for (const std::uint64_t place : places) {
        if (own.empty() || own.back().name != groupOf(place))
            own.push_back({groupOf(place), 0});
        ++own.back().count;
    }
    BytesOut counts;
    putAll(counts, own);
    std::vector<Group> all;
    for (const auto& bytes : ranks.share(counts.bytes)) {
        BytesIn in(bytes);
        append(all, in, bytes.size() / sizeof(Group));
    }
    std::sort(all.begin(), all.end(),
              [](const Group& a, const Group& b) { return a.name < b.name; });

    Numbering numbering;
    std::vector<std::uint64_t> first; // of each own group
    std::vector<std::uint64_t> told;  // places in groups that several have
    std::size_t mine = 0, at = 0;     // groups and particles of this rank
    for (std::size_t i = 0; i < all.size();) {
        const std::uint64_t name = all[i].name, before = numbering.total;
        const std::size_t begin = i;
        for (; i < all.size() && all[i].name == name; ++i)
            numbering.total += all[i].count;
        if (mine == own.size() || own[mine].name != name)
            continue;
        first.push_back(before);
        if (i - begin > 1)
            told.insert(told.end(), places.begin() + static_cast<std::ptrdiff_t>(at),
                        places.begin() + static_cast<std::ptrdiff_t>(at + own[mine].count));
        at += own[mine++].count;
    }
    BytesOut out;
    putAll(out, told);
    const auto lists = ranks.share(out.bytes);
    std::vector<std::uint64_t> others;
    for (std::size_t rank = 0; rank < lists.size(); ++rank)
        if (rank != static_cast<std::size_t>(ranks.rank())) {
            BytesIn in(lists[rank]);
            append(others, in, lists[rank].size() / sizeof(std::uint64_t));
        }
    std::sort(others.begin(), others.end());

    numbering.number.reserve(places.size());
    std::size_t i = 0, other = 0;
    for (std::size_t g = 0; g < own.size(); ++g) {
        while (other < others.size() && groupOf(others[other]) < own[g].name)
            ++other;
        std::uint64_t number = first[g];
        for (const std::size_t end = i + own[g].count; i < end; ++i) {
            for (; other < others.size() && others[other] < places[i]; ++other)
                ++number;
            numbering.number.push_back(number++);
        }
    }
    return numbering;
}

} // namespace floe::mpm
