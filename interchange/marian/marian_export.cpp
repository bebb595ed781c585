#include "interchange/marian/marian_export.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "interchange/export_problems.h"
#include "interchange/foreign_tensors.h"
#include "interchange/marian/marian_binary.h"
#include "interchange/marian/marian_names.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kPositions = "sinusoidal(layout=halves)";
constexpr double kNormEpsilon = 1e-6;

// Pieces 0 .. size-1 of a language. Begin of sentence is left out if it is last, where import adds
// it.
struct Pieces {
  const data::Tokenizer& tokenizer;
  int64_t size;

  explicit Pieces(const data::Tokenizer& of)
      : tokenizer(of),
        size(of.vocabulary_size() - (of.begin_id() == of.vocabulary_size() - 1 ? 1 : 0)) {}
  Tensor rows(const Tensor& all) const { return all.slice(0, 0, size); }
};

const char* flag(bool value) { return value ? "true" : "false"; }

std::string options_of(const nmt::ModelConfig& config, const Pieces& source, const Pieces& target) {
  std::string text = "type: transformer\n";
  const auto add = [&](const std::string& name, const std::string& value) {
    text += name + ": " + value + '\n';
  };
  text += "dim-vocabs:\n  - " + std::to_string(source.size) + "\n  - " +
          std::to_string(target.size) + '\n';
  add("dim-emb", std::to_string(config.width));
  add("enc-depth", std::to_string(config.encoder_layers));
  add("dec-depth", std::to_string(config.decoder_layers));
  add("transformer-heads", std::to_string(config.heads));
  add("transformer-dim-ffn", std::to_string(config.feed_forward));
  add("transformer-decoder-dim-ffn", "0");
  add("transformer-ffn-depth", "2");
  add("transformer-decoder-ffn-depth", "0");
  add("transformer-ffn-activation", config.activation == "relu" ? "relu" : "swish");
  add("transformer-preprocess", "\"\"");
  add("transformer-postprocess", "dan");
  add("transformer-postprocess-top", "\"\"");
  add("transformer-postprocess-emb", "d");
  const bool recurrent = config.decoder_layer == "ssru";
  add("transformer-decoder-autoreg", recurrent ? "rnn" : "self-attention");
  if (recurrent) {
    add("dec-cell", "ssru");
    add("dec-cell-base-depth", "2");
    add("dec-cell-high-depth", "1");
    add("layer-normalization", "false");
  }
  add("tied-embeddings-all", flag(config.tied_embeddings == "all"));
  add("tied-embeddings", flag(config.tied_embeddings == "decoder"));
  add("tied-embeddings-src", "false");
  if (config.alignment_head == 1 && config.alignment_layer > 0)
    add("transformer-guided-alignment-layer", std::to_string(config.alignment_layer));
  // Options that Marian looks up without a default.
  for (const char* name :
       {"skip", "output-omit-bias", "right-left", "transformer-no-projection",
        "transformer-no-bias", "transformer-no-affine", "transformer-rnn-projection",
        "transformer-train-position-embeddings", "transformer-pool", "ulr"})
    add(name, "false");
  add("lemma-dim-emb", "0");
  text += "input-types: []\ntransformer-tied-layers: []\n";
  return text;
}

/// Ours are [outputs, inputs], Marian's [inputs, outputs]; its vectors have a leading 1.
Tensor turned(const Tensor& tensor) { return tensor.dim() == 1 ? tensor.unsqueeze(0) : tensor.t(); }

TensorsByName tensors_of(const nmt::TranslationModel& model, const Pieces& source,
                         const Pieces& target) {
  const nmt::ModelConfig& config = model.config();
  const auto parameters = model.named_parameters();
  TensorsByName tensors;
  for (const Correspondence& row : correspondences(config, marian_names())) {
    const auto parts = split(parameters[row.ours], row.joining, row.theirs.size());
    for (size_t i = 0; i < parts.size(); ++i) tensors[row.theirs[i]] = turned(parts[i]);
  }
  const Tensor source_rows = source.rows(parameters["source_embedding"]);
  if (config.tied_embeddings == "all") {
    tensors["Wemb"] = source_rows;
  } else {
    tensors["encoder_Wemb"] = source_rows;
    tensors["decoder_Wemb"] = target.rows(parameters["target_embedding"]);
  }
  if (config.tied_embeddings == "none")
    tensors["decoder_ff_logit_out_W"] = turned(target.rows(parameters["output_weight"]));
  Tensor bias =
      config.output_bias ? target.rows(model.output_bias()).clone() : at::zeros({target.size});
  const int32_t begin = target.tokenizer.begin_id();
  if (begin < target.size) bias[begin] = kNever;
  tensors[kOutputBias] = turned(bias);
  return tensors;
}

