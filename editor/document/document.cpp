#include "document/document.hpp"

#include "document/files.hpp"
#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>
#include <QUndoCommand>

namespace floe::editor {

namespace {
template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

constexpr int kCheckDelay = 60; // ms: a drag checks where it rests
} // namespace

/// One step of undo.
class Edit : public QUndoCommand {
public:
    Edit(Document& document, Changes changes, const QString& text, int drag)
        : QUndoCommand(text), document_(document), changes_(std::move(changes)), drag_(drag)
    {}
    void undo() override { document_.apply(changes_, false); }
    void redo() override { document_.apply(changes_, true); }
    int id() const override { return drag_ > 0 ? 1 : -1; }

    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* later = static_cast<const Edit*>(other);
        if (later->drag_ != drag_ || later->changes_.size() != changes_.size())
            return false;
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            const auto* a = std::get_if<FieldChange>(&changes_[i].what);
            const auto* b = std::get_if<FieldChange>(&later->changes_[i].what);
            if (!a || !b || changes_[i].scope != later->changes_[i].scope || a->node != b->node ||
                a->field != b->field || a->parameter != b->parameter)
                return false;
        }
        for (std::size_t i = 0; i < changes_.size(); ++i)
            std::get<FieldChange>(changes_[i].what).after =
                std::get<FieldChange>(later->changes_[i].what).after;
        return true;
    }

private:
    Document& document_;
    Changes changes_;
    int drag_;
};

Document::Document(Types types, QObject* parent) : QObject(parent), types_(std::move(types))
{
    undo_.setUndoLimit(5000);
    checkTimer_.setSingleShot(true);
    checkTimer_.setInterval(kCheckDelay);
    connect(&checkTimer_, &QTimer::timeout, this, &Document::startCheck);
    connect(&undo_, &QUndoStack::cleanChanged, this,
            [this](bool) { emit modifiedChanged(isModified()); });
}

Document::~Document()
{
    undo_.disconnect(this);
}

QString Document::title() const
{
    return content_.path.empty() ? tr("Untitled") : QFileInfo(path()).fileName();
}

const graph::Graph* Document::graph(const std::string& scope) const
{
    return scope.empty() ? &content_.graph : content_.subgraph(scope);
}

graph::Graph* Document::mutableGraph(const std::string& scope)
{
    return scope.empty() ? &content_.graph : content_.subgraph(scope);
}

std::size_t Document::indexOf(const std::string& scope, const std::string& name) const
{
    const graph::Graph* found = graph(scope);
    if (!found)
        return SIZE_MAX;
    auto [entry, isNew] = indices_.try_emplace(scope);
    if (isNew) {
        entry->second.reserve(found->nodes.size());
        for (std::size_t i = 0; i < found->nodes.size(); ++i)
            entry->second.emplace(found->nodes[i].name, i);
    }
    const auto index = entry->second.find(name);
    return index == entry->second.end() ? SIZE_MAX : index->second;
}

const graph::Node* Document::node(const std::string& scope, const std::string& name) const
{
    const std::size_t index = indexOf(scope, name);
    return index == SIZE_MAX ? nullptr : &graph(scope)->nodes[index];
}

const graph::NodeType* Document::typeOf(const std::string& scope, const std::string& name) const
{
    const graph::Node* found = node(scope, name);
    if (!found)
        return nullptr;
    if (found->type != graph::kSubgraphType)
        return types_->find(found->type);
    auto [entry, isNew] = instanceTypes_.try_emplace(scope + "/" + name);
    if (isNew) {
        try {
            entry->second =
                std::make_unique<graph::NodeType>(graph::instanceType(content_, *found, *types_));
        } catch (const Error&) { // the check says what is wrong
        }
    }
    return entry->second.get();
}

Json Document::value(const std::string& scope, const std::string& name,
                     const std::string& parameter) const
{
    const graph::Node* found = node(scope, name);
    if (!found)
        return {};
    if (const auto stored = found->parameters.find(parameter); stored != found->parameters.end())
        return *stored;
    const graph::NodeType* type = typeOf(scope, name);
    const graph::ParameterSpec* spec = type ? type->parameter(parameter) : nullptr;
    if (!spec)
        return {};
    return std::visit([](const auto& v) { return Json(v); }, spec->defaultValue);
}

