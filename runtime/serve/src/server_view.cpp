#include "server_impl.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/io/image.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::serve {
namespace fs = std::filesystem;

namespace {

constexpr int kLowestFrame = -1'000'000;
constexpr int kHighestFrame = 10'000'000;
constexpr std::size_t kMaxGhosts = 256;

std::array<double, 3> triple(const Params& params, const char* name,
                             std::optional<std::array<double, 3>> otherwise = std::nullopt,
                             const std::string& of = "camera")
{
    if (otherwise && !params.has(name))
        return *otherwise;
    const Json& value = params.member(name);
    std::array<double, 3> result{};
    bool good = value.is_array() && value.size() == 3;
    for (std::size_t i = 0; good && i < 3; ++i) {
        good = value[i].is_number() && std::abs(value[i].get<double>()) < 1e9;
        if (good)
            result[i] = value[i].get<double>();
    }
    if (!good)
        throw RpcError(RpcCode::InvalidParams,
                       "'" + of + "." + name + "' must be three numbers below 1e9");
    return result;
}

render::Float3 floats(const std::array<double, 3>& v)
{
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

render::Camera cameraParam(const Params& params)
{
    params.only({"eye", "target", "up", "fov", "orthographic"});
    const auto eye = triple(params, "eye");
    const auto target = triple(params, "target");
    const auto up = triple(params, "up", std::array<double, 3>{0, 1, 0});
    const std::array<double, 3> to{target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]};
    const double x = to[1] * up[2] - to[2] * up[1];
    const double y = to[2] * up[0] - to[0] * up[2];
    const double z = to[0] * up[1] - to[1] * up[0];
    const double length = std::hypot(to[0], to[1], to[2]) * std::hypot(up[0], up[1], up[2]);
    if (!(std::hypot(x, y, z) > 1e-6 * length))
        throw RpcError(RpcCode::InvalidParams,
                       "'camera' must look somewhere, and not along its 'up'");
    render::Camera camera;
    camera.eye = floats(eye);
    camera.target = floats(target);
    camera.up = floats(up);
    camera.verticalFov = static_cast<float>(params.number("fov", 1, 170, 40));
    camera.orthographic = params.boolean("orthographic", false);
    return camera;
}

render::Cut cutParam(const Params& params)
{
    params.only({"normal", "offset"});
    const auto normal = triple(params, "normal", std::nullopt, "cut");
    if (!(std::hypot(normal[0], normal[1], normal[2]) > 1e-6))
        throw RpcError(RpcCode::InvalidParams, "'cut.normal' must have a length");
    return {floats(normal), static_cast<float>(params.number("offset", -1e9, 1e9, 0))};
}

/// Returns the number of the view that a request is about.
int viewNumber(const Params& params)
{
    return static_cast<int>(params.integer("view", 0, Viewer::kMaxViews - 1, 0));
}

/// Does not read the number of the view.
ViewSettings viewParam(const Params& params)
{
    ViewSettings view;
    view.width = static_cast<int>(params.integer("width", 1, 8192));
    view.height = static_cast<int>(params.integer("height", 1, 8192));
    view.frame = static_cast<int>(params.integer("frame", kLowestFrame, kHighestFrame, 1));
    if (params.has("camera"))
        view.camera = cameraParam(params.object("camera"));
    view.cameraNode = params.text("cameraNode", "");
    view.gate = params.number("gate", 0, 1e6, 0);
    if (params.has("cut"))
        view.cut = cutParam(params.object("cut"));
    const Params colouring = params.object("colouring");
    colouring.only({"mode", "attribute", "map", "range"});
    view.mode = colouring.text("mode", "material");
    view.attribute = colouring.text("attribute", "");
    view.map = colouring.text("map", "viridis");
    const auto oneOf = [](const std::string& word, std::initializer_list<std::string_view> words) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (!oneOf(view.mode, {"material", "speed", "activation", "attribute"}))
        throw RpcError(RpcCode::InvalidParams,
                       "'colouring.mode' must be material, speed, activation or attribute");
    if (view.mode == "attribute" && view.attribute.empty())
        throw RpcError(RpcCode::InvalidParams, "'colouring.attribute' is missing");
    if (!render::colourMapNamed(view.map))
        throw RpcError(RpcCode::InvalidParams, "'colouring.map' is not a colour map");
    if (colouring.has("range")) {
        const Json& range = colouring.member("range");
        if (!range.is_array() || range.size() != 2 || !range[0].is_number() ||
            !range[1].is_number() || !(range[0].get<double>() < range[1].get<double>()))
            throw RpcError(RpcCode::InvalidParams,
                           "'colouring.range' must be two numbers, the smaller one first");
        view.range = {range[0].get<double>(), range[1].get<double>()};
    }
    const Params show = params.object("show");
    show.only({"particles", "colliders", "emitters", "surfaces", "grid", "domain", "legend"});
    view.particles = show.boolean("particles", true);
    view.colliders = show.boolean("colliders", true);
    if (show.has("emitters"))
        view.emitters = show.boolean("emitters", true);
    view.surfaces = show.boolean("surfaces", true);
    view.grid = show.boolean("grid", true);
    view.domain = show.boolean("domain", true);
    view.legend = show.boolean("legend", true);
    view.shutter = params.number("shutter", 0, view::kLongestShutter, 0);
    view.selected = params.text("selected", "");
    if (params.has("ghosts")) {
        const Json& ghosts = params.member("ghosts");
        if (!ghosts.is_array() || ghosts.size() > kMaxGhosts ||
            !std::all_of(ghosts.begin(), ghosts.end(),
                         [](const Json& node) { return node.is_string(); }))
            throw RpcError(RpcCode::InvalidParams,
                           "'ghosts' must be up to " + std::to_string(kMaxGhosts) + " nodes");
        view.ghosts = ghosts.get<std::vector<std::string>>();
    }
    const std::string quality = params.text("quality", "still");
    if (!oneOf(quality, {"moving", "still"}))
        throw RpcError(RpcCode::InvalidParams, "'quality' must be moving or still");
    view.moving = quality == "moving";
    return view;
}

std::string base64(std::string_view bytes)
{
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j)
            group =
                group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j)
            text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

