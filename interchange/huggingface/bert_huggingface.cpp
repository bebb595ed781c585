#include "interchange/huggingface/bert_huggingface.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>
#include <torch/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/weights/safetensors.h"
#include "interchange/huggingface/bert_config.h"
#include "interchange/huggingface/bert_names.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using encoders::Bert;
using encoders::BertConfig;
using encoders::BertHeads;
using nlohmann::json;
using Tensors = std::map<std::string, Tensor>;

constexpr const char* kPositionTable = "bert.embeddings.position_embeddings.weight";
constexpr const char* kSegmentTable = "bert.embeddings.token_type_embeddings.weight";
constexpr const char* kDecoder = "cls.predictions.decoder.weight";
constexpr const char* kDecoderBias = "cls.predictions.decoder.bias";
constexpr const char* kBertOutputBias = "cls.predictions.bias";

/// With the prefix "bert." that files of the bare encoder lack, and without the old names of norms.
std::string modern_name(std::string name) {
  for (const char* part : {"embeddings.", "encoder.", "pooler."})
    if (name.starts_with(part)) name = "bert." + name;
  if (name.ends_with("LayerNorm.gamma")) name.replace(name.size() - 5, 5, "weight");
  if (name.ends_with("LayerNorm.beta")) name.replace(name.size() - 4, 4, "bias");
  return name;
}

Tensors with_modern_names(Tensors tensors) {
  Tensors renamed;
  for (auto& [name, tensor] : tensors) renamed[modern_name(name)] = std::move(tensor);
  if (!renamed.contains(kBertOutputBias) && renamed.contains(kDecoderBias))
    renamed[kBertOutputBias] = renamed[kDecoderBias];
  return renamed;
}

BertHeads heads_of(const Tensors& tensors, const json& config) {
  BertHeads heads;
  heads.pooler = tensors.contains("bert.pooler.dense.weight");
  heads.masked_lm = tensors.contains("cls.predictions.transform.dense.weight");
  heads.next_sentence = tensors.contains("cls.seq_relationship.weight");
  heads.spans = tensors.contains("qa_outputs.weight");
  // A classifier of tokens has the same name, and no pooler before it.
  const bool of_tokens =
      config.value("architectures", json::array()).dump().find("ForTokenClassification") !=
      std::string::npos;
  const auto classifier = tensors.find("classifier.weight");
  if (heads.pooler && !of_tokens && classifier != tensors.end())
    heads.classes = classifier->second.size(0);
  return heads;
}

