// A client that sends and reads exactly what a test specifies, byte by byte if necessary.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "common/files.h"

namespace dietmt::service {

struct TestResponse {
  int status = 0;  // 0: the connection ended before the response was complete
  std::string head;
  std::string body;

  /// The value of a field, empty if it is missing.
  std::string field(const std::string& name) const;
};

/// Every call waits at most a minute, then throws std::runtime_error.
class TestClient {
 public:
  /// Connects to 127.0.0.1. `receive_buffer`: of the socket; 0: the system's default.
  explicit TestClient(int port, int receive_buffer = 0);

  /// Switches to TLS. Throws if the handshake fails.
  void start_tls();
  /// The subject of the server's certificate.
  std::string server_name() const;

  /// Returns false if the server has closed the connection.
  bool send(std::string_view bytes);
  /// Up to `count` bytes; empty at the end of the connection.
  std::string receive(size_t count);
  /// One response with a Content-Length or chunked; keeps further bytes for the next call.
  TestResponse response(bool of_head_request = false);
  TestResponse ask(std::string_view request) {
    send(request);
    return response();
  }
  /// Returns true if the server closes the connection without sending more.
  bool ended();
  /// Closes the sending side.
  void finish_sending();
  /// Resets the connection.
  void reset();

 private:
  bool fill();

  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* session) const { SSL_free(session); }
  };
  FileDescriptor socket_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> session_;
  std::string received_;
};

/// GET of a path with a Host field.
std::string get(const std::string& path, const std::string& fields = "");
/// POST with a Content-Length.
std::string post(const std::string& path, std::string_view body, const std::string& fields = "");

/// A member of /proc/self/status in bytes, e.g. "VmRSS".
int64_t process_memory(const std::string& member);

}  // namespace dietmt::service
