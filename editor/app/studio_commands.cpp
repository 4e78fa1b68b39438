#include "app/studio.hpp"

#include "shell/notice.hpp"
#include "themes/theme.hpp"
#include "views/manual_view.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QStatusBar>

#include <algorithm>

namespace floe::editor {

namespace {
/// A node, in a subgraph too, makes pictures or files.
bool drawsOrWrites(const Document& document)
{
    const auto isSink = [&](const graph::Node& node) {
        const graph::NodeType* type = document.types().find(node.type);
        return type && type->role == graph::Role::Sink && !node.bypass;
    };
    const graph::Document& content = document.content();
    return std::any_of(content.graph.nodes.begin(), content.graph.nodes.end(), isSink) ||
           std::any_of(content.subgraphs.begin(), content.subgraphs.end(), [&](const auto& entry) {
               const auto& nodes = entry.second.nodes;
               return std::any_of(nodes.begin(), nodes.end(), isSink);
           });
}
} // namespace

void Studio::copyCommandLine()
{
    const auto take = [this](const QString& command) {
        QApplication::clipboard()->setText(command);
        if (drawsOrWrites(document_))
            window_.statusBar()->showMessage(tr("Copied: %1").arg(command), 8000);
        else
            window_.notice()->say(Notice::Severity::Warning,
                                  tr("Copied, but this scene has no node that draws or writes: a "
                                     "run keeps only checkpoints. Add one of the group Output."));
    };
    if (document_.path().isEmpty() || document_.isModified()) // it would run something else
        return window_.notice()->say(Notice::Severity::Info,
                                     tr("The command reads the file, so save the scene first."),
                                     tr("Save"), [this] { window_.save(); });
    runtime_->request(this, "command.line", Json::object(), [take](const Json& result) {
        const QString command = client::textOf(result, "command");
        if (!command.isEmpty())
            take(command);
    });
}

/// The `floe` that tries scenes.
QString Studio::program() const
{
    return runtime_->program().isEmpty()
               ? QDir(QCoreApplication::applicationDirPath()).filePath(QStringLiteral("floe"))
               : runtime_->program();
}

void Studio::findCost()
{
    if (document_.path().isEmpty() || document_.isModified()) // it would try something else
        return window_.notice()->say(Notice::Severity::Info,
                                     tr("What a run takes is found from the file, so save the "
                                        "scene first."),
                                     tr("Save"), [this] { window_.save(); });
    const bool begun = cost_->start(program(), document_.path());
    window_.statusBar()->showMessage(begun ? tr("Trying the first frames…")
                                           : tr("The first frames are still being tried."),
                                     8000);
}

void Studio::showManual(const QString& page, const QString& nodeType)
{
    if (!manual_) {
        manual_ = new views::ManualView;
        manual_->setWindowTitle(tr("Floe manual"));
        manual_->setWindowIcon(icon("floe"));
        manual_->resize(1000, 760);
        manual_->setTypes(document_.sharedTypes());
    }
    if (nodeType.isEmpty())
        manual_->showPage(page);
    else
        manual_->showNode(nodeType);
    manual_->QWidget::show(); // its own show() takes a text
    manual_->raise();
    manual_->activateWindow();
}

} // namespace floe::editor
