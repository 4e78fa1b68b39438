#pragma once

#include "client/runtime.hpp"
#include "views/handle_tools.hpp"
#include "views/orbit_camera.hpp"

#include <QList>
#include <QTimer>
#include <QWidget>

#include <array>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

class QAction;
class QActionGroup;
class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QSettings;
class QSlider;
class QToolButton;

namespace floe::editor {
class Document;
}

namespace floe::views {

class PictureArea;
struct Wipe;

/// Views beside each other.
enum class ViewLayout { One, Beside, Above, Four };

/// The runtime's pictures of the frame shown, with everything that decides how they look: cameras,
/// colouring, what is shown. Says why when there is nothing to see.
///
/// Up to four views, each with a camera and a cut of its own. One of them is active: the bar and
/// everything that is done without the mouse are about it.
class Viewport : public QWidget {
    Q_OBJECT
public:
    Viewport(client::Runtime* runtime, editor::Document* document, QWidget* parent = nullptr);

    /// @param moving frames go by: quick pictures will do
    void setFrame(int frame, bool moving);
    /// The node that is outlined and whose position may be dragged. Empty: none.
    /// @param path  of the node with the subgraphs it is in, as the runtime knows it
    void setSelection(const std::string& scope, const std::string& node, const QString& path);

    /// The picture of another run beside the one shown, or over it (see Wipe).
    void setWipe(const Wipe& wipe);

    PictureArea* area() const { return area_; } ///< of the active view
    /// Of all views, shown or not: in perspective, from the top, the front and the right at first.
    QList<PictureArea*> areas() const;
    ViewLayout viewLayout() const { return layout_; }
    void setViewLayout(ViewLayout layout);
    void saveViews(QSettings& settings) const; ///< layout, and the cameras that look at this scene
    /// The layout at once; the cameras when the scene they looked at is opened.
    void restoreViews(const QSettings& settings);
    void setHandle(const std::optional<Vec3>& position); ///< in all views; see PictureArea
    QAction *frameAll, *frameSelection; ///< sees everything; sees the selected node
    QAction* drive; ///< the selected node is driven by hand: its handle edits nothing then
    /// The parameter that the handle moves: scope, node, name; empty names without one.
    std::tuple<std::string, std::string, std::string> handleOwner() const
    {
        return {scope_, parameter_.empty() ? std::string() : node_, parameter_};
    }
    QAction *moveTool, *turnTool, *sizeTool; ///< what the selected node's handles do
    QAction* snapping;                       ///< they do it in steps; Ctrl: the other way round
    /// Commands for a menu: handles, views, layouts, cuts.
    QList<QAction*> commands() const { return viewCommands_; }
    /// The frame shown as an image file; the simulated frames, up to the first gap, as a movie,
    /// which can be stopped. All as they look now.
    QAction *savePicture, *saveMovie, *stopMovie;

signals:
    void asked(const floe::client::View& view); ///< for the picture that is shown next
    void nodePicked(const QString& node);
    /// An entry of the library was dropped. @param node  path of what lies there; empty: nothing
    /// @param place  of its surface or, where there is nothing, of the ground [m]
    void dropped(const QString& id, const QString& node,
                 const std::optional<floe::views::Vec3>& place);
    void handleDriven(const std::array<double, 3>& position); ///< pulled while driving
    /// Something for a status bar: what is at the place that was clicked, how an export goes.
    void placePicked(const QString& text);
    void exportFailed(const QString& message);

protected:
    bool event(QEvent* event) override;

private:
    /// A view of the scene. Its number is that of the runtime's view.
    struct Pane {
        PictureArea* area = nullptr;
        QString cameraNode;  ///< looked through; empty: the free camera
        bool framed = false; ///< the user or a camera node has chosen what is seen
        int cutAxis = 0;     ///< 0: whole; x, y, z; facing the view
        bool cutOther = false;
        double cutPlace = 0;             ///< [m]
        double cutLow = -1, cutHigh = 1; ///< ends of its slider [m]
        Vec3 cutTarget{};                ///< about which a plane that faces the view turns
    };
    static constexpr int kPanes = client::kMaxViews;

