// The socket that clients connect to, and how many of them the system lets in.
#pragma once

#include <cstdint>
#include <string>

#include "common/file_descriptor.h"
#include "service/http/exchange.h"

namespace dietmt::service {

struct Listener {
  FileDescriptor socket;  // non-blocking
  Endpoint endpoint;
};

/// `host`: a name or address of this machine; `port` 0: one that is free. Throws ConfigError naming
/// both and the system's reason.
Listener open_listener(const std::string& host, int port);

struct AcceptedClient {
  FileDescriptor socket;  // non-blocking; none if no client waits
  Endpoint endpoint;
  bool out_of_files = false;  // or of memory: a client waits, and has to
};

/// The next client that waits.
AcceptedClient accept_client(const Listener& listener);

/// Raises the limit of open files as far as allowed. Returns how many of `wanted` connections fit
/// below it, and warns if that is fewer.
int64_t allowed_connections(int64_t wanted, int64_t handler_threads);

}  // namespace dietmt::service
