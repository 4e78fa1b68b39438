#include "live_fixture.hpp"

#include "panels/number_field.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"
#include "views/frame_bar.hpp"
#include "views/picture_area.hpp"
#include "views/statistics.hpp"
#include "views/timeline.hpp"
#include "views/viewport.hpp"

#include <QAction>
#include <QDir>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QStatusBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace floe::test {
namespace {

using views::Vec3;
using views::operator+;

/// What the hand does to a simulation that runs: with the mouse over the picture, the sliders of
/// the panel, the keys.
class LiveHand : public LiveControl {
protected:
    views::PictureArea* area() { return window->findChild<views::Viewport*>()->area(); }

    void move(QPoint to, Qt::MouseButtons held)
    {
        QMouseEvent event(QEvent::MouseMove, QPointF(to), area()->mapToGlobal(QPointF(to)),
                          Qt::NoButton, held, {});
        QApplication::sendEvent(area(), &event);
    }

    /// Pulls the arrow along x of the handle at a place until it has moved so many metres, over
    /// some frames of the run.
    void pullAlongX(const Vec3& place, double metres)
    {
        ASSERT_TRUE(until([&] { return area()->hasHandle(); }));
        const views::OrbitCamera& camera = area()->camera();
        const auto seen = [&](const Vec3& at) {
            return camera.project(at, area()->size()).value();
        };
        const double pixel = camera.metresPerPixel(place, area()->height());
        const QPointF grip = seen(place + Vec3{40 * pixel, 0, 0});
        const QPointF way = seen(place + Vec3{(40 * pixel) + metres, 0, 0}) - grip;
        QTest::mousePress(area(), Qt::LeftButton, {}, grip.toPoint());
        constexpr int kSteps = 12;
        for (int i = 1; i <= kSteps; ++i) {
            move((grip + way * i / kSteps).toPoint(), Qt::LeftButton);
            QTest::qWait(30);
        }
        QTest::mouseRelease(area(), Qt::LeftButton, {}, (grip + way).toPoint());
    }

    /// Smallest or largest x of the particles after a frame.
    double extremeX(int frame, bool largest)
    {
        double found = NAN;
        bool answered = false;
        runtime().request(
            studio, "value.table",
            {{"node", "solver"},
             {"socket", "particles"},
             {"frame", frame},
             {"offset", 0},
             {"count", 1},
             {"sort", "x.x"},
             {"descending", largest}},
            [&](const Json& result) {
                const Json& columns = result.at("columns");
                const auto x = std::find(columns.begin(), columns.end(), "x.x") - columns.begin();
                found = result.at("rows").at(0).at(std::size_t(x)).get<double>();
                answered = true;
            },
            [&](const QString& message) {
                ADD_FAILURE() << message.toStdString();
                answered = true;
            });
        EXPECT_TRUE(until([&] { return answered; }));
        return found;
    }
    int lastFrame()
    {
        int last = 0;
        for (const client::FrameSpan& span : runtime().frames())
            if (span.state == client::FrameState::Cached)
                last = std::max(last, span.last);
        return last;
    }

    /// Waits for frames that took the last of many changes.
    void waitUntilTaken()
    {
        ASSERT_TRUE(until([&] { return studio->isSettled(); }));
        playToFrame(lastFrame() + 2);
        waitUntilFollowed();
    }

    panels::ParameterRow* row(const char* parameter)
    {
        panels::ParameterRow* found = nullptr;
        EXPECT_TRUE(until([&] {
            found = window->findChild<panels::ParameterPanel*>()->row(parameter);
            return found && found->isVisible();
        })) << parameter;
        return found;
    }

