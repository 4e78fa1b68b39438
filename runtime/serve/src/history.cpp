#include "history.hpp"

#include "floe/base/error.hpp"
#include "floe/session/evaluator.hpp"
#include "floe/session/quiet_services.hpp"

#include <algorithm>
#include <cstdint>

namespace floe::serve {

ExpectedHistory::ExpectedHistory(graph::FlatGraph graph, session::Library& library,
                                 const std::string& deviceId, std::optional<Join> join)
    : graph_(std::move(graph)), services_(std::make_unique<session::QuietServices>(deviceId)),
      first_(join ? join->frame + 1 : graph_.range.start), known_(first_ - 1)
{
    std::vector<std::size_t> targets;
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
        if (graph_.nodes[node].type->role == graph::Role::Solver)
            targets.push_back(node);
    evaluator_ =
        std::make_unique<session::Evaluator>(graph_, library, *services_, std::move(targets));
    if (join)
        for (const std::size_t node : evaluator_->solvers())
            if (const auto found = join->history.find(graph_.nodes[node].name);
                found != join->history.end())
                evaluator_->assumeHistory(node, found->second);
}

ExpectedHistory::~ExpectedHistory() = default;

std::map<std::string, std::map<int, bool>> ExpectedHistory::kept()
{
    using OnDisk = session::Evaluator::OnDisk;
    std::map<std::string, std::map<int, bool>> states;
    if (evaluator_->keepers().empty())
        return states;
    at(graph_.range.end);
    for (const std::size_t keeper : evaluator_->keepers()) {
        std::map<int, bool>& frames = states[graph_.nodes[keeper].name];
        for (int frame = graph_.range.start; frame <= std::min(graph_.range.end, known_); ++frame)
            if (const OnDisk found = evaluator_->onDisk(keeper, frame); found != OnDisk::Nothing)
                frames[frame] = found == OnDisk::Fresh;
    }
    return states;
}

const FrameHistory& ExpectedHistory::at(int frame)
{
    static const FrameHistory kNone;
    if (frame < first_ || evaluator_->solvers().empty() || std::int64_t(frame) - known_ > kMaxAhead)
        return kNone;
    try {
        while (known_ < frame && !broken_) {
            ++known_;
            evaluator_->skip(known_, known_ == graph_.range.start);
            FrameHistory& history = histories_[known_];
            for (const std::size_t node : evaluator_->solvers())
                history[graph_.nodes[node].name] = evaluator_->slot(node).hash;
        }
    } catch (const Error&) { // an expression without a value: unknown from here on
        broken_ = true;
        histories_.erase(known_);
    }
    const auto found = histories_.find(frame);
    return found == histories_.end() ? kNone : found->second;
}

} // namespace floe::serve
