// What the tests of the kernels of a decoding step share: the launcher, and numbers of a type.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "common/random.h"
#include "kernels/cuda/primitives.h"
#include "kernels/cuda/step/vectors.cuh"

namespace dietmt::kernels {

struct StepLauncher {
  HostSchedule schedule;

  template <typename Block>
  void launch(BlockIndex grid, const typename Block::Arguments& arguments) {
    run_on_host(
        grid, Block::shared_bytes(arguments), schedule,
        [&](BlockIndex block, char* shared) { Block::run(arguments, block, shared); },
        block_threads<Block>());
  }
};

/// Numbers of type E at an address that 16 divides, and their values.
template <typename E>
class Numbers {
 public:
  Numbers(size_t count, Random& random) {
    for (size_t i = 0; i < count; ++i) set(static_cast<float>(2.0 * random.uniform() - 1.0));
  }
  explicit Numbers(size_t count) {
    for (size_t i = 0; i < count; ++i) set(std::numeric_limits<float>::quiet_NaN());
  }

  E* data() { return reinterpret_cast<E*>(words_.data()); }
  double operator[](int64_t i) const {
    return element_value(reinterpret_cast<const E*>(words_.data())[i]);
  }

 private:
  void set(float value) {
    words_.resize((size_ * sizeof(E)) / sizeof(Words) + 1);
    if constexpr (std::is_same_v<E, float>)
      data()[size_++] = value;
    else
      data()[size_++] = E{static_cast<uint16_t>(pack<E>(value, 0.0f) & 0xffffU)};
  }

  std::vector<Words> words_;
  size_t size_ = 0;
};

template <typename E>
constexpr ElementType type_of() {
  if constexpr (std::is_same_v<E, float>) return ElementType::kFloat;
  if constexpr (std::is_same_v<E, BFloat16>) return ElementType::kBFloat16;
  return ElementType::kHalf;
}

}  // namespace dietmt::kernels
