#pragma once

#include "app/preferences.hpp"
#include "app/run_cost.hpp"
#include "client/runtime.hpp"
#include "shell/main_window.hpp"
#include "views/orbit_camera.hpp"

#include <QTimer>

#include <optional>

namespace floe::panels {
class DopeSheet;
class ParameterPanel;
} // namespace floe::panels

namespace floe::views {
class History;
class LogView;
class ManualView;
class Plots;
class ProgressStrip;
class Spreadsheet;
class StatisticsStrip;
class Timeline;
class Viewport;
} // namespace floe::views

namespace floe::editor {

class CostEstimate;
class Drive;
class EmitterKeys;
class LiveCells;
class NodePreview;
class OtherRun;
class VariantsPanel;

/// Joins the window, the runtime and the views: what is edited reaches the runtime, what the
/// runtime says reaches canvas and views, and a frame chosen anywhere is shown everywhere.
class Studio : public QObject {
    Q_OBJECT
public:
    /// @param window    must live longer
    explicit Studio(MainWindow& window);
    ~Studio() override;

    client::Runtime& runtime() { return *runtime_; }
    views::Timeline& timeline() { return *timeline_; }
    NodePreview& preview() { return *preview_; }
    OtherRun& otherRun() { return *other_; }
    VariantsPanel& variants() { return *variants_; }
    /// True when the runtime has answered to the document as it is.
    bool isSettled() const;
    /// Uses the runtime that listens there from now on.
    void connectTo(const QString& address, const QString& token);
    void showManual(const QString& page, const QString& nodeType);
    /// Puts what was wrong when types were read into the log.
    void report(const std::vector<graph::Fault>& faults);

private:
    void joinRuntime();
    void joinDocument();
    void joinViews();
    void sendDocument();
    void showRange();
    void showKept();
    void showFiles();
    void forgetFrames();
    void putDown(const QString& id, const QString& node, const std::optional<views::Vec3>& place);
    void followSelection();
    void askWhereToConnect();
    void usePreferences(const Preferences& preferences);
    void askForPreferences();
    void rescan();
    void copyCommandLine();
    void findCost();
    QString program() const;
    void tellStale();
    void followEdits();

    MainWindow& window_;
    Document& document_;
    client::Runtime* runtime_;
    views::Viewport* viewport_;
    views::Timeline* timeline_;
    views::ProgressStrip* progress_;
    views::History* history_;
    views::StatisticsStrip* strip_;
    views::Plots* plots_;
    views::Spreadsheet* spreadsheet_;
    panels::ParameterPanel* panel_;
    panels::DopeSheet* keys_;
    views::LogView* log_;
    views::ManualView* manual_ = nullptr;
    RunCost* cost_;
    CostEstimate* estimate_;
    Drive* drive_;
    LiveCells* cells_;
    EmitterKeys* emitters_;
    NodePreview* preview_;
    OtherRun* other_;
    VariantsPanel* variants_;
    QTimer send_; ///< a drag is sent where it rests
    int sendGeneration_ = 0, sentGeneration_ = 0;
    QString cooking_;
    QString shownPath_;                ///< whose frames there are
    bool forgetAtEnd_ = false;         ///< a run of the scene before has to stop first
    bool playAtEnd_ = false;           ///< the run stops to begin again
    std::optional<int> finishedFrame_; ///< by the run, last
    bool staleTold_ = false;           ///< of this run
    QAction* follow_ = nullptr;        ///< a switch: edits are simulated by themselves
    bool editedSince_ = false;         ///< and not simulated since
};

} // namespace floe::editor
