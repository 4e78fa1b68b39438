#include "app/studio.hpp"
#include "canvas/canvas.hpp"
#include "canvas/search_popup.hpp"
#include "document/translated.hpp"
#include "document/type_source.hpp"
#include "floe/graph/check.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/section.hpp"
#include "shell/compare_panel.hpp"
#include "temporary_folder.hpp"
#include "views/log_view.hpp"
#include "views/manual_view.hpp"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QTest>
#include <QToolButton>
#include <QTranslator>
#include <QTreeWidget>
#include <QXmlStreamReader>
#include <gtest/gtest.h>

#include <filesystem>

namespace floe::editor {
namespace {

const char* const kPlugins = FLOE_BINARY_DIR "/lib/floe/plugins";

/// The whole editor as a person in France sees it. Nothing is simulated.
class InFrench : public ::testing::Test {
protected:
    InFrench()
    {
        QSettings().clear();
        QLocale::setDefault(QLocale("fr"));
        EXPECT_TRUE(translator.load("floe_fr", translationFolder()));
        QApplication::installTranslator(&translator);
    }
    ~InFrench() override
    {
        if (window)
            window->recovery().discard();
        window.reset();
        delete manual();
        QApplication::removeTranslator(&translator);
        QLocale::setDefault(QLocale::c());
    }

    void open(const QStringList& folders)
    {
        std::vector<graph::Fault> faults;
        window = std::make_unique<MainWindow>(typesFromFolders(folders, &faults));
        studio = new Studio(*window); // the window's child
        studio->report(faults);
        window->finish();
        window->showWork();
        window->resize(1300, 900);
        window->show();
        QApplication::processEvents();
    }

    std::string add(const char* type)
    {
        const std::string name = window->document().addNode({}, type, {0, 0});
        window->canvas()->select({name});
        QApplication::processEvents();
        return name;
    }

    /// What the search finds first.
    QString found(const QString& words)
    {
        Canvas& canvas = *window->canvas();
        canvas.openSearch(QPointF(100, 100));
        QApplication::processEvents();
        canvas.searchPopup()->field()->setText(words);
        const QString id = canvas.searchPopup()->currentId();
        QTest::keyClick(canvas.searchPopup()->field(), Qt::Key_Escape);
        return id;
    }

    views::ManualView* manual()
    {
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (auto* found = qobject_cast<views::ManualView*>(widget))
                return found;
        return nullptr;
    }

    template <class Widget>
    QStringList textsOf(const QWidget& in) const
    {
        QStringList texts;
        for (const auto* widget : in.findChildren<Widget*>())
            texts << widget->text();
        return texts;
    }

    QTranslator translator;
    std::unique_ptr<MainWindow> window;
    Studio* studio = nullptr;
};

TEST_F(InFrench, ThePanelIsMadeOfFrenchTexts)
{
    open({kPlugins});
    add("floe.mpm.solver");
    const auto& panel = *window->findChild<panels::ParameterPanel*>();
    const QStringList labels = textsOf<QLabel>(panel);
    EXPECT_TRUE(labels.contains("Taille de cellule")) << labels.join('\n').toStdString();
    EXPECT_TRUE(labels.contains("Solveur MPM"));
    EXPECT_FALSE(labels.contains("Cell size"));
    QStringList sections, choices;
    for (const auto* section : panel.findChildren<panels::Section*>())
        sections << section->header()->text();
    EXPECT_TRUE(sections.contains("Pas de temps")) << sections.join('\n').toStdString();
    for (const auto* box : panel.findChildren<QComboBox*>())
        for (int i = 0; i < box->count(); ++i)
            choices << box->itemText(i);
    EXPECT_TRUE(choices.contains("Quadratique")) << choices.join('\n').toStdString();

    add("floe.material");
    QStringList presets;
    for (const QAction* action : panel.presetButton()->menu()->actions())
        presets << action->text();
    EXPECT_TRUE(presets.contains("Neige")) << presets.join('\n').toStdString();
}

TEST_F(InFrench, SearchKnowsWordsOfBothLanguages)
{
    open({kPlugins});
    EXPECT_EQ(found("solveur"), "floe.mpm.solver");
    EXPECT_EQ(found("emetteur"), "floe.emitter") << "accents are left out in haste";
    EXPECT_EQ(found("robinet"), "floe.emitter") << "a French alias";
    EXPECT_EQ(found("boule"), "floe.shape.sphere");
    EXPECT_EQ(found("nozzle"), "floe.emitter") << "an English alias";
    EXPECT_EQ(found("mpm solver"), "floe.mpm.solver") << "as English tutorials name it";
    EXPECT_EQ(found("miel"), "preset:floe.material/honey");
}

// A screen of 1920 pixels at 200 %: French words are longer.
TEST_F(InFrench, TheWindowWithParametersIsNoWiderThanHalfAScreen)
{
    open({kPlugins});
    add("floe.mpm.solver");
    window->resize(960, 540);
    window->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window.get()));
    const auto& panel = *window->findChild<panels::ParameterPanel*>();
    ASSERT_TRUE(panel.isVisible());
    QTest::qWait(100);
    EXPECT_LE(window->minimumSizeHint().width(), 960);
    EXPECT_EQ(window->width(), 960);
    EXPECT_LE(panel.mapTo(window.get(), panel.rect().bottomRight()).x(), 960);
    const QString pictures = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
    QDir().mkpath(pictures);
    EXPECT_TRUE(window->grab().save(pictures + QStringLiteral("/half_a_screen_fr.png")));
}

