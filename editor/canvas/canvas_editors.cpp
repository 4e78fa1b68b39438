#include "canvas/canvas.hpp"

#include <QAction>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QToolTip>

namespace floe::editor {

namespace {
constexpr int kWireNoteLetters = 80;
} // namespace

void Canvas::closeEditor()
{
    if (!editor_)
        return;
    QWidget* editor = std::exchange(editor_, nullptr);
    editor->hide();
    editor->deleteLater();
}

/// Lets Esc leave an editor without a change.
void Canvas::closeOnEscape(QLineEdit* field)
{
    auto* escape = new QAction(field);
    escape->setShortcut(Qt::Key_Escape);
    escape->setShortcutContext(Qt::WidgetShortcut);
    connect(escape, &QAction::triggered, this, [this] {
        closeEditor();
        setFocus();
    });
    field->addAction(escape);
}

void Canvas::rename(const std::string& name)
{
    closeEditor();
    scene_.ensure();
    const int index = scene_.find(name);
    if (index < 0)
        return;
    if (zoom_ < 0.5)
        frame(scene_.cards[std::size_t(index)].rect.adjusted(-200, -100, 200, 100));
    const QRectF rect = scene_.cards[std::size_t(index)].rect;
    auto* field = new QLineEdit(QString::fromStdString(name), this);
    editor_ = field;
    field->setObjectName("renameField");
    field->setAccessibleName(tr("Name of the node"));
    const QPoint corner = toWidget(rect.topLeft() + QPointF(10, 3)).toPoint();
    field->setGeometry(corner.x(), corner.y(), std::max(130, int((kCardWidth - 20) * zoom_)),
                       field->sizeHint().height());
    field->selectAll();
    field->show();
    field->setFocus();
    connect(field, &QLineEdit::returnPressed, this, [this, field, name] {
        const std::string wish = field->text().trimmed().toStdString();
        const QString problem = document_.rename(scope(), name, wish);
        if (!problem.isEmpty()) {
            QToolTip::showText(field->mapToGlobal(QPoint(0, field->height())), problem, field);
            emit said(problem);
            return;
        }
        closeEditor();
        setFocus();
    });
    connect(field, &QLineEdit::editingFinished, this, [this, field] {
        if (editor_ == field && !field->hasFocus())
            closeEditor();
    });
    closeOnEscape(field);
}

void Canvas::editBackdrop(const std::string& name)
{
    closeEditor();
    const graph::Graph* g = document_.graph(scope());
    const auto at = std::find_if(scene_.backdrops.begin(), scene_.backdrops.end(),
                                 [&](const Backdrop& one) { return one.name == name; });
    if (!g || at == scene_.backdrops.end())
        return;
    auto* field = new QLineEdit(at->title, this);
    editor_ = field;
    field->setObjectName("titleField");
    field->setAccessibleName(tr("Title of the frame"));
    field->setGeometry(QRect(
        toWidget(at->rect.topLeft()).toPoint() + QPoint(6, 2),
        QSize(std::max(160, int(at->rect.width() * zoom_) - 12), field->sizeHint().height())));
    field->selectAll();
    field->show();
    field->setFocus();
    connect(field, &QLineEdit::editingFinished, this, [this, field, name] {
        if (editor_ != field)
            return;
        const graph::Graph* now = document_.graph(scope());
        if (now && now->backdrops.is_object() && now->backdrops.contains(name)) {
            Json json = now->backdrops.at(name);
            json["title"] = field->text().toStdString();
            document_.setBackdrop(scope(), name, json);
        }
        closeEditor();
        setFocus();
    });
}

namespace {
/// Text of a note; done when it loses the focus, Esc too.
class NoteEdit : public QPlainTextEdit {
public:
    NoteEdit(const QString& text, QWidget* parent, std::function<void(QString)> done)
        : QPlainTextEdit(text, parent), done_(std::move(done))
    {
        setObjectName("noteField");
    }

protected:
    void focusOutEvent(QFocusEvent* event) override
    {
        QPlainTextEdit::focusOutEvent(event);
        finish();
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape ||
            (event->key() == Qt::Key_Return && event->modifiers() == Qt::ControlModifier))
            return finish();
        QPlainTextEdit::keyPressEvent(event);
    }

private:
    void finish()
    {
        if (const auto done = std::exchange(done_, nullptr))
            done(toPlainText());
    }
    std::function<void(QString)> done_;
};
} // namespace

void Canvas::editNote(const std::string& name)
{
    closeEditor();
    const auto at = std::find_if(scene_.notes.begin(), scene_.notes.end(),
                                 [&](const NoteItem& one) { return one.name == name; });
    if (at == scene_.notes.end())
        return;
    auto* field = new NoteEdit(at->text, this, [this, name](const QString& text) {
        const graph::Graph* now = document_.graph(scope());
        if (now && now->notes.is_object() && now->notes.contains(name)) {
            Json json = now->notes.at(name);
            json["text"] = text.toStdString();
            document_.setNote(scope(), name, text.trimmed().isEmpty() ? Json() : json);
        }
        closeEditor();
        setFocus();
    });
    editor_ = field;
    field->setAccessibleName(tr("Text of the note"));
    const QRectF rect = at->rect;
    field->setGeometry(QRect(toWidget(rect.topLeft()).toPoint(),
                             QSize(std::max(260, int(rect.width() * zoom_) + 20),
                                   std::max(90, int(rect.height() * zoom_) + 20))));
    field->selectAll();
    field->show();
    field->setFocus();
}

void Canvas::editWireNote(graph::Link link) // a copy: those of the picture may be laid out anew
{
    closeEditor();
    const int index = scene().findWire(link);
    if (index < 0)
        return;
    const QPainterPath& path = scene_.wires[std::size_t(index)].path;
    auto* field = new QLineEdit(document_.wireNote(scope(), link), this);
    editor_ = field;
    field->setObjectName("wireNoteField");
    field->setAccessibleName(tr("Note on the wire"));
    field->setMaxLength(kWireNoteLetters);
    const QPoint middle = toWidget(path.pointAtPercent(0.5)).toPoint();
    const QSize size(220, field->sizeHint().height());
    field->setGeometry(QRect(middle - QPoint(size.width() / 2, size.height() / 2), size));
    field->selectAll();
    field->show();
    field->setFocus();
    connect(field, &QLineEdit::editingFinished, this, [this, field, link] {
        if (editor_ != field)
            return;
        const QString text = field->text().trimmed();
        closeEditor();
        document_.setWireNote(scope(), link, text);
        setFocus();
    });
    closeOnEscape(field);
}

} // namespace floe::editor
