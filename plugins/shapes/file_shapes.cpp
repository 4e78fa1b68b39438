#include "grid.hpp"
#include "nodes.hpp"

#include "floe/sdk/file_pattern.hpp"
#include "floe/sdk/io.h"

#include <cmath>
#include <cstdio>

namespace floe::shapes {

namespace {

sdk::Value readVolume(const sdk::Context& context, const std::string& path)
{
    const auto& io = context.extension<floe_io>(FLOE_IO_EXTENSION);
    floe_value* volume = nullptr;
    sdk::Context::require(
        io.read_volume(context.raw(), path.c_str(), context.string("grid").c_str(), &volume));
    return sdk::Value::own(volume);
}

void setShape(sdk::Context& context, const sdk::Value& volume)
{
    const GridRef grid = gridFromValue(volume, "path");
    const double voxelSize = context.number("voxelSize");
    if (voxelSize > 0 && voxelSize != voxelSizeOf(*grid))
        context.setOutput("shape", volumeValue(*rebuilt(context, *grid, voxelSize)));
    else
        context.setOutput("shape", volume);
    context.setOutput("mesh", meshValue(surfaceOf(*grid)));
}

} // namespace

void FileNode::cook(sdk::Context& context)
{
    setShape(context, readVolume(context, context.string("path")));
}

void SequenceNode::cook(sdk::Context& context)
{
    const double wanted = context.frame() * context.number("speed") + context.number("frameOffset");
    if (!(std::fabs(wanted) < 1e9))
        throw sdk::Failure("'speed' and 'frameOffset' lead to a file number beyond 1e9",
                           FLOE_BAD_ARGUMENT);
    auto number = static_cast<int64_t>(std::floor(wanted + 0.5));
    const int64_t first = context.integer("first"), last = context.integer("last");
    if (last >= first)
        number = number < first ? first : number > last ? last : number;
    setShape(context, readVolume(context, sdk::numberedPath(context.string("path"), number)));
}

} // namespace floe::shapes
