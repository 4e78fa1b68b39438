#include "app/preferences_dialog.hpp"

#include "client/messages.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace floe::editor {

namespace {
constexpr int kFieldWidth = 260;

QString nameOf(const QString& language)
{
    QString name = QLocale(language).nativeLanguageName();
    if (language == "en")
        name = "English"; // not that of a country
    if (!name.isEmpty())
        name[0] = name[0].toUpper();
    return name;
}

void choose(QComboBox* box, const QVariant& value)
{
    box->setCurrentIndex(std::max(0, box->findData(value)));
}
} // namespace

PreferencesDialog::PreferencesDialog(const Preferences& now, const Json& devices, QWidget* parent)
    : QDialog(parent), before_(now), language_(new QComboBox(this)), theme_(new QComboBox(this)),
      scale_(new QComboBox(this)), device_(new QComboBox(this)), autosave_(new QSpinBox(this)),
      backups_(new QSpinBox(this)), memory_(new QDoubleSpinBox(this)),
      disk_(new QDoubleSpinBox(this)), note_(new QLabel(this))
{
    setWindowTitle(tr("Preferences"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(8);
    QFormLayout* form = nullptr;
    QList<QWidget*> labels;
    const auto begin = [&](const QString& title) {
        auto* heading = new QLabel(title, this);
        heading->setObjectName("startHeading");
        if (form)
            column->addSpacing(10);
        column->addWidget(heading);
        form = new QFormLayout;
        form->setContentsMargins(0, 0, 0, 0);
        form->setHorizontalSpacing(18);
        form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        column->addLayout(form);
    };
    const auto add = [&](const QString& label, QWidget* field, const char* name,
                         const QString& tip) {
        field->setObjectName(name);
        field->setToolTip(tip);
        field->setMinimumWidth(kFieldWidth);
        field->setAccessibleName(label);
        form->addRow(label, field);
        labels << form->labelForField(field);
    };

    begin(tr("Interface"));
    language_->addItem(tr("System default"), QString());
    for (const QString& language : languages())
        language_->addItem(nameOf(language), language);
    add(tr("Language"), language_, "language", tr("Language of menus, panels and messages"));
    theme_->addItem(tr("Dark"), "dark");
    theme_->addItem(tr("Light"), "light");
    theme_->addItem(tr("As the system"), "system");
    add(tr("Colours"), theme_, "theme", tr("Dark or light; used at once"));
    QList<int> scales{75, 100, 125, 150, 175, 200};
    if (!scales.contains(now.scale))
        scales << now.scale;
    std::sort(scales.begin(), scales.end());
    for (const int scale : scales)
        scale_->addItem(tr("%1 %").arg(scale), scale);
    add(tr("Size"), scale_, "scale", tr("Size of text, icons and fields"));
    auto* shortcuts = new QPushButton(tr("Change shortcuts…"), this);
    shortcuts->setAutoDefault(false);
    connect(shortcuts, &QPushButton::clicked, this, &PreferencesDialog::shortcutsWanted);
    add(tr("Keys"), shortcuts, "shortcuts", tr("Change the keys of commands"));

    begin(tr("Files"));
    autosave_->setRange(5, 600);
    autosave_->setSuffix(tr(" s"));
    add(tr("Safety copy at least every"), autosave_, "autosave",
        tr("The longest time that a change is only in memory. The copy is offered after a crash."));
    backups_->setRange(1, 99);
    add(tr("Older versions kept"), backups_, "backups",
        tr("How many saved versions of a file stay in the folder 'backup' beside it"));

    begin(tr("Simulation"));
    addDevice("auto", tr("Automatic"));
    if (devices.is_array())
        for (const Json& device : devices)
            if (const QString id = client::textOf(device, "id"); !id.isEmpty())
                addDevice(id, QString("%1 (%2)").arg(client::textOf(device, "name"), id));
    for (const char* always : {"cpu", "cuda"}) // also before the runtime has said what there is
        if (device_->findData(always) < 0)
            addDevice(always, always == std::string("cpu") ? tr("Processor (cpu)")
                                                           : tr("First NVIDIA GPU (cuda)"));
    if (device_->findData(now.device) < 0)
        addDevice(now.device, tr("%1 (not found)").arg(now.device));
    add(tr("Device"), device_, "device",
        tr("What simulates. 'Automatic' takes a GPU where there is one. Used from the next run "
           "on."));
    for (QAbstractSpinBox* box :
         std::initializer_list<QAbstractSpinBox*>{autosave_, backups_, memory_, disk_})
        box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    for (QDoubleSpinBox* box : {memory_, disk_}) {
        box->setRange(0, 10'000);
        box->setDecimals(1);
        box->setSuffix(tr(" GB"));
        box->setSpecialValueText(tr("Automatic"));
    }
    add(tr("Frames in memory"), memory_, "cacheMemory",
        tr("Simulated frames kept in memory; the others are read from disk. Automatic: an eighth "
           "of the memory, at most 4 GB"));
    add(tr("Frames on disk"), disk_, "cacheDisk",
        tr("Simulated frames kept on disk; then the oldest go. Automatic: half of what is free, "
           "at most 20 GB"));

    int widest = 0; // so that the fields of all groups stand below each other
    for (const QWidget* label : labels)
        widest = std::max(widest, label->sizeHint().width());
    for (QWidget* label : labels)
        label->setMinimumWidth(widest);

    note_->setObjectName("zoom"); // quiet
    note_->setWordWrap(true);
    note_->setMinimumHeight(2 * fontMetrics().lineSpacing() + 4); // its text moves nothing
    note_->setAlignment(Qt::AlignBottom | Qt::AlignLeft);
    column->addWidget(note_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    auto* reset = buttons->addButton(tr("All to default"), QDialogButtonBox::ResetRole);
    for (QAbstractButton* button : buttons->buttons())
        button->setIcon({});
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(reset, &QPushButton::clicked, this, [this] { fill(Preferences()); });
    for (QComboBox* box : {language_, scale_, device_})
        connect(box, &QComboBox::currentIndexChanged, this, &PreferencesDialog::refreshNote);
    for (QDoubleSpinBox* box : {memory_, disk_})
        connect(box, &QDoubleSpinBox::valueChanged, this, &PreferencesDialog::refreshNote);
    fill(now);
}

void PreferencesDialog::addDevice(const QString& id, const QString& label)
{
    if (device_->findData(id) < 0)
        device_->addItem(label, id);
}

void PreferencesDialog::fill(const Preferences& preferences)
{
    choose(language_, preferences.language);
    choose(theme_, preferences.theme);
    choose(scale_, preferences.scale);
    choose(device_, preferences.device);
    autosave_->setValue(preferences.autosaveSeconds);
    backups_->setValue(preferences.backups);
    memory_->setValue(preferences.cacheMemory);
    disk_->setValue(preferences.cacheDisk);
    refreshNote();
}

Preferences PreferencesDialog::preferences() const
{
    Preferences p;
    p.language = language_->currentData().toString();
    p.theme = theme_->currentData().toString();
    p.scale = scale_->currentData().toInt();
    p.device = device_->currentData().toString();
    p.autosaveSeconds = autosave_->value();
    p.backups = backups_->value();
    p.cacheMemory = memory_->value();
    p.cacheDisk = disk_->value();
    return p;
}

void PreferencesDialog::refreshNote()
{
    const Preferences now = preferences();
    QStringList later;
    if (now.language != before_.language || now.scale != before_.scale)
        later << tr("Language and size are used when Floe is started again.");
    if (now.runtimeOptions() != before_.runtimeOptions())
        later << tr("Limits of frames are used when the runtime is started again.");
    note_->setText(later.join(' '));
}

} // namespace floe::editor
