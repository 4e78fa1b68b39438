#include "views/colours.hpp"
#include "views/picture_area.hpp"
#include "views/transport_icon.hpp"
#include "views/viewport.hpp"
#include "views/wrapping_row.hpp"

#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QDoubleValidator>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace floe::views {

namespace {

constexpr QSize kMapIcon(40, 12);

QIcon colourMapIcon(const QString& map)
{
    QIcon icon;
    for (const int ratio : {1, 2}) {
        QPixmap pixmap(kMapIcon * ratio);
        pixmap.setDevicePixelRatio(ratio);
        QPainter p(&pixmap);
        p.fillRect(QRect(QPoint(), kMapIcon), colourMap(map, QRectF(QPointF(), kMapIcon)));
        p.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

QComboBox* menu(const QString& name, QWidget* parent)
{
    auto* box = new QComboBox(parent);
    box->setToolTip(name);
    box->setAccessibleName(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->setFocusPolicy(Qt::TabFocus);
    return box;
}

} // namespace

void Viewport::makeColouring()
{
    cameras_ = menu(tr("Camera"), this);
    connect(cameras_, &QComboBox::activated, this, [this] {
        active().framed = true;
        lookThrough(active_, cameras_->currentData().toString());
        ask(active_, false);
    });

    colouring_ = menu(tr("Colour particles by"), this);
    const std::pair<QString, QString> modes[kModes] = {
        {tr("Material"), QStringLiteral("material")},
        {tr("Speed"), QStringLiteral("speed")},
        {tr("Activation"), QStringLiteral("activation")},
        {tr("Stretch"), QStringLiteral("attribute J")},
    };
    for (const auto& [label, id] : modes)
        colouring_->addItem(label, id);
    maps_ = menu(tr("Colour map"), this);
    maps_->setIconSize(kMapIcon);
    for (const char* map : {"viridis", "plasma", "inferno", "turbo", "coolwarm", "ice", "grey"}) {
        QString label = QLatin1String(map);
        label[0] = label[0].toUpper();
        maps_->addItem(colourMapIcon(QLatin1String(map)), label, QLatin1String(map));
    }
    for (QComboBox* box : {colouring_, maps_})
        connect(box, &QComboBox::activated, this, [this] {
            low_->clear();
            high_->clear();
            ask(false);
        });

    low_ = new QLineEdit(this);
    high_ = new QLineEdit(this);
    for (QLineEdit* end : {low_, high_}) {
        end->setPlaceholderText(tr("auto"));
        end->setFixedWidth(58);
        end->setValidator(new QDoubleValidator(end));
        end->setAlignment(Qt::AlignRight);
        end->setToolTip(end == low_ ? tr("Value at the lower end of the colour map")
                                    : tr("Value at the upper end of the colour map"));
        connect(end, &QLineEdit::editingFinished, this, [this] { ask(false); });
    }
}

void Viewport::makeShows()
{
    shows_ = new QToolButton(this);
    auto* show = new QMenu(shows_);
    const auto toggle = [&](const QString& text, bool on = true) {
        QAction* action = show->addAction(text);
        action->setCheckable(true);
        action->setChecked(on);
        connect(action, &QAction::toggled, this, [this] { ask(false); });
        return action;
    };
    colliders_ = toggle(tr("Colliders"));
    emitters_ = toggle(tr("Emitters"), false);
    emitters_->setToolTip(tr("Their shapes, once the scene is simulated, too"));
    surfaces_ = toggle(tr("Surfaces of particles"));
    surfaces_->setToolTip(tr("Meshes that nodes make of the particles, in their place"));
    domain_ = toggle(tr("Domain"));
    ground_ = toggle(tr("Ground grid"));
    blur_ = toggle(tr("Motion blur"), false);
    blur_->setToolTip(tr("What moves is blurred when the view has been still for a moment"));
    shows_->setText(tr("Show"));
    shows_->setMenu(show);
    shows_->setPopupMode(QToolButton::InstantPopup);
    shows_->setToolTip(tr("What is shown besides particles"));
}

void Viewport::makeFraming()
{
    const auto make = [this](const char* name, const QString& text, const QString& tip,
                             const QList<QKeySequence>& keys) {
        auto* action = new QAction(transportIcon(Transport::FrameAll), text, this);
        action->setObjectName(QLatin1String(name));
        action->setShortcuts(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        action->setToolTip(tip);
        addAction(action);
        return action;
    };
    frameAll = make("viewport.frameAll", tr("Frame all"), tr("See everything  [A]"), {Qt::Key_A});
    frameSelection = make("viewport.frameSelection", tr("Frame selection"),
                          tr("See the selected node  [F]"), {Qt::Key_F});
    drive = new QAction(tr("Drive"), this);
    drive->setObjectName(QStringLiteral("viewport.drive"));
    drive->setCheckable(true);
    drive->setShortcut(Qt::Key_G);
    drive->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    drive->setToolTip(
        tr("Drive the selected node while it is simulated: W, S, A, D, E, Q, a gamepad or its "
           "handle; Esc ends. What is driven becomes keys  [G]"));
    addAction(drive);
    viewCommands_ << frameAll << frameSelection << drive;
    connect(frameAll, &QAction::triggered, this, [this] { frameEverything(active_); });
    connect(frameSelection, &QAction::triggered, this, &Viewport::frameSelected);
}

/// The bar above the picture.
void Viewport::layOut()
{
    auto* frameButton = new QToolButton(this);
    frameButton->setDefaultAction(frameAll);
    frameButton->setAutoRaise(true);

    auto* driveButton = new QToolButton(this);
    driveButton->setDefaultAction(drive);
    driveButton->setAutoRaise(true);

    auto* bar = new WrappingRow(6); // a narrow window, large letters, long words
    bar->setContentsMargins(6, 4, 6, 4);
    bar->addWidget(cameras_);
    bar->addWidget(colouring_);
    bar->addWidget(maps_);
    bar->addWidget(low_);
    bar->addWidget(high_);
    bar->beginSecondGroup();
    bar->addWidget(cutSlider_);
    bar->addWidget(cutPlace_);
    for (QAction* tool : {moveTool, turnTool, sizeTool, snapping}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(tool);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::NoFocus);
        bar->addWidget(button);
    }
    bar->addWidget(driveButton);
    bar->addWidget(views_);
    bar->addWidget(arrangements_);
    bar->addWidget(cuts_);
    bar->addWidget(shows_);
    bar->addWidget(frameButton);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addLayout(bar);
    column->addLayout(grid_, 1);

    restart_ = new QPushButton(tr("Restart the runtime"), this);
    restart_->hide();
}

} // namespace floe::views
