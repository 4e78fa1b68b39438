#pragma once

#include "app/other_run.hpp"
#include "app/sweep_run.hpp"
#include "app/sweep_variants.hpp"

#include <QWidget>

#include <functional>
#include <string>
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
    /// @param program  gives the path of `floe`
    VariantsPanel(MainWindow& window, OtherRun& other, std::function<QString()> program);

    /// Lists the sweep of an output folder. @return false when it is none; the window says so
    bool open(const QString& folder);
    const std::vector<SweepVariant>& variants() const { return variants_; }
    /// @param variant  of variants(); -1: the open scene, on the left alone
    void choose(OtherRun::Side side, int variant);
    /// What is chosen; on the right -1: nothing yet.
    int chosen(OtherRun::Side side) const { return side == OtherRun::Side::Left ? left_ : right_; }
    void addDock(); ///< to the window
    /// Asks for values of a parameter of the scene itself, and simulates a variant for each.
    void askForValues(const std::string& node, const std::string& parameter);
    bool isSweeping() const { return sweep_.isBusy(); }

    QSize minimumSizeHint() const override;

private:
    void ask();
    void fill();
    void addRow(int variant);
    void showChoice();
    void useValues(); ///< of the right one, in the scene: one step of undo
    bool hasItsNodes(const SweepVariant& variant) const;
    void begin(const SweepRun::Wanted& wanted);
    void showSweep();
    void endSweep(const QString& trouble);

    MainWindow& window_;
    OtherRun& other_;
    SweepRun sweep_;
    SweepRun::Wanted wanted_; ///< by it
    QLabel* title_;
    QTreeWidget* tree_;
    QPushButton *use_, *open_, *stop_, *close_;
    QDockWidget* dock_ = nullptr;
    QString folder_;
    std::vector<SweepVariant> variants_;
    int left_ = -1, right_ = -1;
};

} // namespace floe::editor
