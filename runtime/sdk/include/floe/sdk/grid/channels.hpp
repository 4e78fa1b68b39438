/// Typed channels over blocks: the values kept per cell or node and their layout in memory.
///
/// A grid is declared once, as a list of channels and a lane count:
///
///     struct Momentum;
///     struct Mass;
///     using Nodes = Channels<kArrayOfStructs, Channel<Momentum, float, 3>, Channel<Mass, float>>;
///
/// and accessed the same way on the host and in kernels, whatever the layout:
///
///     const Block<Nodes> nodes(memory, block);          // of memory for many blocks
///     nodes.at<Momentum>(cell, axis) += impulse;
///
/// Offsets are compile-time constants: an access is an addition and a load. The caller owns the
/// memory: bytes, floats or device memory, aligned to Nodes::kAlignment.
#pragma once

#include "floe/sdk/grid/block.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace floe::sdk::grid {

/// `kCount` numbers per cell, named by the type `Tag`, which may be incomplete.
template <class Tag, class T, int kCount = 1>
struct Channel {
    static_assert(std::is_trivially_copyable_v<T> && kCount > 0);
    using Name = Tag;
    using Element = T;
    static constexpr int kComponents = kCount;
};

/// Lanes per group: the cells of a block lie in groups, and within a group each component of each
/// channel is an array over the lanes. With 1 all values of a cell lie together; with all cells of
/// a block each component is one array; between the two, a group fits a vector register of that
/// width.
inline constexpr int kArrayOfStructs = 1;
inline constexpr int kStructOfArrays = kBlockNodes;

template <int kLanes, class... List>
class Channels {
    static_assert(kLanes > 0 && kBlockNodes % kLanes == 0, "a block is a whole number of groups");
    static_assert(sizeof...(List) > 0);

    static constexpr std::size_t roundUp(std::size_t bytes, std::size_t to)
    {
        return (bytes + to - 1) / to * to;
    }
    /// Byte offset of a channel within a group; for an unknown name, the size of a group.
    template <class Tag>
    static constexpr std::size_t findStart()
    {
        std::size_t at = 0;
        bool found = false;
        const auto pass = [&](auto channel) {
            using C = decltype(channel);
            found = found || std::is_same_v<typename C::Name, Tag>;
            if (!found)
                at += sizeof(typename C::Element) * C::kComponents * kLanes;
        };
        // Aligns each channel for its element type.
        ((found ? void() : void(at = roundUp(at, alignof(typename List::Element))), pass(List{})),
         ...);
        return at;
    }
    template <class Tag>
    static constexpr int countOf()
    {
        return (0 + ... + (std::is_same_v<typename List::Name, Tag> ? 1 : 0));
    }
    static_assert(((countOf<typename List::Name>() == 1) && ...), "each channel has its own name");

    template <class Tag>
    struct Find {
        static_assert(countOf<Tag>() == 1, "the grid has no channel of this name");
        template <class Head, class... Tail>
        static auto pick()
        {
            if constexpr (std::is_same_v<typename Head::Name, Tag>)
                return Head{};
            else
                return pick<Tail...>();
        }
        using Type = decltype(pick<List...>());
    };
    struct None;
    template <class Tag>
    static constexpr std::size_t kStart = findStart<Tag>();

public:
    template <class Tag>
    using Element = typename Find<Tag>::Type::Element;
    template <class Tag>
    static constexpr int kComponents = Find<Tag>::Type::kComponents;

    static constexpr std::size_t kAlignment = [] {
        std::size_t most = 1;
        ((most = alignof(typename List::Element) > most ? alignof(typename List::Element) : most),
         ...);
        return most;
    }();
    /// Size of a group of lanes, and of a block.
    static constexpr std::size_t kGroupBytes = roundUp(findStart<None>(), kAlignment);
    static constexpr std::size_t kBytes = kBlockNodes / kLanes * kGroupBytes;

    /// Returns the byte offset of a number from the start of its block.
    template <class Tag>
    static FLOE_HD constexpr std::size_t offset(int cell, int component = 0)
    {
        const auto group = static_cast<unsigned>(cell) / unsigned{kLanes};
        const auto lane = static_cast<unsigned>(cell) % unsigned{kLanes};
        return group * kGroupBytes + kStart<Tag> +
               (static_cast<unsigned>(component) * unsigned{kLanes} + lane) * sizeof(Element<Tag>);
    }
};

/// One block of a grid. Does not own its memory.
/// @tparam Grid  a Channels, const where the block is only read
template <class Grid>
class Block {
    using Byte = std::conditional_t<std::is_const_v<Grid>, const unsigned char, unsigned char>;
    using Memory = std::conditional_t<std::is_const_v<Grid>, const void, void>;
    template <class Tag>
    using Element =
        std::conditional_t<std::is_const_v<Grid>, const typename Grid::template Element<Tag>,
                           typename Grid::template Element<Tag>>;

public:
    /// Refers to no block.
    Block() = default;
    /// @param memory  of all blocks, contiguous
    FLOE_HD explicit Block(Memory* memory, std::size_t index = 0)
        : memory_(static_cast<Byte*>(memory) + index * Grid::kBytes)
    {}

    /// Converts to a read-only block.
    template <class Other>
    requires std::is_same_v<const Other, Grid> FLOE_HD Block(const Block<Other>& other)
        : memory_(other.memory_)
    {}
    FLOE_HD explicit operator bool() const { return memory_ != nullptr; }

    template <class Tag>
    FLOE_HD Element<Tag>& at(int cell, int component = 0) const
    {
        return *reinterpret_cast<Element<Tag>*>(memory_ +
                                                Grid::template offset<Tag>(cell, component));
    }

private:
    template <class>
    friend class Block;
    Byte* memory_ = nullptr;
};

/// Blocks of a grid in host memory, numbered in the order in which they are added.
template <class Grid>
class BlockStorage {
    static_assert(Grid::kAlignment <= alignof(std::max_align_t));

public:
    std::size_t size() const { return bytes_.size() / Grid::kBytes; }
    void clear() { bytes_.clear(); }
    /// Adds a zeroed block.
    void add() { resize(size() + 1); }
    /// Sets the number of blocks; new ones are zeroed.
    void resize(std::size_t count) { bytes_.resize(count * Grid::kBytes); }
    Block<Grid> operator[](std::size_t index) { return Block<Grid>(bytes_.data(), index); }
    Block<const Grid> operator[](std::size_t index) const
    {
        return Block<const Grid>(bytes_.data(), index);
    }

private:
    std::vector<unsigned char> bytes_;
};

} // namespace floe::sdk::grid
