// Why a request got no translation. Exceptions of the decoder are passed on unchanged.
#pragma once

#include <cstdint>
#include <string>

#include "common/error.h"

namespace dietmt::service {

/// The queue has reached its limit.
class QueueFull : public RequestError {
 public:
  /// `retry_after`: seconds until the waiting work will be done, at the measured rate.
  QueueFull(const std::string& message, int64_t retry_after)
      : RequestError(message), retry_after_(retry_after) {}
  int64_t retry_after() const { return retry_after_; }

 private:
  int64_t retry_after_;
};

/// The server is draining, or the model cannot be loaded; `retry_after` in seconds.
class Unavailable : public RequestError {
 public:
  Unavailable(const std::string& message, int64_t retry_after)
      : RequestError(message), retry_after_(retry_after) {}
  int64_t retry_after() const { return retry_after_; }

 private:
  int64_t retry_after_;
};

/// The request was not finished by its deadline.
class DeadlineExceeded : public RequestError {
 public:
  using RequestError::RequestError;
};

/// The client closed its connection.
class ClientGone : public RequestError {
 public:
  using RequestError::RequestError;
};

}  // namespace dietmt::service
