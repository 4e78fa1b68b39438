#include "app/preferences_dialog.hpp"
#include "panels/parameter_panel.hpp"
#include "studio_fixture.hpp"
#include "views/timeline.hpp"

#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QStatusBar>

namespace floe::test {
namespace {

using editor::Preferences;
using editor::PreferencesDialog;

TEST(ThePreferences, AreKept)
{
    QSettings().clear();
    EXPECT_EQ(Preferences::load(), Preferences());
    EXPECT_TRUE(Preferences().runtimeOptions().isEmpty()) << "the runtime chooses";
    Preferences other;
    other.language = "en";
    other.theme = "light";
    other.scale = 150;
    other.autosaveSeconds = 10;
    other.backups = 12;
    other.device = "cuda:1";
    other.cacheMemory = 2.5;
    other.cacheDisk = 100;
    other.save();
    EXPECT_EQ(Preferences::load(), other);
    EXPECT_EQ(other.runtimeOptions(),
              QStringList({"--cache-memory", "2.5", "--cache-size", "100"}));
}

// The file of settings can be edited by hand, or come from another version.
TEST(ThePreferences, ThatMakeNoSenseCountAsDefaults)
{
    for (const char* nonsense : {"", "x", "-1", "1e300", "nan", "inf", "999999"}) {
        QSettings().clear();
        for (const char* key : {"language", "theme", "scale", "autosave", "backups", "device",
                                "cacheMemory", "cacheDisk"})
            QSettings().setValue(QString("preferences/%1").arg(key), nonsense);
        EXPECT_EQ(Preferences::load(), Preferences()) << nonsense;
    }
    for (const char* device : {"cuda:", "cuda:1 --listen x", "cpu\n", "gpu"}) {
        QSettings().setValue("preferences/device", device);
        EXPECT_EQ(Preferences::load().device, "auto") << device;
    }
}

class InTheDialog : public WithTheRuntime {
protected:
    /// Opens it as a person does, and does something in it.
    void ask(const std::function<void(PreferencesDialog&)>& act)
    {
        auto* action = window->findChild<QAction*>("edit.preferences");
        ASSERT_NE(action, nullptr);
        bool seen = false;
        QTimer::singleShot(0, window.get(), [&] {
            auto* dialog = qobject_cast<PreferencesDialog*>(QApplication::activeModalWidget());
            ASSERT_NE(dialog, nullptr);
            ASSERT_TRUE(QTest::qWaitForWindowExposed(dialog));
            seen = true;
            act(*dialog);
        });
        action->trigger();
        EXPECT_TRUE(seen);
    }
    static void press(PreferencesDialog& dialog, QDialogButtonBox::StandardButton button)
    {
        QTest::mouseClick(dialog.findChild<QDialogButtonBox*>()->button(button), Qt::LeftButton);
    }
    static void type(PreferencesDialog& dialog, const char* field, const QString& number)
    {
        auto* box = dialog.findChild<QAbstractSpinBox*>(field);
        ASSERT_NE(box, nullptr) << field;
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, number);
    }
};

TEST_F(InTheDialog, WhatIsChosenActsAndIsKept)
{
    ask([](PreferencesDialog& dialog) {
        auto* device = dialog.findChild<QComboBox*>("device");
        device->setCurrentIndex(device->findData("cpu"));
        type(dialog, "backups", "2");
        press(dialog, QDialogButtonBox::Ok);
    });
    EXPECT_EQ(Preferences::load().device, "cpu");
    EXPECT_TRUE(window->notice()->text().isEmpty()) << "nothing has to be started again";
    const auto file = folder / "saved.floe.json";
    for (int end = 2; end < 7; ++end) {
        document().setRange({1, end, 24});
        document().save(QString::fromStdString(file.string()));
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "backup/saved.2.floe.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "backup/saved.3.floe.json"));
}

// All panels, the network and what is painted by hand change at once; a new start is not needed.
TEST_F(InTheDialog, TheThemeIsSwitchedAtOnce)
{
    ASSERT_TRUE(window->open(FLOE_SOURCE_DIR "/graphs/first_snow.floe.json"));
    settle();
    window->resize(1500, 950);
    window->canvas()->select({document().content().graph.nodes.front().name});
    const auto choose = [&](const char* theme) {
        ask([&](PreferencesDialog& dialog) {
            auto* box = dialog.findChild<QComboBox*>("theme");
            ASSERT_NE(box, nullptr);
            box->setCurrentIndex(box->findData(theme));
            if (editor::themeInUse() == editor::Theme::Light)
                dialog.grab().save(FLOE_BINARY_DIR "/pictures/editor/light_preferences.png");
            press(dialog, QDialogButtonBox::Ok);
        });
        QTest::qWait(300);
    };
    // Of what is seen, by the lightness of most pixels.
    const auto isLight = [](QWidget* widget) {
        const QImage image = widget->grab().toImage().scaled(64, 64);
        int light = 0;
        for (int y = 0; y < 64; ++y)
            for (int x = 0; x < 64; ++x)
                light += image.pixelColor(x, y).lightness() > 160;
        return light > 64 * 32;
    };
    QList<QWidget*> parts{window->canvas(), window->menuBar(), window->statusBar(),
                          &studio->timeline(), window->findChild<panels::ParameterPanel*>()};
    QDir().mkpath(FLOE_BINARY_DIR "/pictures/editor");
    for (const char* theme : {"light", "dark", "light"}) {
        choose(theme);
        for (QWidget* part : parts) {
            ASSERT_NE(part, nullptr);
            EXPECT_EQ(isLight(part), theme == std::string("light"))
                << theme << " " << part->metaObject()->className();
        }
        EXPECT_EQ(Preferences::load().theme, theme);
        window->grab().save(QString(FLOE_BINARY_DIR "/pictures/editor/%1_window.png").arg(theme));
    }
    choose("dark");
}

TEST_F(InTheDialog, CancelChangesNothingAndDefaultsComeBack)
{
    Preferences set;
    set.backups = 3;
    set.cacheMemory = 2;
    set.save();
    ask([](PreferencesDialog& dialog) {
        type(dialog, "autosave", "99");
        dialog.reject();
    });
    EXPECT_EQ(Preferences::load(), set);
    ask([](PreferencesDialog& dialog) {
        for (QPushButton* button : dialog.findChildren<QPushButton*>())
            if (button->text().contains("default"))
                QTest::mouseClick(button, Qt::LeftButton);
        press(dialog, QDialogButtonBox::Ok);
    });
    EXPECT_EQ(Preferences::load(), Preferences());
}

// A limit of memory is the process's: it is told, and one click starts it with it.
TEST_F(InTheDialog, ALimitOfMemoryReachesTheRuntime)
{
    ask([](PreferencesDialog& dialog) {
        type(dialog, "cacheMemory", "1");
        press(dialog, QDialogButtonBox::Ok);
    });
    ASSERT_FALSE(window->notice()->text().isEmpty());
    QTest::mouseClick(window->notice()->button(), Qt::LeftButton);
    ASSERT_TRUE(until([&] { return runtime().state() == client::Runtime::State::Ready; }));
    auto* process = runtime().findChild<QProcess*>();
    ASSERT_NE(process, nullptr);
    EXPECT_EQ(process->arguments(), QStringList({"serve", "--cache-memory", "1"}));
}

} // namespace
} // namespace floe::test
