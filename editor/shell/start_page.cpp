#include "shell/start_page.hpp"

#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "themes/theme.hpp"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace floe::editor {

namespace {
/// Folders that may hold the graphs that come with Floe: the first that does counts.
QStringList graphFolders()
{
    const QString program = QString::fromStdString(programFolder().string());
    return {program + "/../share/floe/graphs", program + "/../../graphs"};
}

/// The text of a graph's note `about`; empty: it has none, or cannot be read.
QString aboutOf(const QString& file)
{
    constexpr std::size_t kLargest = 1 << 20; // of a graph that somebody wrote
    try {
        const std::string text = readFile(file.toStdString());
        const Json json = text.size() > kLargest ? Json() : Json::parse(text, nullptr, false);
        return QString::fromStdString(json.at("notes").at("about").at("text").get<std::string>());
    } catch (const std::exception&) {
        return {};
    }
}
} // namespace

std::vector<Example> examples()
{
    const QStringList places = graphFolders();
    struct Known {
        const char *file, *title, *text;
    };
    static const Known known[] = {
        {"first_snow", QT_TRANSLATE_NOOP("floe::editor::StartPage", "First snow"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A snowball breaks on a wedge")},
        {"sand_column", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Sand column"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "Dry sand runs out to its slope")},
        {"dam_break", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Dam break"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "Water meets an obstacle")},
        {"jelly_drop", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Jelly drop"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A rubber ring lands on jelly")},
        {"torn_sheet", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Torn sheet"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A ball of steel tears a sheet of metal")},
        {"rubber_strips", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Rubber strips"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "One strip tears, one stays whole")},
        {"mixed", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Mixed materials"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A wave carries mud and concrete")},
        {"mesh_source", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Mesh source"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A knot of snow on a turning wheel")},
        {"live/pour", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Poured sand"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "Live: pour and push with the mouse")},
        {"activation/train_push", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Train push"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A plough through deep snow")},
        {"activation/avalanche", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Avalanche"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A slab of snow slides into a run-out")},
        {"activation/glacier_collapse",
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "Glacier collapse"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "Ice leaves a glacier's front and floats")},
        {"activation/ship_breach", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Ship breach"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A ship rises out of deep snow")},
        {"activation/rally_drift", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Rally drift"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "Tyres throw mud and leave tracks")},
        {"activation/bullet_time", QT_TRANSLATE_NOOP("floe::editor::StartPage", "Bullet time"),
         QT_TRANSLATE_NOOP("floe::editor::StartPage", "A bullet through a melon")},
    };
    std::vector<Example> found;
    for (const QString& place : places) {
        for (const Known& one : known) {
            const QString path = QDir::cleanPath(place + "/" + one.file + ".floe.json");
            if (QFile::exists(path))
                found.push_back({path, StartPage::tr(one.title), StartPage::tr(one.text),
                                 QDir::cleanPath(place + "/pictures/" +
                                                 QString(one.file).section('/', -1) + ".jpg"),
                                 QString(one.file).startsWith("activation/")});
        }
        if (!found.empty())
            break;
    }
    return found;
}

std::vector<Example> moreScenes()
{
    constexpr std::size_t kMax = 1000;
    constexpr QLatin1String kEnding(".floe.json");
    const std::vector<Example> known = examples();
    std::vector<Example> found;
    for (const QString& place : graphFolders()) {
        QStringList files;
        QDirIterator all(place, {"*.floe.json"}, QDir::Files, QDirIterator::Subdirectories);
        while (all.hasNext() && files.size() < int(kMax))
            files += QDir::cleanPath(all.next());
        files.sort();
        for (const QString& file : files) {
            const QString name = QDir(QDir::cleanPath(place)).relativeFilePath(file);
            if (name.startsWith(QLatin1String("validation/")) ||
                std::any_of(known.begin(), known.end(),
                            [&](const Example& example) { return example.path == file; }))
                continue;
            QString title = name.section('/', -1).chopped(kEnding.size()).replace('_', ' ');
            title[0] = title[0].toUpper();
            const QString picture = QDir::cleanPath(
                place + "/pictures/" + name.section('/', -1).chopped(kEnding.size()) + ".jpg");
            found.push_back(
                {file, title, aboutOf(file), QFile::exists(picture) ? picture : QString(), false});
        }
        if (!found.empty())
            break;
    }
    return found;
}

