#include "pressure_maps.hpp"
#include "pressure_nodes.hpp"

#include "floe/sdk/npz.hpp"
#include "floe/sdk/output_file.hpp"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace floe::coupled {

namespace {

/// Writes each step's system and solution into a file of its own.
struct Recorder {
    std::string folder; ///< relative to the run's output folder
    std::uint64_t every = 1, most = 1;

    static floe_status solved(void* self, const floe_context* context,
                              const floe_pressure_request* request, const double* x)
    {
        return sdk::detail::guarded(context, [&] {
            const auto& recorder = *static_cast<const Recorder*>(self);
            if (request->step % recorder.every == 0 &&
                request->step / recorder.every < recorder.most)
                recorder.write(*context, *request, x);
        });
    }

    void write(const floe_context& context, const floe_pressure_request& request,
               const double* x) const
    {
        const std::size_t rows = request.rows;
        const auto shortened = [&](const double* values) {
            return std::vector<float>(values, values + rows);
        };
        sdk::Npz arrays;
        arrays.add("step", std::vector<double>{static_cast<double>(request.step)}, {});
        arrays.add("frame", std::vector<double>{request.frame}, {});
        arrays.add("time", std::vector<double>{request.time}, {});
        arrays.add("dt", std::vector<double>{request.dt}, {});
        arrays.add("cellSize", std::vector<double>{request.cell_size}, {});
        arrays.add("cell", std::vector<std::int32_t>(request.cell, request.cell + 3 * rows),
                   {rows, 3});
        std::vector<std::uint8_t> kind;
        for (std::uint32_t row = 0; row < rows; ++row)
            kind.push_back(static_cast<std::uint8_t>(kindOf(request, row)));
        arrays.add("kind", kind, {rows});
        arrays.add("axis", std::vector<std::uint8_t>(request.axis, request.axis + rows), {rows});
        arrays.add("right", shortened(request.right), {rows});
        arrays.add("diagonal", shortened(request.diagonal), {rows});
        arrays.add("start", shortened(request.start), {rows});
        arrays.add("residual", shortened(request.residual), {rows});
        arrays.add("pressure", shortened(x), {rows});

        const sdk::network::BlockSet blocks = blocksOf(request);
        std::vector<std::int32_t> corners;
        for (std::size_t b = 0; b < blocks.size(); ++b)
            corners.insert(corners.end(), blocks[b].begin(), blocks[b].end());
        arrays.add("block", corners, {blocks.size(), 3});
        arrays.add("maps", mapsOf(blocks, request, x).values, {blocks.size(), 4, 4, 4, kMaps});
        char name[48];
        std::snprintf(name, sizeof name, "step.%07llu.npz",
                      static_cast<unsigned long long>(request.step));
        sdk::OutputFile file(
            (std::filesystem::path(context.output_folder) / folder / name).string());
        arrays.write([&](const void* data, std::size_t size) { file.write(data, size); });
        file.commit();
    }
};

constexpr floe_pressure_interface kTable = {sizeof(floe_pressure_interface), 0, nullptr,
                                            &Recorder::solved};

} // namespace

void RecordNode::cook(sdk::Context& context)
{
    Recorder recorder;
    recorder.folder = context.string("folder");
    recorder.every = static_cast<std::uint64_t>(context.integer("every"));
    recorder.most = static_cast<std::uint64_t>(context.integer("maximumSteps"));
    if (recorder.folder.find("..") != std::string::npos || recorder.folder.starts_with('/'))
        throw sdk::Failure("'folder' is a folder inside the run's output folder, without '..'");
    sdk::Value record = sdk::makeRecord("floe.pressure");
    record.set("model", sdk::makeInterface(FLOE_PRESSURE_INTERFACE, kTable,
                                           std::make_unique<Recorder>(std::move(recorder))));
    context.setOutput("pressure", record);
}

} // namespace floe::coupled
