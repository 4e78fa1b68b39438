#include "expansion.hpp"
#include "exclusions.hpp"

#include "floe/graph/check.hpp"

#include "floe/graph/text.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <set>

namespace floe::graph {

FlatGraph Expansion::run()
{
    expand(document_.root(), "", {});
    connect();
    bindReferences();
    orderSlots();
    const std::vector<std::size_t> sorted = order();
    removeBypassed(sorted);
    bindAutomatic(sorted);
    bindKept();
    checkRequired();
    checkShifts();
    return finish(sorted);
}

FaultSink Expansion::sinkFor(std::size_t draft) const
{
    return {faults_, drafts_[draft].document->path, compiled_->names[draft],
            drafts_[draft].node->type};
}

std::uint32_t Expansion::folderIndex(const std::string& folder)
{
    const auto [entry, fresh] =
        folderIndices_.emplace(folder, static_cast<std::uint32_t>(compiled_->folders.size()));
    if (fresh)
        compiled_->folders.push_back(folder);
    return entry->second;
}

void Expansion::expand(const Definition& definition, const std::string& prefix,
                       const Overrides& overrides)
{
    const std::size_t scopeIndex = scopes_.size();
    scopes_.push_back({&definition, folderIndex(definition.folder), {}});
    scopes_[scopeIndex].entries.resize(definition.nodes.size());
    for (std::size_t i = 0; i < definition.nodes.size(); ++i) {
        const ResolvedNode& node = definition.nodes[i];
        if (!node.type)
            continue;
        const std::string name = prefix + node.node->name;
        if (!node.inside || node.node->bypass) {
            scopes_[scopeIndex].entries[i] = {Entry::Kind::Leaf, drafts_.size()};
            addLeaf(node, scopes_[scopeIndex], name, i, scopeIndex, overrides);
            continue;
        }
        scopes_[scopeIndex].entries[i] = {Entry::Kind::Scope, scopes_.size()};
        Overrides inner;
        for (const PromotedParameter& promoted : node.inside->graph->promote.parameters) {
            const int outer = node.type->parameterIndex(promoted.name);
            const auto target = node.inside->index.find(promoted.to.node);
            if (outer < 0 || target == node.inside->index.end())
                continue;
            const NodeType* targetType = node.inside->nodes[target->second].type;
            const int parameter = targetType ? targetType->parameterIndex(promoted.to.socket) : -1;
            if (parameter < 0)
                continue;
            Bound bound;
            const auto k = static_cast<std::size_t>(outer);
            if (const auto given = overrides.find({i, k}); given != overrides.end()) {
                bound = given->second;
            } else if (k < node.parameters.size() && node.parameters[k]) {
                bound = {node.parameters[k], scopeIndex};
            } else if (node.type != &node.inside->type) {
                // A node type made of a graph: its manifest's default holds.
                auto constant = std::make_shared<CompiledParameter>();
                constant->constant = node.type->parameters[k].defaultValue;
                bound = {constant, scopeIndex};
            } else {
                continue;
            }
            inner[{target->second, static_cast<std::size_t>(parameter)}] = bound;
        }
        expand(*node.inside, name + "/", inner);
    }
}

void Expansion::addLeaf(const ResolvedNode& node, const Scope& scope, const std::string& name,
                        std::size_t index, std::size_t scopeIndex, const Overrides& overrides)
{
    const NodeType& type = *node.type;
    Draft draft{
        &type, node.node, scope.definition->document, node.node->bypass, compiled_->slots.size(),
        {},    {}};
    draft.inputs.resize(type.inputs.size());
    draft.supplied.resize(type.inputs.size());
    for (std::size_t k = 0; k < type.parameters.size(); ++k) {
        Slot slot;
        slot.spec = &type.parameters[k];
        slot.node = drafts_.size();
        Bound bound{k < node.parameters.size() ? node.parameters[k] : nullptr, scopeIndex};
        if (const auto given = overrides.find({index, k}); given != overrides.end())
            bound = given->second;
        slot.folder = bound.value ? scopes_[bound.scope].folder : scopes_.front().folder;
        if (!bound.value) {
            slot.constant = slot.spec->defaultValue;
        } else if (bound.value->isConstant()) {
            slot.constant = bound.value->constant;
        } else {
            slot.value = bound.value;
            slot.animated = bound.value->usesTime;
            if (!bound.value->references.empty())
                pending_.emplace_back(compiled_->slots.size(), bound.scope);
        }
        if (!slot.value)
            slot.constant = compiled_->resolved(slot, std::move(slot.constant));
        compiled_->slots.push_back(std::move(slot));
    }
    compiled_->names.push_back(name);
    drafts_.push_back(std::move(draft));
}

bool Expansion::find(Side side, std::size_t scopeIndex, const Endpoint& end, Wire& wire) const
{
    const Scope& scope = scopes_[scopeIndex];
    const auto found = scope.definition->index.find(end.node);
    if (found == scope.definition->index.end())
        return false;
    const Entry entry = scope.entries[found->second];
    if (entry.kind == Entry::Kind::Leaf) {
        const NodeType& type = *drafts_[entry.index].type;
        const std::vector<Socket>& sockets = side == Side::Input ? type.inputs : type.outputs;
        const auto socket = std::ranges::find(sockets, end.socket, &Socket::name);
        if (socket == sockets.end())
            return false;
        wire = {entry.index, static_cast<std::size_t>(socket - sockets.begin())};
        return true;
    }
    if (entry.kind == Entry::Kind::Scope) {
        const Promotion& promote = scopes_[entry.index].definition->graph->promote;
        for (const PromotedSocket& promoted :
             side == Side::Input ? promote.inputs : promote.outputs)
            if (promoted.name == end.socket)
                return find(side, entry.index, promoted.to, wire);
    }
    return false;
}

void Expansion::connect()
{
    for (std::size_t s = 0; s < scopes_.size(); ++s) {
        for (const Link& link : scopes_[s].definition->graph->links) {
            Wire from{}, to{};
            if (!find(Side::Input, s, link.to, to))
                continue; // a fault of the link, reported with its graph
            if (find(Side::Output, s, link.from, from))
                drafts_[to.node].inputs[to.output].push_back(from);
            else
                drafts_[to.node].supplied[to.output] = true;
        }
    }
    // In a graph made for instancing, these come from outside.
    for (const PromotedSocket& promoted : document_.root().graph->promote.inputs) {
        Wire to{};
        if (find(Side::Input, 0, promoted.to, to))
            drafts_[to.node].supplied[to.output] = true;
    }
}

std::ptrdiff_t Expansion::findSlot(std::size_t scopeIndex, const std::string& node,
                                   const std::string& parameter) const
{
    const Scope& scope = scopes_[scopeIndex];
    const auto found = scope.definition->index.find(node);
    if (found == scope.definition->index.end())
        return -1;
    const Entry entry = scope.entries[found->second];
    if (entry.kind == Entry::Kind::Leaf) {
        const int index = drafts_[entry.index].type->parameterIndex(parameter);
        return index < 0 ? -1 : static_cast<std::ptrdiff_t>(drafts_[entry.index].firstSlot) + index;
    }
    if (entry.kind == Entry::Kind::Scope)
        for (const PromotedParameter& promoted :
             scopes_[entry.index].definition->graph->promote.parameters)
            if (promoted.name == parameter)
                return findSlot(entry.index, promoted.to.node, promoted.to.socket);
    return -1;
}

void Expansion::bindReferences()
{
    for (const auto& [index, scope] : pending_) {
        Slot& slot = compiled_->slots[index];
        for (const std::string& text : slot.value->references) {
            Reference reference;
            const std::ptrdiff_t target = parseReference(text, reference)
                                              ? findSlot(scope, reference.node, reference.parameter)
                                              : -1;
            if (target < 0) { // a fault, reported with its graph
                slot.dependencies.clear();
                break;
            }
            slot.dependencies.push_back({static_cast<std::size_t>(target), reference.component});
        }
    }
}

void Expansion::orderSlots()
{
    // Depth first without recursion: chains may be long.
    enum class State : std::uint8_t { New, Open, Done };
    std::unordered_map<std::size_t, State> states;
    std::unordered_map<std::size_t, int> lengths;
    auto& slots = compiled_->slots;
    const auto label = [&](std::size_t index) {
        return compiled_->names[slots[index].node] + "." + slots[index].spec->name;
    };
    for (const auto& [root, scope] : pending_) {
        std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}}; // slot, next dependency
        if (states[root] != State::New)
            continue;
        states[root] = State::Open;
        while (!path.empty()) {
            auto& [index, next] = path.back();
            Slot& slot = slots[index];
            if (next < slot.dependencies.size()) {
                const std::size_t target = slot.dependencies[next++].slot;
                State& state = states[target];
                if (state == State::New) {
                    state = State::Open;
                    path.emplace_back(target, 0);
                } else if (state == State::Open) {
                    std::string loop;
                    auto at = std::find_if(path.begin(), path.end(),
                                           [&](const auto& step) { return step.first == target; });
                    for (; at != path.end(); ++at)
                        loop += label(at->first) + " -> ";
                    sinkFor(slot.node).add(
                        "expression-cycle", slot.spec->name,
                        TranslatableText::of("parameter '{name}' needs itself: {path}",
                                             slot.spec->name,
                                             TranslatableText::verbatim(loop + label(target))),
                        TranslatableText::of("make one of them a constant"));
                }
                continue;
            }
            int length = 0;
            for (const Slot::Dependency& dependency : slot.dependencies) {
                slot.animated = slot.animated || slots[dependency.slot].animated;
                length = std::max(length, lengths[dependency.slot] + 1);
            }
            lengths[index] = length;
            states[index] = State::Done;
            if (length == kMaxExpressionChain + 1)
                sinkFor(slot.node).add(
                    "expression-depth", slot.spec->name,
                    TranslatableText::of(
                        "parameter '{name}' refers through more than {limit} expressions",
                        slot.spec->name, kMaxExpressionChain),
                    TranslatableText::of("refer more directly"));
            path.pop_back();
        }
    }
}

