#pragma once

#include "floe/render/image.hpp"
#include "floe/render/scene.hpp"

#include <vector>

namespace floe::render {

/// Many pictures averaged into one, each seen from another point of the lens, at another moment,
/// lit from another point of the sun and with the samples elsewhere in their pixels: depth of
/// field, motion blur, soft shadows and smooth edges at once (Haeberli and Akeley 1990). Points are
/// those of low-discrepancy sequences and the same in every picture and on every machine.

inline constexpr int kMaxExposures = 1024;

/// Changes a scene's camera, sun and noise to those of one of the pictures.
/// @param number 0 to count - 1
/// @param count  of pictures; 1 changes nothing
void expose(Scene& scene, int number, int count);

/// When the picture is taken, -0.5 to 0.5 of the time that the shutter is open.
float momentOf(int number, int count);

/// The mean of pictures of one size, in linear colours. One thread at a time.
class MeanImage {
public:
    /// @param image  with linear colours, or else those for a display; of the first one's size
    void add(const Image& image);
    int count() const { return count_; }
    /// Returns the mean of red, green, blue and coverage of each pixel.
    /// @pre count() > 0
    std::vector<float> linear() const;
    /// Returns the mean as a picture for a display only. @pre as linear()
    Image display() const;

private:
    int width_ = 0, height_ = 0, count_ = 0;
    std::vector<float> sum_;
};

} // namespace floe::render