// Binary tensors that refer to the data of `tensors`.
std::map<std::string, BinaryTensor> stored(TensorsByName& tensors) {
  std::map<std::string, BinaryTensor> all;
  for (auto& [name, tensor] : tensors) {
    tensor = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
    all[name] = {.shape = tensor.sizes().vec(),
                 .data = {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}};
  }
  return all;
}

// Whether `file` numbers the pieces as the model does.
bool has_ids_of(const fs::path& file, const Pieces& pieces) {
  const data::PieceVocabulary own = data::sentencepiece_vocabulary(file);
  if (std::ssize(own.pieces) != pieces.size) return false;
  for (int64_t id = 0; id < pieces.size; ++id)
    if (own.pieces[static_cast<size_t>(id)] != pieces.tokenizer.piece(static_cast<int32_t>(id)))
      return false;
  return true;
}

// Writes NAME.spm, which is the vocabulary or splits text into the pieces of NAME.yml; NAME.yml
// only for text that is already split. Returns the name of the vocabulary file.
std::string write_vocabulary(const fs::path& directory, const std::string& name,
                             const Pieces& pieces) {
  const fs::path file = directory / (name + ".spm");
  if (!pieces.tokenizer.sentencepiece().empty()) {
    write_file_atomically(file, pieces.tokenizer.sentencepiece());
    if (has_ids_of(file, pieces)) return name + ".spm";
  }
  std::string lines;
  for (int32_t id = 0; id < pieces.size; ++id)
    lines += nlohmann::json(pieces.tokenizer.piece(id)).dump() + ": " + std::to_string(id) + '\n';
  write_file_atomically(directory / (name + ".yml"), lines);
  return name + ".yml";
}

}  // namespace

std::vector<std::string> marian_problems(const nmt::ModelConfig& config) {
  std::vector<std::string> problems = choices_of_dietmt(config, "Marian");
  const auto require = [&](bool holds, const std::string& problem) {
    if (!holds) problems.push_back("Marian " + problem);
  };
  for (const std::string& position : {config.encoder_position, config.decoder_position})
    require(position == kPositions, "has only the position encoding '" + std::string(kPositions) +
                                        "', not '" + position + "'");
  require(config.activation == "relu" || config.activation == "silu",
          "has only the activations relu and silu, not '" + config.activation + "'");
  require(config.norm == "post",
          "does not normalize keys and values before attention, as --norm pre does");
  require(config.norm_epsilon == kNormEpsilon, "always uses layer norm with epsilon 1e-6");
  std::sort(problems.begin(), problems.end());
  problems.erase(std::unique(problems.begin(), problems.end()), problems.end());
  return problems;
}

void export_marian(const fs::path& directory, const nmt::LoadedModel& model) {
  std::vector<std::string> problems = marian_problems(model.model->config());
  if (!model.model->starts_from_zeros(model.target_tokenizer->begin_id()))
    problems.push_back(
        "Marian's decoder starts from zeros, but this one starts from a learned vector");
  if (model.source_tokenizer->source_ending() != std::vector{model.source_tokenizer->end_id()})
    problems.push_back("Marian reads only end of sentence after each source, this model does not");
  if (!problems.empty()) problems.push_back("train with --marian to export to Marian");
  throw_if_any(problems);

  const Pieces source(*model.source_tokenizer), target(*model.target_tokenizer);
  TensorsByName tensors = tensors_of(*model.model, source, target);
  write_marian_binary(directory / "model.bin", options_of(model.model->config(), source, target),
                      stored(tensors));
  std::string vocabularies;
  if (model.source_tokenizer == model.target_tokenizer) {
    const std::string name = write_vocabulary(directory, "vocab", source);
    vocabularies = "  - " + name + "\n  - " + name + '\n';
  } else {
    vocabularies = "  - " + write_vocabulary(directory, "source", source) + '\n';
    vocabularies += "  - " + write_vocabulary(directory, "target", target) + '\n';
  }
  write_file_atomically(directory / "decoder.yml",
                        "relative-paths: true\nmodels:\n  - model.bin\nvocabs:\n" + vocabularies +
                            "beam-size: 5\nnormalize: 1\nmax-length-factor: 3\n");
}

}  // namespace dietmt::interchange
