// Non-blocking reads and writes on one connection, plain or through TLS.
#pragma once

#include <openssl/ssl.h>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <memory>
#include <string>

namespace dietmt::service {

/// TLS 1.2 or newer with the certificate and key in two PEM files. Throws ConfigError with the file
/// and OpenSSL's reason. Null if both names are empty.
std::shared_ptr<boost::asio::ssl::context> make_tls_context(const std::string& certificate_file,
                                                            const std::string& key_file);

struct IoResult {
  enum class State { kMoved, kWantsRead, kWantsWrite, kClosed };
  State state = State::kClosed;
  size_t bytes = 0;  // above 0 if kMoved, except for handshake()
};

/// OpenSSL works directly on the socket. boost::asio::ssl::stream would keep two 17 KB buffers and
/// a pair of BIOs of the same size per connection, even an idle one.
class Transport {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::io_context::executor_type>;

  /// `socket`: connected and non-blocking. `tls`: null for a plain connection.
  Transport(Socket socket, boost::asio::ssl::context* tls);

  /// Call it before read() and write(). kMoved when done.
  IoResult handshake();
  /// `count` must be at least 16384, so that a whole TLS record fits and nothing stays unread.
  IoResult read(char* to, size_t count);
  IoResult write(const char* from, size_t count);
  /// Tells the client that nothing more will be sent.
  void finish();

  Socket& socket() { return socket_; }

 private:
  IoResult tls_result(int returned, size_t bytes);

  struct FreeSession {
    void operator()(SSL* session) const { SSL_free(session); }
  };

  Socket socket_;
  std::unique_ptr<SSL, FreeSession> session_;
  bool failed_ = false;
};

}  // namespace dietmt::service
