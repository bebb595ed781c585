// Why a request got no translation. What the decoder throws is passed on as it is.
#pragma once

#include <cstdint>
#include <string>

#include "common/error.h"

namespace dietmt::service {

/// More waits than the limits allow.
class QueueFull : public RequestError {
 public:
  /// `retry_after`: seconds until what waits now will be done, at the measured rate.
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

/// Its deadline passed.
class DeadlineExceeded : public RequestError {
 public:
  using RequestError::RequestError;
};

/// Nobody waits for the answer any more.
class ClientGone : public RequestError {
 public:
  using RequestError::RequestError;
};

}  // namespace dietmt::service
