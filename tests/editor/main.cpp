#include "temporary_folder.hpp"

#include <QApplication>
#include <gtest/gtest.h>

#include <cstdlib>

// Without a screen unless told of one, and in a home of its own: settings, caches and recovery
// copies are neither the user's nor another test's. A process that a test starts shares its home.
int main(int argc, char** argv)
{
    ::testing::InitGoogleTest(&argc, argv);
    if (!std::getenv("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const floe::test::TemporaryFolder home;
    if (!std::getenv("FLOE_TEST_HOME")) {
        const QByteArray place = QByteArray::fromStdString(home.path().string());
        for (const char* name : {"FLOE_TEST_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"})
            qputenv(name, place);
    }
    QApplication application(argc, argv);
    QApplication::setOrganizationName("FloeTest");
    QApplication::setApplicationName("FloeTest");
    return RUN_ALL_TESTS();
}
