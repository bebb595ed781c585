#include "nmt/engine/repack.h"

#include <map>
#include <utility>
#include <vector>

#include "common/files.h"
#include "nmt/engine/aligned_buffer.h"
#include "nmt/engine/stored_positions.h"
#include "nmt/engine/stored_weights.h"

namespace dietmt::nmt {
namespace {

namespace fs = std::filesystem;
using kernels::PackedWeights;
using kernels::WeightType;

// Packs each matrix again when it is read; numbers stay where they are.
class RepackedWeights : public WeightSource {
 public:
  RepackedWeights(StoredWeights& stored, WeightType type) : stored_(stored), type_(type) {}

  PackedWeights matrix(const WeightRows& rows) override {
    const auto [place, added] = matrices_.try_emplace(stored_name(rows));
    if (added) place->second = packed(stored_.matrix(rows));
    return place->second;
  }
  const float* numbers(const std::string& parameter, int64_t count) override {
    return stored_.numbers(parameter, count);
  }
  std::shared_ptr<const void> storage() const override { return stored_.storage(); }

  /// By stored_name(); they live as long as this.
  const std::map<std::string, PackedWeights>& matrices() const { return matrices_; }

 private:
  template <typename T>
  T* allocate(int64_t count) {
    MemoryBlock& block = memory_.emplace_back();
    block.resize(static_cast<size_t>(count) * sizeof(T));
    return static_cast<T*>(block.data());
  }

  PackedWeights packed(const PackedWeights& from) {
    std::vector<float> full(static_cast<size_t>(from.outputs * from.inputs));
    for (int64_t n = 0; n < from.outputs; ++n)
      kernels::unpack_output(from, n, full.data() + n * from.inputs);
    auto* panels = allocate<uint8_t>(
        static_cast<int64_t>(kernels::packed_bytes(type_, from.outputs, from.inputs)));
    const bool integers = type_ == WeightType::kInt8;
    float* scales = integers ? allocate<float>(from.outputs) : nullptr;
    int32_t* sums = integers ? allocate<int32_t>(from.outputs) : nullptr;
    kernels::pack_weights(type_, from.outputs, from.inputs, full.data(), from.inputs, panels,
                          scales, sums);
    return {type_, from.outputs, from.inputs, panels, scales, sums};
  }

  StoredWeights& stored_;
  WeightType type_;
  std::map<std::string, PackedWeights> matrices_;
  std::vector<MemoryBlock> memory_;
};

}  // namespace

void repack(const fs::path& directory, const ModelFiles& model, const std::string& type) {
  if (model.quantization != "fp32") model.require_full_weights();
  const storage::SafetensorsFile file = storage::open_safetensors(model.weights());
  StoredWeights stored(file, model.weights().string(), WeightType::kFloat);
  RepackedWeights repacked(stored, parse_weight_type(type));
  assemble_weights(model.config, repacked);

  std::vector<storage::TensorSource> tensors;
  for (const auto& [name, view] : file.tensors) {
    const auto matrix = repacked.matrices().find(name);
    if (matrix == repacked.matrices().end())
      tensors.push_back(
          storage::tensor_in_memory(name, view.dtype, view.shape, view.data, view.bytes));
    else
      append_stored(name, matrix->second, tensors);
  }
  storage::write_safetensors(directory / storage::kSafetensorsFile, std::move(tensors));
  write_description(directory, model.config, *model.tokenizers.source, *model.tokenizers.target,
                    type);
  const fs::path positions = model.directory / kPositionsFile;
  if (!fs::exists(positions)) return;
  require_intact(positions);
  write_file_atomically(directory / kPositionsFile, read_file(positions));
}

}  // namespace dietmt::nmt
