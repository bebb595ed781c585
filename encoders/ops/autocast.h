// Mixed precision on LibTorch's autocast.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace dietmt::encoders {

/// Matrix products in bfloat16 while in scope, if `enabled`.
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

/// No such products while in scope: in bfloat16, tables of a few numbers per head lose accuracy and
/// save nothing.
class WithoutAutocast {
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

}  // namespace dietmt::encoders
