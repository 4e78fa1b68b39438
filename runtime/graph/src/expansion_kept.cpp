#include "expansion.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace floe::graph {

/// Returns whether conditions hold; of a parameter that is computed, which may.
bool Expansion::holds(const Draft& draft, const std::vector<Condition>& conditions) const
{
    return std::ranges::all_of(conditions, [&](const Condition& condition) {
        const int index = draft.type->parameterIndex(condition.parameter);
        if (index < 0)
            return false;
        const Slot& slot = compiled_->slots[draft.firstSlot + static_cast<std::size_t>(index)];
        if (slot.value)
            return true;
        std::string text;
        if (const auto* choice = std::get_if<std::string>(&slot.constant))
            text = *choice;
        else if (const auto* on = std::get_if<bool>(&slot.constant))
            text = *on ? "true" : "false";
        return std::ranges::find(condition.values, text) != condition.values.end();
    });
}

/// Switches on what outputs the attributes of particles that inputs want.
void Expansion::bindKept()
{
    for (std::size_t d = 0; d < drafts_.size(); ++d) {
        const Draft& draft = drafts_[d];
        if (draft.bypass)
            continue;
        const std::string& name = compiled_->names[d];
        for (std::size_t k = 0; k < draft.inputs.size(); ++k)
            for (const Want& want : draft.type->inputs[k].wants) {
                if (!holds(draft, want.when))
                    continue;
                if (want.parameter.empty()) {
                    keep(want.attribute, draft.inputs[k], name);
                    continue;
                }
                const int index = draft.type->parameterIndex(want.parameter);
                if (index < 0)
                    continue;
                const Slot& slot =
                    compiled_->slots[draft.firstSlot + static_cast<std::size_t>(index)];
                if (const auto* attribute = std::get_if<std::string>(&slot.constant);
                    attribute && !slot.value)
                    keep(*attribute, draft.inputs[k], name);
            }
    }
}

/// Switches on the parameters that keep an attribute, of the nodes that particles come from: back
/// to those that can output it themselves.
/// @param by  the node that wants it
void Expansion::keep(const std::string& attribute, std::vector<Wire> open, const std::string& by)
{
    std::set<std::size_t> seen;
    while (!open.empty()) {
        const Wire wire = open.back();
        open.pop_back();
        const Draft& draft = drafts_[wire.node];
        const auto& kinds = draft.type->outputs[wire.output].kinds;
        if (std::ranges::find(kinds, "particles") == kinds.end() || !seen.insert(wire.node).second)
            continue;
        bool makes = false;
        for (std::size_t p = 0; p < draft.type->parameters.size(); ++p)
            if (draft.type->parameters[p].keeps == attribute) {
                Slot& slot = compiled_->slots[draft.firstSlot + p];
                const auto* on = std::get_if<bool>(&slot.constant);
                if (slot.value || !on || !*on)
                    switchedOn_.push_back(
                        {compiled_->names[wire.node], draft.type->parameters[p].name, by});
                slot.value = nullptr;
                slot.constant = true;
                makes = true;
            }
        if (makes)
            continue;
        for (const auto& input : draft.inputs)
            open.insert(open.end(), input.begin(), input.end());
    }
}

} // namespace floe::graph