bool isExample(const QString& path)
{
    const QString file = QFileInfo(path).canonicalFilePath();
    const std::vector<Example> all = examples();
    return !file.isEmpty() && std::any_of(all.begin(), all.end(), [&](const Example& example) {
        return QFileInfo(example.path).canonicalFilePath() == file;
    });
}

namespace {
constexpr int kCardWidth = 280, kCardSpace = 16, kSideWidth = 220, kColumnSpace = 48, kMargin = 40;
constexpr int kMaxCards = 4; // in a row

/// A picture with a title under it, that can be clicked and focused.
class SceneCard : public QPushButton {
public:
    SceneCard(const Example& example, QWidget* parent)
        : QPushButton(parent), example_(example), picture_(example.picture)
    {
        setObjectName("sceneCard");
        setAccessibleName(example.title);
        setAccessibleDescription(example.description);
        setToolTip(example.description);
        setCursor(Qt::PointingHandCursor);
        setFixedSize(kCardWidth, 214);
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        QPushButton::paintEvent(event);
        QPainter p(this);
        p.setRenderHint(QPainter::Antialiasing);
        p.setRenderHint(QPainter::SmoothPixmapTransform);
        const QRectF frame = QRectF(rect()).adjusted(2, 2, -2, -2);
        const QRectF image(frame.left(), frame.top(), frame.width(), frame.width() * 9 / 16);
        QPainterPath clip;
        clip.addRoundedRect(frame, 7, 7);
        p.setClipPath(clip);
        if (!picture_.isNull())
            p.drawImage(image, picture_);
        else
            p.fillRect(image, themeColours().raised);
        p.setClipping(false);
        QFont bold = font();
        bold.setWeight(QFont::DemiBold);
        bold.setPointSizeF(font().pointSizeF() * 1.1);
        p.setFont(bold);
        p.setPen(themeColours().strong);
        p.drawText(QRectF(14, image.bottom() + 7, width() - 28, 20), Qt::AlignVCenter,
                   example_.title);
        p.setFont(font());
        p.setPen(themeColours().muted);
        p.drawText(QRectF(14, image.bottom() + 27, width() - 28, 18), Qt::AlignVCenter,
                   fontMetrics().elidedText(example_.description, Qt::ElideRight, width() - 28));
    }

private:
    Example example_;
    QImage picture_;
};
} // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent)
{
    setObjectName("startPage");
    setAttribute(Qt::WA_StyledBackground);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(area);
    auto* page = new QWidget(area);
    page->setObjectName("startPage");
    area->setWidget(page);

    auto* title = new QLabel(tr("Floe"), page);
    title->setObjectName("startTitle");
    auto* lead =
        new QLabel(tr("Snow, sand, water and jelly by the material point method. Open a scene and "
                      "press Space to play it."),
                   page);
    lead->setObjectName("startLead");
    lead->setWordWrap(true);

    for (Gallery& gallery : galleries_) {
        gallery.grid = new QGridLayout;
        gallery.grid->setSpacing(kCardSpace);
    }
    for (const Example& example : examples()) {
        auto* card = new SceneCard(example, page);
        connect(card, &QPushButton::clicked, this,
                [this, path = example.path] { emit fileChosen(path); });
        galleries_[example.large].cards << card;
    }

    back_ = new QPushButton(icon("back"), QString(), page);
    back_->setObjectName("startBack");
    back_->setShortcut(Qt::Key_Escape);
    back_->hide();
    connect(back_, &QPushButton::clicked, this, &StartPage::backWanted);
    auto* create = create_ = new QPushButton(icon("new"), tr("New scene"), page);
    create->setObjectName("startNew");
    create->setDefault(true);
    auto* open = new QPushButton(icon("open"), tr("Open…"), page);
    auto* manual = new QPushButton(icon("help"), tr("First steps"), page);
    connect(create, &QPushButton::clicked, this, &StartPage::newWanted);
    connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
    connect(manual, &QPushButton::clicked, this, [this] { emit manualWanted("index"); });

    auto* side = new QVBoxLayout;
    side->setSpacing(8);
    for (QPushButton* button : {back_, create, open, manual}) {
        button->setMinimumWidth(kSideWidth);
        side->addWidget(button);
    }
    side->addSpacing(16);
    auto* heading = new QLabel(tr("Recent"), page);
    heading->setObjectName("startHeading");
    side->addWidget(heading);
    recent_ = new QVBoxLayout;
    recent_->setSpacing(0);
    side->addLayout(recent_);
    side->addStretch();

    auto* scenes = new QVBoxLayout;
    auto* heading2 = new QLabel(tr("Scenes"), page);
    heading2->setObjectName("startHeading");
    scenes->setSpacing(10);
    scenes->addWidget(heading2);
    scenes->addLayout(galleries_[0].grid);
    auto* heading3 = new QLabel(tr("Large scenes, whose resting parts sleep"), page);
    heading3->setObjectName("startHeading");
    heading3->setVisible(!galleries_[1].cards.isEmpty());
    scenes->addSpacing(14);
    scenes->addWidget(heading3);
    scenes->addLayout(galleries_[1].grid);
    scenes->addStretch();

    columns_ = new QHBoxLayout;
    columns_->setSpacing(kColumnSpace);
    columns_->addLayout(side);
    columns_->addLayout(scenes);
    auto* whole = new QVBoxLayout;
    whole->setSpacing(6);
    whole->addWidget(title);
    whole->addWidget(lead);
    whole->addSpacing(24);
    whole->addLayout(columns_);
    auto* centred = new QHBoxLayout(page);
    centred->setContentsMargins(kMargin, 48, kMargin, 32);
    centred->addStretch();
    centred->addLayout(whole);
    centred->addStretch();
    setFocusProxy(create);
    arrange();
}

