// Where the processes of a training find each other, kept by the one that has started them.
#pragma once

#include <cstdint>
#include <memory>

namespace dietmt::training {

class MeetingPlace {
 public:
  /// Listens at a free port of this machine. Throws Error if that is impossible.
  MeetingPlace();
  ~MeetingPlace();
  MeetingPlace(const MeetingPlace&) = delete;
  MeetingPlace& operator=(const MeetingPlace&) = delete;

  int64_t port() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dietmt::training
