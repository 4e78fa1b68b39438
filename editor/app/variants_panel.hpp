#pragma once

#include "app/other_run.hpp"
#include "app/sweep_variants.hpp"

#include <QWidget>

#include <vector>

class QDockWidget;
class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace floe::editor {

/// The variants of a sweep, with their values and the numbers of their last frames: one is chosen
/// for each side of the picture, on the left the open scene too.
class VariantsPanel : public QWidget {
    Q_OBJECT
public:
    VariantsPanel(MainWindow& window, OtherRun& other);

    /// Lists the sweep of an output folder. @return false when it is none; the window says so
    bool open(const QString& folder);
    const std::vector<SweepVariant>& variants() const { return variants_; }
    /// @param variant  of variants(); -1: the open scene, on the left alone
    void choose(OtherRun::Side side, int variant);
    /// What is chosen; on the right -1: nothing yet.
    int chosen(OtherRun::Side side) const { return side == OtherRun::Side::Left ? left_ : right_; }
    void addDock(); ///< to the window

private:
    void ask();
    void fill();
    void addRow(int variant);
    void showChoice();

    MainWindow& window_;
    OtherRun& other_;
    QLabel* title_;
    QTreeWidget* tree_;
    QPushButton *open_, *close_;
    QDockWidget* dock_ = nullptr;
    QString folder_;
    std::vector<SweepVariant> variants_;
    int left_ = -1, right_ = -1;
};

} // namespace floe::editor
