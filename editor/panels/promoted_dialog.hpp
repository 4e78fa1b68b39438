#pragma once

#include "document/document.hpp"

#include <QDialog>

class QLabel;
class QLineEdit;

namespace floe::panels {

/// How instances of a subgraph show one of its promoted parameters: label, help and, of numbers,
/// the range. What is left empty is as inside. One step of undo.
class PromotedDialog final : public QDialog {
    Q_OBJECT

public:
    /// @param scope  the subgraph
    /// @param name   of the promoted parameter
    PromotedDialog(editor::Document* document, std::string scope, std::string name,
                   QWidget* parent);

    void accept() override; ///< stays open and says why where it is refused

private:
    QLineEdit* number(const char* name, const std::optional<double>& own,
                      const std::optional<double>& inside);

    editor::Document* document_;
    std::string scope_, name_;
    QLineEdit *label_, *help_;
    QLineEdit *min_ = nullptr, *max_ = nullptr, *softMin_ = nullptr, *softMax_ = nullptr;
    QLabel* refusal_;
};

} // namespace floe::panels
