#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace floe::io {

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int value = -1) : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return value_; }
    void close();

private:
    int value_;
};

/// A file without a name, in memory, for what a child process says.
class MemoryFile {
public:
    MemoryFile();
    int get() const { return descriptor_.get(); }
    /// By which it can be opened once more, from its beginning.
    std::string path() const;
    /// Its beginning.
    std::string text(std::size_t longest) const;

private:
    Descriptor descriptor_;
};

/// Another program at work; started without a shell. Waited for at the latest when this ends.
class ChildProcess {
public:
    /// @param program    a path, or a name that is looked up in PATH
    /// @param arguments  without the program's name
    /// @param input, output, errors  descriptors that become 0, 1, 2 of the child; it gets no
    /// others
    /// @throws IoError  it cannot be started, though it is there
    ChildProcess(const std::string& program, std::vector<std::string> arguments, int input,
                 int output, int errors);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// False when there is no such program.
    bool started() const { return process_ > 0; }
    /// Waits for the end. @return exit code, or 128 + the signal that ended it
    int wait();

private:
    int process_ = -1;
};

} // namespace floe::io
