#pragma once

#include <algorithm>
#include <csignal>
#include <iterator>

namespace floe::app {

/// Signals by which users, terminals, timers and farms (Slurm's --signal=USR1) ask a program to
/// end; without a handler each would end it in the middle.
inline constexpr int kEndingSignals[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                         SIGUSR1, SIGUSR2, SIGALRM};

inline bool asksToEnd(int signal)
{
    return std::find(std::begin(kEndingSignals), std::end(kEndingSignals), signal) !=
           std::end(kEndingSignals);
}

/// Calls use(signal) for each but those that whoever started the program had it ignore, as nohup
/// does with SIGHUP. SIGINT and SIGTERM count though a shell ignores one for a job in the
/// background.
template <typename Use>
void forEachEndingSignal(Use use)
{
    for (const int signal : kEndingSignals) {
        struct sigaction now {};
        const bool ignored = ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
        if (!ignored || signal == SIGINT || signal == SIGTERM)
            use(signal);
    }
}

} // namespace floe::app
