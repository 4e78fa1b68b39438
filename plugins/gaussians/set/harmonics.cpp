#include "set/harmonics.hpp"

#include <cmath>
#include <utility>

namespace floe::gaussians {

namespace {

/// Directions in which the functions of one degree l are compared, and the inverse of the matrix of
/// their values there. 2 l + 1 directions within a half-space: opposite ones would say the same.
template <std::size_t Size>
struct Probes {
    std::array<Vec3, Size> directions;
    std::array<double, Size * Size> inverse;

    Probes()
    {
        // Spread evenly by the golden angle.
        for (std::size_t i = 0; i < Size; ++i) {
            const double z = (static_cast<double>(i) + 0.5) / static_cast<double>(Size);
            const double angle = 2.399963229728653 * static_cast<double>(i);
            const double side = std::sqrt(1 - z * z);
            directions[i] = {side * std::cos(angle), side * std::sin(angle), z};
        }
        std::array<std::array<double, 2 * Size>, Size> rows{};
        for (std::size_t i = 0; i < Size; ++i) {
            const auto values = harmonicsIn(directions[i]);
            for (std::size_t j = 0; j < Size; ++j)
                rows[i][j] = values[first() + j];
            rows[i][Size + i] = 1;
        }
        for (std::size_t c = 0; c < Size; ++c) { // Gauss and Jordan, with pivots
            std::size_t pivot = c;
            for (std::size_t r = c + 1; r < Size; ++r)
                if (std::abs(rows[r][c]) > std::abs(rows[pivot][c]))
                    pivot = r;
            std::swap(rows[c], rows[pivot]);
            const double scale = 1 / rows[c][c];
            for (double& value : rows[c])
                value *= scale;
            for (std::size_t r = 0; r < Size; ++r) {
                const double share = rows[r][c];
                for (std::size_t k = 0; r != c && k < 2 * Size; ++k)
                    rows[r][k] -= share * rows[c][k];
            }
        }
        for (std::size_t i = 0; i < Size; ++i)
            for (std::size_t j = 0; j < Size; ++j)
                inverse[i * Size + j] = rows[i][Size + j];
    }

    /// Number of the degree's first coefficient.
    static constexpr std::size_t first() { return (Size - 1) / 2 * ((Size - 1) / 2); }

    std::array<double, Size * Size> matrix(const Mat3& R) const
    {
        const Mat3 back = transpose(R);
        std::array<double, Size * Size> turned;
        for (std::size_t i = 0; i < Size; ++i) {
            const auto values = harmonicsIn(back * directions[i]);
            for (std::size_t j = 0; j < Size; ++j)
                turned[i * Size + j] = values[first() + j];
        }
        std::array<double, Size * Size> result{};
        for (std::size_t i = 0; i < Size; ++i)
            for (std::size_t k = 0; k < Size; ++k)
                for (std::size_t j = 0; j < Size; ++j)
                    result[i * Size + j] += inverse[i * Size + k] * turned[k * Size + j];
        return result;
    }
};

template <std::size_t Size>
std::array<double, Size * Size> turnedBy(const Mat3& R)
{
    static const Probes<Size> probes;
    return probes.matrix(R);
}

template <std::size_t Size>
void applyTo(float* sh, const std::array<double, Size * Size>& matrix)
{
    float* own = sh + 3 * Probes<Size>::first();
    std::array<double, 3 * Size> turned{};
    for (std::size_t i = 0; i < Size; ++i)
        for (std::size_t j = 0; j < Size; ++j)
            for (std::size_t channel = 0; channel < 3; ++channel)
                turned[3 * i + channel] +=
                    matrix[i * Size + j] * static_cast<double>(own[3 * j + channel]);
    for (std::size_t i = 0; i < 3 * Size; ++i)
        own[i] = static_cast<float>(turned[i]);
}

} // namespace

std::array<double, coefficientsOf(kMaxDegree)> harmonicsIn(const Vec3& d)
{
    const double x = d.x, y = d.y, z = d.z;
    const double xx = x * x, yy = y * y, zz = z * z;
    return {kConstantHarmonic,
            -0.4886025119029199 * y,
            0.4886025119029199 * z,
            -0.4886025119029199 * x,
            1.0925484305920792 * x * y,
            -1.0925484305920792 * y * z,
            0.31539156525252005 * (2 * zz - xx - yy),
            -1.0925484305920792 * x * z,
            0.5462742152960396 * (xx - yy),
            -0.5900435899266435 * y * (3 * xx - yy),
            2.890611442640554 * x * y * z,
            -0.4570457994644658 * y * (4 * zz - xx - yy),
            0.3731763325901154 * z * (2 * zz - 3 * xx - 3 * yy),
            -0.4570457994644658 * x * (4 * zz - xx - yy),
            1.445305721320277 * z * (xx - yy),
            -0.5900435899266435 * x * (xx - 3 * yy)};
}

HarmonicsRotation::HarmonicsRotation(const Mat3& R)
    : first_(turnedBy<3>(R)), second_(turnedBy<5>(R)), third_(turnedBy<7>(R))
{}

void HarmonicsRotation::apply(float* sh, int degree) const
{
    if (degree >= 1)
        applyTo<3>(sh, first_);
    if (degree >= 2)
        applyTo<5>(sh, second_);
    if (degree >= 3)
        applyTo<7>(sh, third_);
}

} // namespace floe::gaussians
