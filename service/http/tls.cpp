#include "service/http/tls.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "common/error.h"

namespace dietmt::service {
namespace {

struct FreeSession {
  void operator()(SSL* session) const { SSL_free(session); }
};
using Session = std::unique_ptr<SSL, FreeSession>;

// The first thing that OpenSSL had to complain of, and an empty queue of errors.
std::string openssl_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

class TlsTransport final : public Transport {
 public:
  TlsTransport(FileDescriptor socket, Session session)
      : socket_(std::move(socket)), session_(std::move(session)) {}

  IoResult handshake() override { return result(SSL_accept(session_.get()), 0); }

  IoResult read(char* to, size_t count) override {
    size_t n = 0;
    const int returned = SSL_read_ex(session_.get(), to, count, &n);
    return result(returned, n);
  }

  IoResult write(const char* from, size_t count) override {
    size_t n = 0;
    const int returned = SSL_write_ex(session_.get(), from, count, &n);
    return result(returned, n);
  }

  void finish() override {
    if (SSL_is_init_finished(session_.get()) && !failed_) {
      SSL_shutdown(session_.get());
      ERR_clear_error();
    }
    ::shutdown(socket_.number(), SHUT_WR);
  }

  int socket() const override { return socket_.number(); }

 private:
  IoResult result(int returned, size_t bytes) {
    if (returned > 0) return {IoResult::State::kMoved, bytes};
    const int error = SSL_get_error(session_.get(), returned);
    // What failed on one connection must not be reported on the next.
    ERR_clear_error();
    if (error == SSL_ERROR_WANT_READ) return {IoResult::State::kWantsRead};
    if (error == SSL_ERROR_WANT_WRITE) return {IoResult::State::kWantsWrite};
    failed_ = error != SSL_ERROR_ZERO_RETURN;
    return {IoResult::State::kClosed};
  }

  FileDescriptor socket_;
  Session session_;
  bool failed_ = false;
};

}  // namespace

TlsContext::TlsContext(const std::string& certificate_file, const std::string& key_file)
    : context_(SSL_CTX_new(TLS_server_method())) {
  if (!context_) throw Error("TLS cannot be set up: " + openssl_reason() + ".");
  SSL_CTX* context = context_.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1) {
    throw ConfigError("The certificate " + certificate_file +
                      " cannot be used: " + openssl_reason() + ".");
  }
  // Also checks that the two belong together.
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    throw ConfigError("The key " + key_file + " cannot be used with the certificate " +
                      certificate_file + ": " + openssl_reason() + ".");
  }
}

std::unique_ptr<Transport> TlsContext::accept(FileDescriptor socket) const {
  Session session(SSL_new(context_.get()));
  if (!session || SSL_set_fd(session.get(), socket.number()) != 1) {
    throw Error("A TLS connection cannot be set up: " + openssl_reason() + ".");
  }
  SSL_set_accept_state(session.get());
  return std::make_unique<TlsTransport>(std::move(socket), std::move(session));
}

}  // namespace dietmt::service
