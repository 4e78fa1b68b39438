#pragma once

#include "app/seen_run.hpp"
#include "views/wipe.hpp"

#include <QAction>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace floe::views {
class Viewport;
} // namespace floe::views

namespace floe::editor {

class MainWindow;

/// Another run beside the one of the window: at the same frame, seen from the same place, with the
/// numbers of both. It has a runtime of its own, which reads the frames of a run with `--cache`, a
/// variant of a sweep for instance, or simulates what the scene was when it was held. Two such runs
/// can be shown beside each other too.
class OtherRun : public QObject {
    Q_OBJECT
public:
    enum class Side { Left, Right };

    /// @param program  gives the path of `floe`
    OtherRun(MainWindow& window, views::Viewport* viewport, views::History* history,
             std::function<QString()> program, QObject* parent);
    ~OtherRun() override;

    /// Shows a run by its run.json: on the right, or on the left in place of the window's own,
    /// which is seen once there is one on the right.
    /// @param name  what it is called; empty: by its folder
    /// @return false when it cannot; the window says why
    bool open(const QString& report, const QString& name = {}, Side side = Side::Right);
    /// Shows the scene as it is now; it is simulated once more, whatever is edited later.
    void hold();
    void showThisScene(); ///< on the left, again
    void close();
    bool isOpen() const { return right_ != nullptr; }
    /// Of the one on the right; null: none is open.
    client::Runtime* runtime() const { return right_ ? right_->runtime() : nullptr; }

    void setFrame(int frame);

    QAction *openAction, *holdAction, *besideAction, *closeAction;

signals:
    void closed();

private:
    void begin(RunSource source, Side side);
    void look(const client::View& view);
    void refresh();
    void refreshActions();

    MainWindow& window_;
    views::Viewport* viewport_;
    views::History* history_; ///< of the window's run
    std::function<QString()> program_;
    std::unique_ptr<SeenRun> left_, right_; ///< no left one: the window's own
    int frame_ = 1;
    client::View view_;
};

} // namespace floe::editor
