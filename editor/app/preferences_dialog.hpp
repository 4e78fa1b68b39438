#pragma once

#include "app/preferences.hpp"
#include "floe/base/json.hpp"

#include <QDialog>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;

namespace floe::editor {

/// All preferences in one place.
class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    /// @param devices  what the runtime can simulate on, as Runtime::devices() has it
    PreferencesDialog(const Preferences& now, const Json& devices, QWidget* parent = nullptr);
    Preferences preferences() const; ///< as they are chosen

signals:
    void shortcutsWanted();

private:
    void fill(const Preferences& preferences);
    void addDevice(const QString& id, const QString& label);
    void refreshNote();

    Preferences before_;
    QComboBox *language_, *theme_, *scale_, *device_;
    QSpinBox *autosave_, *backups_;
    QDoubleSpinBox *memory_, *disk_;
    QLabel* note_;
};

} // namespace floe::editor
