/// Handles of a node that is seen from the front.
#pragma once

#include "viewport_fixture.hpp"

#include <cmath>
#include <string>

namespace floe::views {

struct Handles : ViewportTest {
    QPoint centre{area->width() / 2, area->height() / 2};
    double pixel = 0; ///< [m]

    /// Selects a new node, seen along -z from 5 m away.
    std::string select(const char* type)
    {
        const std::string name = document.addNode({}, type, {});
        area->setCamera(lookingAt({0, 0, 5}, {0, 0, 0}, 40));
        pixel = area->camera().metresPerPixel({0, 0, 0}, area->height());
        viewport.setSelection({}, name, QString::fromStdString(name));
        showPicture();
        viewport.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&viewport));
        area->setFocus();
        return name;
    }
    Vec3 vector(const std::string& node, const char* parameter)
    {
        return client::triple(document.value({}, node, parameter)).value();
    }
    double number(const std::string& node, const char* parameter)
    {
        return document.value({}, node, parameter).get<double>();
    }
    /// Takes hold and pulls, without letting go.
    void pull(QPoint from, QPoint to, Qt::KeyboardModifiers keys = {})
    {
        QTest::mousePress(area, Qt::LeftButton, keys, from);
        for (int i = 1; i <= 8; ++i) {
            const QPoint at = from + (to - from) * i / 8;
            QMouseEvent move(QEvent::MouseMove, at, area->mapToGlobal(at), Qt::LeftButton,
                             Qt::LeftButton, keys);
            QApplication::sendEvent(area, &move);
        }
    }
    /// What lies beside the middle of the view, of what is seen from the front.
    QPoint aside(double x, double y) const
    {
        return centre + QPoint(int(std::lround(x)), int(std::lround(-y)));
    }
    /// From the place of a direction to its tip.
    double arrow() const { return DirectionHandle::reach(area->size()); }
    void letGo() { QTest::mouseRelease(area, Qt::LeftButton, {}, centre); }
};

} // namespace floe::views