    static constexpr int kModes = 4;                ///< ways to colour that need no attribute
    static constexpr int kSettleMilliseconds = 160; ///< after the last turn of the camera
    /// What view.bounds answers; none when there is nothing.
    static std::optional<std::pair<Vec3, Vec3>> boundsOf(const Json& result);

    void makeColouring(); ///< with the camera, the part of the bar that is on its left
    void makeShows();
    void makePanes();
    void makeLayouts();
    void makeFraming();
    void makeExports();
    void layOut();
    void followArea(int which);
    void followRuntime();
    void followDocument();
    void startAnew();
    void showPicture(const client::Picture& picture);
    void pickAt(int which, QPointF at);
    void dropAt(int which, const QString& id, QPointF at);
    std::optional<Json> pickParams(int which, QPointF at) const; ///< none: of another run
    void ask(bool moving);            ///< for the pictures as everything is set now
    void ask(int which, bool moving); ///< for that of one view, if it is shown
    Pane& active() { return panes_[static_cast<std::size_t>(active_)]; }
    const Pane& active() const { return panes_[static_cast<std::size_t>(active_)]; }
    Pane& pane(int which) { return panes_[static_cast<std::size_t>(which)]; }
    QList<int> shownPanes() const; ///< numbers, in the order of the layout
    void arrange();
    void activate(int which);
    void activatePointed(); ///< the view under the pointer
    void showPane();        ///< the bar is about the active view
    void lookThrough(int which, const QString& cameraNode);
    void showCamera(int which);
    void useSaved();
    Json aboutView() const; ///< which one a request is about: the active one
    void refreshMessage();
    void refreshCameras();
    void makeTools();
    void makeViews();
    void makeCut();
    void beginCut();
    void showCut();
    static bool cutsByView(const Pane& pane);
    /// Towards what is cut away, unless it is the other side.
    static Vec3 cutNormal(const Pane& pane);
    static std::optional<client::Cut> cutOf(const Pane& pane);
    void refreshHandle();
    void refreshTools();     ///< those that the selected node has a handle for
    void lookForParticles(); ///< says so when the camera sees none of them
    void refreshAttributes();
    void refreshGate(Pane& pane);
    void see(int which, const Vec3& low, const Vec3& high);
    void frameEverything(int which);
    void frameUnseen();
    void askBounds(const std::function<void(const Vec3&, const Vec3&)>& found);
    void frameSelected(); ///< everything, where nothing of it is seen
    void placeRestart();
    QString askForPath(const QString& title, const QString& name, const QString& filter);
    /// @param saved  what the status bar says then
    void exportTo(const QString& method, const QString& path, Json params, const QString& saved);
    void goToPlace(const Vec3& place);
    void changeByHandle(const HandleTools::Change& change, int drag, bool finished);
    void takeBackHandle(int drag);

    client::Runtime* runtime_;
    editor::Document* document_;
    std::array<Pane, kPanes> panes_;
    PictureArea* area_ = nullptr; ///< of the active one
    int active_ = 0;
    int beside_ = 1; ///< the other one where two are shown, besides the first
    ViewLayout layout_ = ViewLayout::One;
    QGridLayout* grid_;
    QActionGroup* layouts_;
    Json saved_ = Json::array(); ///< cameras of savedScene_, as saveViews() wrote them
    QString savedScene_;
    QComboBox *cameras_, *colouring_, *maps_;
    QLineEdit *low_, *high_;
    QToolButton *shows_, *views_, *cuts_, *arrangements_;
    QAction *perspective_, *cutOther_;
    QActionGroup* cutAxes_;
    QSlider* cutSlider_;
    QDoubleSpinBox* cutPlace_;
    QList<QAction*> viewCommands_;
    QAction *colliders_, *emitters_, *surfaces_, *ground_, *domain_, *blur_;
    QPushButton* restart_;
    QTimer settle_; // then the quick picture is replaced by a beautiful one
    QTimer look_;   // not more often
    int frame_ = 1;
    bool movieStopped_ = false; // the user did not want the rest
    std::string scope_, node_, parameter_;
    std::vector<std::string> ghosts_;
    QString path_;       // of node_
    int lastDrag_ = 0;   // of a handle, that has changed something
    int undoBefore_ = 0; // index of the undo stack then
};

} // namespace floe::views
