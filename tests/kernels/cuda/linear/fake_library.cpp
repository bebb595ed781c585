#include "tests/kernels/cuda/linear/fake_library.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/linear/linear_cuda.h"
#include "kernels/cuda/rowwise/rowwise_cuda.h"
#include "tests/kernels/cuda/linear/linear_runner.h"

namespace dietmt::kernels {
namespace {

struct FakeDescription {
  cublasOperation_t a = CUBLAS_OP_N;
  cublasOperation_t b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* bias = nullptr;
};

/// A column-major matrix.
struct FakeLayout {
  cudaDataType_t type;
  int64_t rows;
  int64_t columns;
  int64_t stride;
};

struct FakeMatrix {
  const FakeLayout& layout;
  void* data;

  double at(int64_t row, int64_t column) const { return entry(column * layout.stride + row); }

  double entry(int64_t i) const {
    const auto* const words = static_cast<const uint16_t*>(data);
    if (layout.type == CUDA_R_32F) return static_cast<const float*>(data)[i];
    return layout.type == CUDA_R_16F ? to_float(Half{words[i]}) : to_float(BFloat16{words[i]});
  }

  void set_entry(int64_t i, double value) const {
    const auto number = static_cast<float>(value);
    auto* const words = static_cast<uint16_t*>(data);
    if (layout.type == CUDA_R_32F) {
      static_cast<float*>(data)[i] = number;
    } else if (layout.type == CUDA_R_16F) {
      words[i] = round_to(Half{}, number);
    } else {
      words[i] = round_to(BFloat16{}, number);
    }
  }

  void set(int64_t row, int64_t column, double value) const {
    set_entry(column * layout.stride + row, value);
  }
};

/// op(matrix).
struct FakeOperand {
  FakeMatrix matrix;
  cublasOperation_t operation;

  bool transposed() const { return operation == CUBLAS_OP_T; }
  int64_t rows() const { return transposed() ? matrix.layout.columns : matrix.layout.rows; }
  int64_t columns() const { return transposed() ? matrix.layout.rows : matrix.layout.columns; }
  double at(int64_t row, int64_t column) const {
    return transposed() ? matrix.at(column, row) : matrix.at(row, column);
  }
};

template <typename Fake, typename Opaque>
Fake* fake(Opaque* opaque) {
  return reinterpret_cast<Fake*>(opaque);
}

cudaDataType_t entry_type(ElementType type) {
  if (type == ElementType::kFloat) return CUDA_R_32F;
  return type == ElementType::kHalf ? CUDA_R_16F : CUDA_R_16BF;
}

bool fits(const FakeOperand& a, const FakeOperand& b, const FakeLayout& d) {
  return a.rows() == d.rows && b.columns() == d.columns && a.columns() == b.rows() &&
         a.matrix.layout.type == b.matrix.layout.type && d.stride == d.rows;
}

void multiply(const FakeDescription& description, const FakeOperand& a, const FakeOperand& b,
              float alpha, float beta, const FakeMatrix& d) {
  const auto is_one_of = [&](std::initializer_list<cublasLtEpilogue_t> epilogues) {
    return std::ranges::find(epilogues, description.epilogue) != epilogues.end();
  };
  const bool has_bias = is_one_of({CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS});
  const bool relu = is_one_of({CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS});
  const FakeMatrix bias{d.layout, description.bias};
  for (int64_t column = 0; column < d.layout.columns; ++column) {
    for (int64_t row = 0; row < d.layout.rows; ++row) {
      double sum = beta == 0.0f ? 0.0 : static_cast<double>(beta) * d.at(row, column);
      for (int64_t k = 0; k < b.rows(); ++k) {
        sum += static_cast<double>(alpha) * a.at(row, k) * b.at(k, column);
      }
      if (has_bias) sum += bias.entry(row);
      d.set(row, column, relu && sum < 0.0 ? 0.0 : sum);
    }
    if (description.epilogue != CUBLASLT_EPILOGUE_BGRADB) continue;
    double sum = 0.0;
    for (int64_t k = 0; k < b.rows(); ++k) sum += b.at(k, column);
    bias.set_entry(column, sum);
  }
}

}  // namespace

FakeLibrary& fake_library() {
  static FakeLibrary library;
  return library;
}

void column_sums_cuda(const DeviceColumnSums& call, const RowMemory&, void*, ColumnTarget target) {
  ++fake_library().column_sums;
  const FakeLayout layout{entry_type(call.type), call.width, call.rows, call.row_stride};
  const FakeMatrix x{layout, const_cast<void*>(call.x)};
  for (int64_t c = 0; c < call.width; ++c) {
    double sum = target == ColumnTarget::kAdd ? call.sums[c] : 0.0;
    for (int64_t r = 0; r < call.rows; ++r) sum += x.at(c, r);
    call.sums[c] = static_cast<float>(sum);
  }
}

bool run_linear_here(const DeviceLinear& call) { return linear_cuda(call, {}); }
void run_linear_here(const DeviceLinearBackward& call) { linear_backward_cuda(call, {}, {}); }

}  // namespace dietmt::kernels

using dietmt::kernels::fake_library;
using dietmt::kernels::FakeDescription;
using dietmt::kernels::FakeLayout;

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}

const char* cublasLtGetStatusString(cublasStatus_t) { return "a failure of the stand-in"; }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(&fake_library());
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
  if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  *description = reinterpret_cast<cublasLtMatmulDesc_t>(new FakeDescription);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete reinterpret_cast<FakeDescription*>(description);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t opaque,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  auto* const description = reinterpret_cast<FakeDescription*>(opaque);
  void* to = nullptr;
  size_t size = 4;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) to = &description->a;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) to = &description->b;
  if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE) to = &description->epilogue;
  if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER) {
    to = &description->bias;
    size = sizeof(void*);
  }
  if (to == nullptr || bytes != size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t stride) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(
      new FakeLayout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), stride});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<FakeLayout*>(layout);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new cublasLtMatmulPreferenceOpaque_t;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void*, size_t bytes) {
  const size_t expected = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES ? 8 : 4;
  return bytes == expected ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  ++fake_library().choices;
  const auto epilogue = reinterpret_cast<FakeDescription*>(description)->epilogue;
  *found = 0;
  if (fake_library().epilogues_without_algorithm.count(epilogue) != 0) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  *found = 1;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t opaque, const void* alpha,
                              const void* a_data, cublasLtMatrixLayout_t a_layout,
                              const void* b_data, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c_data, cublasLtMatrixLayout_t, void* d_data,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*,
                              size_t, cudaStream_t) {
  using namespace dietmt::kernels;
  ++fake_library().products;
  const auto& description = *fake<FakeDescription>(opaque);
  const FakeOperand a{{*fake<FakeLayout>(a_layout), const_cast<void*>(a_data)}, description.a};
  const FakeOperand b{{*fake<FakeLayout>(b_layout), const_cast<void*>(b_data)}, description.b};
  const FakeMatrix d{*fake<FakeLayout>(d_layout), d_data};
  if (!fits(a, b, d.layout) || c_data != d_data) return CUBLAS_STATUS_INVALID_VALUE;
  multiply(description, a, b, *static_cast<const float*>(alpha), *static_cast<const float*>(beta),
           d);
  return CUBLAS_STATUS_SUCCESS;
}
}
