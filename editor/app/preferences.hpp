#pragma once

#include <QString>
#include <QStringList>

namespace floe::editor {

/// What a person chooses once for all scenes. Kept by QSettings; a stored value that is none of
/// those named here counts as its default.
struct Preferences {
    QString language;         ///< "fr"; empty: that of the system
    QString theme = "dark";   ///< "dark", "light" or "system"
    int scale = 100;          ///< of the interface [%], 50 to 300
    int autosaveSeconds = 30; ///< longest time that an edit is only in memory, 5 to 600
    int backups = 5;          ///< older versions of a file that are kept, 1 to 99
    QString device = "auto";  ///< "auto", "cpu", "cuda" or "cuda:N"
    double cacheMemory = 0;   ///< of simulated frames in memory [GB]; 0: chosen by the runtime
    double cacheDisk = 0;     ///< of simulated frames on disk [GB]; 0: chosen by the runtime
    bool operator==(const Preferences&) const = default;

    static Preferences load();
    void save() const;
    /// For `floe serve`.
    QStringList runtimeOptions() const;
};

/// Folder of the translations (floe_*.qm) of this installation.
QString translationFolder();
/// What there are translations for, English first: "en", "fr".
QStringList languages();

} // namespace floe::editor
