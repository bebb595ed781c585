#include "interchange/huggingface/bert_huggingface.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "data/text/sentencepiece_bert.h"
#include "encoders/bert/bert_config.h"
#include "encoders/weights/safetensors.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/encoder_names.h"
#include "interchange/huggingface/tokenizer_json.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/weights.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using encoders::Bert;
using encoders::BertConfig;
using nlohmann::json;

class Filling {
 public:
  /// `new_positions`: the model may have another position encoding than the file.
  Filling(fs::path directory, TensorsByName tensors, const EncoderFamily& family,
          bool new_positions)
      : directory_(directory),
        tensors_(std::move(directory), std::move(tensors)),
        prefix_(family.prefix),
        decoder_(family.masked_lm_decoder),
        new_positions_(new_positions) {
    // Buffers, and copies of tied parameters.
    for (const char* name : {"embeddings.position_ids", "embeddings.token_type_ids"})
      tensors_.ignore(prefix_ + name);
    for (const char* kind : {".weight", ".bias"}) tensors_.ignore(decoder_ + kind);
  }

  ForeignTensors& tensors() { return tensors_; }

  void fill(Bert& model, const std::vector<Correspondence>& correspondences) {
    const torch::NoGradGuard no_grad;
    auto parameters = model.named_parameters();
    std::set<std::string> filled;
    for (const Correspondence& row : correspondences) {
      const std::vector<Tensor> parts = take(row);
      Tensor* parameter = parameters.find(row.ours);
      // No parameter: the position encoding was replaced.
      if (parameter == nullptr || parts.size() < row.theirs.size()) continue;
      if (fits(row, parts, *parameter)) filled.insert(row.ours);
    }
    if (!missing_.empty()) tensors_.fail("has no tensor " + shortened(missing_));
    std::vector<std::string> drawn;
    for (const auto& item : parameters)
      if (!filled.contains(item.key())) drawn.push_back(item.key());
    if (!drawn.empty())
      spdlog::info("{}: these parameters are not in the file in this shape and start at random: {}",
                   directory_.string(), shortened(drawn));
    tensors_.warn_of_others();
  }

  /// Throws unless the file's output layer equals its embeddings.
  void check_tied_decoder() const {
    const TensorsByName& all = tensors_.all();
    const auto decoder = all.find(decoder_ + ".weight");
    const auto embedding = all.find(prefix_ + "embeddings.word_embeddings.weight");
    if (decoder == all.end() || embedding == all.end()) return;
    if (!at::equal(decoder->second, embedding->second))
      tensors_.fail("has a separate output layer, " + decoder_ +
                    ".weight; dietmt supports only one tied to the word embeddings");
  }

 private:
  /// Whether the parameter may start at random: one of a head or of a replaced encoding.
  bool may_lack(const Correspondence& row) const {
    const bool of_positions = row.ours.find(".position.") != std::string::npos;
    return !row.ours.starts_with("encoder.") || (new_positions_ && of_positions);
  }

  /// The tensors that exist. Required ones that are missing are added to missing_.
  std::vector<Tensor> take(const Correspondence& row) {
    std::vector<Tensor> parts;
    for (const std::string& name : row.theirs) {
      if (tensors_.contains(name))
        parts.push_back(tensors_.take(name));
      else if (!may_lack(row))
        missing_.push_back(name);
    }
    return parts;
  }

  /// Copies the tensors. Returns false if their shape differs but they may start at random.
  bool fits(const Correspondence& row, const std::vector<Tensor>& parts, Tensor& parameter) const {
    const Tensor joined = tensors_.join(row, parts);
    if (joined.sizes() == parameter.sizes()) {
      parameter.copy_(joined);
      return true;
    }
    if (may_lack(row)) return false;
    tensors_.fail("tensor " + shortened(row.theirs) + " makes a parameter of shape " +
                  storage::shape_text(joined.sizes()) + ", but config.json says " +
                  storage::shape_text(parameter.sizes()));
  }

  fs::path directory_;
  ForeignTensors tensors_;
  std::string prefix_, decoder_;  // of the family
  bool new_positions_;
  std::vector<std::string> missing_;
};

/// Drops rows of positions that no token has.
void drop_unused_positions(TensorsByName& tensors, const EncoderDescription& description) {
  const auto table = tensors.find(position_table(description.family->prefix));
  if (table != tensors.end() && table->second.dim() == 2)
    table->second = table->second.slice(0, description.first_position);
}

}  // namespace

std::shared_ptr<Bert> import_huggingface(const fs::path& directory, const ImportOptions& options) {
  const fs::path file = directory / "config.json";
  EncoderDescription description = read_encoder_description(file);
  const EncoderFamily& family = *description.family;
  BertConfig& config = description.config;
  TensorsByName tensors = with_modern_names(load_weights(directory), family);
  drop_unused_positions(tensors, description);
  Filling filling(directory, std::move(tensors), family, !options.position.empty());
  config.task_heads =
      options.heads.value_or(heads_of(filling.tensors().all(), family, read_json_object(file)));
  // Models with relative keys have an unused table of absolute positions.
  if (config.position != "learned") filling.tensors().ignore(position_table(family.prefix));
  if (config.task_heads.masked_lm) filling.check_tied_decoder();
  const std::vector<Correspondence> correspondences = model_names(config, family);
  if (!options.position.empty()) config.position = options.position;
  const auto model = std::make_shared<Bert>(config, options.seed);
  filling.fill(*model, correspondences);
  model->eval();
  return model;
}

void export_huggingface(const fs::path& directory, const Bert& model,
                        const data::BertTokenizer* tokenizer,
                        const std::vector<std::string>& labels) {
  const BertConfig& config = model.config();
  const bool is_roberta = tokenizer != nullptr && tokenizer->special().separators == 2;
  const EncoderFamily& family = is_roberta ? roberta_family() : bert_family();
  json description = is_roberta ? to_xlm_roberta_config(config, tokenizer->special(), labels)
                                : to_bert_config(config, labels);
  if (tokenizer != nullptr) description["pad_token_id"] = tokenizer->special().pad;
  const auto parameters = model.named_parameters();
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const Correspondence& row : model_names(config, family)) {
    const std::vector<Tensor> parts =
        split(parameters[row.ours].detach(), row.joining, row.theirs.size());
    for (size_t i = 0; i < parts.size(); ++i) tensors.emplace_back(row.theirs[i], parts[i]);
  }
  // transformers expects these tables in every model; zeros have no effect.
  if (config.position != "learned")
    tensors.emplace_back(position_table(family.prefix),
                         at::zeros({config.max_positions, config.width}));
  if (config.segment_encoding == "none")
    tensors.emplace_back(segment_table(family.prefix), at::zeros({config.segments, config.width}));
  if (is_roberta)
    for (auto& [name, tensor] : tensors)
      if (name == position_table(family.prefix))
        tensor = at::cat({at::zeros({tokenizer->special().pad + 1, config.width}), tensor});
  write_file_atomically(directory / "config.json", description.dump(2) + "\n");
  encoders::save_safetensors(directory / storage::kSafetensorsFile, tensors, {{"format", "pt"}});
  if (tokenizer == nullptr) return;
  tokenizer->save(directory);
  const fs::path model_file = directory / data::kSentencePieceFile;
  if (fs::exists(model_file))
    write_tokenizer_json(directory, read_file(model_file), tokenizer->special(),
                         config.max_positions);
}

}  // namespace dietmt::interchange
