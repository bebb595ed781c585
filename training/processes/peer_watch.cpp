#include "training/processes/peer_watch.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "common/process_error.h"

namespace dietmt::training {
namespace {

constexpr int kConnectTime = 300'000;  // milliseconds
constexpr int kGrace = 2'000;
constexpr char kParting = 'p';

[[noreturn]] void fail(const std::string& what) {
  throw PeerError("the processes of this training cannot be watched: " + what + ": " +
                  std::strerror(errno));
}

// Closed at the end of its scope unless it is taken out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// A machine without power sends no end of its connections: about half a minute of silence is one.
void notice_silence(int fd) {
  constexpr std::pair<int, int> kSettings[] = {
      {TCP_KEEPIDLE, 10}, {TCP_KEEPINTVL, 5}, {TCP_KEEPCNT, 4}};
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  for (const auto& [name, value] : kSettings)
    ::setsockopt(fd, IPPROTO_TCP, name, &value, sizeof value);
}

bool readable_within(int fd, int milliseconds) {
  pollfd entry = {fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// A socket that listens at a free port of all addresses.
int listen_anywhere(int64_t backlog) {
  Descriptor fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool has_ipv6 = fd.get() >= 0;
  const int off = 0;
  if (has_ipv6) {
    sockaddr_in6 any = {};
    any.sin6_family = AF_INET6;
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) == 0 &&
        ::listen(fd.get(), static_cast<int>(backlog)) == 0)
      return fd.release();
  }
  Descriptor fd4(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any = {};
  any.sin_family = AF_INET;
  if (fd4.get() < 0 || ::bind(fd4.get(), reinterpret_cast<sockaddr*>(&any), sizeof any) != 0 ||
      ::listen(fd4.get(), static_cast<int>(backlog)) != 0)
    fail("no port can be listened at");
  return fd4.release();
}

int64_t port_of(int fd) {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) fail("no port");
  // Both families have the port at the same place.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

int connect_to(const std::string& host, int64_t port) {
  addrinfo wanted = {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &list) != 0)
    fail(host + " has no address");
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    Descriptor fd(::socket(entry->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (fd.get() >= 0 && ::connect(fd.get(), entry->ai_addr, entry->ai_addrlen) == 0)
      return fd.release();
  }
  fail("no connection to " + host + ":" + std::to_string(port));
}

}  // namespace

PeerWatch::PeerWatch(int64_t rank, int64_t processes, const std::string& address,
                     const PortExchange& ports, std::function<void()> lost)
    : lost_(std::move(lost)) {
  if (rank == 0) {
    accept_all(processes - 1, ports);
  } else {
    connections_.push_back(connect_to(address, ports.look_up()));
  }
  for (const int connection : connections_) notice_silence(connection);
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  if (stop_ < 0) fail("eventfd");
  thread_ = std::thread([this] { watch(); });
}

PeerWatch::~PeerWatch() {
  const uint64_t one = 1;
  while (::write(stop_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  for (const int connection : connections_) ::close(connection);
  ::close(stop_);
}

void PeerWatch::accept_all(int64_t count, const PortExchange& ports) {
  const Descriptor listener(listen_anywhere(count));
  ports.publish(port_of(listener.get()));
  while (std::ssize(connections_) < count) {
    const int connection = readable_within(listener.get(), kConnectTime)
                               ? ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)
                               : -1;
    if (connection < 0) fail("a process does not come");
    connections_.push_back(connection);
  }
}

void PeerWatch::part() {
  for (const int connection : connections_) ::send(connection, &kParting, 1, MSG_NOSIGNAL);
}

bool PeerWatch::is_lost(int connection) const {
  char byte = 0;
  ssize_t received = 0;
  do {
    received = ::recv(connection, &byte, 1, 0);
  } while (received < 0 && errno == EINTR);
  return received <= 0;
}

bool PeerWatch::stopped_within(int milliseconds) const {
  return readable_within(stop_, milliseconds);
}

void PeerWatch::watch() {
  std::vector<pollfd> entries = {{stop_, POLLIN, 0}};
  for (const int connection : connections_) entries.push_back({connection, POLLIN, 0});
  for (;;) {
    if (::poll(entries.data(), entries.size(), -1) < 0) continue;  // EINTR
    if (entries[0].revents != 0) return;
    for (size_t i = 1; i < entries.size(); ++i) {
      if (entries[i].revents == 0) continue;
      if (!is_lost(entries[i].fd)) {
        entries[i].fd = -1;  // parted; poll() passes it over
        continue;
      }
      // The main thread usually finds out by itself, and ends with a reason of its own.
      if (stopped_within(kGrace)) return;
      const auto lock = hold();
      if (may_report()) lost_();
      return;
    }
  }
}

}  // namespace dietmt::training
