#include "pressure_maps.hpp"
#include "pressure_nodes.hpp"

#include "floe/sdk/network/block_weights.hpp"
#include "floe/sdk/parallel/host.hpp"

#include <dlfcn.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace floe::coupled {

namespace {

using sdk::network::BlockModel;
using sdk::network::BlockSet;
using sdk::network::BlockTensor;

/// Returns the path of the network shipped beside the plugin's library.
std::string shippedNetwork()
{
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&shippedNetwork), &info) || !info.dli_fname)
        throw sdk::Failure("cannot find the folder of the plugin 'floe.coupled'");
    const std::string library = info.dli_fname;
    return library.substr(0, library.rfind('/') + 1) + "pressure.safetensors";
}

/// What a network gives.
enum class Purpose {
    pressures, ///< kMaps pressures of the coming step, compressed
    correction ///< what the start lacks of fluid and solid pressures, relative to scaleOf()
};

/// What a network sees, by the names of its inputs.
constexpr const char* kPressures = "pressures"; ///< kMaps of the last steps, compressed
constexpr const char* kSystem = "system";       ///< kSystemChannels of the coming step
constexpr int kSystemChannels = 4; ///< residual / diagonal, relative, of fluid and solid cells; and
                                   ///< whether there is fluid and solid

struct Predictor {
    sdk::network::PreparedBlockModel network;
    Purpose purpose;
    float unit;         ///< of pressures before they are compressed [Pa]
    std::uint32_t past; ///< steps that it sees

    static floe_status guess(void* self, const floe_context* context,
                             const floe_pressure_request* request, double* x)
    {
        return sdk::detail::guarded(context, [&] {
            const sdk::Context call(context);
            sdk::parallel::HostExecutor executor;
            executor.context = &call;
            static_cast<const Predictor*>(self)->guess(*request, executor, x);
        });
    }

    /// Root mean square of residual / diagonal over cells of fluid and solid [Pa].
    static double scaleOf(const floe_pressure_request& request)
    {
        double sum = 0;
        const std::uint32_t rows = request.first[2];
        for (std::uint32_t row = 0; row < rows; ++row)
            sum += std::pow(request.residual[row] / request.diagonal[row], 2);
        return rows > 0 ? std::sqrt(sum / rows) : 0;
    }

    void guess(const floe_pressure_request& request, sdk::parallel::Executor& executor,
               double* x) const
    {
        const double scale = scaleOf(request);
        if (!(scale > 0) || !std::isfinite(scale))
            return;
        const BlockSet blocks = blocksOf(request);
        std::vector<std::vector<BlockTensor>> seen;
        for (const BlockModel::Input& input : network.inputs())
            seen.push_back(input.name == kSystem ? std::vector{systemOf(blocks, request, scale)}
                                                 : pressuresOf(blocks, request, input.steps));
        const BlockTensor result = network.evaluate(blocks, std::move(seen), executor);
        for (std::uint32_t row = 0; row < request.rows; ++row) {
            if (kindOf(request, row) == Unknown::wallPressure)
                continue;
            const MapPlace at = placeOfRow(blocks, request, row);
            if (at.map >= result.channels)
                continue;
            const double value = result.block(at.block)[at.cell * result.channels + at.map];
            x[row] =
                purpose == Purpose::pressures ? unit * expanded(value) : x[row] + scale * value;
        }
    }

    std::vector<BlockTensor> pressuresOf(const BlockSet& blocks,
                                         const floe_pressure_request& request, int steps) const
    {
        std::vector<BlockTensor> maps;
        for (int step = steps; step-- > 0;) {
            maps.push_back(mapsOf(blocks, request.past[step]));
            for (float& value : maps.back().values)
                value = compressed(value / unit);
        }
        return maps;
    }

    static BlockTensor systemOf(const BlockSet& blocks, const floe_pressure_request& request,
                                double scale)
    {
        BlockTensor system(blocks, sdk::grid::kBlockEdge, kSystemChannels);
        for (std::uint32_t row = 0; row < request.first[2]; ++row) {
            const MapPlace at = placeOfRow(blocks, request, row);
            float* to = system.block(at.block) + at.cell * kSystemChannels;
            to[at.map] = static_cast<float>(request.residual[row] / request.diagonal[row] / scale);
            to[2 + at.map] = 1;
        }
        return system;
    }
};

/// By the number of past steps that are needed.
constexpr auto kTables = [] {
    std::array<floe_pressure_interface, FLOE_PRESSURE_MAX_PAST + 1> tables{};
    for (std::uint32_t past = 0; past < tables.size(); ++past)
        tables[past] = {sizeof(floe_pressure_interface), past, &Predictor::guess, nullptr};
    return tables;
}();
static_assert(BlockModel::kMaxSteps <= FLOE_PRESSURE_MAX_PAST);

/// Loads a network and checks that it is one for pressures.
std::unique_ptr<Predictor> predictorOf(const std::string& path)
{
    const sdk::network::BlockNetworkFile file = sdk::network::loadBlockNetwork(path);
    const auto refuse = [&](const std::string& why) {
        throw sdk::Failure("'" + path + "' is not a network for pressures: " + why,
                           FLOE_BAD_ARGUMENT);
    };
    const std::string purpose = file.about.contains("purpose") && file.about["purpose"].is_string()
                                    ? file.about["purpose"].get<std::string>()
                                    : "";
    if (purpose != "pressures" && purpose != "correction")
        refuse("its 'purpose' must be pressures or correction");
    float unit = 1;
    if (file.about.contains("unit") && file.about["unit"].is_number())
        unit = file.about["unit"].get<float>();
    if (!(unit > 0) || !std::isfinite(unit))
        refuse("its 'unit' of pressures must be above 0 Pa");
    auto predictor = std::make_unique<Predictor>(
        Predictor{sdk::network::PreparedBlockModel(file.model, path),
                  purpose == "pressures" ? Purpose::pressures : Purpose::correction, unit, 0});
    for (const BlockModel::Input& input : file.model.inputs) {
        const bool system = input.name == kSystem;
        if (!system && input.name != kPressures)
            refuse("it has an input '" + input.name + "'; known are pressures and system");
        if (input.channels != (system ? kSystemChannels : kMaps) || (system && input.steps != 1))
            refuse("its input '" + input.name + "' has another number of channels or steps");
        if (!system)
            predictor->past = static_cast<std::uint32_t>(input.steps);
    }
    const int wanted = purpose == "pressures" ? kMaps : 2;
    if (predictor->network.resultChannels() != wanted)
        refuse("its last layer must have " + std::to_string(wanted) + " channels");
    return predictor;
}

} // namespace

void PredictorNode::cook(sdk::Context& context)
{
    const std::string path = context.string("network");
    sdk::Value record = sdk::makeRecord("floe.pressure");
    auto predictor = predictorOf(path.empty() ? shippedNetwork() : path);
    const floe_pressure_interface& table = kTables[predictor->past];
    record.set("model", sdk::makeInterface(FLOE_PRESSURE_INTERFACE, table, std::move(predictor)));
    context.setOutput("pressure", record);
}

} // namespace floe::coupled
