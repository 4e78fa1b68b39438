#include "floe/render/exposure.hpp"

#include "floe/render/colour_map.hpp"
#include "linear.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <numeric>

namespace floe::render {
namespace {

using Point = std::array<double, 2>; ///< 0 to 1

double fraction(double x)
{
    return x - std::floor(x);
}

/// The additive sequence of two dimensions with the most even points (Roberts 2018).
Point evenPoint(int i)
{
    constexpr double kPlastic = 1.32471795724474602596;
    return {fraction(0.5 + i / kPlastic), fraction(0.5 + i / (kPlastic * kPlastic))};
}

/// Another order of 0 to count - 1 for each property, so that where a ray starts on the lens says
/// nothing about when.
int reordered(int i, int count, double share)
{
    int stride = std::max(1, static_cast<int>(share * count));
    while (std::gcd(stride, count) != 1)
        ++stride;
    return static_cast<int>(static_cast<long long>(i) * stride % count);
}

/// On a disc of radius 1, evenly (Shirley and Chiu 1997, the polar map).
Point onDisc(const Point& square)
{
    const double radius = std::sqrt(square[0]), angle = 2 * std::numbers::pi * square[1];
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

Float3 moved(const Float3& from, const Float3& along, double by)
{
    return add(from, scaled(along, static_cast<float>(by)));
}

} // namespace

void expose(Scene& scene, int number, int count)
{
    if (count <= 1)
        return;
    Camera& camera = scene.camera;
    const Float3 view = subtract(camera.target, camera.eye);
    const Float3 forward = normalized(view);
    const Float3 right = normalized(cross(forward, camera.up));
    const Float3 up = cross(right, forward);
    const double tanHalf = std::tan(camera.verticalFov * std::numbers::pi / 360);
    const double aspect = static_cast<double>(scene.width) / scene.height;

    // Within the pixel; the first is in its middle.
    const Point pixel = evenPoint(number);
    camera.shift[0] += static_cast<float>((2 * pixel[0] - 1) / scene.width);
    camera.shift[1] += static_cast<float>((2 * pixel[1] - 1) / scene.height);

    if (camera.aperture > 0) {
        const Point lens = onDisc(evenPoint(reordered(number, count, 0.38)));
        const double focus = camera.focus > 0 ? camera.focus : length(view);
        const double x = 0.5 * camera.aperture * lens[0], y = 0.5 * camera.aperture * lens[1];
        for (Float3* place : {&camera.eye, &camera.target})
            *place = moved(moved(*place, right, x), up, y);
        // What is in focus stays where it is in the picture.
        camera.shift[0] += static_cast<float>(x / (focus * tanHalf * aspect));
        camera.shift[1] -= static_cast<float>(y / (focus * tanHalf));
    }
    if (scene.sun.shadow && scene.sun.angularDiameter > 0) {
        const Point disc = onDisc(evenPoint(reordered(number, count, 0.62)));
        const Float3 travel = normalized(scene.sun.direction);
        const Float3 side = normalized(
            cross(std::abs(travel[1]) < 0.95f ? Float3{0, 1, 0} : Float3{1, 0, 0}, travel));
        const double radius = std::tan(scene.sun.angularDiameter * std::numbers::pi / 360);
        scene.sun.direction =
            moved(moved(travel, side, radius * disc[0]), cross(travel, side), radius * disc[1]);
        // Each softens what is between it and its neighbours.
        scene.sun.angularDiameter /= std::sqrt(static_cast<float>(count));
    }
    // As far as leaves the noise of a pixel unlike that before (Jimenez 2014).
    scene.effects.noiseShift = 5.588238f * static_cast<float>(number % 64);
}

float momentOf(int number, int count)
{
    if (count <= 1)
        return 0;
    return (static_cast<float>(reordered(number, count, 0.24)) + 0.5f) / static_cast<float>(count) -
           0.5f;
}

void MeanImage::add(const Image& image)
{
    if (count_++ == 0) {
        width_ = image.width;
        height_ = image.height;
        sum_.assign(4 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0);
    }
    if (!image.linear.empty()) {
        for (std::size_t i = 0; i < sum_.size(); ++i)
            sum_[i] += image.linear[i];
        return;
    }
    std::array<float, 256> linear;
    for (std::size_t i = 0; i < linear.size(); ++i)
        linear[i] = srgbToLinear(static_cast<float>(i) / 255);
    for (std::size_t i = 0; i < sum_.size(); ++i)
        sum_[i] +=
            i % 4 == 3 ? static_cast<float>(image.display[i]) / 255 : linear[image.display[i]];
}

std::vector<float> MeanImage::linear() const
{
    std::vector<float> mean(sum_);
    for (float& value : mean)
        value /= static_cast<float>(count_);
    return mean;
}

Image MeanImage::display() const
{
    Image image{.width = width_, .height = height_};
    image.display.resize(sum_.size());
    const float share = 1 / static_cast<float>(count_);
    for (std::size_t i = 0; i < sum_.size(); ++i) {
        const float mean = share * sum_[i];
        const float code = 255 * (i % 4 == 3 ? mean : linearToSrgb(mean));
        image.display[i] = static_cast<std::uint8_t>(std::clamp(code + 0.5f, 0.0f, 255.0f));
    }
    return image;
}

} // namespace floe::render
