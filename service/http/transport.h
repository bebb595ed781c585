// The bytes of one connection, in the clear or through TLS. No call waits.
#pragma once

#include <cstddef>
#include <memory>

#include "common/file_descriptor.h"

namespace dietmt::service {

struct IoResult {
  enum class State { kMoved, kWantsRead, kWantsWrite, kClosed };
  State state = State::kClosed;
  size_t bytes = 0;  // above 0 if kMoved, except for handshake()
};

class Transport {
 public:
  virtual ~Transport() = default;

  /// Before anything is read; kMoved when done.
  virtual IoResult handshake() = 0;

  /// `count` is at least 16384, so that a TLS record fits and none stays behind unseen.
  virtual IoResult read(char* to, size_t count) = 0;

  virtual IoResult write(const char* from, size_t count) = 0;

  /// Says that nothing more will be written.
  virtual void finish() = 0;

  virtual int socket() const = 0;
};

/// `socket`: connected and non-blocking.
std::unique_ptr<Transport> plain_transport(FileDescriptor socket);

}  // namespace dietmt::service
