#include "nodes.hpp"

#include "output_file.hpp"
#include "part_files.hpp"

namespace floe::output {

namespace {

/// Passes the value on socket `name` to `write` when there is one and the frame is due.
template <class Write>
void exportInput(sdk::Context& context, const char* name, const Write& write)
{
    const sdk::Value value = context.input(name);
    if (!value || !isDue(context))
        return;
    sdk::Context::require(write(fileAtFrame(context).c_str(), value.get()));
}

} // namespace

void Export::finish(sdk::Context& context)
{
    static_cast<void>(writtenFiles(context));
}

void ExportParticles::cook(sdk::Context& context)
{
    exportInput(context, "particles", [&](const char* path, const floe_value* value) {
        const sdk::Value particles = sdk::Value::share(value);
        context.statistic("particles written", static_cast<double>(particles.particleCount()));
        if (context.boolean("parts")) {
            writePart(context, path, particles);
            return floe_status{FLOE_OK};
        }
        return files().write_particles(context.raw(), path, value);
    });
}

void ExportParticles::finish(sdk::Context& context)
{
    if (!context.boolean("parts")) {
        Export::finish(context);
        return;
    }
    if (PartWriters().rank > 0)
        return;
    removeReceipts(fileAtFrame(context));
    requireWritten(context, filesInParts); // of other numbers of ranks, too
}

void ExportMesh::cook(sdk::Context& context)
{
    exportInput(context, "mesh", [&](const char* path, const floe_value* value) {
        return files().write_mesh(context.raw(), path, value);
    });
}

void ExportVolume::cook(sdk::Context& context)
{
    exportInput(context, "volume", [&](const char* path, const floe_value* value) {
        return files().write_volume(context.raw(), path, context.string("grid").c_str(), value);
    });
}

} // namespace floe::output
