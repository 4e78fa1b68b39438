#pragma once

#include "floe/io/image.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace floe::test {

/// How alike two pictures of one size are.
struct PictureQuality {
    double psnr; ///< peak signal-to-noise ratio over all colour channels [dB]; equal ones: 99
    double ssim; ///< structural similarity of the brightness (Wang et al. 2004), at most 1
};

namespace detail {

/// Brightness (Rec. 601), row by row.
inline std::vector<double> brightness(const io::LoadedImage& image)
{
    const auto channels = static_cast<std::size_t>(image.channels);
    std::vector<double> grey;
    for (std::size_t i = 0; i < image.samples.size(); i += channels)
        grey.push_back(0.299 * image.samples[i] + 0.587 * image.samples[i + 1] +
                       0.114 * image.samples[i + 2]);
    return grey;
}

/// Means under a Gaussian window of 11 x 11 pixels, sigma 1.5, where it lies within the picture.
inline std::vector<double> windowed(const std::vector<double>& of, std::size_t width,
                                    std::size_t height)
{
    constexpr std::size_t kSide = 11;
    std::array<double, kSide> weight;
    double sum = 0;
    for (std::size_t k = 0; k < kSide; ++k) {
        const double away = static_cast<double>(k) - 5;
        sum += weight[k] = std::exp(-away * away / (2 * 1.5 * 1.5));
    }
    const std::size_t columns = width - kSide + 1, rows = height - kSide + 1;
    std::vector<double> across(columns * height), all(columns * rows);
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < columns; ++x)
            for (std::size_t k = 0; k < kSide; ++k)
                across[y * columns + x] += weight[k] / sum * of[y * width + x + k];
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x)
            for (std::size_t k = 0; k < kSide; ++k)
                all[y * columns + x] += weight[k] / sum * across[(y + k) * columns + x];
    return all;
}

inline std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b)
{
    std::vector<double> result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        result[i] = a[i] * b[i];
    return result;
}

} // namespace detail

/// @param a, b  samples 0 to 1, three channels or more, at least 11 x 11 pixels
/// @throws std::runtime_error  of different sizes
inline PictureQuality compare(const io::LoadedImage& a, const io::LoadedImage& b)
{
    if (a.width != b.width || a.height != b.height || a.channels != b.channels)
        throw std::runtime_error("pictures of different sizes are compared");
    double squares = 0;
    std::size_t number = 0;
    for (std::size_t i = 0; i < a.samples.size(); ++i)
        if (i % static_cast<std::size_t>(a.channels) < 3) {
            const double off = static_cast<double>(a.samples[i]) - b.samples[i];
            squares += off * off;
            ++number;
        }
    const double mean = squares / static_cast<double>(number);

    const auto width = static_cast<std::size_t>(a.width),
               height = static_cast<std::size_t>(a.height);
    const auto average = [&](const std::vector<double>& of) {
        return detail::windowed(of, width, height);
    };
    const std::vector<double> ga = detail::brightness(a), gb = detail::brightness(b);
    const auto ma = average(ga), mb = average(gb), aa = average(detail::product(ga, ga)),
               bb = average(detail::product(gb, gb)), ab = average(detail::product(ga, gb));
    constexpr double kC1 = 0.01 * 0.01, kC2 = 0.03 * 0.03;
    double ssim = 0;
    for (std::size_t i = 0; i < ma.size(); ++i)
        ssim += (2 * ma[i] * mb[i] + kC1) * (2 * (ab[i] - ma[i] * mb[i]) + kC2) /
                ((ma[i] * ma[i] + mb[i] * mb[i] + kC1) *
                 (aa[i] - ma[i] * ma[i] + bb[i] - mb[i] * mb[i] + kC2));
    return {mean > 1e-9 ? -10 * std::log10(mean) : 99, ssim / static_cast<double>(ma.size())};
}

} // namespace floe::test
