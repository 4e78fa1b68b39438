#include "document/document.hpp"

#include <algorithm>

namespace floe::editor {

namespace {
constexpr qsizetype kTelling = 3; // letters typed that may stand for a word

/// "Rigid body": "rigid_body"; empty: it cannot be a name.
std::string asName(const QString& words)
{
    const QString joined = words.trimmed().toLower().replace(' ', '_').replace('-', '_');
    const std::string name = joined.toStdString();
    return graph::isName(name) ? name : std::string();
}

std::string lastWord(const std::string& type)
{
    return type.substr(type.rfind('.') + 1);
}
} // namespace

/// Whether somebody has named the node: it is not called as its type, with or without a number.
bool Document::hasOwnName(const std::string& scope, const std::string& name) const
{
    const graph::Node* of = node(scope, name);
    if (!of)
        return false;
    std::string stem = name;
    while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9')
        stem.pop_back();
    std::string usual = newNodeName(types_->find(of->type), of->type);
    return name != usual && stem != usual;
}

/// The alias of the type that was typed, as a whole or by its first letters. Not one that is the
/// name of another type or of a preset: "sand" finds the solver too but does not tell what it is.
std::string Document::aliasTyped(const graph::NodeType& type, const QString& typed) const
{
    const QString words = typed.trimmed().toLower();
    if (words.size() < kTelling || QString::fromStdString(type.label).toLower().contains(words) ||
        QString::fromStdString(lastWord(type.type)).startsWith(words))
        return {};
    const auto isElsewhere = [&](const std::string& name) {
        const auto all = types_->all();
        return std::any_of(all.begin(), all.end(), [&](const graph::NodeType* other) {
            return lastWord(other->type) == name ||
                   std::any_of(other->presets.begin(), other->presets.end(),
                               [&](const auto& preset) { return preset.name == name; });
        });
    };
    for (const std::string& alias : type.aliases)
        if (const QString word = QString::fromStdString(alias).toLower(); word.startsWith(words))
            if (const std::string name = asName(word); !name.empty() && !isElsewhere(name))
                return name;
    return {};
}

std::string Document::roleByLinks(const std::string& scope, const std::string& name) const
{
    const graph::NodeType* type = typeOf(scope, name);
    for (const graph::Link& link : graph(scope)->links) {
        const std::string &source = link.from.node, &input = link.to.socket;
        if (link.to.node == name && source.ends_with("_" + input))
            return source.substr(0, source.size() - input.size() - 1); // "wedge_shape": "wedge"
        if (link.to.node == name && input == "material" && hasOwnName(scope, source))
            return source + "_source";
        // What only gives is named after what takes it, but not after those that take everything.
        const graph::NodeType* user =
            link.from.node == name ? typeOf(scope, link.to.node) : nullptr;
        const graph::Socket* socket = user ? user->input(input) : nullptr;
        if (socket && !socket->multiple && type->inputs.empty() && user->category != "Solvers" &&
            user->category != "Output" && hasOwnName(scope, link.to.node))
            return link.to.node + "_" + input;
    }
    return {};
}

std::string Document::nameByRole(const std::string& scope, const std::string& name,
                                 const QString& typed)
{
    const graph::NodeType* type = typeOf(scope, name);
    if (!type || hasOwnName(scope, name))
        return name;
    std::string wish = aliasTyped(*type, typed);
    if (wish.empty())
        wish = roleByLinks(scope, name);
    if (wish.empty() || !graph::isName(wish))
        return name;
    const std::string free = freeName(scope, wish);
    return rename(scope, name, free).isEmpty() ? free : name;
}

} // namespace floe::editor
