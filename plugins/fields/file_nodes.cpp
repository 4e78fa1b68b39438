#include "nodes.hpp"

#include "floe/sdk/file_pattern.hpp"
#include "floe/sdk/file_sequence.hpp"
#include "floe/sdk/io.h"
#include "floe/sdk/level_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace floe::fields {

namespace {

/// Reads one grid and checks that it holds what `holds` names: anything, vectors or numbers.
void readVolume(sdk::Context& context, const std::string& path)
{
    if (path.empty())
        throw sdk::Failure("'path' is empty; name a VDB or NVDB file", FLOE_BAD_ARGUMENT);
    const auto& io = context.extension<floe_io>(FLOE_IO_EXTENSION);
    floe_value* read = nullptr;
    sdk::Context::require(
        io.read_volume(context.raw(), path.c_str(), context.string("grid").c_str(), &read));
    const sdk::Value volume = sdk::Value::own(read);
    const std::string holds = context.string("holds");
    const bool vectors = sdk::VectorField(volume.volume()).valid();
    if (holds != "anything" && vectors != (holds == "vectors"))
        throw sdk::Failure("the grid read from '" + path + "' holds " +
                               (vectors ? "vectors" : "numbers") + ", and 'holds' asks for " +
                               holds + "; name another with 'grid'",
                           FLOE_WRONG_KIND);
    context.setOutput("volume", volume);
}

} // namespace

void FileNode::cook(sdk::Context& context)
{
    readVolume(context, context.string("path"));
}

void SequenceNode::cook(sdk::Context& context)
{
    readVolume(context,
               sdk::numberedPath(context.string("path"), sdk::sequenceFile(context).number));
}

} // namespace floe::fields
