#include "document/translated.hpp"

#include <QCoreApplication>

namespace floe::editor {

QString translated(const graph::TranslatableText& message)
{
    // lupdate files what TranslatableText::of() is given under this name.
    return QString::fromStdString(message.text([](const std::string& pattern) {
        return QCoreApplication::translate("TranslatableText", pattern.c_str()).toStdString();
    }));
}

QString translated(const std::exception& error)
{
    if (const auto* ours = dynamic_cast<const Error*>(&error))
        return translated(graph::sentenceOf(*ours));
    return QString::fromUtf8(error.what());
}

} // namespace floe::editor