/// "a, b, c and 12 more".
std::string list(const std::vector<std::string>& names) {
  constexpr size_t kShown = 6;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

/// Fills the parameters of a model from the tensors of a file.
class Filling {
 public:
  /// `new_positions`: the model's encoding of positions need not be that of the file.
  Filling(fs::path directory, Tensors tensors, bool new_positions)
      : directory_(std::move(directory)),
        tensors_(std::move(tensors)),
        new_positions_(new_positions) {
    for (const auto& [name, tensor] : tensors_) unused_.insert(name);
    // Not parameters, and the copies of tied ones.
    for (const char* name :
         {"bert.embeddings.position_ids", "bert.embeddings.token_type_ids", kDecoder, kDecoderBias})
      unused_.erase(name);
  }

  const Tensors& tensors() const { return tensors_; }

  void fill(Bert& model, const std::vector<BertCorrespondence>& correspondences) {
    const torch::NoGradGuard no_grad;
    auto parameters = model.named_parameters();
    std::set<std::string> filled;
    for (const BertCorrespondence& row : correspondences) {
      const std::vector<Tensor> parts = take(row);
      Tensor* parameter = parameters.find(row.ours);
      // An encoding of positions that another one replaces.
      if (parameter == nullptr || parts.size() < row.theirs.size()) continue;
      if (fits(row, parts, *parameter)) filled.insert(row.ours);
    }
    if (!missing_.empty()) fail("has no tensor " + list(missing_));
    std::vector<std::string> drawn;
    for (const auto& item : parameters)
      if (!filled.contains(item.key())) drawn.push_back(item.key());
    if (!drawn.empty())
      spdlog::info("{}: not in the file in this shape, so started anew: {}", directory_.string(),
                   list(drawn));
    const std::vector<std::string> unused(unused_.begin(), unused_.end());
    if (!unused.empty())
      spdlog::warn("{}: tensors without a place in the model: {}", directory_.string(),
                   list(unused));
  }

  void leave_out(const char* name) { unused_.erase(name); }

  /// The file's own output layer must be the embeddings.
  void check_tied_decoder() const {
    const auto decoder = tensors_.find(kDecoder);
    const auto embedding = tensors_.find("bert.embeddings.word_embeddings.weight");
    if (decoder == tensors_.end() || embedding == tensors_.end()) return;
    if (!at::equal(decoder->second, embedding->second))
      fail("has an output layer of its own, " + std::string(kDecoder) +
           "; here it is that of the word embeddings");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw CheckpointError(directory_.string() + ": " + what);
  }

  /// Whether the parameter may start anew: those of heads may, and replaced encodings.
  bool may_lack(const BertCorrespondence& row) const {
    const bool of_positions = row.ours.find(".position.") != std::string::npos;
    return !row.ours.starts_with("encoder.") || (new_positions_ && of_positions);
  }

  /// The tensors that are there; others are noted unless they may lack.
  std::vector<Tensor> take(const BertCorrespondence& row) {
    std::vector<Tensor> parts;
    for (const std::string& name : row.theirs) {
      const auto found = tensors_.find(name);
      if (found != tensors_.end()) {
        parts.push_back(found->second);
        unused_.erase(name);
      } else if (!may_lack(row)) {
        missing_.push_back(name);
      }
    }
    return parts;
  }

  /// Copies the tensors; false where they have another shape and may lack.
  bool fits(const BertCorrespondence& row, const std::vector<Tensor>& parts,
            Tensor& parameter) const {
    Tensor joined;
    try {
      joined = join(parts, row.joining);
    } catch (const c10::Error&) {
      fail("the shapes of " + list(row.theirs) + " do not fit together");
    }
    if (joined.sizes() == parameter.sizes()) {
      parameter.copy_(joined);
      return true;
    }
    if (may_lack(row)) return false;
    fail("tensor " + list(row.theirs) + " makes a parameter of shape " +
         storage::shape_text(joined.sizes()) + ", but by " + "config.json" + " it is " +
         storage::shape_text(parameter.sizes()));
  }

  fs::path directory_;
  Tensors tensors_;
  bool new_positions_;
  std::set<std::string> unused_;
  std::vector<std::string> missing_;
};

BertConfig read_bert_config(const fs::path& path, const json& description) {
  try {
    return from_bert_config(description);
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
}

}  // namespace

std::shared_ptr<Bert> import_huggingface(const fs::path& directory, const ImportOptions& options) {
  const json description = read_json(directory / "config.json");
  BertConfig config = read_bert_config(directory / "config.json", description);
  Filling filling(directory, with_modern_names(encoders::load_safetensors_directory(directory)),
                  !options.position.empty());
  config.task_heads = options.heads.value_or(heads_of(filling.tensors(), description));
  // Models with relative keys have a table of absolute positions that nothing reads.
  if (config.position != "learned") filling.leave_out(kPositionTable);
  if (config.task_heads.masked_lm) filling.check_tied_decoder();
  const std::vector<BertCorrespondence> correspondences = huggingface_names(config);
  if (!options.position.empty()) config.position = options.position;
  const auto model = std::make_shared<Bert>(config, options.seed);
  filling.fill(*model, correspondences);
  model->eval();
  return model;
}

void export_huggingface(const fs::path& directory, const Bert& model,
                        const data::BertTokenizer* tokenizer) {
  const BertConfig& config = model.config();
  json description = to_bert_config(config);
  if (tokenizer != nullptr) description["pad_token_id"] = tokenizer->special().pad;
  const auto parameters = model.named_parameters();
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const BertCorrespondence& row : huggingface_names(config)) {
    const std::vector<Tensor> parts =
        split(parameters[row.ours].detach(), row.joining, row.theirs.size());
    for (size_t i = 0; i < parts.size(); ++i) tensors.emplace_back(row.theirs[i], parts[i]);
  }
  // transformers has these tables in every model: zeros where they do not act.
  if (config.position != "learned")
    tensors.emplace_back(kPositionTable, at::zeros({config.max_positions, config.width}));
  if (config.segment_encoding == "none")
    tensors.emplace_back(kSegmentTable, at::zeros({config.segments, config.width}));
  write_file_atomically(directory / "config.json", description.dump(2) + "\n");
  encoders::save_safetensors(directory / storage::kSafetensorsFile, tensors, {{"format", "pt"}});
  if (tokenizer != nullptr) tokenizer->save(directory);
}

}  // namespace dietmt::interchange
