// TLS by OpenSSL, 1.2 or newer.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "service/http/transport.h"

namespace dietmt::service {

class TlsContext {
 public:
  /// PEM files: the certificate with its chain, and the private key. Throws ConfigError naming the
  /// file and OpenSSL's reason.
  TlsContext(const std::string& certificate_file, const std::string& key_file);

  /// `socket`: connected and non-blocking.
  std::unique_ptr<Transport> accept(FileDescriptor socket) const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
};

}  // namespace dietmt::service
