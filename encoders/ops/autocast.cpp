#include "encoders/ops/autocast.h"

#include <ATen/autocast_mode.h>

namespace dietmt::encoders {

Autocast::Autocast(c10::DeviceType device, bool enabled) : device_(device), enabled_(enabled) {
  if (!enabled_) return;
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
}

Autocast::~Autocast() {
  if (!enabled_) return;
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, false);
}

}  // namespace dietmt::encoders