    /// Drags a slider of the panel to the right.
    void drag(panels::NumberField* field, int pixels)
    {
        const QPoint from = field->rect().center();
        QTest::mousePress(field, Qt::LeftButton, {}, from);
        for (int i = 1; i <= 8; ++i) {
            const QPointF at = from + QPointF(double(pixels) * i / 8, 0);
            QMouseEvent event(QEvent::MouseMove, at, field->mapToGlobal(at), Qt::LeftButton,
                              Qt::LeftButton, {});
            QApplication::sendEvent(field, &event);
        }
        QTest::mouseRelease(field, Qt::LeftButton, {}, from + QPoint(pixels, 0));
    }
};

// A wall beside a ball that floats: pulled by its arrow, it pushes the ball along.
TEST_F(LiveHand, AColliderDraggedByTheMousePushesWhatItMeets)
{
    Json floating = scene();
    floating["nodes"]["solver"]["parameters"]["gravity"] = {0, 0, 0};
    floating["nodes"]["floor_shape"]["parameters"]["size"] = {0.2, 1, 1};
    floating["nodes"]["floor"]["parameters"] = {{"position", {-0.4, 1, 0}}};
    open(floating);
    window->canvas()->select({"floor"});
    playToFrame(3);
    pullAlongX({-0.4, 1, 0}, 0.35);
    const double pulled = document().value("", "floor", "position")[0].get<double>();
    EXPECT_NEAR(pulled, -0.05, 0.05);
    waitUntilTaken();
    EXPECT_EQ(stop(), client::FrameState::Cached);
    EXPECT_GT(extremeX(lastFrame(), false), pulled - 0.05) << "the ball reached to -0.2 before";
}

// A stream whose emitter a transform moves: what is poured later falls where the mouse led it.
TEST_F(LiveHand, AStreamIsPouredWhereTheMouseLeadsIt)
{
    Json stream = scene();
    stream["nodes"]["ball"]["parameters"] = {
        {"radius", 0.1}, {"center", {0, 0, 0}}, {"voxelSize", 0.05}};
    stream["nodes"]["body"]["parameters"] = {{"mode", "continuous"}, {"velocity", {0, -3, 0}}};
    stream["nodes"]["hand"] = {{"type", "floe.transform"},
                               {"parameters", {{"position", {0, 1, 0}}}}};
    stream["links"].push_back({{"from", "hand.transform"}, {"to", "body.transform"}});
    open(stream);
    window->canvas()->select({"hand"});
    playToFrame(3);
    pullAlongX({0, 1, 0}, 0.5);
    EXPECT_NEAR(document().value("", "hand", "position")[0].get<double>(), 0.5, 0.05);
    waitUntilTaken();
    EXPECT_EQ(stop(), client::FrameState::Cached);
    EXPECT_LT(extremeX(lastFrame(), false), 0.1) << "what was poured at first";
    EXPECT_GT(extremeX(lastFrame(), true), 0.4) << "and what the mouse has poured";
}

struct Slider {
    const char* node;
    const char* parameter;
    const char* law; ///< of the material
};

class LiveSlider : public LiveHand, public ::testing::WithParamInterface<Slider> {};

// A slider that is dragged in a run is felt by the frames that come.
TEST_P(LiveSlider, IsFollowedByTheRun)
{
    const auto& [node, parameter, law] = GetParam();
    Json material = scene();
    material["nodes"]["jello"]["parameters"] = {{"law", law}, {"youngModulus", 1e4}};
    open(material);
    window->canvas()->select({node});
    panels::NumberField* field = row(parameter)->numbers().at(0);
    playToFrame(2);
    const double before = document().value("", node, parameter).get<double>();
    drag(field, 40);
    EXPECT_GT(document().value("", node, parameter).get<double>(), before);
    waitUntilTaken();
    EXPECT_EQ(stop(), client::FrameState::Cached);
}

INSTANTIATE_TEST_SUITE_P(Of, LiveSlider,
                         ::testing::Values(Slider{"jello", "cohesion", "druckerPrager"},
                                           Slider{"jello", "viscosity", "liquid"},
                                           Slider{"floor", "friction", "druckerPrager"}),
                         [](const auto& test) { return std::string(test.param.parameter); });

// The key 1 over the picture is the first emitter's, before a run, in it and at a keyed switch.
TEST_F(LiveHand, ANumberStartsAndStopsAnEmitter)
{
    open(scene());
    area()->setFocus();
    QTest::keyClick(area(), Qt::Key_1);
    EXPECT_EQ(document().value("", "body", "emit"), false);
    EXPECT_EQ(window->statusBar()->currentMessage(), "body emits nothing");
    QTest::keyClick(area(), Qt::Key_1);
    EXPECT_EQ(document().value("", "body", "emit"), true);
    QTest::keyClick(area(), Qt::Key_2);
    EXPECT_EQ(document().value("", "body", "emit"), true) << "there is no second one";
    QTest::keyClick(area(), Qt::Key_1, Qt::KeypadModifier);
    EXPECT_EQ(document().value("", "body", "emit"), true) << "that is a view";
    window->canvas()->select({"body"});
    EXPECT_EQ(row("emit")->note(), "1 in the viewport");

    settle();
    playToFrame(2);
    QTest::keyClick(area(), Qt::Key_1);
    EXPECT_EQ(document().value("", "body", "emit"), false);
    waitUntilFollowed();
    EXPECT_EQ(stop(), client::FrameState::Cached);

    document().setParameter("", "body", "emit", Json::parse(R"({"keys": [[1, true, "step"]]})"));
    window->findChild<views::Timeline*>()->setFrame(4);
    QTest::keyClick(area(), Qt::Key_1);
    EXPECT_EQ(document().value("", "body", "emit"),
              Json::parse(R"({"keys": [[1, true, "step"], [4, false, "step"]]})"));
}

// With the switch beside the rate, a live run of what is too fine has larger cells, from a trial at
// first; the scene keeps its own until it is given others.
TEST_F(LiveHand, CellsAreChosenForTheRate)
{
    Json stiff = scene();
    stiff["range"] = {{"start", 1}, {"end", 8}, {"fps", 24}};
    stiff["nodes"]["jello"]["parameters"] = {{"law", "fixedCorotated"}, {"youngModulus", 1e11}};
    open(stiff);
    auto* timeline = window->findChild<views::Timeline*>();
    auto* cells = timeline->findChild<QLabel*>("cells");
    ASSERT_NE(cells, nullptr);
    EXPECT_FALSE(cells->isVisible());
    timeline->live->trigger();
    timeline->cellsForRate->trigger();
    EXPECT_EQ(cells->text(), "cells of 0.1 m");
    // In a narrow window frames come first, and the text is as short as it must be.
    window->resize(window->minimumSizeHint().width(), 800);
    QTest::qWait(50);
    EXPECT_GE(timeline->bar()->width(), 160);
    QHelpEvent help(QEvent::ToolTip, {4, 4}, cells->mapToGlobal(QPoint(4, 4)));
    QApplication::sendEvent(cells, &help);
    EXPECT_EQ(QToolTip::text(), "Live runs have cells of 0.1 m, for 24 frames a second");
    QToolTip::hideText();
    window->resize(1200, 800);
    std::vector<double> particles;
    QObject::connect(&runtime(), &client::Runtime::frameFinished, window.get(),
                     [&](int, const Json& statistics) {
                         particles.push_back(views::frameNumbers(statistics).particles);
                     });
    bool over = false;
    QObject::connect(&runtime(), &client::Runtime::livedThrough, window.get(),
                     [&] { over = true; });
    timeline->simulate->trigger();
    ASSERT_TRUE(until([&] { return over; }));
    const QString text = cells->text();
    const double size = text.section(' ', 2, 2).toDouble();
    EXPECT_GT(size, 0.1) << text.toStdString();
    EXPECT_TRUE(cells->isVisible());
    const double coarse = particles.back();
    EXPECT_EQ(document().value("", "solver", "cellSize"), 0.1) << "nobody was asked";
    editor::Notice* notice = window->notice();
    ASSERT_TRUE(notice->button()->isVisible()) << notice->text().toStdString();
    EXPECT_TRUE(notice->button()->text().startsWith("Use cells of"));
    const QString pictures = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
    QDir().mkpath(pictures);
    EXPECT_TRUE(window->grab().save(pictures + QStringLiteral("/cells_for_rate.png")));
    // Without the switch, the scene's own cells are simulated.
    timeline->cellsForRate->trigger();
    settle();
    EXPECT_FALSE(cells->isVisible());
    over = false;
    timeline->simulate->trigger();
    ASSERT_TRUE(until([&] { return over; }));
    EXPECT_GT(particles.back(), coarse);
    EXPECT_EQ(document().value("", "solver", "cellSize"), 0.1);
    // Asked for, the scene gets them.
    timeline->cellsForRate->trigger();
    ASSERT_TRUE(notice->button()->isVisible());
    QTest::mouseClick(notice->button(), Qt::LeftButton);
    EXPECT_GT(document().value("", "solver", "cellSize").get<double>(), 0.1);
}

} // namespace
} // namespace floe::test
