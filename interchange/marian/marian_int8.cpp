#include "interchange/marian/marian_int8.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "common/error.h"
#include "data/shortlist/shortlist.h"
#include "interchange/marian/marian_config.h"
#include "interchange/marian/marian_names.h"
#include "interchange/marian/marian_shortlist.h"
#include "kernels/packed_linear.h"
#include "nmt/engine/aligned_buffer.h"
#include "nmt/engine/stored_weights.h"
#include "nmt/packing/engine_models.h"
#include "storage/safetensors_file.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using kernels::PackedWeights;
using kernels::WeightType;
using nmt::stored_name;

constexpr const char* kCandidateBias = "recurrence.candidate_bias";

/// Gives the engine Marian's integers by the names of our parameters.
class Int8Weights : public nmt::WeightSource {
 public:
  Int8Weights(const MarianBinary& file, const nmt::ModelConfig& config)
      : file_(file), output_(nmt::output_parameter(config)) {
    for (Correspondence& row : correspondences(config, marian_names()))
      theirs_[row.ours] = std::move(row.theirs);
  }

  PackedWeights matrix(const nmt::WeightRows& rows) override {
    const auto [place, added] = matrices_.try_emplace(stored_name(rows));
    if (added) place->second = packed(rows);
    return place->second;
  }

  const float* numbers(const std::string& parameter, int64_t count) override {
    std::vector<float>& kept = numbers_[parameter];
    if (!kept.empty()) return kept.data();
    for (const std::string& name : vectors_of(parameter)) {
      const std::vector<float> values = floats_of(name, find(name));
      kept.insert(kept.end(), values.begin(), values.end());
    }
    if (parameter.ends_with(kCandidateBias)) kept.resize(static_cast<size_t>(count));
    if (parameter == "output_bias") kept.push_back(kNever);  // for begin of sentence
    if (std::ssize(kept) != count)
      fail(parameter, "has " + std::to_string(kept.size()) + " numbers, but the model needs " +
                          std::to_string(count));
    if (const auto shift = shifts_.find(parameter); shift != shifts_.end())
      std::ranges::transform(kept, shift->second, kept.begin(), std::plus());
    return kept.data();
  }

  std::shared_ptr<const void> storage() const override { return nullptr; }

  /// Throws CheckpointError for weights that the model described by the options does not use.
  void require_all_used() const {
    for (const auto& [name, tensor] : file_.tensors())
      if (tensor.type == BinaryTensor::Type::kIntegers && !name.ends_with("_QuantMultA") &&
          !used_.contains(name))
        fail(name, std::string("is not part of the model that ") + kOptions + " describes");
  }

  std::vector<storage::TensorSource> tensors() const {
    std::vector<storage::TensorSource> all;
    for (const auto& [name, matrix] : matrices_) nmt::append_stored(name, matrix, all);
    for (const auto& [name, values] : numbers_)
      all.push_back(storage::tensor_in_memory(name, "F32", {std::ssize(values)}, values.data(),
                                              values.size() * sizeof(float)));
    return all;
  }

