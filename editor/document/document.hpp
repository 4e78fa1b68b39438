#pragma once

#include "document/change.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/document.hpp"
#include "floe/graph/node_type.hpp"

#include <QObject>
#include <QPointF>
#include <QTimer>
#include <QUndoStack>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace floe::editor {

using Types = std::shared_ptr<const graph::TypeLibrary>;

/// The document that a window shows, and the only way to change it.
///
/// Every change is a command on `undo()`; what follows from a change (a removed node's links, other
/// nodes' expressions after a rename) belongs to the same command. Signals tell views what changed,
/// for edits, undo and redo alike, after each step of the change.
///
/// `scope` names the graph that a function works in: empty for the document's own, else a subgraph.
/// Functions that are given something that does not exist do nothing, for a view may lag behind.
/// All of it lives in the GUI thread.
class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(Types types, QObject* parent = nullptr);
    ~Document() override;

    // ------------------------------------------------------------------------------- content
    const graph::Document& content() const { return content_; }
    QString path() const { return QString::fromStdString(content_.path); } ///< empty: never saved
    QString title() const; ///< file name, or "Untitled"
    const graph::Graph* graph(const std::string& scope) const;
    const graph::Node* node(const std::string& scope, const std::string& name) const;

    const graph::TypeLibrary& types() const { return *types_; }
    Types sharedTypes() const { return types_; }

    /// The node types have been read again (a plugin was added); everything is checked anew.
    void setTypes(Types types);

    /// What the node may have: of a subgraph's instance, its promoted parameters and sockets.
    /// Valid until the next change. @return null when the type is unknown or the subgraph faulty
    const graph::NodeType* typeOf(const std::string& scope, const std::string& name) const;

    /// The stored value of a parameter (constant, keys or expression), else its default; null when
    /// there is no such parameter.
    Json value(const std::string& scope, const std::string& node,
               const std::string& parameter) const;
    bool isStored(const std::string& scope, const std::string& node,
                  const std::string& parameter) const;

    QPointF position(const std::string& scope, const std::string& node) const;

    /// Every fault that graph::check() finds, some milliseconds after each change (computed in
    /// another thread); see faultsChanged.
    const std::vector<graph::Fault>& faults() const { return faults_; }
    /// Switches that linked nodes switch on, found with the faults.
    const std::vector<graph::SwitchedOn>& switchedOn() const { return switchedOn_; }
    void checkNow(); ///< at once, in this thread

    QUndoStack& undo() { return undo_; }
    bool isModified() const { return forcedModified_ || !undo_.isClean(); }

    // --------------------------------------------------------------------------------- files
    void clear(); ///< a new, empty document

    /// Replaces the document by a file. @throws IoError, GraphError; then nothing has changed
    void load(const QString& path);

    /// Replaces the document by text that was recovered or made elsewhere; it counts as modified.
    /// @param path where it would be saved; may be empty. @throws GraphError
    void restore(const std::string& text, const QString& path);

    /// Writes the file atomically; the one that was there becomes the newest of the backups (see
    /// files.hpp). @throws IoError, GraphError; the old file is then untouched
    void save(const QString& path);
    void setBackups(int keep) { backups_ = keep; } ///< how many save() keeps

    /// The document as its file was last read or written; empty where there is no file.
    const graph::Document& saved() const { return saved_; }
    /// Another program has written the file, and the document knows what is in it now.
    void setSaved(graph::Document saved);

    /// The text of the file as it would be saved. @throws GraphError the file held text that cannot
    /// be kept
    std::string text() const;

    // --------------------------------------------------------------------------------- edits
    /// Adds a node of a type with its defaults. @return its name, made from the type's label
    std::string addNode(const std::string& scope, const std::string& type, QPointF position);

    /// Gives a node that was just added, and perhaps linked, a name that tells what it is for: the
    /// other word for its type that was typed to find it ("ground"), or what its links tell. One
    /// that has not the name of its type keeps its name. @return the name that it has then
    std::string nameByRole(const std::string& scope, const std::string& node, const QString& typed);

    /// Removes nodes with their links. Neighbours are not joined.
    void removeNodes(const std::string& scope, const std::vector<std::string>& names);

    /// @return why not, for a person; empty when the name may be used (in expressions and
    /// promotions it is then replaced too)
    QString rename(const std::string& scope, const std::string& from, const std::string& to);

    void moveNodes(const std::string& scope, const std::map<std::string, QPointF>& positions);
    /// First places in a graph that was written by hand. No edit: there is nothing to undo.
    void placeNodes(const std::string& scope, const std::map<std::string, QPointF>& positions,
                    const std::map<graph::Link, std::vector<QPointF>>& bends);
    bool hasPlaces(const std::string& scope) const; ///< any of its nodes has one

    /// Sets a parameter to a constant, {"keys": ...} or {"expr": ...}; null: back to the default,
    /// which is then no longer stored.
    /// @param drag  the same number (> 0) for all steps of one drag of a slider: one undo step
    void setParameter(const std::string& scope, const std::string& node,
                      const std::string& parameter, const Json& value, int drag = 0);

    /// The same parameter of several nodes, each with its value, in one step of undo.
    void setParameter(const std::string& scope, const std::map<std::string, Json>& values,
                      const std::string& parameter, int drag = 0);

    /// Several parameters of one node in one step, as presets do.
    void setParameters(const std::string& scope, const std::string& node,
                       const std::vector<std::pair<std::string, Json>>& values,
                       const QString& text);

    void setBypass(const std::string& scope, const std::vector<std::string>& names, bool bypass);
    void setColour(const std::string& scope, const std::vector<std::string>& names,
                   std::optional<std::array<double, 3>> colour); ///< none: by category

    /// Whether the node's shape is seen through in the viewport, whatever has become of it.
    bool isGhost(const std::string& scope, const std::string& node) const;
    void setGhost(const std::string& scope, const std::vector<std::string>& names, bool ghost);
    /// All of the document, by their names with the subgraphs they are in. @param most  of them
    std::vector<std::string> ghosts(std::size_t most) const;

    /// Why a link cannot be, for a person ("makes a loop"); empty when it can. An input that takes
    /// one link and has one already is fine: link() replaces it.
    QString refusal(const std::string& scope, const graph::Link& link) const;

    /// @return false when refused
    bool link(const std::string& scope, const graph::Link& link);
    void unlink(const std::string& scope, const std::vector<graph::Link>& links);

    /// Bends of a wire (its reroute dots), from output to input; kept in the layout of its target.
    std::vector<QPointF> bends(const std::string& scope, const graph::Link& link) const;
    void setBends(const std::string& scope, const graph::Link& link,
                  const std::vector<QPointF>& points);

    /// A short text on a wire; empty: none. Kept beside its bends.
    QString wireNote(const std::string& scope, const graph::Link& link) const;
    void setWireNote(const std::string& scope, const graph::Link& link, const QString& text);

    /// Puts a node onto a wire: the wire then goes through its first fitting input and output.
    /// @return false when nothing fits
    bool insertOnLink(const std::string& scope, const std::string& node, const graph::Link& link);

    /// Backdrops ({"title", "rect": [x, y, w, h], "color"}) and notes ({"text", "x", "y"}) by name.
    /// A null value removes. @return the name; a new one when `name` is empty
    std::string setBackdrop(const std::string& scope, std::string name, const Json& value);
    std::string setNote(const std::string& scope, std::string name, const Json& value);
    void moveNote(const std::string& scope, const std::string& name, QPointF corner);

    void setRange(const graph::FrameRange& range);

    /// Makes the document what another one holds, in one step of undo. The path stays.
    void become(const graph::Document& content, const QString& text);

    // ----------------------------------------------------------------------- text and groups
    /// Nodes, the links among them and the subgraphs they need, as JSON text.
    std::string copy(const std::string& scope, const std::vector<std::string>& names) const;

    /// Adds what copy() gave, under free names, its corner at `position`.
    /// @return the new names. @throws GraphError the text is something else
    std::vector<std::string> paste(const std::string& scope, const std::string& text,
                                   std::optional<QPointF> position);

    /// Moves nodes into a new subgraph and puts an instance in their place; links across the border
    /// become promoted sockets. @return the instance; empty when there was nothing to group
    std::string group(const std::string& scope, const std::vector<std::string>& names,
                      const QString& label);

    /// Shows a parameter of a node inside a subgraph on its instances, or no longer.
    void promoteParameter(const std::string& scope, const std::string& node,
                          const std::string& parameter, bool promoted);
    /// How instances show a promoted parameter of a subgraph; null: it promotes none of that name.
    const graph::PromotedParameter* promoted(const std::string& scope,
                                             const std::string& name) const;
    /// The one that leads to a parameter of an inner node; null: it is not promoted.
    const graph::PromotedParameter* promotedFrom(const std::string& scope, const std::string& node,
                                                 const std::string& parameter) const;
    /// Sets label, help and range of the promoted parameter of that name.
    /// @return why not, for a person; empty when done
    QString changePromoted(const std::string& scope, const graph::PromotedParameter& changed);
    /// Moves it among the others: down, or up where `by` is below 0.
    void movePromoted(const std::string& scope, const std::string& name, int by);
    bool isPromoted(const std::string& scope, const std::string& node,
                    const std::string& parameter) const;

    /// Everything that is done until end() is one step of undo.
    void begin(const QString& text) { undo_.beginMacro(text); }
    void end() { undo_.endMacro(); }

