#include "panel_fixture.hpp"

#include "panels/fields.hpp"
#include "panels/section.hpp"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

#include <gtest/gtest.h>

namespace {

using namespace floe;
using namespace floe::panels;
using floe::test::Panel;

TEST_F(Panel, HasARowForEachParameterOfAThirdPartysNode)
{
    for (const auto& spec : document.typeOf({}, name)->parameters)
        EXPECT_TRUE(panel.row(spec.name)) << spec.name;
    EXPECT_EQ(panel.row("centre")->numbers().size(), 3u);
    EXPECT_EQ(panel.findChildren<Section*>().size(), 2);
}

TEST_F(Panel, ANumberCanBeTypedAsArithmeticAndStaysInItsRange)
{
    type(number("radius"), QStringLiteral("2 * 0.4"));
    EXPECT_EQ(value("radius"), 0.8);
    type(number("radius"), QStringLiteral("99"));
    EXPECT_EQ(value("radius"), 10); // its hard maximum
    type(number("count"), QStringLiteral("4.6"));
    EXPECT_EQ(value("count"), 5);
    EXPECT_TRUE(value("count").is_number_integer());
    type(number("radius"), QStringLiteral("nonsense ++"));
    EXPECT_EQ(value("radius"), 10);
    EXPECT_EQ(document.undo().count(), 3 + 1); // and the node's own
}

TEST_F(Panel, ADragIsOneStepOfUndo)
{
    const int before = document.undo().count();
    drag(number("radius"), 60);
    EXPECT_GT(value("radius").get<double>(), 0.5);
    EXPECT_LE(value("radius").get<double>(), 2); // the slider ends at its soft range
    EXPECT_EQ(document.undo().count(), before + 1);
    drag(number("radius"), -30);
    EXPECT_EQ(document.undo().count(), before + 2); // another drag is another step
    document.undo().undo();
    document.undo().undo();
    EXPECT_EQ(value("radius"), 0.5);
    EXPECT_DOUBLE_EQ(number("radius")->value(), 0.5); // the field follows undo
    drag(number("radius"), 5000);
    EXPECT_EQ(value("radius"), 2);
}

// 0 stands for a size that is found: dragging away from it does not pass the tiny ones.
TEST_F(Panel, ADragFromAutomaticBeginsAtTheSlidersEnd)
{
    drag(number("voxelSize"), 8);
    EXPECT_GT(value("voxelSize").get<double>(), 0.005);
    EXPECT_LT(value("voxelSize").get<double>(), 0.03);
    drag(number("voxelSize"), -5000);
    EXPECT_DOUBLE_EQ(value("voxelSize").get<double>(), 0.005);
    type(number("voxelSize"), QStringLiteral("0"));
    EXPECT_EQ(value("voxelSize"), 0);
}

TEST_F(Panel, ShiftDragsFiner)
{
    drag(number("stiffness"), 40);
    const double coarse = value("stiffness").get<double>() / 1000;
    document.undo().undo();
    drag(number("stiffness"), 40, Qt::ShiftModifier);
    const double fine = value("stiffness").get<double>() / 1000;
    EXPECT_GT(coarse, 1.5); // nine decades over the width
    EXPECT_GT(fine, 1);
    EXPECT_LT(fine, std::sqrt(coarse));
}

TEST_F(Panel, ADragIsTakenBackByTheOtherButton)
{
    NumberField* field = number("radius");
    const QPoint from = field->rect().center();
    QTest::mousePress(field, Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, from + QPoint(50, 0), field->mapToGlobal(from),
                     Qt::LeftButton, Qt::LeftButton, {});
    QApplication::sendEvent(field, &move);
    EXPECT_NE(value("radius"), 0.5);
    QTest::mousePress(field, Qt::RightButton, {}, from);
    EXPECT_EQ(value("radius"), 0.5);
    QTest::mouseRelease(field, Qt::LeftButton, {}, from);
    EXPECT_EQ(value("radius"), 0.5);
}

TEST_F(Panel, KeysStepANumber)
{
    number("count")->setFocus();
    QTest::keyClick(number("count"), Qt::Key_Up);
    EXPECT_EQ(value("count"), 4);
    QTest::keyClick(number("count"), Qt::Key_Down);
    QTest::keyClick(number("count"), Qt::Key_Down);
    QTest::keyClick(number("count"), Qt::Key_Down);
    QTest::keyClick(number("count"), Qt::Key_Down);
    EXPECT_EQ(value("count"), 1);                 // not below its minimum
    QTest::keyClick(number("radius"), Qt::Key_7); // a digit begins to type
    EXPECT_TRUE(number("radius")->isEditing());
}

// A row of numbers is typed like a line: Tab takes the number and goes to the next one.
TEST_F(Panel, TabGoesFromNumberToNumber)
{
    QTest::mouseClick(number("centre", 0), Qt::LeftButton);
    for (const char* text : {"0.3", "0.15", "-2"}) {
        auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        ASSERT_TRUE(line) << text;
        EXPECT_TRUE(line->hasSelectedText());
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Tab);
    }
    EXPECT_EQ(value("centre"), Json({0.3, 0.15, -2}));
    QTest::mouseClick(number("centre", 2), Qt::LeftButton);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Backtab);
    EXPECT_TRUE(number("centre", 1)->isEditing());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    EXPECT_TRUE(number("centre", 1)->hasFocus());
}

