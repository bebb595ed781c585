// Keys for the dropout sites of one forward pass.
#pragma once

#include <cstdint>

#include "common/random.h"

namespace dietmt::encoders {

/// Numbers the dropout sites of a forward pass in call order. A pass with the same seed key drops
/// the same elements. Functions that take a `DropoutKeys*` treat nullptr as "no dropout"
/// (evaluation).
class DropoutKeys {
 public:
  explicit DropoutKeys(uint64_t pass_key) : pass_key_(pass_key) {}
  uint64_t next() { return random_key(pass_key_, site_++); }

 private:
  uint64_t pass_key_;
  uint64_t site_ = 0;
};

}  // namespace dietmt::encoders