void StartPage::arrange()
{
    const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent) + 4;
    const auto fitting = [&](int others) {
        return (width() - 2 * kMargin - bar - others + kCardSpace) / (kCardWidth + kCardSpace);
    };
    int row = fitting(kSideWidth + kColumnSpace);
    const bool narrow = row < 1; // then the pictures stand below the buttons
    if (narrow)
        row = fitting(0);
    row = std::clamp(row, 1, kMaxCards);
    columns_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    for (const Gallery& gallery : galleries_)
        for (int i = 0; i < gallery.cards.size(); ++i)
            gallery.grid->addWidget(gallery.cards[i], i / row, i % row);
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void StartPage::setWaiting(const QString& scene)
{
    back_->setVisible(!scene.isEmpty());
    back_->setText(tr("Back to %1").arg(fontMetrics().elidedText(scene, Qt::ElideMiddle, 150)));
    back_->setToolTip(tr("Go on with '%1' (Esc)").arg(scene));
    setFocusProxy(scene.isEmpty() ? create_ : back_);
}

void StartPage::setRecent(const QStringList& files)
{
    while (QLayoutItem* item = recent_->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    for (const QString& file : files.mid(0, 8)) {
        const QString name = QFileInfo(file).fileName().remove(".floe.json");
        auto* button =
            new QPushButton(fontMetrics().elidedText(name, Qt::ElideMiddle, kSideWidth - 24), this);
        button->setObjectName("recentFile");
        button->setToolTip(file);
        button->setCursor(Qt::PointingHandCursor);
        connect(button, &QPushButton::clicked, this, [this, file] { emit fileChosen(file); });
        recent_->addWidget(button);
    }
    if (files.isEmpty()) {
        auto* none = new QLabel(tr("Nothing yet"), this);
        none->setObjectName("zoom");
        none->setContentsMargins(10, 4, 0, 0);
        recent_->addWidget(none);
    }
}

} // namespace floe::editor