// A hand that shakes by a pixel changes nothing much, however many decades the slider has.
TEST_F(Panel, ManyDecadesAreNotTooHotToTouch)
{
    drag(number("stiffness"), 60);
    EXPECT_GT(value("stiffness"), 3000);
    EXPECT_LT(value("stiffness"), 5000);
}

struct Choosy : Panel {
    Choosy()
    {
        name = document.addNode({}, "them.choosy", {});
        panel.setNode({}, name);
    }
    bool shows(const char* parameter) { return panel.row(parameter)->isVisible(); }
    bool hasSection(const char* title)
    {
        for (Section* section : panel.findChildren<Section*>())
            if (section->header()->text() == QLatin1String(title))
                return section->isVisible();
        return false;
    }
    void choose(const char* law) { document.setParameter({}, name, "law", law); }
};

// A parameter that the chosen law does not use is put away, and its section with it.
TEST_F(Choosy, OnlyWhatMattersIsShown)
{
    EXPECT_TRUE(shows("cohesion") && shows("damp") && hasSection("Grains"));
    EXPECT_FALSE(shows("viscosity") || hasSection("Liquid"));
    auto* law = panel.row("law")->findChild<QComboBox*>();
    ASSERT_TRUE(law);
    law->setFocus();
    QTest::keyClick(law, Qt::Key_Down); // as a hand does
    EXPECT_EQ(value("law"), "water");
    EXPECT_TRUE(shows("viscosity") && hasSection("Liquid"));
    EXPECT_FALSE(shows("cohesion") || hasSection("Grains"));
    document.undo().undo();
    EXPECT_TRUE(shows("cohesion") && hasSection("Grains"));
    EXPECT_FALSE(shows("viscosity"));
    EXPECT_TRUE(panel.row("cohesion")->note().isEmpty());
}

// What was set by hand does not vanish from sight: it says that it does nothing.
TEST_F(Choosy, AChangedValueStaysInSightAndSaysThatItHasNoEffect)
{
    document.setParameter({}, name, "cohesion", 3.0);
    choose("water");
    EXPECT_TRUE(shows("cohesion") && hasSection("Grains"));
    EXPECT_FALSE(shows("damp")); // its neighbour was not changed
    EXPECT_EQ(panel.row("cohesion")->note(), QStringLiteral("No effect while 'Law' is 'Water'"));
    panel.row("cohesion")->reset();
    EXPECT_FALSE(shows("cohesion") || hasSection("Grains"));
    document.setParameter({}, name, "damp", {{"keys", {{1, true}, {9, false}}}});
    EXPECT_TRUE(shows("damp"));
    // A law that changes over time uses what each of its values uses.
    document.setParameter({}, name, "law", {{"keys", {{1, "sand"}, {9, "water"}}}});
    EXPECT_TRUE(shows("cohesion") && shows("viscosity"));
    EXPECT_TRUE(panel.row("damp")->note().isEmpty());
}

TEST_F(Choosy, OfSeveralNodesItIsEnoughThatOneUsesIt)
{
    const std::string other = document.addNode({}, "them.choosy", {});
    document.setParameter({}, other, "law", "water");
    panel.setNodes({}, {name, other});
    EXPECT_TRUE(shows("cohesion") && shows("viscosity"));
}

