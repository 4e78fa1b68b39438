#pragma once

#include "floe/data/value.hpp"
#include "floe/graph/flat_graph.hpp"
#include "floe/plugin/node_instance.hpp"
#include "floe/session/run_services.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace floe::session {

/// One call of a node of a graph: answers its requests, keeps its outputs.
class NodeCall final : public plugin::Environment {
public:
    NodeCall(RunServices& services, const graph::FlatGraph& graph, std::size_t node, int frame,
             bool start, Inputs inputs = {});

    plugin::CookContext& context() { return context_; }
    std::map<std::string, ValueRef> takeOutputs() { return std::move(outputs_); }
    std::map<std::string, double> takeStatistics() { return std::move(statistics_); }

    // plugin::Environment
    std::optional<plugin::Parameter> parameter(std::string_view name, double frame) override;
    std::span<const ValueRef> inputs(std::string_view socket) override;
    bool setOutput(std::string_view socket, ValueRef value) override;
    bool inParts(std::string_view output) override;
    bool cancelled() override { return services_.cancelled(); }
    bool mayBeCancelled() override;
    void progress(double fraction) override;
    void message(std::int32_t level, const std::string& text) override;
    void statistic(const std::string& name, double value) override;

private:
    const graph::FlatNode& node() const { return graph_.nodes[index_]; }
    /// Copies particles to host memory when a node without CUDA support first reads them.
    void fetch(std::size_t input);

    RunServices& services_;
    const graph::FlatGraph& graph_;
    std::size_t index_;
    int frame_;
    Inputs inputs_;
    std::vector<bool> fetched_; ///< of inputs_
    std::map<std::string, ValueRef> outputs_;
    static constexpr std::size_t kMaxStatistics = 4096; ///< names in one frame
    std::map<std::string, double> statistics_;
    bool tooMany_ = false; ///< and it was said
    std::mutex mutex_;
    plugin::CookContext context_;
};

} // namespace floe::session