fs::path absoluteFile(const Params& params, std::initializer_list<std::string_view> extensions)
{
    const fs::path path = params.text("path");
    const std::string extension = path.extension().string();
    if (!path.is_absolute() ||
        std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) {
        std::string list;
        for (const std::string_view one : extensions)
            list += (list.empty() ? "" : ", ") + std::string(one);
        throw RpcError(RpcCode::InvalidParams, "'path' must be absolute and end in one of " + list);
    }
    return path;
}

} // namespace

bool Server::Impl::showPicture(const render::Image& image, Json about)
{
    Json params;
    if (transport_.remote()) {
        const fs::path file = store_.runFolder() / "picture.png";
        fs::create_directories(file.parent_path());
        io::writePng(file, image.width, image.height, 4, image.display);
        params = {{"sequence", ring_.nextSequence()},
                  {"width", image.width},
                  {"height", image.height},
                  {"data", base64(readFile(file))}};
    } else {
        auto put = ring_.put(image.display, image.width, image.height);
        if (!put)
            return false;
        params = std::move(*put);
    }
    params.update(about);
    notify("view.picture", std::move(params));
    return true;
}

void Server::Impl::answerLater(const Call& call, std::function<Json(Viewer&)> job)
{
    viewer_->post([this, asker = call.asker, job = std::move(job)](Viewer& viewer) {
        try {
            answer(asker, job(viewer));
        } catch (...) {
            answer(asker, std::current_exception());
        }
    });
}

std::optional<Json> Server::Impl::viewSet(const Call& call)
{
    call.params.only({"view", "width", "height", "frame", "camera", "cameraNode", "gate", "cut",
                      "colouring", "show", "shutter", "selected", "ghosts", "quality"});
    viewer_->setView(viewNumber(call.params), viewParam(call.params));
    return Json::object();
}

std::optional<Json> Server::Impl::viewClose(const Call& call)
{
    call.params.only({"view"});
    viewer_->closeView(viewNumber(call.params));
    return Json::object();
}