signals:
    void replaced(); ///< another document, or other types: forget everything and look again
    void opened();   ///< another document was opened or begun, after replaced()
    void nodeAdded(const std::string& scope, const std::string& name);
    void nodeRemoved(const std::string& scope, const std::string& name);
    void nodeRenamed(const std::string& scope, const std::string& from, const std::string& to);
    void nodeChanged(const std::string& scope, const std::string& name); ///< bypass
    void layoutChanged(const std::string& scope, const std::string& name);
    void parameterChanged(const std::string& scope, const std::string& node,
                          const std::string& parameter);
    void linkAdded(const std::string& scope, const floe::graph::Link& link);
    void linkRemoved(const std::string& scope, const floe::graph::Link& link);
    void decorationChanged(const std::string& scope); ///< backdrops or notes
    void promotionChanged(const std::string& scope);  ///< instances have other parameters, sockets
    void subgraphsChanged();
    void rangeChanged();
    void faultsChanged();
    void edited(bool content); ///< once after each step; content: more than the layout changed
    void modifiedChanged(bool modified);
    void pathChanged();

private:
    friend class Edit;
    void apply(const Changes& changes, bool forward);
    void apply(const Change& change, bool forward);
    void push(Changes changes, const QString& text, int drag = 0);
    void adopt(graph::Document content, bool modified);
    Changes wireChanges(const std::string& scope, const graph::Link& link, const char* key,
                        Json value) const;
    Changes bendChanges(const std::string& scope, const graph::Link& link,
                        const std::vector<QPointF>& points) const;
    void startCheck();
    graph::Graph* mutableGraph(const std::string& scope);
    Changes moves(const std::string& scope, const std::map<std::string, QPointF>& positions) const;
    std::size_t indexOf(const std::string& scope, const std::string& name) const;
    std::string freeName(const std::string& scope, const std::string& wish) const;
    std::string newNodeName(const graph::NodeType* type, const std::string& id) const;
    bool hasOwnName(const std::string& scope, const std::string& node) const;
    std::string aliasTyped(const graph::NodeType& type, const QString& typed) const;
    std::string roleByLinks(const std::string& scope, const std::string& node) const;
    Changes removal(const std::string& scope, const std::vector<std::string>& names) const;
    std::string setDecoration(const std::string& scope, std::string name, const Json& value,
                              bool notes);

    graph::Document content_, saved_;
    Types types_;
    QUndoStack undo_;
    std::vector<graph::Fault> faults_;
    std::vector<graph::SwitchedOn> switchedOn_;
    QTimer checkTimer_;
    int checkGeneration_ = 0;
    bool checking_ = false;
    int backups_ = 5;
    bool forcedModified_ = false; ///< recovered: not what the file holds, whatever undo says
    mutable std::map<std::string, std::unordered_map<std::string, std::size_t>> indices_;
    mutable std::map<std::string, std::unique_ptr<graph::NodeType>> instanceTypes_; ///< scope/name
};

} // namespace floe::editor
