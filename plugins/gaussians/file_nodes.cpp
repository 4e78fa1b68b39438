#include "axes.hpp"
#include "files/file.hpp"
#include "nodes.hpp"
#include "set_value.hpp"

#include "floe/sdk/file_pattern.hpp"
#include "floe/sdk/file_sequence.hpp"

#include <cmath>

namespace floe::gaussians {

namespace {

/// Whether a point lies in the box of the parameters.
class CropBox {
public:
    explicit CropBox(const sdk::Context& context)
        : used_(context.boolean("crop")), center_(context.vector("cropCenter")),
          size_(context.vector("cropSize"))
    {}
    bool holds(const float* x) const
    {
        bool inside = true;
        for (std::size_t axis = 0; axis < 3; ++axis)
            inside = inside && std::abs(x[axis] - center_[axis]) <= 0.5 * size_[axis];
        return !used_ || inside;
    }

private:
    bool used_;
    sdk::Vector center_, size_;
};

/// Reads a file, moves and crops what it holds as the parameters say, and sets the output.
void readPlaced(sdk::Context& context, const std::string& path)
{
    FileContent content = readGaussians(path, [&] { context.throwIfCancelled(); });
    GaussianSet& set = content.set;
    const std::size_t read = set.count();
    const std::size_t unusable = removeUnusable(set);
    if (unusable > 0)
        context.warn(std::to_string(unusable) + " of " + std::to_string(read) +
                     " Gaussians are left out: they have numbers that are not finite or absurd");
    if (content.propertiesLeftOut > 0)
        context.warn(std::to_string(content.propertiesLeftOut) +
                     " properties of the file are left out: " + std::to_string(kMaxProperties) +
                     " are kept beside those of Gaussians");
    context.throwIfCancelled();

    Placement placement;
    placement.scale = context.number("scale");
    placement.rotation = times(fromEuler(context.vector("rotation")),
                               uprightFrom(context.string("up"), content.yDown));
    placement.offset = context.vector("position");
    place(set, placement);
    context.throwIfCancelled();

    const CropBox box(context);
    const auto faintest = static_cast<float>(context.number("minOpacity"));
    keepOnly(set,
             [&](std::size_t i) { return set.opacity[i] >= faintest && box.holds(&set.x[3 * i]); });
    if (set.count() == 0)
        context.warn(read > 0 ? "no Gaussian of the file is left: widen the box or lower the "
                                "smallest opacity"
                              : "the file holds no Gaussians");
    context.statistic("read", static_cast<double>(read));
    context.statistic("unusable", static_cast<double>(unusable));
    context.statistic("kept", static_cast<double>(set.count()));
    context.setOutput("gaussians", valueOf(set));
}

} // namespace

void GaussiansFile::cook(sdk::Context& context)
{
    readPlaced(context, context.string("path"));
}

void GaussianSequence::cook(sdk::Context& context)
{
    const sdk::SequenceFile file = sdk::sequenceFile(context);
    if (file.outside && context.string("outside") == "empty") {
        context.setOutput("gaussians", valueOf(GaussianSet{}));
        return;
    }
    const std::string pattern = context.string("path");
    readPlaced(context, pattern.empty() ? pattern : sdk::numberedPath(pattern, file.number));
}

} // namespace floe::gaussians
