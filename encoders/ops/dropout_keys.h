// Which elements dropout drops. training/loop/trainer.cpp makes the key of a forward pass from the
// run's seed and the number of the update, so a resumed run drops what it would have dropped.
#pragma once

#include <cstdint>

#include "common/random.h"

namespace dietmt::encoders {

/// One place of a forward pass where dropout applies: probability and key (kernels/dropout.h) of
/// the dropped elements. p = 0: none.
struct DropoutSite {
  double p = 0.0;
  uint64_t key = 0;
};

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
