// Mixed precision on LibTorch's autocast.
#pragma once

#include <c10/core/DeviceType.h>

namespace dietmt::encoders {

/// Matrix products in bfloat16 while in scope; nothing if not `enabled`.
class Autocast {
 public:
  Autocast(c10::DeviceType device, bool enabled);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  bool enabled_;
};

}  // namespace dietmt::encoders
