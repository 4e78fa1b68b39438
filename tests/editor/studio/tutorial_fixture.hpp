/// Does what a page of the manual says, with mouse and keyboard.
#pragma once

#include "studio_fixture.hpp"

#include "canvas/search_popup.hpp"
#include "panels/fields.hpp"
#include "panels/number_field.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTimer>
#include <QToolButton>
#include <QWindow>

namespace floe::test {

using panels::NumberField;
using panels::ParameterRow;

/// Does what a tutorial's text says, word by word, with mouse and keyboard.
class Tutorial : public WithTheRuntime {
protected:
    /// A page, without the breaks of its lines.
    static QString pageOf(const char* name)
    {
        QFile file(QStringLiteral(FLOE_SOURCE_DIR "/editor/manual/") + name);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name;
        return QString::fromUtf8(file.readAll()).simplified();
    }

    editor::Canvas& canvas() { return *window->canvas(); }

    void pointAt(QWidget& widget, QPoint at)
    {
        for (const QPoint& step : {QPoint(9, 9), QPoint(4, 4), QPoint()}) // a hand's way there
            QTest::mouseMove(window->windowHandle(), widget.mapTo(window.get(), at - step));
        // Where the focus is elsewhere, Tab shows whether it is there.
        (void)QTest::qWaitFor([&] { return widget.underMouse(); }, 1000);
    }

    /// Keys go where the focus is, as a hand's do.
    static void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }

    /// An empty place of the network: to the right of everything.
    void clickEmptyPlace()
    {
        QTest::mouseClick(&canvas(), Qt::LeftButton, {},
                          canvas().rect().bottomLeft() - QPoint(-8, 8));
        EXPECT_TRUE(canvas().selection().empty());
    }

    void addNode(const QString& words)
    {
        pointAt(canvas(), canvas().rect().center());
        press(Qt::Key_Tab);
        ASSERT_TRUE(canvas().searchPopup()->isVisible()) << words.toStdString();
        QTest::keyClicks(canvas().searchPopup()->field(), words);
        QTest::keyClick(canvas().searchPopup()->field(), Qt::Key_Return);
        ASSERT_EQ(canvas().selection().size(), 1u) << words.toStdString();
        activate();
    }

    /// Popups and dialogs leave that to the window manager.
    void activate()
    {
        window->activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
    }

    void selectNode(const QString& type)
    {
        for (const graph::Node& node : document().content().graph.nodes)
            if (QString::fromStdString(node.type).endsWith(type))
                canvas().select({node.name});
    }

    ParameterRow* row(const QString& label)
    {
        ParameterRow* found = nullptr;
        const bool shown = until([&] {
            for (auto* row : window->findChildren<ParameterRow*>())
                if (row->isVisible() && QString::fromStdString(row->spec().label) == label)
                    found = row;
            return found != nullptr;
        });
        EXPECT_TRUE(shown) << "no parameter is called " << label.toStdString();
        return found;
    }

    /// Types numbers one after the other: Tab goes from each to the next.
    void typeNumbers(const QString& label, std::size_t first, const QStringList& values)
    {
        ParameterRow* at = row(label);
        ASSERT_TRUE(at && first + std::size_t(values.size()) <= at->numbers().size());
        NumberField* field = at->numbers()[first];
        pointAt(*field, field->rect().center());
        QTest::mouseClick(field, Qt::LeftButton);
        for (qsizetype i = 0; i < values.size(); ++i) {
            auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
            ASSERT_TRUE(line) << label.toStdString() << " " << i;
            EXPECT_EQ(line->parentWidget(), at->numbers()[first + std::size_t(i)]);
            line->selectAll();
            QTest::keyClicks(line, values[i]);
            press(i + 1 < values.size() ? Qt::Key_Tab : Qt::Key_Return);
        }
    }

    void choose(const QString& label, const QString& choice)
    {
        ParameterRow* at = row(label);
        auto* box = at ? at->findChild<QComboBox*>() : nullptr;
        ASSERT_TRUE(box);
        const int index = box->findText(choice);
        ASSERT_GE(index, 0) << choice.toStdString();
        box->setFocus();
        while (box->currentIndex() != index)
            press(box->currentIndex() < index ? Qt::Key_Down : Qt::Key_Up);
    }

    /// Reads on to these words of the page that is being done: what a test does is what stands
    /// there, in this order.
    void read(const QString& words)
    {
        const auto found = page.indexOf(words, readTo);
        ASSERT_GE(found, 0) << "the page does not go on with: " << words.toStdString();
        readTo = found + words.size();
    }

