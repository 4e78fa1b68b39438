#pragma once

#include "client/runtime.hpp"
#include "floe/graph/document.hpp"
#include "views/statistics.hpp"
#include "views/wipe.hpp"

#include <QAction>
#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <memory>

namespace floe::views {
class Viewport;
} // namespace floe::views

namespace floe::editor {

class MainWindow;

/// Another run beside the one of the window: at the same frame, seen from the same place, with the
/// numbers of both. It has a runtime of its own, which reads the frames of a run with `--cache`, a
/// variant of a sweep for instance, or simulates what the scene was when it was held.
class OtherRun : public QObject {
    Q_OBJECT
public:
    /// @param program  gives the path of `floe`
    OtherRun(MainWindow& window, views::Viewport* viewport, views::History* history,
             std::function<QString()> program, QObject* parent);
    ~OtherRun() override;

    /// Shows a run by its run.json. @return false when it cannot; the window says why
    bool open(const QString& report);
    /// Shows the scene as it is now; it is simulated once more, whatever is edited later.
    void hold();
    void close();
    bool isOpen() const { return runtime_ != nullptr; }
    client::Runtime* runtime() const { return runtime_.get(); } ///< null: none is open

    void setFrame(int frame);

    QAction *openAction, *holdAction, *besideAction, *closeAction;

private:
    void begin(graph::Document document, const QString& name, const QString& cache);
    void readStatistics(const Json& report);
    void use(); ///< the document is known: its frames are read or simulated
    void look(const client::View& view);
    void refresh();
    void refreshActions();

    MainWindow& window_;
    views::Viewport* viewport_;
    views::History* history_; ///< of the window's run
    std::function<QString()> program_;
    std::unique_ptr<client::Runtime> runtime_;
    std::map<int, views::FrameNumbers> numbers_;
    QString name_, cache_, failure_;
    bool used_ = false;
    int frame_ = 1;
    std::optional<int> shownFrame_; ///< of the picture that is there
    bool shownCached_ = false;
    QImage picture_;
    client::View view_;
};

} // namespace floe::editor
