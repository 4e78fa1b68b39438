#include "pairs.hpp"

#include "bvh.hpp"
#include "sorted_grid.hpp"

#include <algorithm>

namespace floe::pbd {

namespace {

/// Pairs of each sphere, gathered chunk by chunk and then put in order by their first.
template <class Finder>
std::vector<Pair> gather(const Finder& finder, sdk::parallel::Executor& executor)
{
    constexpr std::size_t kChunk = 256;
    const std::size_t count = finder.size(), chunks = (count + kChunk - 1) / kChunk;
    std::vector<std::vector<Pair>> found(chunks);
    executor.parallelFor(chunks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t chunk = begin; chunk < end; ++chunk)
            for (std::size_t i = chunk * kChunk; i < std::min(count, (chunk + 1) * kChunk); ++i)
                finder.findAbove(i, found[chunk]);
    });
    std::vector<std::size_t> start(count + 1);
    for (const auto& some : found)
        for (const Pair& pair : some)
            ++start[pair.first + 1];
    for (std::size_t i = 0; i < count; ++i)
        start[i + 1] += start[i];
    std::vector<Pair> pairs(start[count]);
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    for (const auto& some : found)
        for (const Pair& pair : some)
            pairs[next[pair.first]++] = pair;
    executor.parallelFor(count, 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(start[i]),
                      pairs.begin() + static_cast<std::ptrdiff_t>(start[i + 1]));
    });
    return pairs;
}

} // namespace

std::vector<Pair> findPairs(const Spheres& spheres, Search search,
                            sdk::parallel::Executor& executor)
{
    if (spheres.center.size() < 2)
        return {};
    if (search == Search::automatic) {
        const auto [smallest, largest] =
            std::minmax_element(spheres.radius.begin(), spheres.radius.end());
        search = *largest > kGridRatio * *smallest ? Search::tree : Search::grid;
    }
    if (search == Search::tree)
        return gather(Bvh(spheres, executor), executor);
    return gather(SortedGrid(spheres, executor), executor);
}

} // namespace floe::pbd
