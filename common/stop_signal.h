// SIGTERM and SIGINT as a flag that long loops poll.
#pragma once

namespace dietmt {

/// From now on the first SIGTERM or SIGINT only sets the flag; a second one ends the process.
void install_stop_signal();

/// True after such a signal.
bool stop_requested();

}  // namespace dietmt