std::optional<Json> Server::Impl::viewShown(const Call& call)
{
    call.params.only({"sequence"});
    ring_.shown(static_cast<std::uint64_t>(call.params.integer("sequence", 0, 1ll << 53)));
    viewer_->wake();
    return Json::object();
}

std::optional<Json> Server::Impl::viewPick(const Call& call)
{
    call.params.only({"view", "x", "y"});
    const double x = call.params.number("x", -1e6, 1e6);
    const double y = call.params.number("y", -1e6, 1e6);
    answerLater(call, [view = viewNumber(call.params), x, y](Viewer& viewer) {
        return viewer.pick(view, x, y);
    });
    return std::nullopt;
}

std::optional<Json> Server::Impl::viewBounds(const Call& call)
{
    call.params.only({"view", "node"});
    answerLater(call, [view = viewNumber(call.params), node = call.params.text("node", "")](
                          Viewer& viewer) { return viewer.bounds(view, node); });
    return std::nullopt;
}

std::optional<Json> Server::Impl::viewDraw(const Call& call)
{
    call.params.only({"width", "height", "frame", "camera", "cameraNode", "gate", "cut",
                      "colouring", "show", "selected", "ghosts", "quality"});
    const ViewSettings view = viewParam(call.params);
    answerLater(call, [this, view](Viewer& viewer) {
        const render::Image image = viewer.draw(view, 4);
        const fs::path file = store_.runFolder() / "drawn.png";
        fs::create_directories(file.parent_path());
        io::writePng(file, image.width, image.height, 4, image.display);
        return Json{
            {"width", image.width}, {"height", image.height}, {"data", base64(readFile(file))}};
    });
    return std::nullopt;
}

std::optional<Json> Server::Impl::valueTable(const Call& call)
{
    const Params& params = call.params;
    params.only({"node", "socket", "frame", "offset", "count", "sort", "descending"});
    answerLater(call,
                [node = params.text("node"), socket = params.text("socket"),
                 frame = static_cast<int>(params.integer("frame", kLowestFrame, kHighestFrame)),
                 offset = params.integer("offset", 0, 1ll << 53),
                 count = params.integer("count", 0, ValuePages::kMaxRows),
                 sort = params.text("sort", ""),
                 descending = params.boolean("descending", false)](Viewer& viewer) {
                    const ValueRef value = viewer.values().value(node, socket, frame);
                    return viewer.pages().page(value, static_cast<std::uint64_t>(offset),
                                               static_cast<std::uint64_t>(count), sort, descending);
                });
    return std::nullopt;
}

std::optional<Json> Server::Impl::valueInfo(const Call& call)
{
    const Params& params = call.params;
    params.only({"node", "socket", "frame"});
    answerLater(call, [node = params.text("node"), socket = params.text("socket"),
                       frame = static_cast<int>(
                           params.integer("frame", kLowestFrame, kHighestFrame))](Viewer& viewer) {
        return serve::valueInfo(viewer.values().value(node, socket, frame));
    });
    return std::nullopt;
}

