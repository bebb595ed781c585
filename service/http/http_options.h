// What the connection layer allows a client, and what it has counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dietmt::service {

struct HttpOptions {
  // Connections. Beyond the limit the one that has been idle longest is closed.
  int64_t max_connections = 12000;
  int64_t handler_threads = 256;  // made when needed
  int64_t backlog = 1024;         // complete requests that wait for a thread; beyond it: 503
  int retry_after = 1;            // seconds, told with a 503

  // Sizes in bytes.
  size_t max_head = 16384;  // request line and header fields
  uint64_t max_body = 1 << 20;
  std::map<std::string, uint64_t> max_body_below = {};  // by path prefix; the longest one counts
  uint64_t body_memory = 1 << 20;            // a larger body goes to a file without a name,
  uint64_t all_bodies_memory = 64ULL << 20;  // and so does one for which this is used up
  uint64_t all_bodies_disk = 16ULL << 30;    // used up: 503
  std::filesystem::path spool_directory = std::filesystem::temp_directory_path();
  // A handler that has written so much waits for its client. A quarter of the threads may wait so
  // at once; beyond that, what handlers write is stored as bodies are.
  size_t output_buffer = 64 << 10;

  // Patience. A body that is arriving and a response that is being sent must move on by
  // `transfer_rate` bytes a second, on the average of every `transfer_period`.
  std::chrono::milliseconds idle_timeout{60000};  // between requests
  std::chrono::milliseconds head_timeout{10000};  // also for the TLS handshake
  std::chrono::milliseconds transfer_period{20000};
  int64_t transfer_rate = 1000;
  std::chrono::milliseconds linger_timeout{5000};  // for reading on after an early answer

  // Pages of these origins may read what the connection layer answers itself (cors.h). What
  // handlers answer is theirs.
  std::vector<std::string> cors_origins = {};

  // PEM files; both or none. With them every connection speaks TLS 1.2 or newer.
  std::string certificate_file = {};
  std::string key_file = {};
};

/// Since the start, unless said otherwise.
struct HttpCounters {
  int64_t open_connections = 0;    // now
  int64_t requests_in_flight = 0;  // now: read completely, not yet answered by their handler
  int64_t accepted_connections = 0;
  int64_t requests = 0;  // given to handlers
  // Rejected by the connection layer:
  int64_t malformed = 0;          // 400, 415, 417, 501, 505
  int64_t too_large = 0;          // 413, 414, 431
  int64_t timed_out = 0;          // 408, and responses that nobody read
  int64_t overloaded = 0;         // 503
  int64_t evicted = 0;            // idle connections closed for new ones
  int64_t refused = 0;            // new connections, while none was idle
  int64_t vanished = 0;           // clients that were gone before their answer
  int64_t failed_handshakes = 0;  // TLS
};

}  // namespace dietmt::service
