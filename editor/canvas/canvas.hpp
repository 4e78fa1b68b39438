#pragma once

#include "canvas/backing.hpp"
#include "canvas/fuzzy.hpp"
#include "canvas/marks.hpp"
#include "canvas/painting.hpp"
#include "canvas/scene.hpp"
#include "document/document.hpp"

#include <QWidget>

#include <functional>
#include <map>
#include <set>

class QAction;
class QHelpEvent;
class QLineEdit;
class QPlainTextEdit;

namespace floe::editor {

class SearchPopup;

/// The network: shows one graph of the document and edits it by mouse and keyboard.
///
///   wheel zooms, middle button or Alt+drag pans, drag on empty ground selects in a box
///   drag from socket to socket links; into the void, the node search opens with what fits
///   drag a node onto a wire inserts it; Ctrl+right drag, or Y and drag, cuts wires
///   double click: node search on the ground, a bend on a wire, rename on a node's head, enter a
///   subgraph on its body
class Canvas : public QWidget {
    Q_OBJECT
public:
    explicit Canvas(Document& document, QWidget* parent = nullptr);
    ~Canvas() override;

    // ------------------------------------------------------------------------ what is shown
    const std::string& scope() const { return scene_.scope; }

    /// Names of the instances that were entered to come here.
    QStringList trail() const;
    void enter(const std::string& instance);
    void leave(int levels = 1);

    std::vector<std::string> selection() const { return {selection_.begin(), selection_.end()}; }
    void select(const std::vector<std::string>& names);

    /// Selects a node by its full name ("debris/ball"), enters its subgraph and shows it.
    void reveal(const QString& path);

    /// The full name of a node in this scope: with the instances it lies in.
    QString pathOf(const std::string& name) const;

    /// What the runtime says of a node, by its full name.
    void setNodeStatus(const QString& path, const NodeStatus& status);
    void clearStatuses();

    /// What nodes have on disk, by their full names; others keep no frames.
    void setKeptFrames(const QMap<QString, KeptFrames>& kept);

    /// Whether the frame looked at is kept and up to date: nodes that simulate wear a mark then.
    void setFrameKept(bool kept);

    /// Shows how the network differs from another version of it; empty: no longer.
    /// @param coming  as of paintMarks()
    void setMarks(Marks marks, bool coming = false);
    const Marks& marks() const { return marks_; }

    /// Shows a node of a graph by the graph's name, wherever it is used, or the ghost of one
    /// that only the other version has. @return false when neither is there
    bool revealIn(const std::string& scope, const std::string& name);

    // --------------------------------------------------------------------------------- view
    double zoom() const { return zoom_; }
    QPointF toScene(QPointF point) const { return (point - origin_) / zoom_; }
    QPointF toWidget(QPointF point) const { return point * zoom_ + origin_; }
    void setView(double zoom, QPointF origin);
    /// @param least  zoom; what then does not fit is left out of sight
    void frame(QRectF area, double least = 0);
    void frameAll();
    /// As a network is first shown: all of it, unless names could not be read.
    void frameFirst();
    QPointF busiest() const;
    void frameSelection();

    /// Middles of things in widget coordinates, to click on.
    QPoint nodePoint(const std::string& name);
    QPoint socketPoint(const std::string& name, bool output, const std::string& socket);

    /// Where the small map lies, on which a click goes; empty while everything is seen anyway.
    QRectF minimap() const { return mapRect(); }
    const Scene& scene();

    /// False while the picture shown is still being refined (see Backing).
    bool isPictureComplete() const { return complete_; }

    // ------------------------------------------------------------------------------- actions
    /// Everything that can be done from menu or palette; object names are stable ("canvas.tidy").
    const std::vector<QAction*>& commands() const { return commands_; }
    QAction* command(const QString& id) const;

    /// Keeps the selected nodes as a subgraph that the node search finds, in all scenes.
    /// @return false when it could not be; said() tells why
    bool saveAsset(const QString& name);
    static QString assetFolder();
    /// What is seen of the scene, for the pictures of assets; it may give none.
    void setSnapshot(std::function<QImage()> snapshot) { snapshot_ = std::move(snapshot); }

    /// All that can be put down here, what has a picture first.
    std::vector<Entry> libraryEntries() const;
    /// Makes of a library's entry what the place says where it was dropped: on a node whose matter
    /// it is, a preset becomes that node's; everything else is put down there.
    /// @param widgetPoint  in the widget
    void drop(const QString& id, QPointF widgetPoint);
    using Added = std::function<void(const std::string& node)>;
    /// The same for a node that lies elsewhere. @param path  of the node; empty: there is none
    /// @param added  called with a node that is put down, within the step of undo that adds it
    void dropOn(const QString& id, const QString& path, const Added& added);

    /// Ready scenes that the node search offers.
    void setScenes(std::vector<Entry> scenes) { scenes_ = std::move(scenes); }

    /// Adds the node that reads a file, by the extensions in the manifests.
    /// @param widgetPoint  where  @return false when no node does
    bool addReaderOf(const QString& file, QPointF widgetPoint);

    SearchPopup* searchPopup() const { return search_; }
    void openSearch(QPointF widgetPoint);
    SearchPopup* findPopup() const { return find_; }
    /// Asks for one of the document's nodes, those in subgraphs too, and goes there.
    void openFind();

signals:
    void selectionChanged();
    void scopeChanged();
    void said(const QString& text); ///< for the status bar
    void sceneChosen(const QString& id);
    void assetsChanged();                  ///< one was saved
    void fileEntered(const QString& path); ///< an instance of another document was entered
    void helpWanted(const QString& type);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool focusNextPrevChild(bool) override { return false; } // Tab searches; Ctrl+Tab leaves

private:
    enum class Drag { None, Map, Pan, Box, Nodes, Wire, Cut, Bend, Backdrop, BackdropSize, Note };
    struct Level {
        std::string instance, scope;
    };
    struct Pull { ///< a wire that is being pulled
        graph::Endpoint fixed;
        bool fromOutput = true;
        std::optional<graph::Link> detached; ///< the wire that was taken off its input
    };

