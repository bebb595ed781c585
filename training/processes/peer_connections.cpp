#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <sstream>

#include "common/exit_kinds.h"
#include "common/system.h"
#include "training/processes/peer_watch.h"

namespace dietmt::training {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRendezvousTime = std::chrono::minutes(5);
constexpr auto kHelloTime = std::chrono::seconds(10);
constexpr size_t kMostPending = 64;                          // have not identified themselves
constexpr auto kCrowdedHelloTime = std::chrono::seconds(1);  // while there are so many
constexpr char kWelcome = 'w';

/// What a rank sends first: the run's token and its own number.
struct Hello {
  char token[32];
  uint32_t rank;
};

[[noreturn]] void fail(const std::string& what) {
  throw PeerError("the processes of this training cannot be watched: " + what);
}

[[noreturn]] void fail_with_errno(const std::string& what) {
  fail(what + ": " + std::strerror(errno));
}

std::string random_token() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::random_device device;
  std::string token(sizeof(Hello::token), '0');
  for (char& digit : token) digit = kDigits[device() % 16];
  return token;
}

// A machine without power does not close its connections: half a minute of silence counts as
// closed.
void enable_keepalive(int fd) {
  const std::pair<int, int> kSettings[] = {
      {kKeepaliveIdle, 10}, {TCP_KEEPINTVL, 5}, {TCP_KEEPCNT, 4}};
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  for (const auto& [name, value] : kSettings)
    ::setsockopt(fd, IPPROTO_TCP, name, &value, sizeof value);
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses addresses_of(const char* host, const std::string& port, int flags) {
  addrinfo wanted = {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host, port.c_str(), &wanted, &list) != 0) list = nullptr;
  return {list, &::freeaddrinfo};
}

/// A socket listening on a free port of one of `addresses`; invalid if none belongs to this
/// machine. Its queue must not fill with other connections: a peer would retry only after seconds.
FileDescriptor listen_at(const Addresses& addresses) {
  for (const addrinfo* entry = addresses.get(); entry != nullptr; entry = entry->ai_next) {
    FileDescriptor fd = open_socket(entry->ai_family, SOCK_STREAM);
    if (fd.valid() && ::bind(fd.number(), entry->ai_addr, entry->ai_addrlen) == 0 &&
        ::listen(fd.number(), SOMAXCONN) == 0)
      return fd;
  }
  return {};
}

/// Listens on the address that the other ranks use if it belongs to this machine; with address
/// translation, on all addresses.
FileDescriptor listen_for_peers(const std::string& address) {
  FileDescriptor own = listen_at(addresses_of(address.c_str(), "0", AI_PASSIVE));
  if (own.valid()) return own;
  FileDescriptor any = listen_at(addresses_of(nullptr, "0", AI_PASSIVE));
  if (!any.valid()) fail_with_errno("cannot listen on any port");
  return any;
}

