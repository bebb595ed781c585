// LibTorch operators that the counting device must implement itself: memory, views, copies. All
// others run on the mirror (fallback.h).
#pragma once

namespace dietmt::counting {

/// Call it once.
void register_operators();

/// LibTorch's autocast on the device, with CUDA's lists.
void register_autocast();

}  // namespace dietmt::counting
