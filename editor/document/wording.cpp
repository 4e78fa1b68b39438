#include "document/wording.hpp"

#include <QCoreApplication>

namespace floe::editor {

QString translated(const graph::Wording& wording)
{
    // lupdate files what Wording::of() is given under this name.
    return QString::fromStdString(wording.text([](const std::string& pattern) {
        return QCoreApplication::translate("Wording", pattern.c_str()).toStdString();
    }));
}

QString translated(const std::exception& error)
{
    if (const auto* ours = dynamic_cast<const Error*>(&error))
        return translated(graph::sentenceOf(*ours));
    return QString::fromUtf8(error.what());
}

} // namespace floe::editor
