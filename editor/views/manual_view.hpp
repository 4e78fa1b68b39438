#pragma once

#include "floe/graph/node_type.hpp"
#include "floe/graph/reference.hpp"

#include <QMap>
#include <QWidget>

#include <memory>

class QLineEdit;
class QTextBrowser;
class QTreeWidget;

namespace floe::views {

/// The manual, readable without a network: tutorials (Markdown files beside the program) and the
/// reference of every node type there is, made from the manifests, third parties' included.
class ManualView : public QWidget {
    Q_OBJECT
public:
    explicit ManualView(QWidget* parent = nullptr);

    /// Node types for the reference. May be called again.
    void setTypes(std::shared_ptr<const graph::TypeLibrary> types);

    /// @param page "index", "snow_on_a_collider", ...: file name without .md
    void showPage(const QString& page);
    /// The reference of one node type. @return false when it is not known
    bool showNode(const QString& type);

    QString current() const { return current_; } ///< page or type shown
    QString text() const;                        ///< what is shown, without markup

    /// Where the Markdown files are; empty when they are not installed.
    static QString folder();

protected:
    void changeEvent(QEvent* event) override;

private:
    void fillContents();
    void filter(const QString& words);
    void display(const QString& markdown);
    void style();
    void select(const QString& id);
    /// The words around the texts of manifests, in the language of the editor.
    static graph::ReferenceWords referenceWords();

    QLineEdit* search_;
    QTreeWidget* contents_;
    QTextBrowser* browser_;
    std::shared_ptr<const graph::TypeLibrary> types_;
    QMap<QString, QString> reference_; // Markdown by node type
    QString current_, markdown_;
};

} // namespace floe::views
