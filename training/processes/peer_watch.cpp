#include "training/processes/peer_watch.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/exit_kinds.h"
#include "common/system.h"

namespace dietmt::training {
namespace {

constexpr int kGrace = 2'000;  // milliseconds
constexpr char kParting = 'p';

/// Whether the process at the other end has ended without calling part().
bool is_lost(int connection) {
  char byte = 0;
  ssize_t received = 0;
  do {
    received = ::recv(connection, &byte, 1, 0);
  } while (received < 0 && errno == EINTR);
  return received <= 0;
}

}  // namespace

PeerWatch::PeerWatch(std::vector<FileDescriptor> connections, std::function<void()> lost)
    : lost_(std::move(lost)), connections_(std::move(connections)) {
  int ends[2];
  if (!open_pipe(ends))
    throw PeerError(std::string("the processes of this training cannot be watched: ") +
                    std::strerror(errno));
  stop_ = FileDescriptor(ends[0]);
  stopper_ = FileDescriptor(ends[1]);
  thread_ = std::thread([this] { watch(); });
}

PeerWatch::~PeerWatch() {
  while (::write(stopper_.number(), "", 1) < 0 && errno == EINTR) {
  }
  thread_.join();
}

void PeerWatch::part() {
  for (const FileDescriptor& connection : connections_)
    ::send(connection.number(), &kParting, 1, MSG_NOSIGNAL);
}

bool PeerWatch::stopped_within(int milliseconds) const {
  pollfd entry = {stop_.number(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

void PeerWatch::watch() {
  std::vector<pollfd> entries = {{stop_.number(), POLLIN, 0}};
  for (const FileDescriptor& connection : connections_)
    entries.push_back({connection.number(), POLLIN, 0});
  for (;;) {
    if (::poll(entries.data(), entries.size(), -1) < 0) continue;  // EINTR
    if (entries[0].revents != 0) return;
    for (size_t i = 1; i < entries.size(); ++i) {
      if (entries[i].revents == 0) continue;
      if (!is_lost(entries[i].fd)) {
        entries[i].fd = -1;  // parted; poll() ignores it
        continue;
      }
      // The main thread usually notices first and ends with its own reason.
      if (stopped_within(kGrace)) return;
      const auto lock = hold();
      if (may_report()) lost_();
      return;
    }
  }
}

}  // namespace dietmt::training