    static constexpr double kClick = 4; ///< pixels that are still a click
    static QPointF snapped(QPointF point);
    double reach() const { return 10 / std::clamp(zoom_, 0.4, 1.5); } ///< [scene] of a socket

    // canvas.cpp
    void follow();
    void changed();
    void repaint(); ///< what is shown has changed, beyond what the pointer is over
    void nodeChanged(const std::string& name);
    void updateStatuses();
    QTransform view() const;
    QRectF visible() const;
    void zoomBy(double factor, QPointF about);
    static QString keptText(const KeptFrames& kept);
    void showHelpAt(QHelpEvent* event);
    void paintOverlays(QPainter& painter);
    void keepSelection();
    void showEmptyHint(QPainter& painter);

    // canvas_mouse.cpp
    void hover(QPointF point);
    void cancelDrag();
    std::string backdropAt(QPointF point, bool& corner) const;
    std::string noteAt(QPointF point) const;

    // canvas_drag.cpp
    void beginPull(const Scene::SocketHit& hit);
    void movePull(QPointF point);
    void endPull(QPointF point, Qt::KeyboardModifiers modifiers);
    void beginNodes();
    void moveNodes(QPointF delta);
    void endNodes();
    void cutAlong();
    Scene::SocketHit dropTarget(QPointF point);

    // canvas_marks.cpp
    std::optional<QStringList> pathTo(const std::string& scope) const;
    const GraphMarks* shownMarks() const;
    bool hasConflicts() const; ///< of this scope; null: none

    // canvas_minimap.cpp
    void switchMap();
    QRectF mapRect() const; ///< [widget]; empty while there is none
    QTransform mapView() const;
    void paintMap(QPainter& painter);
    void lookAt(QPointF mapPoint);

    // canvas_assets.cpp
    void askToSaveAsset();
    std::vector<Entry> assetEntries() const;
    std::string addAsset(const QString& path, QPointF place);

    // canvas_library.cpp
    bool give(const QString& id, const std::string& node);

    // canvas_commands.cpp
    void makeCommands();
    QAction* addCommand(const QString& id, const QString& text, const QString& tip,
                        const QList<QKeySequence>& keys, std::function<void()> run);
    void removeSelected();
    void copySelected() const;
    void paste(std::optional<QPointF> position);
    void bypass();
    void switchGhost();
    struct Tidied {
        std::map<std::string, QPointF> places;
        std::map<graph::Link, std::vector<QPointF>> bends;
    };
    Tidied tidied(const std::vector<int>& chosen);
    void placeFirst();
    void tidy();
    void align(Qt::Edge edge);
    void groupSelected();
    void frameNodes();
    void addNote();
    void chooseColour();
    void askForColour();
    void colourSelected(const QColor& colour);
    void linkSelected();

    // canvas_keyboard.cpp
    void stepSelection(int key);
    void nudge(QPointF by);

    // canvas_search.cpp
    std::vector<Entry> entries(const Pull* pull) const;
    void listNodes(const graph::Graph& graph, const QString& path, int depth,
                   std::vector<Entry>& found) const;
    /// @param typed  to find it
    void addChosen(const QString& id, const QString& typed = {}, const Added& added = {});

    // canvas_editors.cpp
    void rename(const std::string& name);
    void editNote(const std::string& name);
    void editWireNote(graph::Link link);
    void editBackdrop(const std::string& name);
    void closeEditor();
    void closeOnEscape(QLineEdit* field);

    Document& document_;
    Scene scene_;
    std::vector<Level> trail_;
    std::set<std::string> selection_;
    std::set<int> selectedWires_;
    std::string selectedDecoration_; ///< "note:name", "frame:name"
    std::map<QString, NodeStatus> runtime_;
    QMap<QString, KeptFrames> kept_;
    std::function<QImage()> snapshot_;
    Marks marks_;
    bool marksCome_ = false;
    bool frameKept_ = false;

    double zoom_ = 1;
    QPointF origin_;
    bool fitWhenShown_ = true;

    Drag drag_ = Drag::None;
    QPointF pressed_, last_; ///< widget
    bool dragging_ = false;  ///< beyond the distance of a click
    bool cutKey_ = false;
    std::map<int, QPointF> dragFrom_; ///< cards and where they were
    std::map<std::string, QPointF> dragNotes_;
    std::set<int> moving_;
    QRectF dragRect_;
    QPolygonF cut_;
    std::optional<Pull> pull_;
    std::optional<Pull> pendingPull_; ///< while the search asks what to put at its end
    std::vector<bool> unreachable_;
    std::pair<int, int> bend_{-1, -1};
    QString refusal_;
    QPointF searchAt_; ///< scene
    Attention attention_;
    Backing backing_;
    QPixmap map_;    ///< the whole network, small
    QRectF mapArea_; ///< [scene] of map_
    enum class Map { WhenNeeded, Shown, Hidden } mapWanted_ = Map::WhenNeeded;
    bool complete_ = false;
    SearchPopup* search_;
    SearchPopup* find_;
    std::vector<Entry> scenes_;
    std::vector<QAction*> commands_;
    QWidget* editor_ = nullptr; ///< of a name, a title or a note
};

} // namespace floe::editor
