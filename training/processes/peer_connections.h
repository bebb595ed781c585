// The connections of a training's processes to rank 0, which PeerWatch watches.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dietmt::training {

/// A file descriptor that is closed with its owner; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// How rank 0 tells the others its port and the token of this training: one text that only they can
/// read (a key of the training's store). `look_up` waits for it.
struct MeetingPoint {
  std::function<void(const std::string& text)> publish;
  std::function<std::string()> look_up;
};

/// Of rank 0, the connections of ranks 1, 2, ...; of another rank, its connection to rank 0, which
/// is found at `address`. Rank 0 closes connections that do not send the token and a missing rank,
/// so that port scans and other trainings do no harm. Throws PeerError if a rank does not come
/// within five minutes, or rank 0 does not accept this one.
std::vector<Descriptor> connect_peers(int64_t rank, int64_t processes, const std::string& address,
                                      const MeetingPoint& meeting);

}  // namespace dietmt::training