int64_t port_of(int fd) {
  sockaddr_storage address = {};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    fail_with_errno("no port");
  // Both families store the port at the same offset.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

/// Waits for the other ranks and admits nobody else: a connection becomes a peer once it has sent
/// the token and a rank that is still missing.
class Admission {
 public:
  Admission(FileDescriptor listener, std::string token, int64_t processes)
      : listener_(std::move(listener)),
        token_(std::move(token)),
        peers_(static_cast<size_t>(processes)) {}

  std::vector<FileDescriptor> wait_for_all() {
    const Clock::time_point deadline = Clock::now() + kRendezvousTime;
    while (missing() > 0) {
      if (Clock::now() > deadline)
        fail(std::to_string(missing()) + " of " + std::to_string(peers_.size()) +
             " processes did not connect");
      wait_for_something();
      read_hellos();
      accept_connection();
    }
    peers_.erase(peers_.begin());  // rank 0 itself
    return std::move(peers_);
  }

 private:
  struct Pending {
    FileDescriptor connection;
    Clock::time_point since;
    Hello hello = {};
    size_t received = 0;
  };

  int64_t missing() const {
    return std::count_if(peers_.begin() + 1, peers_.end(),
                         [](const FileDescriptor& peer) { return !peer.valid(); });
  }

  bool is_crowded() const { return pending_.size() == kMostPending; }

  void wait_for_something() const {
    std::vector<pollfd> entries;
    if (!is_crowded()) entries.push_back({listener_.number(), POLLIN, 0});
    for (const Pending& pending : pending_)
      entries.push_back({pending.connection.number(), POLLIN, 0});
    constexpr int kMilliseconds = 500;
    ::poll(entries.data(), entries.size(), kMilliseconds);
  }

  // The others wait in the listener's queue: a slow peer keeps its place.
  void accept_connection() {
    if (is_crowded()) return;
    pollfd entry = {listener_.number(), POLLIN, 0};
    if (::poll(&entry, 1, 0) <= 0) return;
    FileDescriptor connection(
        dietmt::accept_connection(listener_.number(), nullptr, nullptr, Waiting::kBlocks));
    if (!connection.valid()) return;
    pending_.push_back({std::move(connection), Clock::now()});
  }

  void read_hellos() {
    const auto patience = is_crowded() ? kCrowdedHelloTime : kHelloTime;
    std::erase_if(pending_, [&](Pending& pending) {
      char* const place = reinterpret_cast<char*>(&pending.hello) + pending.received;
      const ssize_t count = ::recv(pending.connection.number(), place,
                                   sizeof(Hello) - pending.received, MSG_DONTWAIT);
      const bool waits = count < 0 && (errno == EAGAIN || errno == EINTR);
      if (count == 0 || (count < 0 && !waits)) return true;
      if (count > 0) pending.received += static_cast<size_t>(count);
      if (pending.received < sizeof(Hello)) return Clock::now() > pending.since + patience;
      admit(pending);
      return true;
    });
  }

  void admit(Pending& pending) {
    const size_t rank = ntohl(pending.hello.rank);
    const bool knows_token = std::memcmp(pending.hello.token, token_.data(), token_.size()) == 0;
    if (!knows_token || rank == 0 || rank >= peers_.size() || peers_[rank].valid()) return;
    if (::send(pending.connection.number(), &kWelcome, 1, MSG_NOSIGNAL) != 1) return;
    peers_[rank] = std::move(pending.connection);
  }

  FileDescriptor listener_;
  std::string token_;
  std::vector<FileDescriptor> peers_;  // by rank
  std::vector<Pending> pending_;
};

FileDescriptor connect_to(const std::string& host, const std::string& port) {
  const Addresses addresses = addresses_of(host.c_str(), port, 0);
  if (addresses == nullptr) fail(host + " has no address");
  for (const addrinfo* entry = addresses.get(); entry != nullptr; entry = entry->ai_next) {
    FileDescriptor fd = open_socket(entry->ai_family, SOCK_STREAM);
    if (fd.valid() && ::connect(fd.number(), entry->ai_addr, entry->ai_addrlen) == 0) return fd;
  }
  fail_with_errno("no connection to " + host + ":" + port);
}

FileDescriptor join(int64_t rank, const std::string& address, const std::string& published) {
  std::istringstream words(published);
  std::string port, token;
  words >> port >> token;
  if (token.size() != sizeof(Hello::token)) fail("rank 0 published '" + published + "'");
  FileDescriptor connection = connect_to(address, port);
  Hello hello = {{}, htonl(static_cast<uint32_t>(rank))};
  std::copy(token.begin(), token.end(), hello.token);
  char answer = 0;
  if (::send(connection.number(), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello ||
      ::recv(connection.number(), &answer, 1, MSG_WAITALL) != 1 || answer != kWelcome)
    fail("rank 0 does not accept rank " + std::to_string(rank) +
         "; does another process have this rank?");
  return connection;
}

}  // namespace

std::vector<FileDescriptor> connect_peers(int64_t rank, int64_t processes,
                                          const std::string& address,
                                          const Rendezvous& rendezvous) {
  std::vector<FileDescriptor> connections;
  if (rank == 0) {
    const std::string token = random_token();
    FileDescriptor listener = listen_for_peers(address);
    const int64_t port = port_of(listener.number());
    Admission admission(std::move(listener), token, processes);
    rendezvous.publish(std::to_string(port) + " " + token);
    connections = admission.wait_for_all();
  } else {
    connections.push_back(join(rank, address, rendezvous.look_up()));
  }
  for (const FileDescriptor& connection : connections) enable_keepalive(connection.number());
  return connections;
}

}  // namespace dietmt::training
