#include "training/processes/local_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

namespace dietmt::training {
namespace {

// Connecting a datagram socket sends nothing, but makes the kernel choose a route.
std::string address_on_route(const addrinfo& to) {
  const int fd = ::socket(to.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "";
  sockaddr_storage own = {};
  socklen_t length = sizeof own;
  char text[NI_MAXHOST] = "";
  const bool found = ::connect(fd, to.ai_addr, to.ai_addrlen) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
                     ::getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text, sizeof text,
                                   nullptr, 0, NI_NUMERICHOST) == 0;
  ::close(fd);
  return found ? text : "";
}

}  // namespace

std::string address_towards(const std::string& host) {
  addrinfo wanted = {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), "9", &wanted, &list) != 0) return "";
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    const std::string address = address_on_route(*entry);
    if (!address.empty()) return address;
  }
  return "";
}

}  // namespace dietmt::training
