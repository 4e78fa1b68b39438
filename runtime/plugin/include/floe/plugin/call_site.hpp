#pragma once

#include "floe/plugin/number_state.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

/// Where each thread is in the code of plugins.
///
/// A plugin may end the process, or hang, and then nobody in it can say who did. So the place is
/// written down before each call, in memory that a supervising process may share.
namespace floe::plugin {

inline constexpr double kNoCallFrame = std::numeric_limits<double>::quiet_NaN();

/// One call of a plugin's function. Texts end with a zero and are cut where they are longer.
struct CallSite {
    char call[16];   ///< "cook", "emit", "update", ...
    char node[112];  ///< in the graph; empty: the call belongs to none
    char plugin[64]; ///< id
    double frame;    ///< kNoCallFrame: none
};

/// While it lives, this thread is in a plugin's function. Scopes may nest; some ten nanoseconds.
/// Its end sets the thread's FloatMode as it was.
class CallScope {
public:
    CallScope(std::string_view call, std::string_view node, std::string_view plugin, double frame);
    /// The same place again, for another thread that works on it.
    explicit CallScope(const CallSite& site);
    ~CallScope();
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

private:
    const FloatMode before_ = FloatMode::now();
};

/// This thread's innermost scope; null: it is in none. Valid until that scope ends.
const CallSite* currentCall();

/// Bytes of the memory that processes share to see the same calls.
std::size_t callBytes();
/// The first of them: prepares such memory, and looks at it from now on.
void prepareCalls(void* memory);
/// Another: writes there from now on. @pre no scope was entered yet
void joinCalls(void* memory);

/// From now on a thread that crashes, or calls exit(), in a scope leaves word in whoseEnd(). The
/// signals' earlier actions, a debugger's or the default, follow. Once in a process.
void watchCalls();

/// How a process left word of its end.
struct CallEnd {
    std::optional<CallSite> site; ///< nothing: a thread that was in no scope
    bool byExit = false;          ///< the code called exit(), or quick_exit()
};

/// What a process left that watches its calls; nothing: no word.
std::optional<CallEnd> whoseEnd();

/// Functions of other plugins that threads called inside of scopes, of each thread the last: one of
/// them may have damaged what `plugin` works on.
std::vector<CallSite> guestsOf(std::string_view plugin);

/// The innermost calls in work in all threads, each place once. The other process may go on
/// meanwhile: a place may then be one that was just left.
std::vector<CallSite> callsInWork();

} // namespace floe::plugin
