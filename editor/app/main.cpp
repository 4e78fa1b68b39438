#include "app/preferences.hpp"
#include "app/studio.hpp"
#include "document/type_source.hpp"
#include "shell/main_window.hpp"
#include "shell/theme.hpp"

#include <QApplication>
#include <QCommandLineParser>
#include <QLibraryInfo>
#include <QLocale>
#include <QTimer>
#include <QTranslator>

namespace {
/// The language that was chosen, else that of the system, where there is a translation.
void loadTranslations(QApplication& application, const QString& language)
{
    if (!language.isEmpty())
        QLocale::setDefault(QLocale(language));
    const QString folder = floe::editor::translationFolder();
    auto* own = new QTranslator(&application);
    if (own->load(QLocale(), "floe", "_", folder) || own->load("floe_en", folder)) // plurals
        QApplication::installTranslator(own);
    auto* qt = new QTranslator(&application);
    if (qt->load(QLocale(), "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QApplication::installTranslator(qt);
}
} // namespace

int main(int argc, char** argv)
{
    QApplication::setOrganizationName("Floe");
    QApplication::setApplicationName("Floe");
    const auto preferences = floe::editor::Preferences::load();
    if (preferences.scale != 100 && !qEnvironmentVariableIsSet("QT_SCALE_FACTOR"))
        qputenv("QT_SCALE_FACTOR", QByteArray::number(preferences.scale / 100.0));
    QApplication application(argc, argv);
    QApplication::setApplicationVersion(FLOE_VERSION);
    QApplication::setDesktopFileName("floe-editor");
    loadTranslations(application, preferences.language);

    QCommandLineParser options;
    options.setApplicationDescription(
        QApplication::translate("main", "Builds and plays physical simulations."));
    options.addHelpOption();
    options.addVersionOption();
    options.addPositionalArgument("file", QApplication::translate("main", "The graph to open."));
    const QCommandLineOption connectTo(
        "connect", QApplication::translate("main", "Use a runtime that listens elsewhere."),
        "host:port");
    const QCommandLineOption token(
        "token",
        QApplication::translate("main", "What that runtime printed when it began to listen."),
        "token");
    options.addOptions({connectTo, token});
    options.process(application);

    floe::editor::applyTheme(application);
    std::vector<floe::graph::Fault> faults;
    floe::editor::MainWindow window(
        floe::editor::typesFromFolders(floe::editor::pluginFolders(), &faults));
    floe::editor::Studio studio(window);
    studio.report(faults);
    window.finish();
    const QStringList files = options.positionalArguments();
    if (files.isEmpty())
        window.showStart();
    else if (!window.open(files.front()))
        window.showStart();
    window.show();
    QTimer::singleShot(0, &studio, [&] { // the window first
        const QString remote = options.value(connectTo);
        if (remote.isEmpty())
            studio.runtime().start();
        else
            studio.connectTo(remote, options.value(token));
    });
    return QApplication::exec();
}
