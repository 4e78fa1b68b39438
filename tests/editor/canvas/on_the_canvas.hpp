#pragma once

#include "canvas/canvas.hpp"
#include "canvas/search_popup.hpp"
#include "sample_types.hpp"

#include <QApplication>
#include <QLineEdit>
#include <QSettings>
#include <QTest>
#include <gtest/gtest.h>

namespace floe::editor {

inline const QString kSnow = FLOE_SOURCE_DIR "/graphs/first_snow.floe.json";

/// A canvas in a window, used by mouse and keyboard alone.
class OnTheCanvas : public ::testing::Test {
protected:
    OnTheCanvas()
    {
        QSettings().remove("search");
        canvas.resize(1400, 900);
        canvas.show();
        canvas.activateWindow();
        (void)QTest::qWaitForWindowActive(&canvas);
        canvas.setView(1, {60, 60});
        canvas.setFocus();
    }

    std::string add(const QString& words, QPointF at)
    {
        QTest::mouseDClick(&canvas, Qt::LeftButton, {}, canvas.toWidget(at).toPoint());
        EXPECT_TRUE(canvas.searchPopup()->isVisible());
        QTest::keyClicks(canvas.searchPopup()->field(), words);
        QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Return);
        EXPECT_EQ(canvas.selection().size(), 1u) << words.toStdString();
        return canvas.selection().empty() ? std::string() : canvas.selection().front();
    }

    void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton,
              Qt::KeyboardModifiers keys = {})
    {
        QTest::mousePress(&canvas, button, keys, from);
        for (int i = 1; i <= 5; ++i) {
            const QPoint at = from + (to - from) * i / 5;
            QMouseEvent move(QEvent::MouseMove, at, canvas.mapToGlobal(at), Qt::NoButton, button,
                             keys);
            QApplication::sendEvent(&canvas, &move);
        }
        QTest::mouseRelease(&canvas, button, keys, to);
    }

    void wire(const std::string& from, const std::string& output, const std::string& to,
              const std::string& input)
    {
        drag(canvas.socketPoint(from, true, output), canvas.socketPoint(to, false, input));
    }

    std::size_t links() const { return document.content().graph.links.size(); }
    std::size_t nodes() const { return document.content().graph.nodes.size(); }

    Document document{test::builtTypes()};
    Canvas canvas{document};
};

} // namespace floe::editor
