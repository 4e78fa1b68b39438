#include "app/preferences.hpp"
#include "app/studio.hpp"
#include "document/type_source.hpp"
#include "shell/main_window.hpp"
#include "shell/plurals.hpp"
#include "themes/theme.hpp"

#include <QApplication>
#include <QCommandLineParser>
#include <QLibraryInfo>
#include <QLocale>
#include <QTimer>
#include <QTranslator>

#include <algorithm>
#include <string_view>

namespace {
/// The language that was chosen, else that of the system, where there is a translation.
void loadTranslations(QCoreApplication& application, const QString& language)
{
    if (!language.isEmpty())
        QLocale::setDefault(QLocale(language));
    floe::editor::loadPlurals(application);
    const QString folder = floe::editor::translationFolder();
    auto* own = new QTranslator(&application);
    if (own->load(QLocale(), "floe", "_", folder))
        QCoreApplication::installTranslator(own);
    auto* qt = new QTranslator(&application);
    if (qt->load(QLocale(), "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(qt);
}

/// What may follow the program's name.
class CommandLine {
public:
    CommandLine()
        : connectTo("connect",
                    QApplication::translate("main", "Use a runtime that listens elsewhere."),
                    "host:port"),
          token(
              "token",
              QApplication::translate("main", "What that runtime printed when it began to listen."),
              "token"),
          version(parser.addVersionOption())
    {
        parser.setApplicationDescription(
            QApplication::translate("main", "Builds and plays physical simulations."));
        parser.addHelpOption();
        parser.addPositionalArgument("file", QApplication::translate("main", "The graph to open."));
        parser.addOptions({connectTo, token});
    }

    QCommandLineParser parser;
    const QCommandLineOption connectTo, token, version;
};

/// Asks for nothing that needs a window: the help or the version.
bool onlyPrints(int argc, char** argv)
{
    return std::any_of(argv + 1, argv + argc, [](const std::string_view argument) {
        return argument == "-h" || argument == "--help" || argument == "--help-all" ||
               argument == "-v" || argument == "--version";
    });
}
} // namespace

int main(int argc, char** argv)
{
    QApplication::setOrganizationName("Floe");
    QApplication::setApplicationName("Floe");
    QApplication::setApplicationVersion(FLOE_VERSION);
    const auto preferences = floe::editor::Preferences::load();
    if (onlyPrints(argc, argv)) { // without a display too
        QCoreApplication application(argc, argv);
        loadTranslations(application, preferences.language);
        CommandLine line;
        line.parser.parse(QCoreApplication::arguments());
        if (line.parser.isSet(line.version))
            line.parser.showVersion();
        line.parser.showHelp();
    }
    if (preferences.scale != 100 && !qEnvironmentVariableIsSet("QT_SCALE_FACTOR"))
        qputenv("QT_SCALE_FACTOR", QByteArray::number(preferences.scale / 100.0));
    QApplication application(argc, argv);
    QApplication::setDesktopFileName("floe-editor");
    loadTranslations(application, preferences.language);
    CommandLine line;
    line.parser.process(application);

    const auto useTheme = [&application] {
        using namespace floe::editor;
        applyTheme(application, themeFor(application, Preferences::load().theme));
    };
    useTheme();
    floe::editor::followSystemTheme(application, useTheme);
    std::vector<floe::graph::Fault> faults;
    floe::editor::MainWindow window(
        floe::editor::typesFromFolders(floe::editor::pluginFolders(), &faults));
    floe::editor::Studio studio(window);
    studio.report(faults);
    window.finish();
    const QStringList files = line.parser.positionalArguments();
    if (files.isEmpty())
        window.showStart();
    else if (!window.open(files.front()))
        window.showStart();
    window.show();
    QTimer::singleShot(0, &studio, [&] { // the window first
        const QString remote = line.parser.value(line.connectTo);
        if (remote.isEmpty())
            studio.runtime().start();
        else
            studio.connectTo(remote, line.parser.value(line.token));
    });
    return QApplication::exec();
}