bool Document::isStored(const std::string& scope, const std::string& name,
                        const std::string& parameter) const
{
    const graph::Node* found = node(scope, name);
    return found && found->parameters.contains(parameter);
}

QPointF Document::position(const std::string& scope, const std::string& name) const
{
    const graph::Node* found = node(scope, name);
    if (!found || !found->layout.is_object())
        return {};
    const auto number = [&](const char* key) {
        const auto it = found->layout.find(key);
        return it != found->layout.end() && it->is_number() ? it->get<double>() : 0.0;
    };
    return {std::clamp(number("x"), -1e7, 1e7), std::clamp(number("y"), -1e7, 1e7)};
}

void Document::setTypes(Types types)
{
    types_ = std::move(types);
    instanceTypes_.clear();
    emit replaced();
    checkTimer_.start();
}

// -------------------------------------------------------------------------------------- faults

void Document::checkNow()
{
    ++checkGeneration_;
    faults_ = graph::check(content_, *types_, &switchedOn_);
    emit faultsChanged();
}

void Document::startCheck()
{
    if (checking_) { // one at a time; this one comes after it
        checkTimer_.start();
        return;
    }
    checking_ = true;
    const int generation = ++checkGeneration_;
    QThreadPool::globalInstance()->start(
        [self = QPointer<Document>(this), generation, content = content_, types = types_] {
            std::vector<graph::SwitchedOn> switchedOn;
            auto faults = graph::check(content, *types, &switchedOn);
            QMetaObject::invokeMethod(QCoreApplication::instance(),
                                      [self, generation, faults = std::move(faults),
                                       switchedOn = std::move(switchedOn)]() mutable {
                                          if (!self)
                                              return;
                                          self->checking_ = false;
                                          if (generation != self->checkGeneration_)
                                              return;
                                          self->faults_ = std::move(faults);
                                          self->switchedOn_ = std::move(switchedOn);
                                          emit self->faultsChanged();
                                      });
        });
}

// --------------------------------------------------------------------------------------- files

void Document::adopt(graph::Document content, bool modified)
{
    content_ = std::move(content);
    indices_.clear();
    instanceTypes_.clear();
    forcedModified_ = modified;
    undo_.clear();
    ++checkGeneration_;
    faults_.clear();
    switchedOn_.clear();
    emit replaced();
    emit opened();
    emit pathChanged();
    emit modifiedChanged(isModified());
    emit faultsChanged();
    emit edited(true);
    checkTimer_.start();
}

void Document::clear()
{
    saved_ = {};
    adopt({}, false);
}

void Document::load(const QString& path)
{
    graph::Document content = graph::Document::load(path.toStdString());
    saved_ = content;
    adopt(std::move(content), false);
}

void Document::restore(const std::string& text, const QString& path)
{
    graph::Document content = graph::Document::parse(text, path.toStdString());
    saved_ = {};
    try {
        if (!path.isEmpty())
            saved_ = graph::Document::load(path.toStdString());
    } catch (const Error&) { // there is none any more
    }
    adopt(std::move(content), true);
}

void Document::save(const QString& path)
{
    const std::string before = content_.path;
    (void)text(); // refuse before the backups move on
    rotateBackups(path, backups_);
    content_.save(path.toStdString(), *types_);
    content_.path = path.toStdString();
    saved_ = content_;
    forcedModified_ = false;
    undo_.setClean();
    emit modifiedChanged(false);
    if (content_.path != before) {
        instanceTypes_.clear();
        emit pathChanged();
        checkTimer_.start();
    }
}

void Document::setSaved(graph::Document saved)
{
    saved_ = std::move(saved);
    forcedModified_ = false;
    if (changesBetween(content_, saved_).empty())
        undo_.setClean();
    else
        undo_.resetClean(); // no step of undo leads to what the file holds
    emit modifiedChanged(isModified());
}

std::string Document::text() const
{
    return content_.format(*types_);
}

// --------------------------------------------------------------------------------------- steps

void Document::push(Changes changes, const QString& text, int drag)
{
    if (!changes.empty())
        undo_.push(new Edit(*this, std::move(changes), text, drag));
}

