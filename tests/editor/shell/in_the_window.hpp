/// What the window's tests begin with.
#pragma once

#include "sample_types.hpp"
#include "shell/main_window.hpp"
#include "shell/plurals.hpp"
#include "themes/theme.hpp"

#include <QApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QTimer>
#include <gtest/gtest.h>

#include <memory>

namespace floe::editor {

/// A window as the program makes it, without a runtime.
class InTheWindow : public ::testing::Test {
protected:
    InTheWindow()
    {
        QSettings().clear();
        for (const Recovered& copy : Recovery::find())
            Recovery::forget(copy);
        loadPlurals(*qApp);
        applyTheme(*qApp);
        window = std::make_unique<MainWindow>(test::builtTypes());
        window->finish();
        window->show();
        window->activateWindow();
        (void)QTest::qWaitForWindowActive(window.get());
    }

    /// Answers the question that appears next.
    static void answer(QMessageBox::StandardButton button)
    {
        QTimer::singleShot(0, [button] {
            if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()))
                box->button(button)->click();
            else
                answer(button);
        });
    }

    std::unique_ptr<MainWindow> window;
};

} // namespace floe::editor
