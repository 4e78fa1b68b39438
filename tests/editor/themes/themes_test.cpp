#include "canvas/look.hpp"
#include "canvas/scene_piece.hpp"
#include "themes/theme.hpp"

#include <QApplication>
#include <QFile>
#include <QPushButton>
#include <QRegularExpression>
#include <gtest/gtest.h>

#include <map>

namespace floe::editor {
namespace {

constexpr double kText = 4.5;  // WCAG 2.1, 1.4.3
constexpr double kLines = 3.0; // and 1.4.11

class OfEachTheme : public ::testing::TestWithParam<Theme> {
protected:
    OfEachTheme() { applyTheme(*qApp, GetParam()); }
    ~OfEachTheme() override { applyTheme(*qApp); }

    QColor named(const QString& name) const
    {
        const QColor colour = colourNamed(GetParam(), name);
        EXPECT_TRUE(colour.isValid()) << name.toStdString();
        return colour;
    }
    void expectLegible(const QStringList& texts, const QStringList& grounds)
    {
        for (const QString& text : texts)
            for (const QString& ground : grounds)
                EXPECT_GE(contrast(named(text), named(ground)), kText)
                    << text.toStdString() << " on " << ground.toStdString();
    }
};

// Black on white has the largest contrast there is, a colour on itself none.
TEST(Contrast, IsThatOfTheGuidelines)
{
    EXPECT_NEAR(contrast(Qt::black, Qt::white), 21, 1e-9);
    EXPECT_NEAR(contrast(Qt::red, Qt::red), 1, 1e-9);
    EXPECT_NEAR(contrast(QColor(0x77, 0x77, 0x77), Qt::white), 4.48, 0.005); // a known border case
}

TEST_P(OfEachTheme, TextsAreLegible)
{
    expectLegible({"text", "strong", "muted"}, {"window", "back", "base", "baseAlternate", "menu",
                                                "raised", "start", "presets"});
    expectLegible({"text"}, {"button", "buttonHover", "checked", "combo", "field", "tip"});
    expectLegible({"title", "bright"}, {"start", "window"});
    expectLegible({"placeholder"}, {"field"});
    expectLegible({"highlighted"}, {"highlight", "selection", "action", "actionHover"});
    expectLegible({"highlightedMuted"}, {"highlight"});
    expectLegible({"link", "visited", "keyed", "formula", "fault", "error", "warning"},
                  {"window", "base"});
    expectLegible({"noticeText"}, {"told", "warned", "failed"});
    expectLegible({"added", "changed", "removed"}, {"base", "legend"});
    // The network
    expectLegible({"strong", "muted", "linked", "error", "warning"}, {"card", "ground"});
    expectLegible({"errorText"}, {"errorGround", "refusal"});
    expectLegible({"warningText"}, {"warningGround"});
    expectLegible({"addedText"}, {"addedGround"});
    expectLegible({"removedText"}, {"removedGround"});
    expectLegible({"noteText"}, {"note"});
    expectLegible({"icon"}, {"window", "button", "checked", "menu"});
}

// The head of a card has the colour of its category, and of any that a person may choose.
TEST_P(OfEachTheme, NamesOnTheHeadsOfCardsAreLegible)
{
    for (const char* category :
         {"Shapes", "Emitters", "Materials", "Colliders", "Forces", "Solvers", "Output", "Render",
          "Surfaces", "Activation", "Domain", "Values", "Subgraph", "Somebody's own"}) {
        const QColor head = headColour(categoryColour(category), true);
        EXPECT_GE(contrast(themeColours().strong, head), kText) << category;
        EXPECT_GE(contrast(themeColours().subtitle, head), kText) << category;
    }
}

// Sockets and wires of every kind, of plugins too, are seen on the ground.
TEST_P(OfEachTheme, KindsStandOutFromTheGround)
{
    for (const char* kind :
         {"volume", "mesh", "particles", "material", "emitter", "collider", "force", "transform",
          "camera", "light", "domain", "activation", "somebody.kind", "another.kind"})
        EXPECT_GE(contrast(kindLook(kind).colour, themeColours().ground), kLines) << kind;
}

TEST_P(OfEachTheme, TheSheetHasAllItsColours)
{
    const QString sheet = qApp->styleSheet();
    ASSERT_GT(sheet.size(), 1000);
    EXPECT_FALSE(sheet.contains('@')) << "a name that was not replaced";
    static const QRegularExpression files("url\\((:[^)]+)\\)");
    int found = 0;
    for (auto it = files.globalMatch(sheet); it.hasNext(); ++found) {
        const QString file = it.next().captured(1);
        EXPECT_TRUE(QFile::exists(file)) << file.toStdString();
    }
    EXPECT_GT(found, 8);
    QFile text(":/themes/sheet.qss");
    ASSERT_TRUE(text.open(QIODevice::ReadOnly));
    static const QRegularExpression names("@([A-Za-z]+)");
    for (auto it = names.globalMatch(QString::fromUtf8(text.readAll())); it.hasNext();) {
        const QString name = it.next().captured(1);
        EXPECT_TRUE(name == "icons" || colourNamed(GetParam(), name).isValid())
            << name.toStdString();
    }
}

/// The colour that most of what is drawn has.
QColor inkOf(const QImage& image)
{
    std::map<QRgb, int> counts;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (qAlpha(image.pixel(x, y)) == 255)
                ++counts[image.pixel(x, y)];
    QRgb most = 0;
    int count = 0;
    for (const auto& [colour, number] : counts)
        if (number > count) {
            most = colour;
            count = number;
        }
    return QColor(most);
}

// One and the same icon is drawn for the theme that is in use when it is.
TEST_P(OfEachTheme, IconsAreDrawnInIt)
{
    const QIcon save = icon("save");
    const QImage image = save.pixmap(64, 64).toImage();
    EXPECT_GE(contrast(inkOf(image), themeColours().window), kText);
}

INSTANTIATE_TEST_SUITE_P(Themes, OfEachTheme, ::testing::Values(Theme::Dark, Theme::Light),
                         [](const auto& theme) {
                             return theme.param == Theme::Dark ? "Dark" : "Light";
                         });

// What is already there changes at once: widgets, and icons on them.
TEST(Themes, AreSwitchedWithoutAnewStart)
{
    applyTheme(*qApp, Theme::Dark);
    QWidget window;
    QPushButton button(icon("save"), "Save", &window);
    window.resize(200, 100);
    window.show();
    const auto brightness = [&] {
        return window.grab().toImage().pixelColor(190, 90).lightness();
    };
    QApplication::processEvents();
    EXPECT_LT(brightness(), 80);
    const int darkInk = inkOf(button.icon().pixmap(64, 64).toImage()).lightness();
    applyTheme(*qApp, Theme::Light);
    QApplication::processEvents();
    EXPECT_GT(brightness(), 180);
    EXPECT_LT(inkOf(button.icon().pixmap(64, 64).toImage()).lightness(), darkInk);
    applyTheme(*qApp, Theme::Dark);
    QApplication::processEvents();
    EXPECT_LT(brightness(), 80);
}

TEST(Themes, AreChosenByName)
{
    EXPECT_EQ(themeFor(*qApp, "dark"), Theme::Dark);
    EXPECT_EQ(themeFor(*qApp, "light"), Theme::Light);
    EXPECT_EQ(themeFor(*qApp, "nonsense"), Theme::Dark);
    const Theme system = themeFor(*qApp, "system");
    applyTheme(*qApp, system == Theme::Dark ? Theme::Light : Theme::Dark);
    EXPECT_EQ(themeFor(*qApp, "system"), system) << "what the desktop has, not what we have";
    applyTheme(*qApp);
}

} // namespace
} // namespace floe::editor