// However narrow the panel is.
TEST_F(InFrench, ButtonsOfAMergeHaveRoomForTheirTexts)
{
    open({kPlugins});
    const std::string ball = add("floe.shape.sphere");
    const graph::Document base = window->document().content();
    graph::Document theirs = base;
    theirs.graph.find(ball)->parameters["radius"] = 0.4;
    window->document().setParameter({}, ball, "radius", 0.2);
    ComparePanel& panel = *window->comparison();
    panel.prepareMerge(base, theirs, "une copie");
    auto* dock = qobject_cast<QDockWidget*>(panel.parentWidget());
    ASSERT_NE(dock, nullptr);
    panel.setParent(nullptr);
    panel.resize(10, 500);
    panel.show();
    QTest::qWait(50);
    const QString pictures = QStringLiteral(FLOE_BINARY_DIR "/pictures/editor");
    QDir().mkpath(pictures);
    EXPECT_TRUE(panel.grab().save(pictures + QStringLiteral("/compare_narrow_fr.png")));
    QStringList seen;
    for (const QPushButton* button : panel.findChildren<QPushButton*>())
        if (button->isVisible()) {
            seen << button->text();
            EXPECT_GE(button->width(), button->sizeHint().width()) << button->text().toStdString();
        }
    EXPECT_EQ(seen.size(), 4) << seen.join('\n').toStdString();
    dock->setWidget(&panel);
}

// The file that a French editor writes is the one that an English editor writes.
TEST_F(InFrench, WhatIsSavedHasNoLanguage)
{
    const auto build = [](Document& document) {
        document.addNode({}, "floe.mpm.solver", {0, 0});
        const std::string ball = document.addNode({}, "floe.shape.sphere", {0, 0});
        const std::string group = document.group({}, {ball}, "group");
        const graph::Node* instance = document.node({}, group);
        document.promoteParameter(instance->graph, ball, "radius", true);
        EXPECT_EQ(document.typeOf({}, group)->parameters.size(), 1u);
        return document.typeOf({}, group)->parameters.front().label;
    };
    Document french(typesFromFolders({kPlugins}));
    EXPECT_EQ(build(french), "Rayon");
    QLocale::setDefault(QLocale("en"));
    Document english(typesFromFolders({kPlugins}));
    EXPECT_EQ(build(english), "Radius");
    EXPECT_EQ(french.text(), english.text());
}

