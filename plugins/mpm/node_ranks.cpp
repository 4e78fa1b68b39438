#include "node_ranks.hpp"

#include <floe/sdk/grid/bisection.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace floe::mpm {

namespace {

/// @param partition  "fixed", or with the number of boxes along each axis: "fixed:2x2x1"
sdk::grid::Partitioner fixedBoxes(std::string_view partition, int ranks)
{
    const std::size_t colon = partition.find(':');
    if (colon == std::string_view::npos)
        return sdk::grid::divideEvenly;
    const auto topology = sdk::grid::topologyOf(partition.substr(colon + 1));
    if (!topology || std::int64_t{(*topology)[0]} * (*topology)[1] * (*topology)[2] != ranks)
        throw sdk::Failure("partition '" + std::string(partition) + "' is not of " +
                               std::to_string(ranks) +
                               " boxes, one for each rank; choose numbers whose product that is",
                           FLOE_BAD_ARGUMENT);
    return sdk::grid::divideEvenlyInto(*topology);
}

} // namespace

void NodeRanks::use(const sdk::Context& context)
{
    if (ranks_)
        ranks_->context = context.raw();
}

void NodeRanks::join(const sdk::Context& context)
{
    if (!ranks_) {
        const floe_host* host = context.raw()->host;
        const auto* table = static_cast<const floe_ranks*>(
            host->extension ? host->extension(FLOE_RANKS_EXTENSION) : nullptr);
        if (!table || table->size == 1)
            return;
        table_ = table;
        ranks_.emplace(*table);
        const std::string_view wanted = table->partition;
        const std::string_view partition = wanted.substr(0, wanted.find(':'));
        byParticles_ = partition == "particles";
        // Where blocks stay with their ranks, nobody asks for the time that they take.
        const bool stays = byParticles_ || partition == "fixed";
        costBy_ = stays || wanted.ends_with(":particles") ? CostBy::particles
                  : wanted.ends_with(":blocks")           ? CostBy::blocks
                                                          : CostBy::time;
        divide_ = partition == "curve"   ? sdk::grid::divideCurve
                  : partition == "boxes" ? sdk::grid::divideBoxes
                  : partition == "fixed" ? fixedBoxes(wanted, ranks_->size())
                                         : sdk::grid::divideBisection;
    }
    use(context);
    before_ = ranks_->traffic();
    if (byParticles_ && context.string("integrator") == "semiImplicit")
        throw sdk::Failure(
            "ranks that keep their particles cannot integrate semi-implicitly; "
            "choose the explicit integrator, or divide space by --partition bisection",
            FLOE_BAD_ARGUMENT);
    if (context.string("bodies") != "together")
        throw sdk::Failure(
            "several ranks move all bodies as one; let 'bodies' move together, or run on "
            "one rank",
            FLOE_BAD_ARGUMENT);
}

bool NodeRanks::inParts(const sdk::Context& context, const char* output) const
{
    return ranks_ && FLOE_HAS(table_, in_parts) && table_->in_parts &&
           table_->in_parts(table_, context.raw(), output) != 0;
}

Ownership NodeRanks::ownership() const
{
    return ranks_ ? Ownership{&*ranks_, divide_, nullptr, byParticles_, costBy_} : Ownership{};
}

void NodeRanks::report(sdk::Context& context, double seconds, std::uint64_t bytes)
{
    constexpr std::array kNames = {"processorSeconds", "waitingSeconds", "bytesSent", "messages",
                                   "reductions",       "emitted",        "bytes"};
    const floe_ranks_traffic now = ranks_->traffic();
    const auto since = [](auto later, auto earlier) {
        return static_cast<double>(later) - static_cast<double>(earlier);
    };
    const std::array<double, kNames.size()> own = {
        seconds - since(now.waiting_processor_seconds, before_.waiting_processor_seconds),
        since(now.waiting_seconds, before_.waiting_seconds),
        since(now.bytes, before_.bytes),
        since(now.messages, before_.messages),
        since(now.reductions, before_.reductions),
        static_cast<double>(given_),
        static_cast<double>(bytes)};
    const auto size = static_cast<std::size_t>(ranks_->size());
    std::vector<double> all(own.size() * size);
    std::copy(own.begin(), own.end(),
              all.data() + own.size() * static_cast<std::size_t>(ranks_->rank()));
    ranks_->reduce(FLOE_RANKS_SUM, std::span<double>(all)); // the others have 0 there
    double sum = 0, most = 0;
    for (std::size_t rank = 0; rank < size; ++rank) {
        const double* of = all.data() + own.size() * rank;
        for (std::size_t i = 0; i < own.size(); ++i)
            context.statistic(("rank" + std::to_string(rank) + "." + kNames[i]).c_str(), of[i]);
        sum += of[0];
        most = std::max(most, of[0]);
    }
    context.statistic("movedBlocks", static_cast<double>(moved_));
    context.statistic("imbalance", sum > 0 ? most * static_cast<double>(size) / sum : 1);
}

} // namespace floe::mpm
