#pragma once

#include "floe/session/run_services.hpp"

#include <string>

namespace floe::session {

/// Services for nodes that are evaluated outside of a run, for pictures and tables.
class QuietServices final : public RunServices {
public:
    QuietServices(compute::DevicePointer device, std::string outputFolder)
        : device_(std::move(device)), deviceId_(device_->id()),
          outputFolder_(std::move(outputFolder))
    {}
    /// For computing hashes only, as on the device of that id.
    explicit QuietServices(std::string deviceId)
        : device_(compute::cpuDevice()), deviceId_(std::move(deviceId))
    {}
    const compute::DevicePointer& device() const override { return device_; }
    std::string deviceId() const override { return deviceId_; }
    const std::string& outputFolder() const override { return outputFolder_; }
    bool cancelled() const override { return false; }
    void say(const Message&) override {}
    void progress(int, const std::string&, double) override {}

private:
    compute::DevicePointer device_;
    std::string deviceId_;
    std::string outputFolder_;
};

} // namespace floe::session