std::vector<std::size_t> Expansion::order()
{
    std::vector<std::vector<std::size_t>> users(drafts_.size());
    std::vector<std::size_t> waiting(drafts_.size());
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
        for (const auto& input : drafts_[i].inputs) {
            for (const Wire& wire : input) {
                users[wire.node].push_back(i);
                ++waiting[i];
            }
        }
    }
    // The smallest index first: the same document always gives the same order.
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < drafts_.size(); ++i)
        if (waiting[i] == 0)
            ready.push(i);
    std::vector<std::size_t> result;
    while (!ready.empty()) {
        const std::size_t i = ready.top();
        ready.pop();
        result.push_back(i);
        for (const std::size_t user : users[i])
            if (--waiting[user] == 0)
                ready.push(user);
    }
    if (result.size() < drafts_.size())
        reportLoops(waiting);
    return result;
}

void Expansion::reportLoops(const std::vector<std::size_t>& blocked)
{
    // Every blocked node has a blocked source; walking back must reach a loop.
    std::vector<std::size_t> walk(drafts_.size()); // number of the walk that visited it, 0: none
    for (std::size_t start = 0; start < drafts_.size(); ++start) {
        if (blocked[start] == 0 || walk[start] != 0)
            continue;
        std::vector<std::size_t> path;
        std::size_t node = start;
        while (walk[node] == 0) {
            walk[node] = start + 1;
            path.push_back(node);
            bool moved = false;
            for (const auto& input : drafts_[node].inputs)
                for (const Wire& wire : input)
                    if (!moved && blocked[wire.node] != 0) {
                        node = wire.node;
                        moved = true;
                    }
        }
        if (walk[node] != start + 1)
            continue; // leads to a loop already reported
        std::string loop = compiled_->names[node];
        for (auto i = path.rbegin(); i != path.rend(); ++i) {
            loop += " -> " + compiled_->names[*i];
            if (*i == node)
                break;
        }
        sinkFor(node).add(
            "cycle", "",
            TranslatableText::of("the links form a loop: {path}", TranslatableText::verbatim(loop)),
            TranslatableText::of("remove one of its links"));
    }
}

