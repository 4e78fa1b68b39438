#include "canvas/fuzzy.hpp"

#include <algorithm>

namespace floe::editor {

/// In lower case, without accents: "Émetteur" is found as "emetteur", "nœud" as "noeud".
static QString plain(const QString& text)
{
    QString result = text.toLower().normalized(QString::NormalizationForm_KD);
    result.removeIf([](QChar letter) { return letter.isMark(); });
    return result.replace(QChar(0x153), QStringLiteral("oe")); // has no parts in Unicode
}

int fuzzyScore(const QString& query, const QString& text)
{
    const QString words = plain(query), q = QString(words).remove(' ');
    const QString t = plain(text);
    if (q.isEmpty())
        return 1;
    if (t == words.trimmed())
        return 1000;
    // Best match by dynamic programming would cost more than it shows: greedy from every start.
    int best = 0;
    for (qsizetype start = t.indexOf(q[0]); start >= 0; start = t.indexOf(q[0], start + 1)) {
        int score = 0, run = 0;
        qsizetype at = start - 1, matched = 0;
        for (const QChar letter : q) {
            const qsizetype next = t.indexOf(letter, at + 1);
            if (next < 0)
                break;
            const bool word = next == 0 || !t[next - 1].isLetterOrNumber();
            run = next == at + 1 ? run + 1 : 0;
            score += 10 + (word ? 15 : 0) + std::min(run, 4) * 6 -
                     int(std::min<qsizetype>(next - at - 1, 8));
            at = next;
            ++matched;
        }
        if (matched == q.size())
            best = std::max(best, score + (start == 0 ? 20 : 0) - int(t.size() / 4));
    }
    return std::clamp(best, 0, 999);
}

std::vector<int> search(const std::vector<Entry>& entries, const QString& query,
                        const QStringList& recent)
{
    struct Found {
        int score, label, index; ///< label: its own score, which decides between equals
    };
    std::vector<Found> found;
    for (int i = 0; i < int(entries.size()); ++i) {
        const Entry& entry = entries[std::size_t(i)];
        const qsizetype used = recent.indexOf(entry.id);
        const int bonus = used >= 0 ? std::max(1, 12 - int(used)) : 0;
        if (query.trimmed().isEmpty()) {
            found.push_back({used >= 0 ? 1000 - int(used) : 0, 0, i});
            continue;
        }
        const int label = 2 * fuzzyScore(query, entry.label);
        int score = label;
        for (const QString& alias : entry.aliases)
            score = std::max(score, 2 * fuzzyScore(query, alias) - 12);
        score = std::max(score, fuzzyScore(query, entry.group) - 10);
        if (score <= 0)
            score = fuzzyScore(query, entry.group + ' ' + entry.label) / 2;
        // Scattered letters in a long text are no match.
        if (score >= 14 * int(query.trimmed().size()))
            found.push_back({score + bonus, label, i});
    }
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return a.score != b.score ? a.score > b.score : a.label > b.label;
    });
    std::vector<int> result;
    for (const Found& entry : found)
        result.push_back(entry.index);
    return result;
}

} // namespace floe::editor