    /// Chooses a command, "File > Open", from its menu with the mouse.
    void chooseFromMenu(const QString& path)
    {
        QMenuBar* bar = window->menuBar();
        QAction* title = actionOf(bar->actions(), path.section(" > ", 0, 0));
        ASSERT_TRUE(title) << path.toStdString();
        QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(title).center());
        QMenu* menu = title->menu();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(menu)) << path.toStdString();
        clickAction(menu, path.section(" > ", 1));
    }
    void clickAction(QMenu* menu, const QString& text)
    {
        QAction* action = actionOf(menu->actions(), text);
        ASSERT_TRUE(action && action->isEnabled()) << text.toStdString();
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
    }
    static QAction* actionOf(const QList<QAction*>& actions, const QString& text)
    {
        for (QAction* action : actions)
            if (action->text().section('\t', 0, 0).remove('&').remove(QStringLiteral("…")) ==
                QString(text).remove(QStringLiteral("…")))
                return action;
        return nullptr;
    }

    /// Types a path into the dialog that `ask` opens.
    template <class Ask>
    void answer(const QString& path, Ask&& ask)
    {
        QTimer look;
        bool answered = false;
        QObject::connect(&look, &QTimer::timeout, window.get(), [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            // Again, if it is still there: a list of completions that comes late takes the key.
            answered = true;
            auto* line = dialog->findChild<QLineEdit*>("fileNameEdit");
            line->selectAll();
            QTest::keyClicks(line, path);
            QTest::keyClick(line, Qt::Key_Return);
        });
        look.start(200);
        ask();
        EXPECT_TRUE(answered) << path.toStdString();
        activate();
    }

    /// Draws a wire with the mouse.
    void link(const std::string& from, const char* output, const std::string& to, const char* input)
    {
        canvas().frameAll();
        const QPoint a = canvas().socketPoint(from, true, output),
                     b = canvas().socketPoint(to, false, input);
        QTest::mousePress(&canvas(), Qt::LeftButton, {}, a);
        for (int i = 1; i <= 5; ++i) {
            const QPoint at = a + (b - a) * i / 5;
            QMouseEvent move(QEvent::MouseMove, at, canvas().mapToGlobal(at), Qt::NoButton,
                             Qt::LeftButton, {});
            QApplication::sendEvent(&canvas(), &move);
        }
        QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, b);
        EXPECT_TRUE(isLinked(from, to, input)) << from << " -> " << to << "." << input;
    }
    bool isLinked(const std::string& from, const std::string& to, const char* input)
    {
        const auto& links = document().content().graph.links;
        return std::any_of(links.begin(), links.end(), [&](const graph::Link& link) {
            return link.from.node == from && link.to == graph::Endpoint{to, input};
        });
    }

    /// Chooses a preset of the selected node from the menu of its panel.
    void choosePreset(const QString& name)
    {
        auto* panel = window->findChild<panels::ParameterPanel*>();
        QAction* preset = nullptr;
        ASSERT_TRUE(until([&] {
            QMenu* menu = panel->presetButton()->menu();
            for (QAction* action : menu ? menu->actions() : QList<QAction*>())
                if (action->text().startsWith(name))
                    preset = action;
            return preset != nullptr;
        })) << name.toStdString();
        preset->trigger();
    }

    /// Kept for people to look at.
    void keep(const char* name)
    {
        QDir().mkpath(FLOE_BINARY_DIR "/pictures/editor");
        window->grab().save(QString(FLOE_BINARY_DIR "/pictures/editor/%1.png").arg(name));
    }

    /// Every instruction of a paragraph that this can do, in order. @return how many
    int follow(const QString& text)
    {
        static const QRegularExpression step(QStringLiteral(
            R"(\*\*Tab\*\*(?:, |\. Type )`(?<word>[^`]+)`)"
            R"(|Click an (?<empty>empty place))"
            R"(|Select the (?<select>\w+))"
            R"(|(?:(?<ordinal>second|third) number of )?\*\*(?<label>[^*]+)\*\*)"
            R"((?: of this collider)?(?: to)? (?:`(?<numbers>[^`]+(?:`, `[^`]+)*)`|\*\*(?<choice>[^*]+)\*\*))"));
        int done = 0;
        for (auto found = step.globalMatch(text); found.hasNext() && !HasFatalFailure(); ++done) {
            const QRegularExpressionMatch match = found.next();
            if (match.hasCaptured(u"word"))
                addNode(match.captured(u"word"));
            else if (match.hasCaptured(u"empty"))
                clickEmptyPlace();
            else if (match.hasCaptured(u"select"))
                selectNode(match.captured(u"select"));
            else if (match.hasCaptured(u"numbers"))
                typeNumbers(match.captured(u"label"),
                            match.captured(u"ordinal") == QLatin1String("second")  ? 1
                            : match.captured(u"ordinal") == QLatin1String("third") ? 2
                                                                                   : 0,
                            match.captured(u"numbers").split("`, `"));
            else
                choose(match.captured(u"label"), match.captured(u"choice"));
        }
        return done;
    }

    Json valueOf(const std::string& type, const char* parameter)
    {
        for (const graph::Node& node : document().content().graph.nodes)
            if (node.type == type)
                return document().value({}, node.name, parameter);
        return nullptr;
    }

    QString page;
    qsizetype readTo = 0;
};

} // namespace floe::test
