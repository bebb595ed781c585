#include "service/http/listener.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "common/error.h"

namespace dietmt::service {
namespace {

// Files beside those of connections: models, queues, logs, standard streams.
constexpr int64_t kOtherFiles = 128;

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

[[noreturn]] void fail(const std::string& host, int port, const std::string& reason) {
  throw ConfigError("Cannot listen on " + host + " port " + std::to_string(port) + ": " + reason +
                    ".");
}

Addresses resolve(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) fail(host, port, ::gai_strerror(error));
  return {found, ::freeaddrinfo};
}

bool bind_and_listen(int socket, const addrinfo& address) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return ::bind(socket, address.ai_addr, address.ai_addrlen) == 0 &&
         ::listen(socket, SOMAXCONN) == 0;
}

// The address in a socket address of any family.
Endpoint endpoint_of(const sockaddr* address, unsigned size) {
  char host[NI_MAXHOST] = {};
  char port[NI_MAXSERV] = {};
  if (::getnameinfo(address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  return {host, std::atoi(port)};
}

}  // namespace

Listener open_listener(const std::string& host, int port) {
  if (port < 0 || port > 65535) fail(host, port, "a port is a number from 0 to 65535");
  const Addresses addresses = resolve(host, port);
  int reason = 0;
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    FileDescriptor socket(
        ::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol));
    if (socket.valid() && bind_and_listen(socket.number(), *at)) {
      sockaddr_storage bound = {};
      socklen_t size = sizeof bound;
      auto* address = reinterpret_cast<sockaddr*>(&bound);
      ::getsockname(socket.number(), address, &size);
      return {std::move(socket), endpoint_of(address, size)};
    }
    reason = errno;
  }
  fail(host, port, std::strerror(reason));
}

AcceptedClient accept_client(const Listener& listener) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  FileDescriptor socket(
      ::accept4(listener.socket.number(), address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.valid()) {
    return {{}, {}, errno != EAGAIN && errno != EINTR && errno != ECONNABORTED};
  }
  const int on = 1;
  ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return {std::move(socket), endpoint_of(address, size)};
}

int64_t allowed_connections(int64_t wanted, int64_t handler_threads) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const int64_t files = static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT32_MAX));
  // A handler may open a file; large bodies take theirs from the connections' share.
  const int64_t fitting = std::max<int64_t>(files - kOtherFiles - handler_threads, 1);
  if (fitting >= wanted) return wanted;
  spdlog::warn(
      "The limit of open files is {}, which leaves room for {} connections, not for {}: raise the "
      "hard limit (ulimit -Hn, LimitNOFILE= of systemd) to {}.",
      files, fitting, wanted, wanted + kOtherFiles + handler_threads);
  return fitting;
}

}  // namespace dietmt::service