TEST_F(InFrench, TheManualPageOfANodeIsFrench)
{
    open({kPlugins});
    studio->showManual({}, "floe.mpm.solver");
    ASSERT_NE(manual(), nullptr);
    const QString text = manual()->text();
    for (const char* part :
         {"Solveur MPM", "Taille de cellule", "paramètre", "Arête d’une cellule de la grille",
          "Constant dans le temps.", "Quadratique quadratic: Une particule et 27 nœuds"})
        EXPECT_TRUE(text.contains(part)) << part << "\n" << text.toStdString();
    for (const char* part : {"Cell size", "parameter", "Constant over time", "required"})
        EXPECT_FALSE(text.contains(part)) << part;
}

TEST_F(InFrench, TutorialsAreFrenchAndEnglishWhereTheyAreNotTranslated)
{
    open({kPlugins});
    studio->showManual("snow_on_a_collider", {});
    ASSERT_NE(manual(), nullptr);
    EXPECT_TRUE(manual()->text().startsWith("De la neige sur un obstacle"))
        << manual()->text().left(100).toStdString();
    const auto titles = [](const views::ManualView& view) {
        QStringList found;
        for (const QTreeWidgetItem* item : view.findChild<QTreeWidget*>()->findItems(
                 QString(), Qt::MatchContains | Qt::MatchRecursive))
            found << item->text(0);
        return found;
    };
    EXPECT_TRUE(titles(*manual()).contains("Mêler les matériaux"));
    for (const char* language : {"de", "en"}) {
        QLocale::setDefault(QLocale(language));
        views::ManualView other;
        other.showPage("snow_on_a_collider");
        EXPECT_TRUE(other.text().startsWith("Snow on a collider")) << language;
        EXPECT_TRUE(titles(other).contains("Mixing materials")) << language;
    }
}

// What the French tutorial has one type finds what it says.
TEST_F(InFrench, TheWordsOfTheTutorialFindTheirNodes)
{
    open({kPlugins});
    QFile file(views::ManualView::folder() + "/snow_on_a_collider.fr.md");
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QRegularExpression typed("\\*\\*Tab\\*\\*(?:, |\\. Tapez )`([^`]+)`");
    QStringList nodes;
    for (auto words = typed.globalMatch(QString::fromUtf8(file.readAll())); words.hasNext();)
        nodes << found(words.next().captured(1));
    EXPECT_EQ(nodes.join(' ').toStdString(),
              "floe.shape.sphere preset:floe.material/snow floe.emitter floe.shape.box "
              "floe.collider floe.shape.plane floe.collider floe.mpm.solver");
}

TEST_F(InFrench, ABrokenTranslationIsInTheLogAndThePluginInEnglish)
{
    const test::TemporaryFolder folder;
    namespace fs = std::filesystem;
    fs::create_directories(folder / "values/translations");
    fs::copy_file(fs::path(kPlugins) / "floe_values/plugin.json", folder / "values/plugin.json");
    const fs::path file = folder.file("values/translations/fr.json", "{\"format\": 1");
    open({QString::fromStdString(folder.path().string())});
    EXPECT_EQ(window->document().types().find("floe.transform")->label, "Transform");
    const views::LogModel& log = *window->findChild<views::LogView*>()->model();
    ASSERT_EQ(log.rowCount(), 1);
    const QString line = log.index(0, views::LogModel::Message).data().toString();
    EXPECT_TRUE(line.contains(QString::fromStdString(file.string()))) << line.toStdString();
    EXPECT_TRUE(line.contains("line 1")) << line.toStdString();
}

/// What is wrong with a scene of these nodes and links, as its French editor says it.
std::string faultsOf(const QStringList& folders, const std::string& nodes,
                     const std::string& links = "[]")
{
    const Types types = typesFromFolders(folders);
    std::string lines;
    for (const graph::Fault& fault :
         graph::check(graph::Document::parse(R"({"floe": 1, "nodes": {)" + nodes +
                                                 R"(}, "links": )" + links + "}",
                                             "scene.floe.json"),
                      *types))
        lines += translated(fault.line()).toStdString() + "\n";
    return lines;
}

