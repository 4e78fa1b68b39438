#include "shell/theme.hpp"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QPainter>
#include <QPalette>
#include <QStyleFactory>

static void loadResources() // of a static library; Q_INIT_RESOURCE wants no namespace
{
    Q_INIT_RESOURCE(looks);
}

namespace floe::editor {

void applyTheme(QApplication& application)
{
    loadResources();
    application.setStyle(QStyleFactory::create("Fusion"));
    QPalette palette;
    const QColor window(0x24, 0x27, 0x2c), base(0x1c, 0x1f, 0x23), text(0xd6, 0xda, 0xde),
        faint(0x6c, 0x73, 0x7b);
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::AlternateBase, QColor(0x20, 0x23, 0x28));
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::PlaceholderText, QColor(0x80, 0x87, 0x8f));
    palette.setColor(QPalette::Button, QColor(0x36, 0x3b, 0x43));
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::ToolTipBase, QColor(0x11, 0x13, 0x16));
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::Highlight, QColor(0x2f, 0x4a, 0x66));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, QColor(0x6c, 0xb6, 0xff));
    palette.setColor(QPalette::LinkVisited, QColor(0x9f, 0xb4, 0xe8));
    palette.setColor(QPalette::Light, QColor(0x3a, 0x3f, 0x46));
    palette.setColor(QPalette::Midlight, QColor(0x30, 0x34, 0x3a));
    palette.setColor(QPalette::Mid, QColor(0x1a, 0x1c, 0x20));
    palette.setColor(QPalette::Dark, QColor(0x15, 0x17, 0x1a));
    palette.setColor(QPalette::Shadow, Qt::black);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faint);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(0x33, 0x38, 0x3e));
    application.setPalette(palette);

    QFont font = application.font();
    const QStringList families = QFontDatabase::families();
    for (const char* family : {"Inter", "Noto Sans", "DejaVu Sans"})
        if (families.contains(QLatin1String(family))) {
            font.setFamily(family);
            break;
        }
    font.setPointSizeF(9.75);
    application.setFont(font);

    QFile sheet(":/themes/dark.qss");
    if (sheet.open(QIODevice::ReadOnly))
        application.setStyleSheet(QString::fromUtf8(sheet.readAll()));
}

QIcon icon(const QString& name)
{
    return QIcon(":/icons/" + name + ".svg");
}

} // namespace floe::editor
