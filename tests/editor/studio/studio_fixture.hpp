#pragma once

#include "app/studio.hpp"
#include "canvas/canvas.hpp"
#include "document/type_source.hpp"
#include "shell/notice.hpp"
#include "shell/plurals.hpp"
#include "temporary_folder.hpp"
#include "themes/theme.hpp"

#include <QApplication>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <gtest/gtest.h>

namespace floe::test {

/// The whole editor with a real runtime, as the program makes them.
class WithTheRuntime : public ::testing::Test {
protected:
    WithTheRuntime()
    {
        QSettings().clear();
        for (const editor::Recovered& copy : editor::Recovery::find())
            editor::Recovery::forget(copy);
        qputenv("FLOE_PLUGIN_PATH", FLOE_TEST_PLUGINS);
        editor::loadPlurals(*qApp);
        editor::applyTheme(*qApp);
        window = std::make_unique<editor::MainWindow>(
            editor::typesFromFolders({FLOE_BINARY_DIR "/lib/floe/plugins", FLOE_TEST_PLUGINS}));
        studio = new editor::Studio(*window); // the window's child
        window->finish();
        window->showWork();
        window->resize(1200, 800);
        window->show();
        studio->runtime().start(FLOE_BINARY_DIR "/bin/floe");
        EXPECT_TRUE(until([this] { return studio->runtime().types().is_object(); }));
    }
    ~WithTheRuntime() override
    {
        window->recovery().discard();
        studio->runtime().stop();
    }

    /// Generous: only a broken program waits so long.
    static bool until(const std::function<bool()>& done) { return QTest::qWaitFor(done, 300'000); }

    /// Opens text as an unsaved scene and waits until the runtime has it.
    void open(const Json& document)
    {
        const auto file = folder.file("scene.floe.json", document.dump());
        ASSERT_TRUE(window->open(QString::fromStdString(file.string())));
        settle();
    }

    /// What is edited is sent after a short rest: waits until the runtime has answered to it, and
    /// to everything that was asked with it.
    void settle()
    {
        EXPECT_TRUE(until([&] { return studio->isSettled(); }));
        bool answered = false;
        studio->runtime().request(
            studio, "document.set",
            {{"document", Json::parse(window->document().text())},
             {"path", window->document().path().toStdString()}},
            [&](const Json&) { answered = true; }, [&](const QString&) { answered = true; });
        EXPECT_TRUE(until([&] { return answered; }));
    }

    bool runs() const
    {
        const client::RunState state = studio->runtime().runState();
        return state == client::RunState::Running || state == client::RunState::Stopping;
    }
    /// Plays and waits for the end of that run. Its beginning may not be seen between two looks.
    [[nodiscard]] bool playToTheEnd()
    {
        bool finished = false;
        const auto connection = QObject::connect(
            &studio->runtime(), &client::Runtime::runStateChanged, window.get(),
            [&](client::RunState state) { finished = state == client::RunState::Finished; });
        studio->runtime().play();
        const bool done = until([&] { return finished; });
        QObject::disconnect(connection);
        return done;
    }

    /// The button that starts a lost runtime again, where it is shown.
    QPushButton* restartButton()
    {
        for (QPushButton* button : window->findChildren<QPushButton*>())
            if (button->isVisible() && button->text().contains("Restart"))
                return button;
        return nullptr;
    }

    editor::Document& document() { return window->document(); }
    client::Runtime& runtime() { return studio->runtime(); }

    const TemporaryFolder folder;
    std::unique_ptr<editor::MainWindow> window;
    editor::Studio* studio = nullptr;
};

} // namespace floe::test
