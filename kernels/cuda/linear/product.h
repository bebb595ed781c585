// Matrix products of cuBLASLt with their epilogues. Matrices are stored by columns, as the library
// wants them: D [m, n] = A [m, k] B [k, n] (+ D), with A or B transposed on demand.
//
// The library's choice of an algorithm is remembered for each shape, type, epilogue and alignment.
// It is the same in every run on one kind of device; algorithms whose blocks add to the output in
// turns are excluded, so results are the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/attention.h"

namespace dietmt::kernels {

enum class Storage { kPlain, kTransposed };

enum class Epilogue {
  kNone,
  kRelu,
  kBias,             // of D's rows, read
  kReluBias,         // of D's rows, then ReLU
  kBiasGradientOfB,  // sums over k of B's columns [n], written in D's type
};

struct ProductInput {
  const void* data = nullptr;
  Storage storage = Storage::kPlain;
};

struct Product {
  ElementType input = ElementType::kFloat;   // of A and B
  ElementType output = ElementType::kFloat;  // of D
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  ProductInput a;
  ProductInput b;
  void* d = nullptr;
  bool add = false;  // to the contents of D
  Epilogue epilogue = Epilogue::kNone;
  void* bias = nullptr;
};

/// `workspace`: on the device, for the calls of one stream. `stream` is a cudaStream_t.
struct ProductMemory {
  void* workspace = nullptr;
  size_t bytes = 0;
  void* stream = nullptr;
};

/// What NVIDIA recommends for Hopper.
constexpr size_t kProductWorkspaceBytes = size_t{32} << 20;

enum class ProductResult { kDone, kNoAlgorithm };

/// Throws Error if the library fails.
ProductResult run_product(const Product& product, const ProductMemory& memory);

}  // namespace dietmt::kernels
