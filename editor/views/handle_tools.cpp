#include "views/handle_tools.hpp"

#include <QKeyEvent>
#include <QLineF>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <utility>

namespace floe::views {

namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

QString number(double value, int digits)
{
    return QLocale().toString(value, 'f', digits);
}

/// "+0.35 m"; with as many digits as a pixel is worth.
QString signedMetres(double value)
{
    return (value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + number(std::abs(value), 3) +
           QStringLiteral(" m");
}

} // namespace

void HandleTools::set(const NodeHandles& node)
{
    if (held_) { // it comes from the drag itself
        node_.path = node.path;
        return;
    }
    const bool same = point_ < node_.points.size() && point_ < node.points.size() &&
                      node_.points[point_].parameter == node.points[point_].parameter;
    const bool sameNode = node_.owner == node.owner;
    node_ = node;
    if (!same) {
        point_ = 0;
        lit_ = 0;
        litPoint_ = -1;
    }
    if (litAim_ > static_cast<int>(node_.directions.size()))
        litAim_ = 0;
    if (!node_.path || litKey_ >= static_cast<int>(node_.path->keys.size()))
        litKey_ = -1;
    stand(sameNode ? standing_ : 0);
}

void HandleTools::setPlace(std::optional<Vec3> value, const std::vector<Placement>& spaces)
{
    if (held_)
        return;
    NodeHandles only{.owner = node_.owner, .spaces = spaces};
    if (value) {
        const Placement own = hasPlace() ? node_.points.front().own : Placement();
        only.points.push_back(
            {.parameter = {}, .label = {}, .place = own.point(*value), .own = own});
    }
    point_ = 0;
    litPoint_ = litKey_ = -1;
    litAim_ = 0;
    set(only);
}

void HandleTools::stand(std::size_t place)
{
    standing_ = place < node_.spaces.size() ? place : 0;
    if (standing_ < node_.spaces.size())
        node_.space = node_.spaces[standing_];
    litPlace_ = -1;
    this->place();
}

Vec3 HandleTools::middleIn(const Placement& space) const
{
    return space.point(node_.points.front().place);
}

bool HandleTools::goTo(const OrbitCamera& camera, QSizeF size, QPointF mouse)
{
    hover(camera, size, mouse);
    if (held_ || litPlace_ < 0)
        return false;
    stand(static_cast<std::size_t>(litPlace_));
    return true;
}

void HandleTools::goTo(const Vec3& place)
{
    if (held_ || !hasPlace() || node_.spaces.empty())
        return;
    const auto distance = [&](const Placement& space) {
        return length(middleIn(space) - place);
    };
    const auto nearest = std::min_element(
        node_.spaces.begin(), node_.spaces.end(),
        [&](const Placement& a, const Placement& b) { return distance(a) < distance(b); });
    stand(static_cast<std::size_t>(nearest - node_.spaces.begin()));
}

int HandleTools::placeAt(const OrbitCamera& camera, QSizeF size, QPointF mouse) const
{
    for (std::size_t i = 0; hasPlace() && i < node_.spaces.size(); ++i)
        if (const auto at = camera.project(middleIn(node_.spaces[i]), size);
            at && i != standing_ && QLineF(*at, mouse).length() <= kHandleReach + 1)
            return static_cast<int>(i);
    return -1;
}

void HandleTools::place()
{
    aim_.directions = node_.directions;
    aim_.position =
        hasPlace() ? std::optional(node_.space.point(node_.points.front().place)) : std::nullopt;
    if (!hasPlace())
        return;
    move_.position = node_.points[point_].place;
    turn_.position = node_.points.front().place;
    turn_.angles = size_.angles = node_.angles;
    size_.extents = node_.extents;
    size_.middles.clear();
    for (const NodeHandles::Extent& extent : node_.extents)
        size_.middles.push_back(node_.points[extent.point].place);
}

double HandleTools::finest(const OrbitCamera& camera, double height) const
{
    const Vec3 place = hasPlace() ? node_.points[point_].place : Vec3{};
    return SpaceCamera{camera, node_.space}.metresPerPixel(place, height);
}

void HandleTools::setTool(Tool tool)
{
    if (held_)
        return;
    wanted_ = tool;
    lit_ = 0;
    litPoint_ = -1;
}

bool HandleTools::has(Tool tool) const
{
    return tool == Tool::Move || (tool == Tool::Turn && !node_.rotation.empty()) ||
           (tool == Tool::Size && !node_.extents.empty());
}

int HandleTools::hit(const SpaceCamera& camera, QSizeF size, QPointF mouse) const
{
    switch (tool()) {
    case Tool::Move:
        return static_cast<int>(move_.hit(camera, size, mouse));
    case Tool::Turn:
        return static_cast<int>(turn_.hit(camera, size, mouse));
    case Tool::Size:
        return size_.hit(camera, size, mouse);
    }
    return 0;
}

bool HandleTools::hover(const OrbitCamera& world, QSizeF size, QPointF mouse)
{
    if (held_)
        return false;
    const SpaceCamera camera{world, node_.space};
    const int aim = aim_.hit(world, size, mouse);
    const int part = hasPlace() && aim == 0 ? hit(camera, size, mouse) : 0;
    int point = -1, key = -1;
    if (tool() == Tool::Move && part == 0 && aim == 0 && node_.path)
        for (std::size_t i = 0; i < node_.path->keys.size(); ++i)
            if (const auto at = camera.project(node_.path->keys[i].place, size);
                at && QLineF(*at, mouse).length() <= kHandleReach)
                key = static_cast<int>(i);
    if (tool() == Tool::Move && part == 0 && aim == 0 && key < 0)
        for (std::size_t i = 0; i < node_.points.size(); ++i)
            if (const auto at = camera.project(node_.points[i].place, size);
                at && i != point_ && !node_.points[i].isPivot &&
                QLineF(*at, mouse).length() <= kHandleReach + 1)
                point = static_cast<int>(i);
    const int place =
        part == 0 && aim == 0 && key < 0 && point < 0 ? placeAt(world, size, mouse) : -1;
    const bool places = std::exchange(litPlace_, place) != place;
    const bool parts = std::exchange(lit_, part) != part;
    const bool keys = std::exchange(litKey_, key) != key;
    const bool aims = std::exchange(litAim_, aim) != aim;
    return std::exchange(litPoint_, point) != point || places || parts || keys || aims;
}

void HandleTools::take(std::size_t point)
{
    point_ = point;
    place();
}

bool HandleTools::press(const OrbitCamera& world, QSizeF size, QPointF mouse, bool pivot)
{
    if (!isShown())
        return false;
    const SpaceCamera camera{world, node_.space};
    hover(world, size, mouse);
    if (litAim_ > 0) {
        heldAim_ = litAim_;
        held_ = true;
        before_ = node_;
        typed_.clear();
        aim_.begin(heldAim_, mouse, world, size);
        return true;
    }
    if (litKey_ >= 0) {
        heldKey_ = litKey_;
        held_ = true;
        before_ = node_;
        typed_.clear();
        lit_ = static_cast<int>(TranslateHandle::Part::Screen);
        move_.position = node_.path->keys[static_cast<std::size_t>(heldKey_)].place;
        move_.begin(TranslateHandle::Part::Screen, mouse);
        return true;
    }
    if (litPoint_ >= 0) {
        take(static_cast<std::size_t>(std::exchange(litPoint_, -1)));
        lit_ = static_cast<int>(TranslateHandle::Part::Screen);
    }
    if (lit_ == 0)
        return false;
    for (std::size_t i = 0; i < node_.points.size(); ++i)
        if (node_.points[i].isPivot && (i == point_ || (pivot && point_ == 0)))
            take(pivot ? i : 0);
    held_ = true;
    before_ = node_;
    typed_.clear();
    switch (tool()) {
    case Tool::Move:
        move_.begin(static_cast<TranslateHandle::Part>(lit_), mouse);
        break;
    case Tool::Turn:
        turn_.begin(static_cast<RotateHandle::Part>(lit_), mouse, camera, size);
        break;
    case Tool::Size:
        size_.begin(lit_, mouse, camera, size);
        break;
    }
    return true;
}

std::optional<double> HandleTools::typed() const
{
    bool good = false;
    const double value = typed_.toDouble(&good);
    return good ? std::optional(value) : std::nullopt;
}

HandleTools::Change HandleTools::drag(const OrbitCamera& world, QSizeF size, QPointF mouse,
                                      Qt::KeyboardModifiers keys)
{
    const SpaceCamera camera{world, node_.space};
    const Pull pull{mouse, snapping_ != keys.testFlag(Qt::ControlModifier), typed()};
    Change change;
    change.exact = pull.snap || pull.typed;
    if (heldAim_ > 0) {
        NodeHandles::Direction& direction =
            node_.directions[static_cast<std::size_t>(heldAim_ - 1)];
        direction.value = aim_.drag(world, size, pull);
        change.parameter = direction.parameter;
        change.value = direction.value;
        change.exact = true; // to a thousandth of its length
        place();
        return change;
    }
    if (heldKey_ >= 0 && node_.path) {
        MotionPath::Spot& key = node_.path->keys[static_cast<std::size_t>(heldKey_)];
        key.place = move_.position = move_.drag(camera, size, pull);
        change.parameter = node_.path->parameter;
        change.value = key.place - node_.path->offset;
        change.frame = key.frame;
        return change;
    }
    switch (tool()) {
    case Tool::Move: {
        NodeHandles::Point& point = node_.points[point_];
        point.place = move_.drag(camera, size, pull);
        change.parameter = point.parameter;
        change.value = point.value();
        break;
    }
    case Tool::Turn:
        node_.angles = turn_.drag(camera, size, pull);
        change.parameter = node_.rotation;
        change.value = node_.angles;
        change.exact = true; // to a tenth of a degree
        break;
    case Tool::Size: {
        NodeHandles::Extent& extent = node_.extents[size_.extent()];
        extent.value = size_.drag(camera, size, pull);
        change.parameter = extent.parameter;
        change.value = extent.value;
        change.single = extent.single;
        change.exact = true; // to a pixel
        break;
    }
    }
    place();
    return change;
}

bool HandleTools::type(const QKeyEvent& key)
{
    if (!held_)
        return false;
    const QString text = key.text();
    if (key.key() == Qt::Key_Backspace)
        typed_.chop(1);
    else if (text == QLatin1String("-"))
        typed_ = typed_.startsWith(QLatin1Char('-')) ? typed_.mid(1) : QLatin1Char('-') + typed_;
    else if ((text == QLatin1String(".") || text == QLatin1String(",")) &&
             !typed_.contains(QLatin1Char('.')))
        typed_ += QLatin1Char('.');
    else if (text.size() == 1 && text[0].isDigit() && typed_.size() < 12)
        typed_ += text;
    else
        return false;
    return true;
}

void HandleTools::release()
{
    held_ = false;
    heldAim_ = 0;
    if (std::exchange(heldKey_, -1) >= 0) {
        lit_ = 0;
        place();
    }
    typed_.clear();
}

void HandleTools::cancel()
{
    node_ = before_;
    release();
    place();
}

void HandleTools::paint(QPainter& p, const OrbitCamera& world, QSizeF size) const
{
    if (!isShown())
        return;
    const SpaceCamera camera{world, node_.space};
    if (node_.path)
        paintPath(p, camera, size);
    if (!held_ || heldAim_ > 0)
        aim_.paint(p, world, size, heldAim_ > 0 ? heldAim_ : litAim_, heldAim_ > 0);
    if (!hasPlace() || heldAim_ > 0)
        return;
    switch (tool()) {
    case Tool::Move:
        if (heldKey_ >= 0)
            break;
        move_.paint(p, camera, size, static_cast<TranslateHandle::Part>(lit_), held_);
        break;
    case Tool::Turn:
        turn_.paint(p, camera, size, static_cast<RotateHandle::Part>(lit_), held_);
        break;
    case Tool::Size:
        size_.paint(p, camera, size, lit_, held_);
        break;
    }
    if (!held_)
        paintPoints(p, world, size);
}

/// What may be taken hold of instead: other points of it, and rings where it appears as well.
void HandleTools::paintPoints(QPainter& p, const OrbitCamera& world, QSizeF size) const
{
    const QColor colour(0xe6, 0xe6, 0xe6);
    for (std::size_t i = 0; i < node_.spaces.size(); ++i) {
        const auto at = world.project(middleIn(node_.spaces[i]), size);
        if (!at || i == standing_)
            continue;
        p.setBrush(QColor(0, 0, 0, 60));
        p.setPen(QPen(QColor(0, 0, 0, 150), 4));
        p.drawEllipse(*at, 6, 6);
        p.setPen(QPen(litPlace_ == static_cast<int>(i) ? kHandleLit : colour, 2));
        p.drawEllipse(*at, 6, 6);
    }
    if (tool() != Tool::Move)
        return;
    const SpaceCamera camera{world, node_.space};
    for (std::size_t i = 0; i < node_.points.size(); ++i) {
        const auto at = camera.project(node_.points[i].place, size);
        if (!at || i == point_ || node_.points[i].isPivot)
            continue;
        const bool on = litPoint_ == static_cast<int>(i);
        p.setPen(QPen(QColor(0, 0, 0, 150), 1));
        p.setBrush(on ? kHandleLit : colour);
        p.drawEllipse(*at, 4.5, 4.5);
        p.setPen(on ? kHandleLit : QColor(0xd8, 0xdb, 0xdf, 190));
        p.drawText(*at + QPointF(9, 4), node_.points[i].label);
    }
}

/// A line, on which frames are dots, so that one sees how fast it goes, and keys are diamonds.
void HandleTools::paintPath(QPainter& p, const SpaceCamera& camera, QSizeF size) const
{
    const QColor colour(0xff, 0xc8, 0x4a, 200);
    QPolygonF line;
    std::vector<QPointF> dots;
    const auto draw = [&] {
        if (line.size() > 1)
            paintHandleLine(p, line, colour, false);
        line.clear();
    };
    for (const MotionPath::Spot& spot : node_.path->spots)
        if (const auto at = camera.project(spot.place, size)) {
            line.append(*at);
            if (dots.empty() || QLineF(dots.back(), *at).length() > 5)
                dots.push_back(*at);
        } else { // behind the eye
            draw();
        }
    draw();
    p.setPen(Qt::NoPen);
    p.setBrush(QColor(0x20, 0x20, 0x20, 220));
    for (const QPointF& dot : dots)
        p.drawEllipse(dot, 1.7, 1.7);
    for (std::size_t i = 0; i < node_.path->keys.size(); ++i)
        if (const auto at = camera.project(node_.path->keys[i].place, size)) {
            const bool on = static_cast<int>(i) == (heldKey_ >= 0 ? heldKey_ : litKey_);
            p.setPen(QPen(QColor(0, 0, 0, 180), 1));
            p.setBrush(on ? kHandleLit : colour);
            const double r = on ? 6 : 5;
            p.drawPolygon(QPolygonF({*at + QPointF(0, -r), *at + QPointF(r, 0), *at + QPointF(0, r),
                                     *at + QPointF(-r, 0)}));
            if (!on)
                continue;
            p.setPen(kHandleLit);
            p.drawText(*at + QPointF(10, 4), QLocale().toString(node_.path->keys[i].frame, 'g', 6));
        }
}

QString HandleTools::reading() const
{
    if (!held_)
        return {};
    QString text;
    if (heldAim_ > 0) {
        text = node_.directions[static_cast<std::size_t>(heldAim_ - 1)].label + QLatin1Char(' ') +
               number(aim_.turned(), 1) + QStringLiteral("°");
        return typed_.isEmpty() ? text : text + QStringLiteral("   [") + typed_ + QLatin1Char(']');
    }
    switch (tool()) {
    case Tool::Move: {
        const Vec3 way = move_.way();
        const int axis = lit_ - 1;
        if (axis < 3) {
            text = QLatin1String(kAxes[axis]) + QLatin1Char(' ') +
                   signedMetres(way[static_cast<std::size_t>(axis)]);
            break;
        }
        QStringList parts;
        for (const double part : way)
            parts.append(signedMetres(part));
        text = parts.join(QStringLiteral("  "));
        break;
    }
    case Tool::Turn:
        text = (lit_ <= 3 ? QLatin1String(kAxes[lit_ - 1]) + QLatin1Char(' ') : QString()) +
               number(turn_.turned(), 1) + QStringLiteral("°");
        break;
    case Tool::Size: {
        const NodeHandles::Extent& extent = node_.extents[size_.extent()];
        const int axis = size_.axis();
        text = extent.label + QLatin1Char(' ');
        if (!extent.single && axis >= 0)
            text += QLatin1String(kAxes[axis]) + QLatin1Char(' ');
        const int shown = extent.single || axis < 0 ? 0 : axis;
        text += number(extent.value[static_cast<std::size_t>(shown)], 3);
        if (!extent.unit.isEmpty())
            text += QLatin1Char(' ') + extent.unit;
        break;
    }
    }
    return typed_.isEmpty() ? text : text + QStringLiteral("   [") + typed_ + QLatin1Char(']');
}

} // namespace floe::views