void Expansion::removeBypassed(const std::vector<std::size_t>& sorted)
{
    const auto share = [](const Socket& a, const Socket& b) {
        return std::any_of(a.kinds.begin(), a.kinds.end(), [&](const std::string& kind) {
            return std::find(b.kinds.begin(), b.kinds.end(), kind) != b.kinds.end();
        });
    };
    // Sources come first, so the value that a bypassed node passes on has no bypassed nodes left.
    for (const std::size_t i : sorted) {
        for (std::size_t k = 0; k < drafts_[i].inputs.size(); ++k) {
            auto& input = drafts_[i].inputs[k];
            const bool any = std::any_of(input.begin(), input.end(), [&](const Wire& wire) {
                return drafts_[wire.node].bypass;
            });
            if (!any)
                continue;
            std::vector<Wire> result;
            std::set<Wire> seen;
            const auto take = [&](const Wire& wire) {
                if (seen.insert(wire).second)
                    result.push_back(wire);
            };
            for (const Wire& wire : input) {
                const Draft& source = drafts_[wire.node];
                if (!source.bypass) {
                    take(wire);
                    continue;
                }
                const Socket& output = source.type->outputs[wire.output];
                for (std::size_t j = 0; j < source.type->inputs.size(); ++j) {
                    if (!share(source.type->inputs[j], output))
                        continue;
                    for (const Wire& earlier : source.inputs[j])
                        take(earlier);
                    if (source.supplied[j])
                        drafts_[i].supplied[k] = true;
                    break;
                }
            }
            input = std::move(result);
        }
    }
}

