#include "studio_fixture.hpp"

#include "canvas/search_popup.hpp"
#include "panels/fields.hpp"
#include "panels/number_field.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QRegularExpression>
#include <QWindow>

#include <set>

namespace floe::test {
namespace {

using panels::NumberField;
using panels::ParameterRow;

/// Does what a tutorial's text says, word by word, with mouse and keyboard.
class Tutorial : public WithTheRuntime {
protected:
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
        window->activateWindow(); // a popup leaves that to the window manager
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
};

// The first tutorial as it is written makes a snowball that falls on a wedge, and it runs.
TEST_F(Tutorial, SnowOnAColliderIsDoneAsItIsWritten)
{
    QFile file(QStringLiteral(FLOE_SOURCE_DIR "/editor/manual/snow_on_a_collider.md"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll()).simplified();
    const QString steps = text.section("## Make it yours", 0, 0);
    EXPECT_EQ(follow(steps), 17);

    EXPECT_EQ(valueOf("floe.shape.sphere", "radius"), 0.3);
    EXPECT_EQ(valueOf("floe.shape.sphere", "center")[1], 1.4);
    EXPECT_EQ(valueOf("floe.emitter", "velocity"), Json({0, -4, 0}));
    EXPECT_EQ(valueOf("floe.shape.box", "size"), Json({0.6, 0.6, 1.3}));
    EXPECT_EQ(valueOf("floe.shape.box", "rotation")[2], 45);
    std::multiset<std::string> types;
    std::string solver;
    for (const graph::Node& node : document().content().graph.nodes) {
        types.insert(node.type);
        if (node.type == "floe.mpm.solver")
            solver = node.name;
    }
    EXPECT_EQ(types, (std::multiset<std::string>{
                         "floe.shape.sphere", "floe.material", "floe.emitter", "floe.shape.box",
                         "floe.collider", "floe.shape.plane", "floe.collider", "floe.mpm.solver"}));
    int emitters = 0, colliders = 0;
    for (const graph::Link& link : document().content().graph.links) {
        emitters += link.to == graph::Endpoint{solver, "emitters"};
        colliders += link.to == graph::Endpoint{solver, "colliders"};
    }
    EXPECT_EQ(emitters, 1);
    EXPECT_EQ(colliders, 2);
    document().checkNow();
    EXPECT_TRUE(document().faults().empty());

    settle();
    bool shown = false;
    QObject::connect(&runtime(), &client::Runtime::frameFinished, window.get(),
                     [&] { shown = true; });
    clickEmptyPlace();
    press(Qt::Key_Space);
    EXPECT_TRUE(until([&] { return shown; }));
    runtime().cancel();
    EXPECT_TRUE(until([&] { return !runs(); }));
}

} // namespace
} // namespace floe::test
