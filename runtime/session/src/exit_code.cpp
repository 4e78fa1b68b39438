#include "floe/session/exit_code.hpp"

#include "floe/base/error.hpp"
#include "floe/base/scarcity.hpp"
#include "floe/ranks/ranks.hpp"

namespace floe::session {

int exitCodeOf(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const ranks::RankSilent&) {
        return kRankSilent;
    } catch (const ranks::RankLost&) {
        return kRankLost;
    } catch (const InputError& fault) {
        return fault.place().parameter.starts_with("--") ? kUsage : kGraph;
    } catch (const GraphError&) {
        return kGraph;
    } catch (const PluginError&) {
        return kPlugin;
    } catch (const DeviceError&) {
        return kDevice;
    } catch (const IoError&) {
        return kFiles;
    } catch (const MemoryError&) {
        return kMemory;
    } catch (const DivergedError&) {
        return kDiverged;
    } catch (const CancelledError&) {
        return kCancelled;
    } catch (const std::exception& failure) {
        return isScarcity(failure) ? kMemory : kOther;
    } catch (...) {
        return kOther;
    }
}

} // namespace floe::session
