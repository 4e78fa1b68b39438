#include "nodes.hpp"

#include "output_file.hpp"

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
        context.statistic("particles written",
                          static_cast<double>(sdk::Value::share(value).particleCount()));
        return files().write_particles(context.raw(), path, value);
    });
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
