#include "floe/session/exit_code.hpp"

#include "floe/base/error.hpp"
#include "floe/ranks/ranks.hpp"

#include <new>
#include <system_error>

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
    } catch (const std::bad_alloc&) {
        return kMemory;
    } catch (const std::system_error& failure) { // most likely a thread could not be started
        const bool scarce = failure.code() == std::errc::resource_unavailable_try_again ||
                            failure.code() == std::errc::not_enough_memory;
        return scarce ? kMemory : kOther;
    } catch (...) {
        return kOther;
    }
}

} // namespace floe::session
