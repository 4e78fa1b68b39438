#include "studio_fixture.hpp"

#include "canvas/search_popup.hpp"
#include "panels/fields.hpp"
#include "panels/number_field.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QToolButton>
#include <QWindow>
#include <gmock/gmock.h>

#include <algorithm>
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

// The second tutorial: a preset that is changed is no longer one, and a fourth material is a copied
// chain.
TEST_F(Tutorial, MixingMaterialsIsDoneAsItIsWritten)
{
    ASSERT_TRUE(window->open(QStringLiteral(FLOE_SOURCE_DIR "/graphs/mixed.floe.json")));
    settle();
    const auto emitters = [&] {
        std::vector<std::string> linked;
        for (const graph::Link& link : document().content().graph.links)
            if (link.to == graph::Endpoint{"solver", "emitters"})
                linked.push_back(link.from.node);
        return linked;
    };
    EXPECT_EQ(emitters().size(), 3u);

    QFile file(QStringLiteral(FLOE_SOURCE_DIR "/editor/manual/mixing_materials.md"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll()).simplified();
    const auto change =
        QRegularExpression(
            QStringLiteral(
                R"(Select \*\*(\w+)\*\*\..*?change \*\*([^*]+)\*\* from `([\d.]+)` to `([\d.]+)`)"))
            .match(text);
    ASSERT_TRUE(change.hasMatch());
    const std::string changed = change.captured(1).toStdString();
    canvas().select({changed});
    auto* panel = window->findChild<panels::ParameterPanel*>();
    ParameterRow* edited = panel ? row(change.captured(2)) : nullptr;
    ASSERT_TRUE(edited);
    const auto stored = [&] {
        return document().value({}, changed, edited->spec().name).get<double>();
    };
    EXPECT_EQ(panel->presetButton()->text().trimmed().toLower(), change.captured(1));
    EXPECT_EQ(stored(), change.captured(3).toDouble());
    typeNumbers(change.captured(2), 0, {change.captured(4)});
    EXPECT_EQ(stored(), change.captured(4).toDouble());
    EXPECT_EQ(panel->presetButton()->text().trimmed(), QStringLiteral("Presets"));

    canvas().select({"mud_shape", "mud", "bed"});
    canvas().setFocus();
    QTest::keyClick(&canvas(), Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(&canvas(), Qt::Key_V, Qt::ControlModifier);
    const std::vector<std::string> copies = canvas().selection();
    ASSERT_EQ(copies.size(), 3u);
    std::string material, emitter;
    for (const graph::Node& node : document().content().graph.nodes)
        if (std::ranges::find(copies, node.name) != copies.end()) {
            material = node.type == "floe.material" ? node.name : material;
            emitter = node.type == "floe.emitter" ? node.name : emitter;
        }
    canvas().select({material});
    QAction* honey = nullptr;
    ASSERT_TRUE(until([&] {
        QMenu* menu = panel->presetButton()->menu();
        for (QAction* action : menu ? menu->actions() : QList<QAction*>())
            if (action->text().startsWith("Honey"))
                honey = action;
        return honey != nullptr;
    }));
    honey->trigger();
    EXPECT_EQ(document().value({}, material, "law"), "liquid");
    EXPECT_EQ(document().value({}, "mud", "law"), "herschelBulkley");

    canvas().frameAll();
    const QPoint from = canvas().socketPoint(emitter, true, "emitter"),
                 to = canvas().socketPoint("solver", false, "emitters");
    QTest::mousePress(&canvas(), Qt::LeftButton, {}, from);
    for (int i = 1; i <= 5; ++i) {
        const QPoint at = from + (to - from) * i / 5;
        QMouseEvent move(QEvent::MouseMove, at, canvas().mapToGlobal(at), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(&canvas(), &move);
    }
    QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, to);
    EXPECT_THAT(emitters(), testing::Contains(emitter));
    EXPECT_EQ(emitters().size(), 4u);
    document().checkNow();
    EXPECT_TRUE(document().faults().empty());
}

} // namespace
} // namespace floe::test
