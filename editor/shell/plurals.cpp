#include "shell/plurals.hpp"

#include <QCoreApplication>
#include <QTranslator>

static void loadResources() // of a static library; Q_INIT_RESOURCE wants no namespace
{
    Q_INIT_RESOURCE(plurals);
}

namespace floe::editor {

void loadPlurals(QCoreApplication& application)
{
    static bool done = false;
    if (done)
        return;
    done = true;
    loadResources();
    auto* plurals = new QTranslator(&application);
    if (plurals->load(":/plurals/floe_en.qm"))
        QCoreApplication::installTranslator(plurals);
}

} // namespace floe::editor
