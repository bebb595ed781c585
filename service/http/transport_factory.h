// Makes the transports of new connections: in the clear, or with TLS by a certificate that can be
// replaced while the server runs.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "service/http/tls.h"

namespace dietmt::service {

/// For any number of threads.
class TransportFactory {
 public:
  /// PEM files; both empty: no TLS. Throws ConfigError for one without the other, or files that
  /// cannot be used.
  TransportFactory(std::string certificate_file, std::string key_file);

  /// Reads the files anew, for the connections to come. Throws ConfigError where they cannot be
  /// used, and keeps what it had.
  void reload();

  /// `socket`: connected and non-blocking.
  std::unique_ptr<Transport> make(FileDescriptor socket) const;

 private:
  const std::string certificate_file_;
  const std::string key_file_;
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsContext> tls_;  // guarded by mutex_; null: no TLS
};

}  // namespace dietmt::service
