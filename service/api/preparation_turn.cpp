#include "service/api/preparation_turn.h"

#include <algorithm>
#include <thread>

namespace dietmt::service {
namespace {

Turns& turns() {
  static Turns all(std::max(1U, std::thread::hardware_concurrency()));
  return all;
}

}  // namespace

PreparationTurn::PreparationTurn(size_t bytes, const Patience& patience) {
  if (bytes > kLongBytes) turn_.emplace(turns().take(bytes, patience));
}

}  // namespace dietmt::service