// Sand after the sea is not clear, and a second preset leaves nothing of the first.
TEST_F(Choosy, APresetPutsBackWhatOnlyOthersSet)
{
    const auto apply = [this](int index) {
        panel.presetButton()->menu()->actions()[index]->trigger();
    };
    apply(0);
    EXPECT_EQ(value("clear"), 0.5);
    apply(1);
    EXPECT_EQ(value("law"), "sand");
    EXPECT_EQ(value("cohesion"), 4);
    EXPECT_EQ(value("clear"), 0.0);
    EXPECT_FALSE(shows("viscosity"));
    document.undo().undo(); // all in one step
    EXPECT_EQ(value("law"), "water");
    EXPECT_EQ(value("clear"), 0.5);
}

TEST_F(Panel, TextThatUsesTheFrameBecomesAnExpression)
{
    panel.setFrame(12);
    type(number("radius"), QStringLiteral("frame / 24"));
    EXPECT_EQ(value("radius"), (Json{{"expr", "frame / 24"}}));
    EXPECT_DOUBLE_EQ(number("radius")->value(), 0.5); // the live value
    EXPECT_TRUE(panel.row("radius")->note().contains(QStringLiteral("frame / 24")));
    panel.setFrame(24);
    EXPECT_DOUBLE_EQ(number("radius")->value(), 1);
    type(number("radius"), QStringLiteral("= no.such + 1"));
    EXPECT_TRUE(panel.row("radius")->note().contains(QStringLiteral("no.such")));
    type(number("radius"), QStringLiteral("0.25")); // a number takes its place
    EXPECT_EQ(value("radius"), 0.25);
    type(number("fixed"), QStringLiteral("frame")); // may not be animated
    EXPECT_EQ(value("fixed"), 1);
}

// Return ends typing: keys that follow are the window's again.
TEST_F(Panel, ReturnEndsEditing)
{
    type(number("radius"), QStringLiteral("0.75"));
    EXPECT_EQ(value("radius"), 0.75);
    EXPECT_FALSE(number("radius")->isEditing());
    QTest::keyClick(number("radius"), Qt::Key_Return); // and begins it
    EXPECT_TRUE(number("radius")->isEditing());
}

TEST_F(Panel, AnExpressionThatCannotBeReadIsKeptOut)
{
    type(number("radius"), QStringLiteral("sin(frame / 24"));
    EXPECT_EQ(value("radius"), 0.5);
    EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("sin(frame / 24")));
}

// The menu's choice rebuilds the panel that it was opened from.
TEST_F(Panel, AParameterIsShownOnTheInstancesOfItsSubgraph)
{
    const std::string instance = document.group({}, {name}, "group");
    ASSERT_FALSE(instance.empty());
    const std::string scope = document.node({}, instance)->graph;
    panel.setNode(scope, name);
    QApplication::processEvents();
    const QPointer<ParameterRow> row = panel.row("radius");
    QContextMenuEvent open(QContextMenuEvent::Mouse, {4, 4}, row->mapToGlobal(QPoint(4, 4)));
    QApplication::sendEvent(row, &open);
    QAction* promote = nullptr;
    for (QAction* action : panel.window()->findChildren<QAction*>())
        if (action->text().contains(QStringLiteral("instances")))
            promote = action;
    ASSERT_NE(promote, nullptr);
    auto* menu = qobject_cast<QMenu*>(promote->parent());
    menu->setActiveAction(promote);
    QTest::keyClick(menu, Qt::Key_Return);
    QApplication::processEvents();
    EXPECT_TRUE(document.isPromoted(scope, name, "radius"));
    EXPECT_TRUE(row.isNull()) << "the panel was built again";
    panel.setNode({}, instance);
    EXPECT_NE(panel.row("radius"), nullptr);
}

