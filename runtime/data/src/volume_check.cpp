#include "floe/base/error.hpp"
#include "floe/data/volume.hpp"
#include "grid_header.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nanovdb/NanoVDB.h>

namespace floe {

namespace {

[[noreturn]] void refuse(const std::string& why)
{
    throw InputError({}, "not a usable NanoVDB grid: " + why);
}

bool isFinite(const double* numbers, int count)
{
    for (int i = 0; i < count; ++i)
        if (!std::isfinite(numbers[i]))
            return false;
    return true;
}

/// Follows every offset of one grid's tree before anything reads through it.
template <class ValueT>
class TreeCheck {
public:
    using Tree = nanovdb::NanoTree<ValueT>;
    using Root = typename Tree::RootType;
    using Upper = nanovdb::NanoUpper<ValueT>;
    using Lower = nanovdb::NanoLower<ValueT>;
    using Leaf = nanovdb::NanoLeaf<ValueT>;

    explicit TreeCheck(std::span<const std::byte> grid) : grid_(grid) {}

    void run(VolumeInfo& info)
    {
        constexpr std::uint64_t kTree = sizeof(nanovdb::GridData);
        if (grid_.size() < kTree + sizeof(nanovdb::TreeData<3>))
            refuse("it is cut off");
        const auto& tree = at<nanovdb::TreeData<3>>(kTree);
        const std::uint64_t root =
            offset(kTree, tree.mNodeOffset[3], sizeof(typename Root::DataType));
        // The arrays of nodes; readers may walk them linearly.
        const std::uint64_t sizes[3] = {sizeof(Leaf), sizeof(Lower), sizeof(Upper)};
        for (int level = 0; level < 3; ++level) {
            const std::uint64_t count = tree.mNodeCount[level];
            if (count > grid_.size() / sizes[level])
                refuse("it says it has more nodes than fit into it");
            if (count > 0)
                offset(kTree, tree.mNodeOffset[level], count * sizes[level]);
        }

        const auto& data = at<typename Root::DataType>(root);
        const std::uint64_t tiles = data.mTableSize;
        using Tile = typename Root::DataType::Tile;
        const std::uint64_t table = root + sizeof(typename Root::DataType);
        if (tiles > (grid_.size() - table) / sizeof(Tile))
            refuse("its root table is cut off");
        // Each node is reached once at most in a tree; more visits than nodes fit is a knot.
        budget_ = grid_.size() / sizeof(Leaf) + 1;
        for (std::uint64_t i = 0; i < tiles; ++i) {
            const auto& tile = at<Tile>(table + i * sizeof(Tile));
            if (tile.child != 0)
                checkUpper(child<Upper>(root, tile.child));
        }

        info.activeVoxels = tree.mVoxelCount;
        const auto& box = data.mBBox;
        bool some = tree.mVoxelCount > 0;
        for (int axis = 0; axis < 3; ++axis) {
            info.indexBounds[axis] = box[0][axis];
            info.indexBounds[axis + 3] = box[1][axis];
            some = some && box[0][axis] <= box[1][axis];
        }
        if (!some) {
            info.indexBounds = {};
            info.activeVoxels = 0;
        }
    }

private:
    template <class T>
    const T& at(std::uint64_t place) const
    {
        return *reinterpret_cast<const T*>(grid_.data() + place);
    }

    /// base + step, where `size` bytes must lie, aligned.
    std::uint64_t offset(std::uint64_t base, std::uint64_t step, std::uint64_t size) const
    {
        const std::uint64_t place = base + step; // wraps around for steps backwards, as meant
        if (place < sizeof(nanovdb::GridData) || place > grid_.size() ||
            size > grid_.size() - place)
            refuse("a node lies outside it");
        if (place % NANOVDB_DATA_ALIGNMENT != 0)
            refuse("a node is not aligned");
        return place;
    }

    template <class Node>
    std::uint64_t child(std::uint64_t parent, std::int64_t step)
    {
        if (budget_-- == 0)
            refuse("its nodes do not form a tree");
        return offset(parent, static_cast<std::uint64_t>(step), sizeof(Node));
    }

    void checkUpper(std::uint64_t place)
    {
        const auto& node = at<typename Upper::DataType>(place);
        for (auto n = node.mChildMask.beginOn(); n; ++n)
            checkLower(child<Lower>(place, node.mTable[*n].child));
    }
    void checkLower(std::uint64_t place)
    {
        const auto& node = at<typename Lower::DataType>(place);
        for (auto n = node.mChildMask.beginOn(); n; ++n)
            child<Leaf>(place, node.mTable[*n].child);
    }

