// Draws procedural scenes for looking at while working on the renderer: render_pictures FOLDER

#include "floe/io/image.hpp"
#include "floe/render/renderer.hpp"
#include "procedural.hpp"

#include <cstdio>
#include <string>

using namespace floe::render;

namespace {

void draw(Renderer& renderer, const Scene& scene, const std::string& path)
{
    const Image image = renderer.render(scene);
    floe::io::writePng(path, image.width, image.height, 4, image.display);
    const RenderTimes& t = renderer.times();
    std::printf("%s: prepare %.3f upload %.3f draw %.3f read %.3f s\n", path.c_str(), t.prepare,
                t.upload, t.draw, t.read);
}

} // namespace

int main(int argc, char** argv)
try {
    const std::string folder = argc > 1 ? argv[1] : "/tmp";
    const std::string only = argc > 2 ? argv[2] : "";
    Renderer renderer;
    std::printf("%s\n", renderer.device().name.c_str());

    const float spacing = 0.0115f;
    const std::vector<Float3> heap = procedural::heap(0.85f, 0.6f, spacing);
    const procedural::Shape ball = procedural::sphere({0.95f, 0.28f, 0.25f}, 0.28f);
    const procedural::Shape wedge = procedural::box({-1.35f, 0, -0.4f}, {-0.95f, 0.5f, 0.4f});
    std::printf("%zu particles\n", heap.size());

    Scene scene;
    scene.camera = {.eye = {2.2f, 1.35f, 2.9f}, .target = {0, 0.25f, 0}, .verticalFov = 34};
    scene.particles.resize(1);
    scene.particles[0].positions = heap;
    scene.particles[0].radius = 0.7f * spacing;
    scene.meshes = {procedural::meshOf(ball), procedural::meshOf(wedge)};
    scene.caption = "frame 48   " + std::to_string(heap.size()) + " particles";
    for (const char* name : {"snow", "soil", "mud", "concrete", "metal", "jello", "rubber", "water",
                             "honey", "sand"}) {
        if (!only.empty() && only != name)
            continue;
        scene.particles[0].look = lookOf(name);
        draw(renderer, scene, folder + "/heap_" + name + ".png");
    }
    if (only.empty() || only == "views") {
        scene.particles[0].look = lookOf("sand");
        Scene view = scene;
        view.cut = Cut{.normal = {0, 0, 1}, .offset = 0.1f};
        draw(renderer, view, folder + "/heap_cut.png");
        view.cut.reset();
        view.camera.orthographic = true;
        draw(renderer, view, folder + "/heap_parallel.png");
        view.camera.eye = {0, 0.25f, 3.6f};
        draw(renderer, view, folder + "/heap_front.png");
        view.cut = Cut{.normal = {0, 0, 1}, .offset = 0};
        draw(renderer, view, folder + "/heap_front_cut.png");
        view.camera.eye = {0, 3.9f, 0};
        view.camera.up = {0, 0, -1};
        view.cut = Cut{.normal = {0, 1, 0}, .offset = 0.25f};
        draw(renderer, view, folder + "/heap_top_cut.png");
    }
    if (only.empty() || only == "mixed") {
        // Every material in a row, by index, over a thin sheet of water with a splash.
        const char* names[] = {"snow",  "soil",   "mud",   "concrete", "metal",
                               "jello", "rubber", "honey", "sand",     "water"};
        Scene mixed = scene;
        std::vector<Float3> points;
        std::vector<std::uint8_t> indices;
        ParticleSet& set = mixed.particles[0];
        const float fine = 0.012f;
        for (int i = 0; i < 9; ++i) {
            const Float3 c = {0.62f * static_cast<float>(i % 5) - 1.24f + (i > 4 ? 0.31f : 0),
                              0.24f, i > 4 ? 0.55f : -0.15f};
            for (const Float3& p : procedural::fill(
                     {{-0.25f, -0.25f, -0.25f}, {0.25f, 0.25f, 0.25f}}, fine,
                     [](const Float3& q) { return std::hypot(q[0], q[1], q[2]) < 0.24f; })) {
                points.push_back({p[0] + c[0], p[1] + c[1], p[2] + c[2]});
                indices.push_back(static_cast<std::uint8_t>(i));
            }
            set.palette.push_back(lookOf(names[i]));
            mixed.legend.entries.push_back({names[i], lookOf(names[i]).colour});
        }
        for (const Float3& p :
             procedural::fill({{-2, 0, -1.6f}, {2, 0.7f, 1.5f}}, fine, [](const Float3& q) {
                 const float wave = 0.06f + 0.02f * std::sin(7 * q[0] + 3 * q[2]) +
                                    0.45f * std::exp(-12 * (q[2] + 1.1f) * (q[2] + 1.1f)) *
                                        (1 + 0.25f * std::sin(5 * q[0]));
                 return q[1] < wave;
             })) {
            points.push_back(p);
            indices.push_back(9);
        }
        set.palette.push_back(lookOf("water"));
        mixed.legend.entries.push_back({"water", lookOf("water").colour});
        mixed.legend.visible = true;
        mixed.legend.title = "material";
        mixed.meshes.clear();
        mixed.camera = {.eye = {0.6f, 1.5f, 3.3f}, .target = {0, 0.12f, 0}, .verticalFov = 38};
        set.colourBy = ColourBy::Index;
        set.positions = points;
        set.indices = indices;
        set.radius = 0.75f * fine;
        mixed.caption = std::to_string(points.size()) + " particles";
        draw(renderer, mixed, folder + "/mixed.png");
    }
    if (only == "sky") {
        scene.particles[0].look = lookOf("concrete");
        scene.sun.intensity = 0;
        scene.sky.intensity = 1.5f;
        draw(renderer, scene, folder + "/heap_sky.png");
    }
    if (only.empty() || only == "speed") {
        std::vector<float> speed;
        for (const Float3& p : heap)
            speed.push_back(4 * std::hypot(p[0], p[1], p[2]));
        scene.particles[0].look = {};
        scene.particles[0].colourBy = ColourBy::Scalar;
        scene.particles[0].scalars = speed;
        scene.particles[0].high = 3.5f;
        scene.legend = {.visible = true, .title = "speed [m/s]", .high = 3.5f};
        draw(renderer, scene, folder + "/heap_speed.png");
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