// From the panel of an instance: label, range, help and order of what the subgraph promotes.
TEST_F(Panel, PromotedParametersAreRenamedOrderedAndRangedInPlace)
{
    const std::string instance = document.group({}, {name}, "group");
    const std::string scope = document.node({}, instance)->graph;
    document.promoteParameter(scope, name, "radius", true);
    document.promoteParameter(scope, name, "stiffness", true);
    panel.resize(400, 700);
    const auto choose = [&](const std::string& in, const std::string& node, const char* parameter,
                            const QString& text) {
        panel.setNode(in, node);
        QApplication::processEvents();
        ParameterRow* row = panel.row(parameter);
        ASSERT_NE(row, nullptr);
        QContextMenuEvent open(QContextMenuEvent::Mouse, {4, 4}, row->mapToGlobal(QPoint(4, 4)));
        QApplication::sendEvent(row, &open);
        QAction* chosen = nullptr;
        for (QAction* action : panel.window()->findChildren<QAction*>())
            if (action->text() == text)
                chosen = action;
        ASSERT_NE(chosen, nullptr);
        auto* menu = qobject_cast<QMenu*>(chosen->parent());
        menu->setActiveAction(chosen);
        QTest::keyClick(menu, Qt::Key_Return);
        QApplication::processEvents();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    };
    const int steps = document.undo().count();
    choose({}, instance, "radius", QStringLiteral("Edit how instances show it…"));
    auto* dialog = panel.window()->findChild<QDialog*>("promotedDialog");
    ASSERT_NE(dialog, nullptr);
    const auto write = [&](const char* field, const QString& text) {
        auto* line = dialog->findChild<QLineEdit*>(field);
        ASSERT_NE(line, nullptr) << field;
        line->clear();
        QTest::keyClicks(line, text);
    };
    write("label", QStringLiteral("Size"));
    write("help", QStringLiteral("Of the stones."));
    write("min", QStringLiteral("-1")); // less than inside
    QTest::keyClick(dialog->findChild<QLineEdit*>("min"), Qt::Key_Return);
    EXPECT_TRUE(dialog->findChild<QLabel*>("refusal")->isVisible());
    EXPECT_EQ(document.undo().count(), steps);
    write("min", QStringLiteral("0.25"));
    write("max", QStringLiteral("4"));
    write("softMax", QStringLiteral("1"));
    QTest::keyClick(dialog->findChild<QLineEdit*>("max"), Qt::Key_Return);
    EXPECT_EQ(document.undo().count(), steps + 1);
    panel.setNode({}, instance);
    QApplication::processEvents();
    const graph::ParameterSpec spec = panel.row("radius")->spec();
    EXPECT_EQ(spec.label, "Size");
    EXPECT_EQ(spec.help, "Of the stones.");
    EXPECT_EQ(spec.min, 0.25);
    EXPECT_EQ(spec.max, 4.0);
    EXPECT_EQ(spec.softMax, 1.0);
    EXPECT_TRUE(document.text().find("\"softMax\"") != std::string::npos);

    const auto order = [&] {
        panel.setNode({}, instance);
        QApplication::processEvents();
        return panel.row("radius")->mapTo(&panel, QPoint()).y() <
               panel.row("stiffness")->mapTo(&panel, QPoint()).y();
    };
    EXPECT_TRUE(order());
    choose(scope, name, "radius", QStringLiteral("Move down on instances")); // from inside
    EXPECT_FALSE(order());
    EXPECT_EQ(document.undo().count(), steps + 2);
    document.undo().undo();
    EXPECT_TRUE(order());
    document.undo().undo();
    EXPECT_EQ(document.promoted(scope, "radius")->label, "");
}

TEST_F(Panel, AnExpressionFollowsTheParameterItUses)
{
    type(number("stiffness"), QStringLiteral("%1.radius * 10").arg(QString::fromStdString(name)));
    EXPECT_DOUBLE_EQ(number("stiffness")->value(), 5);
}

TEST_F(Panel, KSetsAndRemovesKeys)
{
    panel.setFrame(1);
    number("radius")->setFocus();
    QTest::keyClick(number("radius"), Qt::Key_K);
    EXPECT_EQ(panel.row("radius")->keyButton()->mark(), KeyButton::Mark::Here);
    panel.setFrame(11);
    EXPECT_EQ(panel.row("radius")->keyButton()->mark(), KeyButton::Mark::Elsewhere);
    type(number("radius"), QStringLiteral("1.5")); // with keys, an edit keys the frame
    const auto channels = panel.row("radius")->channels();
    ASSERT_EQ((*channels)[0].keys.size(), 2u);
    EXPECT_EQ((*channels)[0].keys[1].frame, 11);
    panel.setFrame(6);
    EXPECT_NEAR(number("radius")->value(), 1, 1e-9); // half way of an even ease
    panel.setFrame(11);
    QTest::mouseClick(panel.row("radius")->keyButton(), Qt::LeftButton);
    EXPECT_EQ((*panel.row("radius")->channels())[0].keys.size(), 1u);
}

