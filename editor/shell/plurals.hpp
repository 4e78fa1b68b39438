#pragma once

class QCoreApplication;

namespace floe::editor {

/// Lets counted things be named rightly in English: "1 error", "2 errors". Before a translation is
/// installed, which comes before it then.
void loadPlurals(QCoreApplication& application);

} // namespace floe::editor
