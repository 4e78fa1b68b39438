#include "floe/render/colour_map.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace floe::render {
namespace {

/// Fits of the published tables by polynomials of degree six (Zucker 2019), in sRGB values.
using Fit = std::array<Float3, 7>;

constexpr Fit kViridis = {{{0.2777273272f, 0.0054073445f, 0.3340998053f},
                           {0.1050930431f, 1.4046135299f, 1.3845901626f},
                           {-0.3308618287f, 0.2148475595f, 0.0950951630f},
                           {-4.6342304990f, -5.7991009734f, -19.3324409563f},
                           {6.2282699363f, 14.1799333668f, 56.6905526007f},
                           {4.7763849977f, -13.7451453777f, -65.3530326334f},
                           {-5.4354558559f, 4.6458526122f, 26.3124352496f}}};
constexpr Fit kPlasma = {{{0.0587323439f, 0.0233367089f, 0.5433401827f},
                          {2.1765146342f, 0.2383834171f, 0.7539604600f},
                          {-2.6894604765f, -7.4558511357f, 3.1107999397f},
                          {6.1303483459f, 42.3461881477f, -28.5188546533f},
                          {-11.1074361906f, -82.6663110943f, 60.1398476742f},
                          {10.0230655765f, 71.4136177010f, -54.0721865556f},
                          {-3.6587138428f, -22.9315346546f, 18.1919077854f}}};
constexpr Fit kInferno = {{{0.0002189404f, 0.0016510046f, -0.0194808984f},
                           {0.1065134195f, 0.5639564368f, 3.9327123889f},
                           {11.6024930825f, -3.9728539657f, -15.9423941063f},
                           {-41.7039961314f, 17.4363988821f, 44.3541451987f},
                           {77.1629356994f, -33.4023589421f, -81.8073092574f},
                           {-71.3194282450f, 32.6260642640f, 73.2095198580f},
                           {25.1311262248f, -12.2426689524f, -23.0703250029f}}};
/// Mikhailov's own fit, degree five.
constexpr Fit kTurbo = {{{0.13572138f, 0.09140261f, 0.10667330f},
                         {4.61539260f, 2.19418839f, 12.64194608f},
                         {-42.66032258f, 4.84296658f, -60.58204836f},
                         {132.13108234f, -14.18503333f, 110.36276771f},
                         {-152.94239396f, 4.27729857f, -89.90310912f},
                         {59.28637943f, 2.82956604f, 27.34824973f},
                         {0, 0, 0}}};

/// Colours at even distances, sRGB 0..255.
constexpr std::array<Float3, 9> kCoolWarm = {{{59, 76, 192},
                                              {98, 130, 234},
                                              {141, 176, 254},
                                              {184, 208, 249},
                                              {221, 221, 221},
                                              {245, 196, 173},
                                              {244, 154, 123},
                                              {222, 96, 77},
                                              {180, 4, 38}}};
constexpr std::array<Float3, 6> kIce = {
    {{8, 12, 36}, {34, 52, 110}, {46, 98, 168}, {84, 150, 204}, {152, 204, 226}, {238, 250, 253}}};

Float3 evaluate(const Fit& fit, float t)
{
    Float3 c{};
    for (int i = 6; i >= 0; --i)
        for (int k = 0; k < 3; ++k)
            c[k] = c[k] * t + fit[i][k];
    return c;
}

Float3 interpolate(std::span<const Float3> table, float t)
{
    const float place = t * static_cast<float>(table.size() - 1);
    const std::size_t cell = std::min(static_cast<std::size_t>(place), table.size() - 2);
    const float share = place - static_cast<float>(cell);
    Float3 c;
    for (int k = 0; k < 3; ++k)
        c[k] = (table[cell][k] * (1 - share) + table[cell + 1][k] * share) / 255;
    return c;
}

Float3 encoded(ColourMap map, float t)
{
    switch (map) {
    case ColourMap::Viridis:
        return evaluate(kViridis, t);
    case ColourMap::Plasma:
        return evaluate(kPlasma, t);
    case ColourMap::Inferno:
        return evaluate(kInferno, t);
    case ColourMap::Turbo:
        return evaluate(kTurbo, t);
    case ColourMap::Grey:
        return {t, t, t};
    case ColourMap::CoolWarm:
        return interpolate(kCoolWarm, t);
    case ColourMap::Ice:
        return interpolate(kIce, t);
    }
    return {t, t, t};
}

} // namespace

float linearToSrgb(float linear)
{
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

float srgbToLinear(float value)
{
    return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

Float3 colourOf(ColourMap map, float t)
{
    Float3 colour = encoded(map, t > 0 ? std::min(t, 1.0f) : 0.0f);
    for (float& c : colour)
        c = srgbToLinear(std::clamp(c, 0.0f, 1.0f));
    return colour;
}

const std::vector<std::string_view>& colourMapNames()
{
    static const std::vector<std::string_view> kNames = {"viridis", "plasma",   "inferno", "turbo",
                                                         "grey",    "coolwarm", "ice"};
    return kNames;
}

std::optional<ColourMap> colourMapNamed(std::string_view name)
{
    const auto& names = colourMapNames();
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end())
        return std::nullopt;
    return static_cast<ColourMap>(place - names.begin());
}

} // namespace floe::render
