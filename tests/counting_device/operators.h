// The operators of LibTorch that the counting device needs to know itself: memory, views, copies.
// All others run on the mirror (fallback.h).
#pragma once

namespace dietmt::counting {

/// Called once.
void register_operators();

/// LibTorch's autocast on the device, with its lists for CUDA.
void register_autocast();

}  // namespace dietmt::counting