TEST_F(InFrench, FaultsAreFrenchWithNamesAndNumbersAsTheyAre)
{
    const std::string scene = "erreur : scene.floe.json : ";
    const std::string ball = scene + "nœud « ball » (floe.shape.sphere) : ";
    const auto sphere = [](const std::string& parameters) {
        return R"("ball": {"type": "floe.shape.sphere", "parameters": {)" + parameters + "}}";
    };
    EXPECT_EQ(faultsOf({kPlugins}, sphere(R"("radius": -1)")),
              ball + "le paramètre « radius » vaut -1 ; il faut une valeur de 1e-05 à 100000 m\n");
    EXPECT_EQ(faultsOf({kPlugins}, sphere(R"("radios": 1)")),
              ball + "paramètre inconnu « radios » ; vouliez-vous dire « radius » ?\n");
    EXPECT_EQ(faultsOf({kPlugins}, sphere(R"("radius": "big")")),
              ball + "le paramètre « radius » est un texte ; il faut un nombre\n");
    EXPECT_EQ(faultsOf({kPlugins}, sphere(R"json("radius": {"expr": "sine(1)"})json")),
              ball + "paramètre « radius » : l’expression « sine(1) » emploie une fonction "
                     "inconnue, « sine » ; vouliez-vous dire « sin » ?\n");
    EXPECT_EQ(faultsOf({kPlugins}, sphere(R"("radius": {"expr": "1 +"})")),
              ball + "paramètre « radius » : l’expression « 1 + » est illisible : Unexpected end "
                     "of expression at position 4\n")
        << "what another library says stays as it is";
    EXPECT_EQ(faultsOf({kPlugins}, R"("thing": {"type": "acme.thing"})"),
              scene + "nœud « thing » (acme.thing) : aucun greffon installé n’a le type de nœud "
                      "« acme.thing » ; installez son greffon ou mettez son dossier dans "
                      "FLOE_PLUGIN_PATH\n");
    EXPECT_EQ(faultsOf({kPlugins}, sphere(R"("weight": 1)")),
              ball + "paramètre inconnu « weight » ; sont connus : radius, center ou voxelSize\n");
    EXPECT_EQ(faultsOf({kPlugins}, R"("body": {"type": "floe.collider"})"),
              scene + "nœud « body » (floe.collider) : l’entrée « shape » n’est pas reliée ; "
                      "reliez une sortie de genre volume qui n’est pas contournée\n");
}

TEST_F(InFrench, TheFaultsOfANodeAreFrenchAtItAndInItsPanel)
{
    open({kPlugins});
    const std::string name = add("floe.shape.sphere");
    window->document().setParameter({}, name, "radius", -1);
    window->document().checkNow();
    QApplication::processEvents();
    const QString said = "le paramètre « radius » vaut -1 ; il faut une valeur de 1e-05 à 100000 m";
    EXPECT_TRUE(textsOf<QLabel>(*window->findChild<panels::ParameterPanel*>()).contains(said))
        << textsOf<QLabel>(*window->findChild<panels::ParameterPanel*>()).join('\n').toStdString();
    EXPECT_TRUE(window->findChild<QLabel*>("faults")->toolTip().endsWith(said))
        << window->findChild<QLabel*>("faults")->toolTip().toStdString();
}

// A line with a place too many or too few, or one misspelt, is never said.
TEST(FrenchWordings, HaveThePlacesOfTheirPatterns)
{
    QFile file(FLOE_SOURCE_DIR "/editor/translations/floe_fr.ts");
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const auto placesOf = [](const QString& text) {
        static const QRegularExpression place("\\{[A-Za-z]+\\}");
        QStringList places;
        for (auto found = place.globalMatch(text); found.hasNext();)
            places << found.next().captured();
        places.sort();
        return places;
    };
    QXmlStreamReader xml(&file);
    QString context, source;
    int lines = 0;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == u"name") {
            context = xml.readElementText();
        } else if (context == "TranslatableText") {
            ASSERT_NE(xml.name(), u"comment")
                << "a literal among the values of " << qPrintable(source);
            if (xml.name() == u"source") {
                source = xml.readElementText();
            } else if (xml.name() == u"translation") {
                ++lines;
                EXPECT_EQ(placesOf(xml.readElementText()), placesOf(source)) << qPrintable(source);
            }
        }
    }
    EXPECT_GT(lines, 200);
}

} // namespace
} // namespace floe::editor
