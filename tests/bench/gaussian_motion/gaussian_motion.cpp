// gaussian_motion [--views 12] [--side 320] [--gaussians 16000] [--keep FOLDER] [MESH ...]: prints,
// as Markdown, how well Gaussians follow bending and twisting by each method (study.hpp), on meshes
// or, without one, on those made by formulas.
#include "study.hpp"
#include "temporary_folder.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

using namespace floe;

namespace {

void print(const std::vector<bench::Model>& models, const bench::StudySettings& settings,
           const std::filesystem::path& folder)
{
    std::vector<bench::Qualities> columns;
    std::string header = "| method", rule = "|---";
    for (const bench::Model& model : models)
        for (const bench::Motion& motion : bench::kMotions) {
            header += " | " + model.name + ", " + motion.name;
            rule += "|---";
            columns.push_back(
                bench::study(model, motion, settings, folder / (model.name + "_" + motion.name)));
        }
    std::printf("%s |\n%s|\n", header.c_str(), rule.c_str());
    for (std::size_t row = 0; row <= bench::kMethods.size(); ++row) {
        const bool last = row == bench::kMethods.size();
        std::printf("| %s", last ? "*the moved mesh's own set, other places*"
                                 : bench::kMethods[row].name.c_str());
        for (const bench::Qualities& column : columns)
            std::printf(" | %.2f, %.3f", column[row].psnr, column[row].ssim);
        std::printf(" |\n");
    }
}

} // namespace

int main(int count, char** arguments)
{
    try {
        const test::TemporaryFolder temporary;
        std::filesystem::path folder = temporary.path();
        bench::StudySettings settings;
        std::vector<bench::Model> models;
        for (int i = 1; i < count; ++i) {
            const std::string argument = arguments[i];
            const bool option = argument.starts_with("--");
            const std::string value = option && i + 1 < count ? arguments[++i] : "";
            if (argument == "--views")
                settings.views = std::max(std::atoi(value.c_str()), 1);
            else if (argument == "--side")
                settings.side = std::max(std::atoi(value.c_str()), 16);
            else if (argument == "--gaussians")
                settings.gaussians = std::max(std::atoi(value.c_str()), 1);
            else if (argument == "--keep")
                folder = value;
            else if (option)
                throw std::runtime_error(argument + ": no such option; see the top of " __FILE__);
            else
                models.push_back({std::filesystem::path(argument).stem().string(), argument});
        }
        if (models.empty())
            models = bench::proceduralModels(temporary.path());
        print(models, settings, folder);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gaussian_motion: %s\n", error.what());
        return 1;
    }
}
