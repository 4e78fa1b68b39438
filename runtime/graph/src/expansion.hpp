#pragma once

#include "resolved_document.hpp"

#include "floe/graph/check.hpp"
#include "floe/graph/flat_graph.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace floe::graph {

/// A compiled parameter of one flat node.
struct Slot {
    struct Dependency {
        std::size_t slot;
        int component;
    };
    const ParameterSpec* spec = nullptr;
    std::shared_ptr<const CompiledParameter> value; ///< null: constant
    ParameterValue constant;
    std::vector<Dependency> dependencies; ///< of value->references
    std::size_t node = 0;                 ///< index into Compiled::names
    double automatic = 0;                 ///< its value where it would be 0
    std::uint32_t folder = 0;             ///< index into Compiled::folders
    bool animated = false;
};

struct FlatGraph::Compiled {
    std::vector<Slot> slots;
    std::vector<std::string> names;                      ///< of all nodes, the bypassed ones too
    std::vector<std::string> folders;                    ///< absolute; what paths are relative to
    std::unordered_map<std::string, std::size_t> byName; ///< index into FlatGraph::nodes
    std::string path;
    double firstFrame = 1;

    ParameterValue evaluate(std::size_t slot, Time time,
                            std::unordered_map<std::size_t, ParameterValue>& known) const;
    ParameterValue resolved(const Slot& slot, ParameterValue value) const;
};

/// Turns a resolved document into a flat graph and finds the faults that only show there: cycles,
/// missing inputs, expressions that depend on themselves.
class Expansion {
public:
    Expansion(const ResolvedDocument& resolved, std::vector<Fault>& faults)
        : document_(resolved), faults_(faults), compiled_(std::make_shared<FlatGraph::Compiled>())
    {}

    /// Valid only when no fault of severity Error was added.
    FlatGraph run();
    /// What run() has switched on.
    std::vector<SwitchedOn> takeSwitchedOn() { return std::move(switchedOn_); }

private:
    /// A value bound to a parameter, and the scope of the names in it.
    struct Bound {
        std::shared_ptr<const CompiledParameter> value;
        std::size_t scope = 0;
    };
    using Overrides = std::map<std::pair<std::size_t, std::size_t>, Bound>; ///< node, parameter

    struct Entry {
        enum class Kind { Unknown, Leaf, Scope } kind = Kind::Unknown;
        std::size_t index = 0; ///< of the flat node or of the scope
    };
    /// An instance of a definition.
    struct Scope {
        const Definition* definition;
        std::uint32_t folder;
        std::vector<Entry> entries; ///< as definition->nodes
    };
    struct Wire {
        std::size_t node; ///< source
        std::size_t output;
        auto operator<=>(const Wire&) const = default;
    };
    /// A node before bypassed nodes are removed.
    struct Draft {
        const NodeType* type;
        const Node* node;
        const Document* document;
        bool bypass;
        std::size_t firstSlot;
        std::vector<std::vector<Wire>> inputs; ///< as type->inputs
        std::vector<bool> supplied;            ///< connected to something unknown: not missing
    };

    void expand(const Definition& definition, const std::string& prefix,
                const Overrides& overrides);
    void addLeaf(const ResolvedNode& node, const Scope& scope, const std::string& name,
                 std::size_t index, std::size_t scopeIndex, const Overrides& overrides);
    std::uint32_t folderIndex(const std::string& folder);
    void connect();
    enum class Side { Input, Output };
    /// Finds the socket of an expanded node that an endpoint names. @return false if there is none
    bool find(Side side, std::size_t scope, const Endpoint& end, Wire& wire) const;
    std::ptrdiff_t findSlot(std::size_t scope, const std::string& node,
                            const std::string& parameter) const;
    void bindReferences();
    void orderSlots();
    std::vector<std::size_t> order();
    void reportLoops(const std::vector<std::size_t>& blocked);
    void removeBypassed(const std::vector<std::size_t>& order);
    void bindAutomatic(const std::vector<std::size_t>& order);
    void bindKept();
    bool holds(const Draft& draft, const std::vector<Condition>& conditions) const;
    void keep(const std::string& attribute, std::vector<Wire> open, const std::string& by);
    void checkRequired();
    void checkShifts();
    FlatGraph finish(const std::vector<std::size_t>& order);
    void checkConstants();
    FaultSink sinkFor(std::size_t draft) const;

    const ResolvedDocument& document_;
    std::vector<Fault>& faults_;
    std::shared_ptr<FlatGraph::Compiled> compiled_;
    std::deque<Scope> scopes_;
    std::vector<Draft> drafts_;
    std::vector<SwitchedOn> switchedOn_;
    std::vector<std::pair<std::size_t, std::size_t>> pending_; ///< slot, scope of its references
    std::map<std::string, std::uint32_t> folderIndices_;
};

} // namespace floe::graph
