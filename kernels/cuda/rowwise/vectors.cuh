// Rows of fp32, bf16 or fp16 elements, 16 bytes at a time. Where rows do not begin at 16 bytes
// (Rows::kRagged), the elements move one by one; columns past the end read as zeros.
#pragma once

#include <bit>
#include <type_traits>

#include "kernels/cuda/primitives.h"
#include "kernels/cuda/rowwise/row_arguments.h"

namespace dietmt::kernels {

DIETMT_DEVICE float to_float(float x) { return x; }

template <typename E>
DIETMT_DEVICE void unpack(const Words& words, float (&numbers)[kVector<E>]) {
  DIETMT_UNROLL
  for (int i = 0; i < 4; ++i) {
    if constexpr (std::is_same_v<E, float>) {
      numbers[i] = std::bit_cast<float>(words.of[i]);
    } else {
      numbers[2 * i] = low_float<E>(words.of[i]);
      numbers[2 * i + 1] = high_float<E>(words.of[i]);
    }
  }
}

template <typename E>
DIETMT_DEVICE Words packed(const float (&numbers)[kVector<E>]) {
  Words words;
  DIETMT_UNROLL
  for (int i = 0; i < 4; ++i) {
    if constexpr (std::is_same_v<E, float>) {
      words.of[i] = std::bit_cast<uint32_t>(numbers[i]);
    } else {
      words.of[i] = pack<E>(numbers[2 * i], numbers[2 * i + 1]);
    }
  }
  return words;
}

/// Element e of a vector as bits, and back.
template <typename E>
DIETMT_DEVICE uint32_t bits_of(const E& element) {
  if constexpr (std::is_same_v<E, float>) {
    return std::bit_cast<uint32_t>(element);
  } else {
    return element.bits;
  }
}

template <typename E>
DIETMT_DEVICE void put_element(E* to, const Words& words, int e) {
  if constexpr (std::is_same_v<E, float>) {
    to[e] = std::bit_cast<float>(words.of[e]);
  } else {
    to[e].bits = static_cast<uint16_t>(words.of[e / 2] >> (16 * (e % 2)));
  }
}

/// Columns column .. column + kVector - 1 of a row.
template <typename E>
DIETMT_DEVICE Words load_columns(const E* row, int column, int width, Rows rows) {
  Words words = {};
  if (rows == Rows::kVectors) {
    if (column < width) words = load_words(row + column);
    return words;
  }
  constexpr int kBits = 8 * static_cast<int>(sizeof(E));
  DIETMT_UNROLL
  for (int e = 0; e < kVector<E>; ++e) {
    if (column + e >= width) continue;
    words.of[e * kBits / 32] |= bits_of(row[column + e]) << (e * kBits % 32);
  }
  return words;
}

template <typename E>
DIETMT_DEVICE void store_columns(E* row, int column, int width, Rows rows, const Words& words) {
  if (rows == Rows::kVectors) {
    if (column < width) store_words(row + column, words);
    return;
  }
  DIETMT_UNROLL
  for (int e = 0; e < kVector<E>; ++e) {
    if (column + e < width) put_element(row + column, words, e);
  }
}

/// kCount numbers from `column` on of a parameter [width] in fp32; zeros without one.
template <int kCount>
DIETMT_DEVICE void load_parameter(float (&numbers)[kCount], const float* parameter, int column,
                                  int width, Rows rows) {
  DIETMT_UNROLL
  for (int i = 0; i < kCount; i += 4) {
    float four[4] = {};
    if (parameter != nullptr) {
      unpack<float>(load_columns(parameter, column + i, width, rows), four);
    }
    DIETMT_UNROLL
    for (int e = 0; e < 4; ++e) numbers[i + e] = four[e];
  }
}

}  // namespace dietmt::kernels