// Switches and menus hold a key until the next; the runtime accepts what the panel stores.
TEST_F(Panel, SwitchesAndMenusHaveKeysThatStep)
{
    panel.setFrame(5);
    auto* box = panel.row("on")->findChild<QCheckBox*>();
    auto* menu = panel.row("mode")->findChild<QComboBox*>();
    ASSERT_NE(box, nullptr);
    ASSERT_NE(menu, nullptr);
    QApplication::processEvents();
    box->setFocus();
    QTest::keyClick(box, Qt::Key_K);
    EXPECT_EQ(value("on"), (Json{{"keys", Json::array({Json::array({5, true, "step"})})}}));
    EXPECT_EQ(panel.row("on")->keyButton()->mark(), KeyButton::Mark::Here);
    panel.setFrame(12);
    EXPECT_EQ(panel.row("on")->keyButton()->mark(), KeyButton::Mark::Elsewhere);
    EXPECT_TRUE(box->isChecked());
    QTest::keyClick(box, Qt::Key_Space); // with keys, an edit keys the frame
    EXPECT_EQ(value("on")["keys"].size(), 2u);
    panel.setFrame(11);
    EXPECT_TRUE(box->isChecked()) << "it holds until the next key";
    panel.setFrame(40);
    EXPECT_FALSE(box->isChecked());

    panel.setFrame(1);
    QTest::mouseClick(panel.row("mode")->keyButton(), Qt::LeftButton);
    panel.setFrame(20);
    menu->setCurrentIndex(1);
    emit menu->activated(1);
    EXPECT_EQ(value("mode"), (Json{{"keys", Json::array({Json::array({1, "a", "step"}),
                                                         Json::array({20, "b", "step"})})}}));
    panel.setFrame(19);
    EXPECT_EQ(menu->currentText(), "Alpha");
    document.checkNow();
    EXPECT_TRUE(document.faults().empty()) << document.faults().front().text();
    EXPECT_EQ(panel.row("mode")->keyFrames(), (QVector<int>{1, 20}));

    panel.setFrame(20);
    panel.row("mode")->toggleKey();
    panel.setFrame(1);
    panel.row("mode")->toggleKey(); // the last key leaves a constant
    EXPECT_EQ(value("mode"), "a");
    EXPECT_EQ(panel.row("title")->keyButton(), nullptr);
}

// Several nodes: what is edited is set on all, a component of a vector alone, a drag as one step.
TEST_F(Panel, SeveralNodesAreEditedAtOnce)
{
    const std::string other = document.addNode({}, "them.all", {});
    document.setParameter({}, other, "centre", Json::array({7, 8, 9}));
    panel.setNodes({}, {name, other});
    QApplication::processEvents(); // new rows are shown
    EXPECT_TRUE(panel.row("centre")->differs());
    EXPECT_FALSE(panel.row("radius")->differs());
    type(number("centre", 1), QStringLiteral("2.5"));
    EXPECT_EQ(value("centre"), Json::array({0.0, 2.5, 0.0}));
    EXPECT_EQ(document.value({}, other, "centre"), Json::array({7.0, 2.5, 9.0}));
    const int before = document.undo().count();
    drag(number("radius"), 60);
    EXPECT_EQ(document.undo().count(), before + 1);
    EXPECT_GT(value("radius").get<double>(), 0.5);
    EXPECT_EQ(document.value({}, other, "radius"), value("radius"));
    document.undo().undo();
    EXPECT_EQ(document.value({}, other, "radius"), 0.5);
    panel.row("count")->toggleKey();
    EXPECT_TRUE(document.value({}, other, "count").contains("keys"));
    document.removeNodes({}, {other});
    EXPECT_EQ(panel.node(), "") << "the selection is another";
}

TEST_F(Panel, VectorsAreEditedByComponent)
{
    type(number("centre", 1), QStringLiteral("2.5"));
    EXPECT_EQ(value("centre"), Json::array({0.0, 2.5, 0.0}));
    type(number("centre", 0), QStringLiteral("frame"));
    EXPECT_EQ(value("centre")[0], (Json{{"expr", "frame"}}));
    EXPECT_EQ(value("centre")[1], 2.5);
}

TEST_F(Panel, SwitchMenuAndTexts)
{
    auto* box = panel.row("on")->field()->findChild<QCheckBox*>();
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    EXPECT_EQ(value("on"), false);
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Space);
    EXPECT_EQ(value("on"), true);

    auto* menu = panel.row("mode")->field()->findChild<QComboBox*>();
    menu->setFocus();
    QTest::keyClick(menu, Qt::Key_Down);
    EXPECT_EQ(value("mode"), "b");
    EXPECT_EQ(menu->toolTip(), QStringLiteral("The second."));

    for (const char* parameter : {"title", "file"}) {
        auto* line = panel.row(parameter)->field()->findChild<QLineEdit*>();
        QTest::keyClicks(line, QStringLiteral("snow.vdb"));
        EXPECT_EQ(value(parameter), ""); // not with every letter
        QTest::keyClick(line, Qt::Key_Return);
        EXPECT_EQ(value(parameter), "snow.vdb");
    }
}