 private:
  using Names = std::vector<std::string>;

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw CheckpointError(file_.path().string() + ": tensor '" + name + "' " + what);
  }

  std::vector<float> floats_of(const std::string& name, const BinaryTensor& tensor) const {
    if (tensor.type == BinaryTensor::Type::kBytes) fail(name, "is text, not numbers");
    return tensor.floats();
  }

  const BinaryTensor& find(const std::string& name) {
    const auto found = file_.tensors().find(name);
    if (found == file_.tensors().end()) fail(name, "is missing");
    used_.insert(name);
    return found->second;
  }

  Names vectors_of(const std::string& parameter) const {
    if (parameter == "output_bias") return {kOutputBias};
    if (parameter.ends_with(kCandidateBias)) return {};
    return theirs_.at(parameter);
  }

  /// Embeddings have several possible names; the file has one of them.
  Names matrices_of(const std::string& parameter) const {
    const auto layer = theirs_.find(parameter);
    if (layer != theirs_.end()) return layer->second;
    Names possible = {"decoder_Wemb", "Wemb"};
    if (parameter == "source_embedding") possible = {"encoder_Wemb", "Wemb"};
    if (parameter == "output_weight") possible = {"decoder_ff_logit_out_W"};
    const auto exists = [&](const std::string& name) { return file_.tensors().contains(name); };
    const auto found = std::ranges::find_if(possible, exists);
    if (found == possible.end()) fail(possible.back(), "is missing");
    return {*found};
  }

  /// Multiplier of a layer's inputs; 0 if the file has none, or an empty one.
  float input_multiplier(const std::string& name, bool is_output) const {
    for (const std::string& stored :
         {std::string(is_output ? "none_QuantMultA" : ""), name + "_QuantMultA"}) {
      const auto found = file_.tensors().find(stored);
      if (found == file_.tensors().end()) continue;
      const std::vector<float> values = floats_of(stored, found->second);
      // Models with two vocabularies have an empty one.
      if (values.empty() || (values.size() == 1 && values.front() == 0.0F)) continue;
      if (values.size() != 1 || !std::isfinite(values.front()) || values.front() < 0.0F)
        fail(stored, "is not a positive number");
      return values.front();
    }
    return 0.0F;
  }

  template <typename T>
  T* allocate(int64_t count) {
    nmt::MemoryBlock& block = memory_.emplace_back();
    block.resize(static_cast<size_t>(count) * sizeof(T));
    return static_cast<T*>(block.data());
  }

  struct Integers {
    std::vector<int8_t> rows;
    std::vector<float> multipliers;  // per row
    float of_inputs = 0.0F;          // multiplier; 0: none
  };

  /// All rows of a parameter.
  Integers gather(const nmt::WeightRows& wanted) {
    const bool in_layer = theirs_.contains(wanted.parameter);
    Integers all;
    for (const std::string& name : matrices_of(wanted.parameter)) {
      const BinaryTensor& tensor = find(name);
      // Embeddings are [vocabulary, width], all others [inputs, outputs].
      const size_t side = name.ends_with("Wemb") ? 1 : 0;
      if (tensor.type != BinaryTensor::Type::kIntegers || tensor.shape.size() != 2 ||
          tensor.shape[side] != wanted.inputs)
        fail(name, "has shape " + storage::shape_text(tensor.shape) +
                       ", or does not hold integers; expected " + std::to_string(wanted.inputs) +
                       " inputs");
      const std::span<const int8_t> part = tensor.integers();
      if (std::ranges::find(part, int8_t{-128}) != part.end()) fail(name, "holds -128");
      float of_inputs = 0.0F;
      if (in_layer || wanted.parameter == output_)
        of_inputs = input_multiplier(name, wanted.parameter == output_);
      if (!all.rows.empty() && of_inputs != all.of_inputs)
        fail(name, "has another input multiplier than the weights that share its input");
      all.of_inputs = of_inputs;
      all.rows.insert(all.rows.end(), part.begin(), part.end());
      const float multiplier = tensor.multiplier();
      if (!std::isfinite(multiplier) || !(multiplier > 0.0F))
        fail(name, "has a multiplier that is not a positive number");
      all.multipliers.resize(all.rows.size() / static_cast<size_t>(wanted.inputs), multiplier);
    }
    // Begin of sentence.
    if (!in_layer && std::ssize(all.multipliers) == wanted.rows - 1) {
      all.rows.resize(all.rows.size() + static_cast<size_t>(wanted.inputs));
      all.multipliers.push_back(all.multipliers.back());
    }
    if (std::ssize(all.multipliers) != wanted.rows)
      fail(wanted.parameter, "has " + std::to_string(all.multipliers.size()) +
                                 " rows, but the model needs " + std::to_string(wanted.rows));
    return all;
  }

  PackedWeights packed(const nmt::WeightRows& rows) {
    const Integers all = gather(rows);
    auto* panels = allocate<uint8_t>(
        static_cast<int64_t>(kernels::packed_bytes(WeightType::kInt8, rows.outputs, rows.inputs)));
    auto* sums = allocate<int32_t>(rows.outputs);
    kernels::pack_integers(rows.outputs, rows.inputs, all.rows.data() + rows.first * rows.inputs,
                           panels, sums);
    const std::span multipliers(all.multipliers.data() + rows.first,
                                static_cast<size_t>(rows.outputs));
    auto* row_scales = allocate<float>(rows.outputs);
    std::ranges::transform(multipliers, row_scales, [](float m) { return 1.0F / m; });
    PackedWeights made{WeightType::kInt8, rows.outputs, rows.inputs, panels, row_scales, sums};
    if (all.of_inputs == 0.0F) return made;
    // 127 is added to the inputs, and the bias compensates. The operations and their order are
    // Marian's, since each one rounds.
    auto* scales = allocate<float>(rows.outputs);
    std::vector<float>& shifts = shifts_[bias_of(rows)];
    for (size_t n = 0; n < multipliers.size(); ++n) {
      const float unit = -1.0F * ((127.0F / all.of_inputs) * (127.0F / multipliers[n])) / 127.0F;
      shifts.push_back(static_cast<float>(sums[n]) * unit);
      scales[n] = 1.0F / (all.of_inputs * multipliers[n]);
      sums[n] = 0;
    }
    made.scales = scales;
    made.input_multiplier = all.of_inputs;
    if (!theirs_.contains(rows.parameter)) made.row_scales = row_scales;
    return made;
  }

  /// The parameter that is added to the outputs of a matrix.
  static std::string bias_of(const nmt::WeightRows& rows) {
    const std::string layer = rows.parameter.substr(0, rows.parameter.rfind('.') + 1);
    if (layer.empty()) return "output_bias";
    if (layer.ends_with("recurrence."))
      return layer + (rows.first == 0 ? "candidate_bias" : "forget_bias");
    return rows.parameter.substr(0, rows.parameter.rfind('_')) + "_bias";
  }

  const MarianBinary& file_;
  const std::string output_;             // the parameter of the output layer
  std::map<std::string, Names> theirs_;  // by our names
  std::map<std::string, PackedWeights> matrices_;
  std::map<std::string, std::vector<float>> numbers_;
  std::set<std::string> used_;
  std::map<std::string, std::vector<float>> shifts_;  // to add to parameters, by their names
  std::vector<nmt::MemoryBlock> memory_;
};

