#include "panel_fixture.hpp"

#include <string>
#include <vector>

namespace floe::test {
namespace {

using panels::ParameterRow;

// Three are shown on instances; the last one is dragged by its label above the first, and back.
TEST_F(Panel, PromotedParametersAreDraggedIntoOrder)
{
    const std::string instance = document.group({}, {name}, "group");
    const std::string scope = document.node({}, instance)->graph;
    for (const char* parameter : {"radius", "stiffness", "count"})
        document.promoteParameter(scope, name, parameter, true);
    panel.setNode({}, instance);
    QApplication::processEvents();
    const auto order = [&] {
        std::vector<std::string> names;
        for (const auto& promoted : document.graph(scope)->promote.parameters)
            names.push_back(promoted.name);
        return names;
    };
    const auto dragLabel = [&](const char* from, const char* to, double share) {
        ParameterRow* row = panel.row(from);
        const ParameterRow* target = panel.row(to);
        const QPoint grip(20, row->height() / 2);
        const QPoint end =
            row->mapFromGlobal(target->mapToGlobal(QPoint(20, int(share * target->height()))));
        QTest::mousePress(row, Qt::LeftButton, {}, grip);
        for (int i = 1; i <= 5; ++i) {
            const QPointF at = grip + (end - grip) * i / 5;
            QMouseEvent move(QEvent::MouseMove, at, row->mapToGlobal(at), Qt::NoButton,
                             Qt::LeftButton, {});
            QApplication::sendEvent(row, &move);
        }
        QTest::mouseRelease(row, Qt::LeftButton, {}, end);
        QTest::qWait(200); // it is built again
    };
    using Names = std::vector<std::string>;
    const int steps = document.undo().count();
    dragLabel("count", "radius", 0.1);
    EXPECT_EQ(order(), Names({"count", "radius", "stiffness"}));
    EXPECT_EQ(document.undo().count(), steps + 1);
    EXPECT_LT(panel.row("count")->y(), panel.row("radius")->y()) << "as the panel shows them";
    dragLabel("count", "radius", 0.9);
    EXPECT_EQ(order(), Names({"radius", "count", "stiffness"}));
    dragLabel("radius", "stiffness", 0.9);
    EXPECT_EQ(order(), Names({"count", "stiffness", "radius"}));
    document.undo().undo();
    EXPECT_EQ(order(), Names({"radius", "count", "stiffness"}));
    // Of a node that is no instance, a label is only a label.
    panel.setNode(scope, name);
    QApplication::processEvents();
    dragLabel("count", "radius", 0.1);
    EXPECT_EQ(order(), Names({"radius", "count", "stiffness"}));
}

} // namespace
} // namespace floe::test
