// Movies of a session's frames: drawn one picture at a time between the viewer's other work, then
// encoded on a separate thread.
#include "viewer.hpp"

#include "floe/base/error.hpp"
#include "floe/io/image.hpp"
#include "floe/io/movie.hpp"

#include <cstdio>

namespace floe::serve {
namespace fs = std::filesystem;

void Viewer::beginMovie()
{
    if (!io::canWriteMovies())
        throw DeviceError({}, "movies need ffmpeg, which is not installed",
                          "install it, or export pictures");
    movieFolder_ = temporary_ / "movie";
    fs::remove_all(movieFolder_);
    fs::create_directories(movieFolder_);
}

void Viewer::stepMovie()
{
    try {
        if (cancelMovie_)
            throw CancelledError({.file = movie_->path.string()}, "was cancelled");
        if (movieFrame_ == movie_->first)
            beginMovie();
        if (!store_.has(movieFrame_))
            throw InputError({.frame = movieFrame_}, "is not simulated",
                             "simulate it, or name other frames");
        ViewSettings view = movie_->view;
        view.frame = movieFrame_;
        view.width = movie_->width / 2 * 2; // H.264 needs even sizes
        view.height = movie_->height / 2 * 2;
        view.moving = false;
        const render::Image image = draw(view, 4);
        char name[32];
        std::snprintf(name, sizeof name, "movie.%06d.png", movieFrame_ - movie_->first);
        io::writePng(movieFolder_ / name, image.width, image.height, 4, image.display);
        movie_->progress((movieFrame_ - movie_->first + 1.0) /
                         (movie_->last - movie_->first + 2.0));
        if (++movieFrame_ > movie_->last)
            encodeMovie();
    } catch (...) {
        endMovie(std::current_exception());
    }
}

/// Encodes the pictures into a file; the viewer continues meanwhile.
void Viewer::encodeMovie()
{
    if (encoding_.joinable())
        encoding_.join();
    encoding_ = std::thread([this, job = std::move(*movie_), folder = movieFolder_] {
        std::exception_ptr failure;
        try {
            io::writeMovie(job.path, (folder / "movie.%06d.png").string(), 0, job.fps);
        } catch (...) {
            failure = std::current_exception();
        }
        std::error_code ignored;
        fs::remove_all(folder, ignored);
        {
            const std::lock_guard lock(mutex_);
            movieBusy_ = false;
        }
        job.done({{"path", job.path.string()}, {"pictures", job.last - job.first + 1}}, failure);
    });
    movie_.reset();
}

void Viewer::endMovie(std::exception_ptr failure)
{
    std::error_code ignored;
    fs::remove_all(movieFolder_, ignored);
    const MovieJob job = std::move(*movie_);
    movie_.reset();
    {
        const std::lock_guard lock(mutex_);
        movieBusy_ = false;
    }
    job.done({}, std::move(failure));
}

} // namespace floe::serve