MarianOptions options_of(const MarianBinary& weights) {
  const auto found = weights.tensors().find(kOptions);
  if (found == weights.tensors().end())
    throw CheckpointError(weights.path().string() + ": " + kOptions + " is missing");
  return marian_options(std::string(found->second.data), weights.path().string());
}

// The only file in `directory` whose name begins and ends like this; empty if there is none.
fs::path find_file(const fs::path& directory, const std::string& begin, const std::string& end) {
  fs::path found;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    if (!found.empty())
      throw DataError(
          directory.string() + ": has " + found.filename().string() + " and " + name +
          "; name the files: --from model.bin --vocabulary vocab.spm --shortlist lex.bin");
    found = entry.path();
  }
  return found;
}

}  // namespace

MarianFiles find_marian_files(const fs::path& directory) {
  MarianFiles files;
  files.weights = find_file(directory, "model", ".bin");
  if (files.weights.empty())
    throw DataError(directory.string() + ": there is neither config.json nor model*.bin");
  files.shortlist = find_file(directory, "lex", ".bin");
  const fs::path joint = find_file(directory, "vocab", ".spm");
  if (!joint.empty()) {
    files.vocabularies = {joint};
    return files;
  }
  for (const char* side : {"srcvocab", "trgvocab"}) {
    files.vocabularies.push_back(find_file(directory, side, ".spm"));
    if (files.vocabularies.back().empty())
      throw DataError(directory.string() + ": there is neither vocab*.spm nor " + side + "*.spm");
  }
  return files;
}

void import_marian_int8(const MarianBinary& weights, const MarianFiles& files,
                        const fs::path& directory) {
  nmt::ModelConfig config = marian_model_config(options_of(weights), files.weights.string());
  auto source = marian_tokenizer(files, 0, config.source_vocabulary++);
  auto target = marian_tokenizer(files, 1, config.target_vocabulary++);
  check_vocabularies(files, config, *source, *target);
  if (source->serialized() == target->serialized()) target = source;

  Int8Weights int8(weights, config);
  const auto assembled = nmt::assemble_weights(config, int8);
  int8.require_all_used();
  storage::write_safetensors(directory / storage::kSafetensorsFile, int8.tensors());
  nmt::write_description(directory, config, *source, *target, "int8");
  nmt::write_positions(directory, config, *assembled);
  if (files.shortlist.empty()) return;
  const VocabularySizes sizes = {.source = source->vocabulary_size(),
                                 .target = target->vocabulary_size(),
                                 .shared = source == target};
  data::write_shortlist(directory / data::kShortlistFile,
                        read_marian_shortlist(files.shortlist, sizes), *source, *target);
}

}  // namespace dietmt::interchange