std::optional<Json> Server::Impl::valueArrays(const Call& call)
{
    const Params& params = call.params;
    params.only({"node", "socket", "frame", "attributes", "offset", "count"});
    std::vector<std::string> names;
    if (params.has("attributes")) {
        const Json& list = params.member("attributes");
        if (!list.is_array() || list.size() > ParticlesValue::kMaxAttributes ||
            !std::all_of(list.begin(), list.end(), [](const Json& e) { return e.is_string(); }))
            throw RpcError(RpcCode::InvalidParams,
                           "'attributes' must be a list of at most 256 names");
        names = list.get<std::vector<std::string>>();
    }
    // Shared memory is the client's alone.
    const bool sent = transport_.remote() || call.asker.watcher;
    viewer_->post([this, sent, asker = call.asker, names = std::move(names),
                   node = params.text("node"), socket = params.text("socket"),
                   frame = static_cast<int>(params.integer("frame", kLowestFrame, kHighestFrame)),
                   offset = static_cast<std::uint64_t>(params.integer("offset", 0, 1ll << 53, 0)),
                   count = static_cast<std::uint64_t>(
                       params.integer("count", 0, 1ll << 53, 1ll << 53))](Viewer& viewer) {
        try {
            const ValueRef value = viewer.values().value(node, socket, frame);
            const ArraySlice slice(value, names, offset, count,
                                   sent ? ArraySlice::kMaxSentBytes : std::uint64_t(1) << 53);
            if (!asker.id) // nobody would release it
                return;
            if (!sent)
                return answer(asker, arrays_.share(slice));
            Json layout = slice.layout();
            if (slice.bytes() == 0)
                return answer(asker, std::move(layout));
            layout["follows"] = true;
            std::string line = resultLine(*asker.id, std::move(layout));
            line += '\n';
            const std::size_t start = line.size();
            line.resize(start + slice.bytes());
            slice.copyTo(reinterpret_cast<std::uint8_t*>(line.data()) + start);
            sendTo(asker, std::move(line));
        } catch (...) {
            answer(asker, std::current_exception());
        }
    });
    return std::nullopt;
}

std::optional<Json> Server::Impl::valueRelease(const Call& call)
{
    call.params.only({"segment"});
    arrays_.release(call.params.text("segment"));
    return Json::object();
}

std::optional<Json> Server::Impl::exportPicture(const Call& call)
{
    const Params& params = call.params;
    params.only({"view", "path", "frame", "width", "height", "samples"});
    const fs::path path = absoluteFile(params, {".png"});
    auto view = viewer_->currentView(viewNumber(params)).value_or(ViewSettings());
    view.moving = false;
    view.frame = static_cast<int>(params.integer("frame", kLowestFrame, kHighestFrame, view.frame));
    view.width = static_cast<int>(params.integer("width", 1, 16384, view.width));
    view.height = static_cast<int>(params.integer("height", 1, 16384, view.height));
    const int samples = static_cast<int>(params.integer("samples", 1, 16, 4));
    if (samples != 1 && samples != 4 && samples != 9 && samples != 16)
        throw RpcError(RpcCode::InvalidParams, "'samples' must be 1, 4, 9 or 16");
    answerLater(call, [path, view, samples](Viewer& viewer) {
        const render::Image image = viewer.draw(view, samples);
        io::writePng(path, image.width, image.height, 4, image.display);
        return Json{{"path", path.string()}};
    });
    return std::nullopt;
}

std::optional<Json> Server::Impl::exportMovie(const Call& call)
{
    const Params& params = call.params;
    params.only({"view", "path", "first", "last", "width", "height"});
    MovieJob job;
    job.view = viewer_->currentView(viewNumber(params)).value_or(ViewSettings());
    job.path = absoluteFile(params, {".mp4", ".mov", ".mkv"});
    job.first = static_cast<int>(params.integer("first", kLowestFrame, kHighestFrame));
    job.last = static_cast<int>(params.integer("last", kLowestFrame, kHighestFrame));
    if (job.last < job.first || job.last - job.first > 100'000)
        throw RpcError(RpcCode::InvalidParams,
                       "'last' must not come before 'first', nor 100,000 frames after it");
    job.width = static_cast<int>(params.integer("width", 2, 8192, std::max(2, job.view.width)));
    job.height = static_cast<int>(params.integer("height", 2, 8192, std::max(2, job.view.height)));
    if (good_)
        job.fps = good_->flat->range.fps;
    job.progress = [this, path = job.path.string()](double fraction) {
        notify("export.progress", {{"path", path}, {"fraction", fraction}});
    };
    job.done = [this, asker = call.asker](Json result, const std::exception_ptr& failure) {
        if (failure)
            answer(asker, failure);
        else
            answer(asker, std::move(result));
    };
    viewer_->makeMovie(std::move(job));
    return std::nullopt;
}

std::optional<Json> Server::Impl::exportCancel(const Call& call)
{
    call.params.only({});
    viewer_->cancelMovie();
    return Json::object();
}

} // namespace floe::serve
