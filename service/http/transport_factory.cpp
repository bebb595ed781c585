#include "service/http/transport_factory.h"

#include <utility>

#include "common/error.h"

namespace dietmt::service {

TransportFactory::TransportFactory(std::string certificate_file, std::string key_file)
    : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {
  if (certificate_file_.empty() != key_file_.empty()) {
    throw ConfigError("TLS needs both a certificate file and a key file.");
  }
  reload();
}

void TransportFactory::reload() {
  if (certificate_file_.empty()) return;
  auto fresh = std::make_shared<const TlsContext>(certificate_file_, key_file_);
  const std::lock_guard lock(mutex_);
  tls_ = std::move(fresh);
}

std::unique_ptr<Transport> TransportFactory::make(FileDescriptor socket) const {
  const std::lock_guard lock(mutex_);
  return tls_ ? tls_->accept(std::move(socket)) : plain_transport(std::move(socket));
}

}  // namespace dietmt::service
