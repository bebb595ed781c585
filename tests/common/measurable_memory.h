#pragma once

namespace dietmt {

/// The address sanitizer keeps freed memory, so memory in use means nothing there.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kMemoryIsMeasurable = false;
#else
constexpr bool kMemoryIsMeasurable = true;
#endif

}  // namespace dietmt
