#pragma once

#include "app/gamepad.hpp"
#include "views/orbit_camera.hpp"

#include "floe/base/json.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace floe::client {
class Runtime;
}
namespace floe::views {
class Viewport;
}

namespace floe::editor {

class Document;

/// Drives the position of the selected node by hand while the scene is simulated: a frame, then
/// where the hand wants it at the next one, and so on. W, S, A, D, E and Q push it along the
/// picture, Shift faster, and so do the sticks of a gamepad; the handle pulls it to the mouse.
/// Space starts and stops emitters that the node belongs to. Frames come no faster than the scene's
/// rate.
///
/// What is driven becomes keys of the parameters, so the document is the recording: `floe run` of
/// it, or playing it again, gives the same frames, bit for bit.
class Drive : public QObject {
    Q_OBJECT
public:
    /// @param send     hands the runtime the document as it is
    /// @param settled  whether the runtime has answered to it
    Drive(views::Viewport* viewport, client::Runtime* runtime, Document* document,
          std::function<void()> send, std::function<bool()> settled, QObject* parent = nullptr);

    bool isOn() const { return on_; }
    void setFrame(int frame) { shown_ = frame; } ///< the one that is shown: it goes on from there

signals:
    void stepped(int frame);           ///< it is simulated
    void ended(const QString& reason); ///< by itself; empty: by the user

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void begin();
    void end(const QString& reason);
    void step();    ///< writes the next key
    void proceed(); ///< simulates it once the runtime has the key
    void finish();  ///< a run is over
    void goOn();    ///< it is time for the next frame
    void findEmitters();
    void pour();              ///< writes a key where emitters start or stop
    void read();              ///< the gamepad, whose button may end it
    views::Vec3 push() const; ///< of its numbers, in a second
    /// The parameter's keys up to the frame; none when it follows an expression.
    std::optional<Json> recorded() const;

    views::Viewport* viewport_;
    client::Runtime* runtime_;
    Document* document_;
    std::function<void()> send_;
    std::function<bool()> settled_;

    bool on_ = false, waiting_ = false; ///< waiting_: for the runtime to have the document
    int shown_ = 1, frame_ = 1;         ///< frame_: simulated last
    int drive_ = 0;                     ///< one undo each
    std::string scope_, node_, parameter_;
    views::Vec3 position_{};
    std::vector<std::string> emitters_;   ///< that the node leads to, and that may start and stop
    bool pours_ = false, poured_ = false; ///< wanted, and in the last key
    std::optional<views::Vec3> wanted_;   ///< by the mouse
    QSet<int> keys_;                      ///< that are held
    bool fast_ = false;
    std::unique_ptr<Gamepad> pad_; ///< once something was driven
    Gamepad::State held_;
    QTimer reading_; ///< the pad
    QTimer rest_;    ///< until the next frame is due
    QElapsedTimer clock_;
    double due_ = 0; ///< milliseconds on the clock
    Json written_;
};

} // namespace floe::editor
