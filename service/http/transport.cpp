#include "service/http/transport.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "common/error.h"
#include "common/files.h"

namespace dietmt::service {
namespace {

namespace ssl = boost::asio::ssl;

IoResult plain_result(ssize_t n, IoResult::State if_not_ready) {
  if (n > 0) return {IoResult::State::kMoved, static_cast<size_t>(n)};
  const bool not_ready = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return {not_ready ? if_not_ready : IoResult::State::kClosed};
}

}  // namespace

std::shared_ptr<ssl::context> make_tls_context(const std::string& certificate_file,
                                               const std::string& key_file) {
  if (certificate_file.empty() != key_file.empty())
    throw ConfigError("TLS needs both a certificate file and a key file.");
  if (certificate_file.empty()) return nullptr;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                                 SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                                 SSL_MODE_RELEASE_BUFFERS);
  boost::system::error_code error;
  context->use_certificate_chain_file(certificate_file, error);
  if (error) {
    throw ConfigError("The certificate " + certificate_file +
                      " cannot be used: " + error.message() + ".");
  }
  // Also checks that key and certificate match.
  context->use_private_key_file(key_file, ssl::context::pem, error);
  if (error) {
    throw ConfigError("The key " + key_file + " cannot be used with the certificate " +
                      certificate_file + ": " + error.message() + ".");
  }
  warn_if_world_readable(key_file);
  return context;
}

Transport::Transport(Socket socket, ssl::context* tls) : socket_(std::move(socket)) {
  if (tls == nullptr) return;
  session_.reset(SSL_new(tls->native_handle()));
  if (!session_ || SSL_set_fd(session_.get(), socket_.native_handle()) != 1) {
    ERR_clear_error();
    throw Error("A TLS connection cannot be set up.");
  }
  SSL_set_accept_state(session_.get());
}

IoResult Transport::handshake() {
  if (!session_) return {IoResult::State::kMoved};
  return tls_result(SSL_accept(session_.get()), 0);
}

IoResult Transport::read(char* to, size_t count) {
  if (!session_) {
    return plain_result(::recv(socket_.native_handle(), to, count, 0), IoResult::State::kWantsRead);
  }
  size_t n = 0;
  const int returned = SSL_read_ex(session_.get(), to, count, &n);
  return tls_result(returned, n);
}

IoResult Transport::write(const char* from, size_t count) {
  if (!session_) {
    return plain_result(::send(socket_.native_handle(), from, count, MSG_NOSIGNAL),
                        IoResult::State::kWantsWrite);
  }
  size_t n = 0;
  const int returned = SSL_write_ex(session_.get(), from, count, &n);
  return tls_result(returned, n);
}

void Transport::finish() {
  if (session_ && SSL_is_init_finished(session_.get()) && !failed_) {
    SSL_shutdown(session_.get());
    ERR_clear_error();
  }
  ::shutdown(socket_.native_handle(), SHUT_WR);
}

IoResult Transport::tls_result(int returned, size_t bytes) {
  if (returned > 0) return {IoResult::State::kMoved, bytes};
  const int error = SSL_get_error(session_.get(), returned);
  // An error of this connection must not be reported on the next.
  ERR_clear_error();
  if (error == SSL_ERROR_WANT_READ) return {IoResult::State::kWantsRead};
  if (error == SSL_ERROR_WANT_WRITE) return {IoResult::State::kWantsWrite};
  failed_ = error != SSL_ERROR_ZERO_RETURN;
  return {IoResult::State::kClosed};
}

}  // namespace dietmt::service
