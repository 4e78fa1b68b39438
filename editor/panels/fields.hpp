#pragma once

#include "floe/base/json.hpp"
#include "floe/graph/node_type.hpp"

#include <QToolButton>
#include <QWidget>

#include <array>

namespace floe::panels {

/// A widget for a value that is not a number: switch, menu, text or file.
class Field : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    virtual void setValue(const Json& value) = 0; ///< tells nobody

signals:
    void edited(const floe::Json& value);
};

/// @param spec   of type Bool, Choice, String or Path
/// @param folder that relative paths start from
Field* makeField(const graph::ParameterSpec& spec, const QString& folder, QWidget* parent);

/// A linear colour as a patch; a click opens the colour dialog, whose steps are edits of one drag.
class ColourPatch : public QToolButton {
    Q_OBJECT
public:
    explicit ColourPatch(QWidget* parent = nullptr);
    void setColour(const std::array<double, 3>& linear);

signals:
    void edited(std::array<double, 3> linear, bool finished);

protected:
    void paintEvent(QPaintEvent*) override;

private:
    void choose();
    std::array<double, 3> colour_{};
};

/// Between linear light and what screens are sent (IEC 61966-2-1), 0 to 1.
double encodeSrgb(double linear);
double decodeSrgb(double encoded);

} // namespace floe::panels