TEST_F(Panel, ColoursAreLinear)
{
    // Mid grey of a screen holds about a fifth of the light of white (IEC 61966-2-1).
    EXPECT_NEAR(decodeSrgb(0.5), 0.2140, 1e-4);
    EXPECT_NEAR(encodeSrgb(decodeSrgb(0.3)), 0.3, 1e-12);
    type(number("tone", 2), QStringLiteral("0.25"));
    EXPECT_EQ(value("tone"), Json::array({0.5, 0.5, 0.25}));
}

TEST_F(Panel, APresetIsOneStepAndNamesItself)
{
    const int before = document.undo().count();
    ASSERT_EQ(panel.presetButton()->menu()->actions().size(), 1);
    panel.presetButton()->menu()->actions().first()->trigger();
    EXPECT_EQ(value("radius"), 1.5);
    EXPECT_EQ(value("count"), 9);
    EXPECT_EQ(document.undo().count(), before + 1);
    EXPECT_EQ(panel.presetButton()->text().trimmed(), QStringLiteral("Big"));
    type(number("count"), QStringLiteral("8"));
    EXPECT_NE(panel.presetButton()->text().trimmed(), QStringLiteral("Big"));
}

TEST_F(Panel, ChangedValuesAreMarkedAndCanBeReset)
{
    EXPECT_FALSE(panel.row("radius")->isChanged());
    type(number("radius"), QStringLiteral("1"));
    EXPECT_TRUE(panel.row("radius")->isChanged());
    panel.row("radius")->reset();
    EXPECT_FALSE(panel.row("radius")->isChanged());
    EXPECT_DOUBLE_EQ(number("radius")->value(), 0.5);
}

TEST_F(Panel, AFaultStandsAtItsField)
{
    document.setParameter({}, name, "count", 1000);
    document.checkNow();
    EXPECT_TRUE(panel.row("count")->note().contains(QStringLiteral("1000")));
    EXPECT_TRUE(panel.row("radius")->note().isEmpty());
    document.undo().undo();
    document.checkNow();
    EXPECT_TRUE(panel.row("count")->note().isEmpty());
}

TEST_F(Panel, ASwitchThatALinkedNodeNeedsSaysSo)
{
    const std::string keeper = document.addNode({}, "them.keeper", {}),
                      bend = document.addNode({}, "them.bend", {});
    panel.setNode({}, keeper);
    document.checkNow();
    EXPECT_EQ(panel.row("outputF")->note(), QString());
    ASSERT_TRUE(document.link({}, {{keeper, "particles"}, {bend, "particles"}}));
    document.checkNow();
    EXPECT_EQ(panel.row("outputF")->note(),
              QStringLiteral("On, since '%1' needs it.").arg(QString::fromStdString(bend)));
    document.setParameter({}, keeper, "outputF", true); // by hand: nothing to be said
    document.checkNow();
    EXPECT_EQ(panel.row("outputF")->note(), QString());
    document.undo().undo();
    document.undo().undo();
    document.checkNow();
    EXPECT_EQ(panel.row("outputF")->note(), QString());
}

TEST_F(Panel, SectionsFoldAndStayFolded)
{
    auto* section = panel.findChildren<Section*>().first();
    QTest::mouseClick(section->header(), Qt::LeftButton);
    EXPECT_TRUE(section->isFolded());
    EXPECT_FALSE(panel.row("centre")->isVisible());
    panel.setNode({}, {});
    panel.setNode({}, name);
    EXPECT_TRUE(panel.findChildren<Section*>().first()->isFolded());
    QTest::mouseClick(panel.findChildren<Section*>().first()->header(), Qt::LeftButton);
}

TEST_F(Panel, RenamingRefusesWhatIsNoName)
{
    auto* line = panel.findChild<QLineEdit*>();
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("9 lives"));
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_TRUE(document.node({}, name));
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("cat"));
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_TRUE(document.node({}, "cat"));
    EXPECT_EQ(panel.node(), "cat");
}

TEST_F(Panel, OfANodeWithoutPluginSaysSo)
{
    document.restore(R"({"floe":1,"nodes":{"x":{"type":"gone.type","parameters":{"a":1}}}})", {});
    panel.setNode({}, "x");
    EXPECT_EQ(panel.row("a"), nullptr);
    panel.setNode({}, "no_such_node");
    EXPECT_EQ(panel.node(), "");
}

} // namespace
