// Limits and counters of the connection layer.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dietmt::service {

class AccessLog;

struct HttpOptions {
  // Connections. At the limit, a new one replaces the longest idle.
  int64_t max_connections = 12000;
  int64_t handler_threads = 256;  // started on demand
  int64_t backlog = 1024;         // complete requests waiting for a thread; more get 503
  int64_t max_of_client = 0;      // complete requests per client; more get 503; 0: no limit
  int retry_after = 1;            // seconds; sent with 503
  int handler_niceness = 0;       // give_way() of handlers; not of the reserved one

  // Sizes in bytes.
  size_t max_head = 16384;  // request line and header fields
  uint64_t max_body = 1 << 20;
  std::map<std::string, uint64_t> max_body_below = {};  // by path prefix; the longest wins
  std::string large_body_advice = {};                   // ends the message of a 413
  uint64_t body_memory = 1 << 20;                       // larger bodies go to an unnamed file;
  uint64_t all_bodies_memory = 64ULL << 20;             // so do all once this is used up
  uint64_t all_bodies_disk = 16ULL << 30;               // when used up: 503
  std::filesystem::path spool_directory = std::filesystem::temp_directory_path();
  // Bytes a handler may write ahead of its client. Then it waits if fewer than a quarter of the
  // threads do; otherwise its output is spooled like a body.
  size_t output_buffer = 64 << 10;

  // Timeouts. Request bodies and responses must advance by `transfer_rate` bytes per second, on
  // average over every `transfer_period`.
  std::chrono::milliseconds idle_timeout{60000};  // between requests
  std::chrono::milliseconds head_timeout{10000};  // also for the TLS handshake
  std::chrono::milliseconds transfer_period{20000};
  int64_t transfer_rate = 1000;
  std::chrono::milliseconds linger_timeout{5000};  // reading after an early answer

  // CorsPolicy of the connection layer's own answers; handlers set the fields of theirs.
  std::vector<std::string> cors_origins = {};

  // PEM files, both or neither. If set, all connections use TLS 1.2 or newer.
  std::string certificate_file = {};
  std::string key_file = {};

  std::shared_ptr<AccessLog> access_log = nullptr;  // null: none
};

/// Totals since the start, unless marked `now`.
struct HttpCounters {
  int64_t open_connections = 0;    // now
  int64_t requests_in_flight = 0;  // now: complete and not yet answered
  int64_t accepted_connections = 0;
  int64_t requests = 0;  // given to handlers
  // Rejected by the connection layer:
  int64_t malformed = 0;          // 400, 415, 417, 501, 505
  int64_t too_large = 0;          // 413, 414, 431
  int64_t timed_out = 0;          // 408, and answers that the client did not read
  int64_t overloaded = 0;         // 503
  int64_t evicted = 0;            // idle connections closed for new ones
  int64_t refused = 0;            // connections, when none was idle
  int64_t vanished = 0;           // clients that left before the answer
  int64_t failed_handshakes = 0;  // TLS
};

}  // namespace dietmt::service
