#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace floe::editor {

/// One thing that a search can find: a node type, a command, a scene.
struct Entry {
    QString id, label;
    QString group;       ///< category, menu
    QStringList aliases; ///< other words for it
    QString help;
    QString hint;      ///< shown at the right: a shortcut
    QString colour{};  ///< key of categoryColour(), with its drawing; empty: a bar of the group's
    QString whyNot{};  ///< it cannot be chosen now, and why; empty: it can
    QString picture{}; ///< file of its thumbnail; empty: none
};

/// How well `query` finds `text`: its letters must appear in order; letters at the start of words
/// and letters in a row count more. @return 0 when it does not; letter case and accents do not
/// matter
int fuzzyScore(const QString& query, const QString& text);

/// Entries that `query` finds, best first: by label, then aliases, then group. With an empty query
/// the recent ones come first, then all in their order.
/// @return indices into `entries`
std::vector<int> search(const std::vector<Entry>& entries, const QString& query,
                        const QStringList& recent);

} // namespace floe::editor