    std::span<const std::byte> grid_;
    std::uint64_t budget_ = 0;
};

void checkMap(const nanovdb::GridData& grid)
{
    const nanovdb::Map& map = grid.mMap;
    if (!isFinite(map.mMatD, 9) || !isFinite(map.mInvMatD, 9) || !isFinite(map.mVecD, 3))
        refuse("its transform is not finite");
    for (int i = 0; i < 9; ++i)
        if (!std::isfinite(map.mMatF[i]) || !std::isfinite(map.mInvMatF[i]))
            refuse("its transform is not finite");
    for (int i = 0; i < 3; ++i)
        if (!std::isfinite(map.mVecF[i]))
            refuse("its transform is not finite");
    const double* m = map.mMatD;
    const double determinant = m[0] * (m[4] * m[8] - m[5] * m[7]) -
                               m[1] * (m[3] * m[8] - m[5] * m[6]) +
                               m[2] * (m[3] * m[7] - m[4] * m[6]);
    if (!(std::abs(determinant) > 0))
        refuse("its transform is flat");
    for (int axis = 0; axis < 3; ++axis)
        if (!std::isfinite(grid.mVoxelSize[axis]) || !(grid.mVoxelSize[axis] > 0))
            refuse("its voxel size is not positive");
}

} // namespace

void checkGridHeader(std::span<const std::byte> bytes)
{
    if (bytes.size() < sizeof(nanovdb::GridData))
        refuse("it is cut off");
    alignas(nanovdb::GridData) std::byte copy[sizeof(nanovdb::GridData)];
    std::memcpy(copy, bytes.data(), sizeof copy);
    const auto& grid = *reinterpret_cast<const nanovdb::GridData*>(copy);
    if (grid.mMagic != NANOVDB_MAGIC_NUMBER)
        refuse("it does not begin as one");
    if (grid.mVersion.getMajor() != NANOVDB_MAJOR_VERSION_NUMBER)
        refuse("it is of version " + std::to_string(grid.mVersion.getMajor()) + ", expected " +
               std::to_string(NANOVDB_MAJOR_VERSION_NUMBER));
    if (grid.mGridSize != bytes.size())
        refuse("it says it is " + std::to_string(grid.mGridSize) + " bytes long but has " +
               std::to_string(bytes.size()));
}

VolumeInfo checkGrid(std::span<const std::byte> bytes)
{
    checkGridHeader(bytes);
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % NANOVDB_DATA_ALIGNMENT != 0)
        refuse("its memory is not aligned to 32 bytes");
    const auto& grid = *reinterpret_cast<const nanovdb::GridData*>(bytes.data());
    if (grid.mBlindMetadataCount != 0 &&
        (grid.mBlindMetadataOffset < 0 ||
         static_cast<std::uint64_t>(grid.mBlindMetadataOffset) > bytes.size() ||
         grid.mBlindMetadataCount >
             (bytes.size() - static_cast<std::uint64_t>(grid.mBlindMetadataOffset)) /
                 sizeof(nanovdb::GridBlindMetaData)))
        refuse("its extra data lies outside it");
    checkMap(grid);

    VolumeInfo info;
    info.isLevelSet = grid.mGridClass == nanovdb::GridClass::LevelSet;
    info.voxelSize = grid.mVoxelSize[0];
    info.name.assign(grid.mGridName, ::strnlen(grid.mGridName, nanovdb::GridData::MaxNameSize));
    if (grid.mGridType == nanovdb::GridType::Float) {
        TreeCheck<float>(bytes).run(info);
    } else if (grid.mGridType == nanovdb::GridType::Vec3f) {
        info.isVector = true;
        TreeCheck<nanovdb::Vec3f>(bytes).run(info);
    } else {
        refuse("it holds neither float nor Vec3f but type " +
               std::to_string(static_cast<std::uint32_t>(grid.mGridType)));
    }
    if (info.activeVoxels > 0) {
        // Of the index bounds, not grid.mWorldBBox, which not every writer fills.
        for (int corner = 0; corner < 8; ++corner) {
            nanovdb::Vec3d index;
            for (int axis = 0; axis < 3; ++axis)
                index[axis] =
                    corner >> axis & 1 ? info.indexBounds[axis + 3] : info.indexBounds[axis];
            const nanovdb::Vec3d world = grid.mMap.applyMap(index);
            for (int axis = 0; axis < 3; ++axis) {
                double& low = info.worldBounds[axis];
                double& high = info.worldBounds[axis + 3];
                low = corner == 0 ? world[axis] : std::min(low, world[axis]);
                high = corner == 0 ? world[axis] : std::max(high, world[axis]);
            }
        }
    }
    return info;
}

} // namespace floe
