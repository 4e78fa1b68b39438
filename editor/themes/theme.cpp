#include "themes/theme.hpp"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QRegularExpression>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleHints>
#include <QWidget>

#include <utility>

static void loadResources() // of a static library; Q_INIT_RESOURCE wants no namespace
{
    Q_INIT_RESOURCE(looks);
}

namespace floe::editor {

namespace {

QPalette paletteOf(const ThemeColours& c)
{
    QPalette palette;
    palette.setColor(QPalette::Window, c.window);
    palette.setColor(QPalette::WindowText, c.text);
    palette.setColor(QPalette::Base, c.base);
    palette.setColor(QPalette::AlternateBase, c.baseAlternate);
    palette.setColor(QPalette::Text, c.text);
    palette.setColor(QPalette::PlaceholderText, c.placeholder);
    palette.setColor(QPalette::Button, c.button);
    palette.setColor(QPalette::ButtonText, c.text);
    palette.setColor(QPalette::BrightText, c.bright);
    palette.setColor(QPalette::ToolTipBase, c.tip);
    palette.setColor(QPalette::ToolTipText, c.text);
    palette.setColor(QPalette::Highlight, c.highlight);
    palette.setColor(QPalette::HighlightedText, c.highlighted);
    palette.setColor(QPalette::Link, c.link);
    palette.setColor(QPalette::LinkVisited, c.visited);
    palette.setColor(QPalette::Light, c.light);
    palette.setColor(QPalette::Midlight, c.midlight);
    palette.setColor(QPalette::Mid, c.mid);
    palette.setColor(QPalette::Dark, c.dark);
    palette.setColor(QPalette::Shadow, Qt::black);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, c.faint);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, c.highlightIdle);
    return palette;
}

/// Where the icons of a theme lie in the resources.
QString iconFolder(Theme theme)
{
    return theme == Theme::Dark ? QStringLiteral(":/icons") : QStringLiteral(":/light/icons");
}

/// The style sheet with the colours of a theme.
QString sheetOf(Theme theme)
{
    QFile file(":/themes/sheet.qss");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QString text = QString::fromUtf8(file.readAll());
    static const QRegularExpression names("@([A-Za-z]+)");
    QString sheet;
    qsizetype done = 0;
    for (auto it = names.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        sheet += QStringView(text).mid(done, match.capturedStart() - done);
        const QString name = match.captured(1);
        sheet +=
            name == QLatin1String("icons") ? iconFolder(theme) : colourNamed(theme, name).name();
        done = match.capturedEnd();
    }
    sheet += QStringView(text).mid(done);
    return sheet;
}

/// An icon that is drawn in the theme that is in use when it is drawn.
class ThemedIcon final : public QIconEngine {
public:
    explicit ThemedIcon(const QString& name)
        : dark_(iconFolder(Theme::Dark) + '/' + name + ".svg"),
          light_(iconFolder(Theme::Light) + '/' + name + ".svg")
    {}
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        now().paint(painter, rect, Qt::AlignCenter, mode, state);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return now().pixmap(size, 1.0, mode, state);
    }
    QSize actualSize(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return now().actualSize(size, mode, state);
    }
    bool isNull() override { return dark_.isNull(); }
    QIconEngine* clone() const override { return new ThemedIcon(*this); }

private:
    const QIcon& now() const { return themeInUse() == Theme::Dark ? dark_ : light_; }

    QIcon dark_, light_;
};

/// What the desktop's own palette is like: asked before the first theme replaces it.
bool systemIsDark(const QApplication& application)
{
    static const bool dark = [&] {
        const QPalette palette = application.palette();
        return palette.color(QPalette::Window).lightness() <
               palette.color(QPalette::WindowText).lightness();
    }();
    return dark;
}

} // namespace

void applyTheme(QApplication& application, Theme theme)
{
    loadResources();
    systemIsDark(application);
    setThemeInUse(theme);
    application.setStyle(QStyleFactory::create("Fusion"));
    application.setPalette(paletteOf(coloursOf(theme)));

    QFont font = application.font();
    const QStringList families = QFontDatabase::families();
    for (const char* family : {"Inter", "Noto Sans", "DejaVu Sans"})
        if (families.contains(QLatin1String(family))) {
            font.setFamily(family);
            break;
        }
    font.setPointSizeF(9.75);
    application.setFont(font);
    application.setStyleSheet(sheetOf(theme));
}

Theme themeFor(const QApplication& application, const QString& preference)
{
    if (preference == QLatin1String("light"))
        return Theme::Light;
    if (preference != QLatin1String("system"))
        return Theme::Dark;
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    const Qt::ColorScheme scheme = QGuiApplication::styleHints()->colorScheme();
    if (scheme != Qt::ColorScheme::Unknown)
        return scheme == Qt::ColorScheme::Dark ? Theme::Dark : Theme::Light;
#endif
    return systemIsDark(application) ? Theme::Dark : Theme::Light;
}

void followSystemTheme([[maybe_unused]] QApplication& application,
                       [[maybe_unused]] std::function<void()> changed)
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    QObject::connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, &application,
                     [changed = std::move(changed)] { changed(); });
#endif
}

void setTone(QWidget& label, const QString& tone)
{
    if (label.property("tone").toString() == tone)
        return;
    label.setProperty("tone", tone);
    label.style()->unpolish(&label);
    label.style()->polish(&label);
}

QIcon icon(const QString& name)
{
    return QIcon(new ThemedIcon(name));
}

} // namespace floe::editor