void Expansion::bindAutomatic(const std::vector<std::size_t>& sorted)
{
    std::set<std::string> followed;
    for (const Slot& slot : compiled_->slots)
        if (slot.spec->automatic)
            followed.insert(slot.spec->automatic->follows);
    constexpr double kNone = std::numeric_limits<double>::infinity();
    for (const std::string& name : followed) {
        // Users come after their sources, so walking back meets each node's users before it.
        std::vector<double> smallest(drafts_.size(), kNone);
        for (std::size_t at = sorted.size(); at-- > 0;) {
            const Draft& draft = drafts_[sorted[at]];
            if (draft.bypass)
                continue;
            for (std::size_t k = 0; k < draft.type->parameters.size(); ++k) {
                Slot& slot = compiled_->slots[draft.firstSlot + k];
                const std::optional<Automatic>& automatic = slot.spec->automatic;
                if (!automatic || automatic->follows != name)
                    continue;
                const double leader = smallest[sorted[at]];
                slot.automatic = leader < kNone ? automatic->times * leader : automatic->otherwise;
                if (!slot.value && slot.constant == ParameterValue(0.0))
                    slot.constant = slot.automatic;
            }
            double handedBack = smallest[sorted[at]];
            // What a solver gives on is made anew: its own users do not count.
            if (draft.type->role == Role::Solver && !draft.type->keepsFrames) {
                const int own = draft.type->parameterIndex(name);
                const Slot* slot =
                    own < 0 ? nullptr
                            : &compiled_->slots[draft.firstSlot + static_cast<std::size_t>(own)];
                const double* value = slot && !slot->spec->animatable
                                          ? std::get_if<double>(&slot->constant)
                                          : nullptr;
                handedBack = value ? *value : kNone;
            }
            for (const auto& input : draft.inputs)
                for (const Wire& wire : input)
                    smallest[wire.node] = std::min(smallest[wire.node], handedBack);
        }
    }
}

void Expansion::checkRequired()
{
    std::set<std::pair<std::string, std::string>> reported;
    for (const Fault& fault : faults_)
        if (fault.code == "two-links")
            reported.emplace(fault.file, fault.field);
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
        const Draft& draft = drafts_[i];
        if (draft.bypass)
            continue;
        for (std::size_t k = 0; k < draft.inputs.size(); ++k) {
            const Socket& socket = draft.type->inputs[k];
            if (socket.required && draft.inputs[k].empty() && !draft.supplied[k])
                sinkFor(i).add(
                    "missing-input", socket.name,
                    TranslatableText::of("input '{input}' is not linked", socket.name),
                    TranslatableText::of("link an output of kind {kinds} that is not bypassed",
                                         alternatives(socket.kinds)));
            // If both links are in one graph, the fault was found there; this one involves a
            // promoted input or a bypassed node.
            if (!socket.multiple && draft.inputs[k].size() > 1 &&
                !reported.contains({draft.document->path, socket.name}))
                sinkFor(i).add(
                    "two-links", socket.name,
                    TranslatableText::of("input '{input}' takes one link but gets {count} "
                                         "through subgraphs or bypassed nodes",
                                         socket.name, draft.inputs[k].size()),
                    TranslatableText::of("keep one of them"));
        }
    }
}

