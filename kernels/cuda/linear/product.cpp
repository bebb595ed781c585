#include "kernels/cuda/linear/product.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/error.h"

namespace dietmt::kernels {
namespace {

void require(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(std::string("cuBLASLt, ") + what + ": " + cublasLtGetStatusString(status));
}

cudaDataType_t data_type(ElementType type) {
  switch (type) {
    case ElementType::kBFloat16:
      return CUDA_R_16BF;
    case ElementType::kHalf:
      return CUDA_R_16F;
    default:
      return CUDA_R_32F;
  }
}

cublasLtEpilogue_t library_epilogue(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::kRelu:
      return CUBLASLT_EPILOGUE_RELU;
    case Epilogue::kBias:
      return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::kReluBias:
      return CUBLASLT_EPILOGUE_RELU_BIAS;
    case Epilogue::kBiasGradientOfB:
      return CUBLASLT_EPILOGUE_BGRADB;
    default:
      return CUBLASLT_EPILOGUE_DEFAULT;
  }
}

/// The largest power of two up to 256 that divides an address.
uint32_t alignment_of(const void* address) {
  uint32_t alignment = 256;
  while (reinterpret_cast<uintptr_t>(address) % alignment != 0) alignment /= 2;
  return alignment;
}

struct DestroyDescription {
  void operator()(cublasLtMatmulDesc_t description) const {
    cublasLtMatmulDescDestroy(description);
  }
};
struct DestroyLayout {
  void operator()(cublasLtMatrixLayout_t layout) const { cublasLtMatrixLayoutDestroy(layout); }
};
struct DestroyPreference {
  void operator()(cublasLtMatmulPreference_t preference) const {
    cublasLtMatmulPreferenceDestroy(preference);
  }
};
using Description =
    std::unique_ptr<std::remove_pointer_t<cublasLtMatmulDesc_t>, DestroyDescription>;
using Layout = std::unique_ptr<std::remove_pointer_t<cublasLtMatrixLayout_t>, DestroyLayout>;
using Preference =
    std::unique_ptr<std::remove_pointer_t<cublasLtMatmulPreference_t>, DestroyPreference>;

template <typename Value>
void set(const Description& description, cublasLtMatmulDescAttributes_t attribute, Value value) {
  require(cublasLtMatmulDescSetAttribute(description.get(), attribute, &value, sizeof value),
          "an attribute of a product");
}

template <typename Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute,
         Value value) {
  require(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value),
          "a preference of a product");
}

Layout stored(ElementType type, int64_t rows, int64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  require(cublasLtMatrixLayoutCreate(&layout, data_type(type), static_cast<uint64_t>(rows),
                                     static_cast<uint64_t>(columns), rows),
          "the layout of a matrix");
  return Layout(layout);
}

Layout stored_input(ElementType type, Storage storage, int64_t rows, int64_t columns) {
  return storage == Storage::kPlain ? stored(type, rows, columns) : stored(type, columns, rows);
}

/// A product without its pointers.
struct PreparedProduct {
  Description description;
  Layout a, b, d;
  cublasLtMatmulHeuristicResult_t choice = {};
  bool has_algorithm = false;
};

using ProductKey = std::array<int64_t, 14>;

ProductKey key_of(const Product& product, const ProductMemory& memory, int device) {
  const auto number = [](auto value) { return static_cast<int64_t>(value); };
  return {device,
          number(product.input),
          number(product.output),
          product.m,
          product.n,
          product.k,
          number(product.a.storage) * 2 + number(product.b.storage),
          product.add ? 1 : 0,
          number(product.epilogue),
          alignment_of(product.a.data),
          alignment_of(product.b.data),
          alignment_of(product.d),
          product.bias == nullptr ? 0 : alignment_of(product.bias),
          number(memory.bytes)};
}

void set_bias(const Description& description, const Product& product) {
  if (product.bias != nullptr) {
    set(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias);
  }
}

PreparedProduct prepare(cublasLtHandle_t handle, const Product& product,
                        const ProductMemory& memory) {
  PreparedProduct prepared;
  cublasLtMatmulDesc_t description = nullptr;
  require(cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F),
          "the description of a product");
  prepared.description.reset(description);
  const auto operation = [](Storage storage) {
    return storage == Storage::kPlain ? CUBLAS_OP_N : CUBLAS_OP_T;
  };
  set(prepared.description, CUBLASLT_MATMUL_DESC_TRANSA, operation(product.a.storage));
  set(prepared.description, CUBLASLT_MATMUL_DESC_TRANSB, operation(product.b.storage));
  set(prepared.description, CUBLASLT_MATMUL_DESC_EPILOGUE, library_epilogue(product.epilogue));
  // The choice looks at this address.
  set_bias(prepared.description, product);
  prepared.a = stored_input(product.input, product.a.storage, product.m, product.k);
  prepared.b = stored_input(product.input, product.b.storage, product.k, product.n);
  prepared.d = stored(product.output, product.m, product.n);

  cublasLtMatmulPreference_t created = nullptr;
  require(cublasLtMatmulPreferenceCreate(&created), "the preferences of a product");
  const Preference preference(created);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{memory.bytes});
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(product.a.data));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(product.b.data));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(product.d));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(product.d));
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, prepared.description.get(), prepared.a.get(), prepared.b.get(), prepared.d.get(),
      prepared.d.get(), preference.get(), 1, &prepared.choice, &found);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED) require(status, "the choice of an algorithm");
  prepared.has_algorithm = status == CUBLAS_STATUS_SUCCESS && found > 0 &&
                           prepared.choice.state == CUBLAS_STATUS_SUCCESS;
  return prepared;
}

/// The library's handles of all devices, and the products that it has prepared.
class Products {
 public:
  ProductResult run(const Product& product, const ProductMemory& memory) {
    const std::lock_guard lock(mutex_);
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) throw Error("no CUDA device");
    cublasLtHandle_t& handle = handles_[device];
    if (handle == nullptr) require(cublasLtCreate(&handle), "starting the library");
    const PreparedProduct& prepared = find(handle, product, memory, device);
    if (!prepared.has_algorithm) return ProductResult::kNoAlgorithm;
    set_bias(prepared.description, product);
    const float alpha = 1.0f;
    const float beta = product.add ? 1.0f : 0.0f;
    require(
        cublasLtMatmul(handle, prepared.description.get(), &alpha, product.a.data, prepared.a.get(),
                       product.b.data, prepared.b.get(), &beta, product.d, prepared.d.get(),
                       product.d, prepared.d.get(), &prepared.choice.algo, memory.workspace,
                       memory.bytes, static_cast<cudaStream_t>(memory.stream)),
        "a product");
    return ProductResult::kDone;
  }

 private:
  // Batches of any number of tokens would otherwise fill the memory.
  static constexpr size_t kMostPrepared = 8192;

  const PreparedProduct& find(cublasLtHandle_t handle, const Product& product,
                              const ProductMemory& memory, int device) {
    const ProductKey key = key_of(product, memory, device);
    const auto known = prepared_.find(key);
    if (known != prepared_.end()) return known->second;
    if (prepared_.size() >= kMostPrepared) prepared_.clear();
    return prepared_.emplace(key, prepare(handle, product, memory)).first->second;
  }

  std::mutex mutex_;
  std::map<int, cublasLtHandle_t> handles_;
  std::map<ProductKey, PreparedProduct> prepared_;
};

}  // namespace

ProductResult run_product(const Product& product, const ProductMemory& memory) {
  // Never destroyed: the library may be gone when the program ends.
  static Products& products = *new Products;
  return products.run(product, memory);
}

}  // namespace dietmt::kernels
