#pragma once

#include <QImage>
#include <QRectF>
#include <QString>

class QPainter;

namespace floe::views {

/// A second picture, of another run seen from the same place: over the first, right of a line that
/// can be dragged, or beside it.
struct Wipe {
    enum class Layout { Over, Beside };
    /// What is written over a picture: the run, and statistics of its frame.
    struct Label {
        QString name, numbers;
    };

    bool shown = false;
    Layout layout = Layout::Over;
    double at = 0.5;        ///< of the line, as a share of the width; Over
    QImage other;           ///< null: there is none yet
    bool hidesMine = false; ///< the left one is of another run too
    QImage instead;         ///< that one; null: there is none yet
    QString mineNote;       ///< why, or that it is not of this frame
    QString note;           ///< why there is none, or that it is not of this frame
    Label mine, theirs;

    double line(QSizeF size) const
    {
        return layout == Layout::Over ? at * size.width() : size.width() / 2;
    }
    /// True where the line is taken hold of.
    bool isOnLine(QSizeF size, QPointF point) const;
    void drag(QSizeF size, QPointF point);

    /// Where the pictures lie: each fills its area's height, cut at the sides.
    QRectF area(QSizeF size, bool otherOne) const;
    void paint(QPainter& painter, QSizeF size, const QImage& first) const;

private:
    void paintLabel(QPainter& painter, const QRectF& room, const Label& label,
                    const QString& more) const;
};

/// Draws a picture with the area's height, in its middle; what does not fit is cut off.
void paintFilling(QPainter& painter, const QRectF& area, const QImage& picture);

} // namespace floe::views
