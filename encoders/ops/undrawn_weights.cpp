#include "encoders/ops/undrawn_weights.h"

#include <utility>

namespace dietmt::encoders {
namespace {

thread_local bool leaves_undrawn = false;

}  // namespace

UndrawnWeights::UndrawnWeights() : before_(std::exchange(leaves_undrawn, true)) {}

UndrawnWeights::~UndrawnWeights() { leaves_undrawn = before_; }

bool UndrawnWeights::applies() { return leaves_undrawn; }

}  // namespace dietmt::encoders
