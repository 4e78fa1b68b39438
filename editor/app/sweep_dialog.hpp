#pragma once

#include "app/sweep_run.hpp"

#include <QDialog>

class QLabel;
class QLineEdit;
class QSpinBox;

namespace floe::editor {

class Document;

/// Asks for the values of a parameter that are to be compared, and how many frames.
class SweepDialog : public QDialog {
    Q_OBJECT
public:
    /// @param node  of the scene itself
    SweepDialog(const Document& document, const std::string& node, const std::string& parameter,
                QWidget* parent);

    void accept() override; ///< stays open and says why where a value is none

signals:
    void wanted(const floe::editor::SweepRun::Wanted& sweep);

private:
    QString refusal(const QStringList& values) const; ///< empty: they can be compared

    const Document& document_;
    std::string node_, parameter_;
    QLineEdit* values_;
    QSpinBox* frames_;
    QLabel* refusal_;
};

} // namespace floe::editor