void Document::apply(const Changes& changes, bool forward)
{
    bool contentChanged = false;
    const auto one = [&](const Change& change) {
        apply(change, forward);
        const auto* field = std::get_if<FieldChange>(&change.what);
        const bool looks = std::holds_alternative<DecorationChange>(change.what) ||
                           (field && field->field == FieldChange::Field::Layout);
        contentChanged = contentChanged || !looks;
    };
    if (forward)
        std::for_each(changes.begin(), changes.end(), one);
    else
        std::for_each(changes.rbegin(), changes.rend(), one);
    if (contentChanged)
        checkTimer_.start();
    emit edited(contentChanged);
}

void Document::apply(const Change& change, bool forward)
{
    const std::string& scope = change.scope;
    graph::Graph* g = mutableGraph(scope);
    const bool appears = forward != change.removes;
    std::visit(Overloaded{
                   [&](const NodeChange& c) {
                       if (appears)
                           g->nodes.insert(g->nodes.begin() + std::ptrdiff_t(c.index), c.node);
                       else
                           g->nodes.erase(g->nodes.begin() + std::ptrdiff_t(c.index));
                       const auto index = indices_.find(scope);
                       if (index != indices_.end() && appears && c.index + 1 == g->nodes.size())
                           index->second.emplace(c.node.name, c.index);
                       else
                           indices_.erase(scope);
                       instanceTypes_.erase(scope + "/" + c.node.name);
                       if (!scope.empty())
                           instanceTypes_.clear();
                       if (appears)
                           emit nodeAdded(scope, c.node.name);
                       else
                           emit nodeRemoved(scope, c.node.name);
                   },
                   [&](const LinkChange& c) {
                       if (appears) {
                           g->links.insert(g->links.begin() + std::ptrdiff_t(c.index), c.link);
                           emit linkAdded(scope, c.link);
                       } else {
                           g->links.erase(g->links.begin() + std::ptrdiff_t(c.index));
                           emit linkRemoved(scope, c.link);
                       }
                   },
                   [&](const NameChange& c) {
                       const std::string& from = forward ? c.before : c.after;
                       const std::string& to = forward ? c.after : c.before;
                       const std::size_t index = indexOf(scope, from);
                       g->nodes[index].name = to;
                       for (graph::Link& link : g->links) {
                           if (link.from.node == from)
                               link.from.node = to;
                           if (link.to.node == from)
                               link.to.node = to;
                       }
                       for (auto& promoted : g->promote.parameters)
                           if (promoted.to.node == from)
                               promoted.to.node = to;
                       for (auto* sockets : {&g->promote.inputs, &g->promote.outputs})
                           for (auto& promoted : *sockets)
                               if (promoted.to.node == from)
                                   promoted.to.node = to;
                       indices_.erase(scope);
                       instanceTypes_.clear();
                       emit nodeRenamed(scope, from, to);
                   },
                   [&](const FieldChange& c) {
                       graph::Node& target = g->nodes[indexOf(scope, c.node)];
                       const Json& now = forward ? c.after : c.before;
                       switch (c.field) {
                       case FieldChange::Field::Parameters:
                           target.parameters = now;
                           emit parameterChanged(scope, c.node, c.parameter);
                           break;
                       case FieldChange::Field::Layout:
                           target.layout = now;
                           emit layoutChanged(scope, c.node);
                           break;
                       case FieldChange::Field::Bypass:
                           target.bypass = now.get<bool>();
                           emit nodeChanged(scope, c.node);
                           break;
                       }
                   },
                   [&](const DecorationChange& c) {
                       (c.notes ? g->notes : g->backdrops) = forward ? c.after : c.before;
                       emit decorationChanged(scope);
                   },
                   [&](const PromotionChange& c) {
                       g->promote = forward ? c.after : c.before;
                       instanceTypes_.clear();
                       emit promotionChanged(scope);
                   },
                   [&](const RangeChange& c) {
                       content_.range = forward ? c.after : c.before;
                       emit rangeChanged();
                   },
                   [&](const OtherChange& c) {
                       const OtherChange::State& now = forward ? c.after : c.before;
                       g->extra = now.extra;
                       if (scope.empty())
                           content_.plugins = now.plugins;
                   },
                   [&](const SubgraphChange& c) {
                       const auto at = content_.subgraphs.begin() + std::ptrdiff_t(c.index);
                       if (appears)
                           content_.subgraphs.insert(at, {c.name, c.graph});
                       else
                           content_.subgraphs.erase(at);
                       indices_.erase(c.name);
                       instanceTypes_.clear();
                       emit subgraphsChanged();
                   },
               },
               change.what);
}

} // namespace floe::editor