/// What is taken from another frame has no state there: solvers have theirs at one frame only.
void Expansion::checkShifts()
{
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
        const Draft& draft = drafts_[i];
        if (draft.bypass || !draft.type->shiftsFrame)
            continue;
        for (std::size_t k = 0; k < draft.inputs.size(); ++k) {
            std::set<std::size_t> seen;
            std::vector<std::size_t> open;
            for (const Wire& wire : draft.inputs[k])
                open.push_back(wire.node);
            while (!open.empty()) {
                const std::size_t at = open.back();
                open.pop_back();
                const NodeType& type = *drafts_[at].type;
                if (!seen.insert(at).second || type.keepsFrames)
                    continue;
                if (type.role == Role::Solver) {
                    sinkFor(i).add(
                        "no-other-frame", draft.type->inputs[k].name,
                        TranslatableText::of("input '{input}' needs '{node}' at another frame, and "
                                             "a solver is at one frame only",
                                             draft.type->inputs[k].name, compiled_->names[at]),
                        TranslatableText::of("put a File cache behind '{node}'",
                                             compiled_->names[at]));
                    break;
                }
                for (const auto& input : drafts_[at].inputs)
                    for (const Wire& wire : input)
                        open.push_back(wire.node);
            }
        }
    }
}

FlatGraph Expansion::finish(const std::vector<std::size_t>& sorted)
{
    FlatGraph flat;
    flat.range = document_.document().range;
    flat.path = document_.document().path;
    std::vector<std::size_t> indices(drafts_.size());
    for (const std::size_t i : sorted) {
        Draft& draft = drafts_[i];
        if (draft.bypass)
            continue;
        indices[i] = flat.nodes.size();
        compiled_->byName.emplace(compiled_->names[i], flat.nodes.size());
        FlatNode node;
        node.name = compiled_->names[i];
        node.type = draft.type;
        node.file = draft.document->path;
        node.timeDependent = draft.type->timeDependent;
        node.firstParameter = draft.firstSlot;
        for (std::size_t k = 0; k < draft.inputs.size(); ++k) {
            FlatInput input{&draft.type->inputs[k], {}};
            for (const Wire& wire : draft.inputs[k]) {
                const std::size_t source = indices[wire.node];
                input.sources.push_back(
                    {source, drafts_[wire.node].type->outputs[wire.output].name});
                node.timeDependent = node.timeDependent || flat.nodes[source].timeDependent;
            }
            node.inputs.push_back(std::move(input));
        }
        for (std::size_t k = 0; k < draft.type->parameters.size(); ++k)
            node.timeDependent =
                node.timeDependent || compiled_->slots[draft.firstSlot + k].animated;
        flat.nodes.push_back(std::move(node));
    }
    compiled_->path = flat.path;
    compiled_->firstFrame = flat.range.start;
    flat.compiled_ = compiled_;
    if (!anyError(faults_))
        checkConstants();
    if (!anyError(faults_))
        checkExclusions(flat, faults_);
    return flat;
}

/// Expressions that are the same at every frame, and wrong: without a value, or out of range.
void Expansion::checkConstants()
{
    for (std::size_t i = 0; i < compiled_->slots.size(); ++i) {
        const Slot& slot = compiled_->slots[i];
        if (!slot.value || slot.animated || drafts_[slot.node].bypass)
            continue;
        try {
            std::unordered_map<std::size_t, ParameterValue> known;
            compiled_->evaluate(i, {compiled_->firstFrame, document_.document().range.fps}, known);
        } catch (const Error& error) {
            sinkFor(slot.node).add(
                "bad-value", slot.spec->name,
                within(TranslatableText::of("parameter '{name}'", slot.spec->name), causeOf(error)),
                cureOf(error));
        }
    }
}

} // namespace floe::graph
