#include "interchange/marian/marian.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "interchange/foreign_tensors.h"
#include "interchange/marian/marian_config.h"
#include "interchange/marian/npz.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kOptions = "special:model.yml";
constexpr const char* kOutputBias = "decoder_ff_logit_out_b";
// Gives probability zero, and is finite in every type.
constexpr double kNever = -1e9;

LayerNames layer_names(const nmt::ModelConfig& config) {
  const std::string norm = config.norm == "pre" ? "_pre" : "";
  return {.encoder_layer = "encoder_l*_",
          .decoder_layer = "decoder_l*_",
          .first_layer = 1,
          .self_input = {"self_*q", "self_*k", "self_*v"},
          .self_output = "self_*o",
          .self_norm = "self_Wo_*" + norm,
          .cross_query = "context_*q",
          .cross_memory = {"context_*k", "context_*v"},
          .cross_output = "context_*o",
          .cross_norm = "context_Wo_*" + norm,
          .feed_forward_inner = {"ffn_*1"},
          .feed_forward_outer = "ffn_*2",
          .feed_forward_norm = "ffn_ffn_*" + norm,
          .final_norms = {"encoder_top_*", "decoder_top_*"},
          .weight = "W",
          .bias = "b",
          .scale = "ln_scale",
          .shift = "ln_bias"};
}

/// Options from the array of their characters, which is null-terminated.
MarianOptions read_options(ForeignTensors& tensors, const fs::path& path) {
  const Tensor characters = tensors.take(kOptions).to(at::kByte).contiguous();
  std::string text(reinterpret_cast<const char*>(characters.const_data_ptr()),
                   static_cast<size_t>(characters.numel()));
  text.resize(std::min(text.find('\0'), text.size()));
  MarianOptions options;
  for (auto& [name, values] : parse_yaml_options(text, path.string() + ": " + kOptions))
    options[name] = std::move(values);
  return options;
}

/// Marian's weights are [inputs, outputs], ours [outputs, inputs]; its vectors have a leading 1.
TensorsByName turned(TensorsByName tensors) {
  for (auto& [name, tensor] : tensors) {
    const bool embedding = name.ends_with("Wemb") || name.ends_with("_Wt");
    if (tensor.dim() != 2 || embedding) continue;
    tensor = tensor.size(0) == 1 ? tensor.squeeze(0) : tensor.t();
  }
  return tensors;
}

std::vector<std::string> pieces_by_id(const fs::path& path) {
  std::vector<std::string> pieces;
  for (const auto& [piece, ids] : parse_yaml_options(read_file(path), path.string())) {
    size_t id = 0;
    try {
      id = std::stoull(ids.at(0));
    } catch (const std::exception&) {
      throw DataError(path.string() + ": '" + piece + "' has no id");
    }
    constexpr size_t kLargest = 10'000'000;
    if (id >= kLargest) throw DataError(path.string() + ": '" + piece + "' has too large an id");
    if (id >= pieces.size()) pieces.resize(id + 1);
    pieces[id] = piece;
  }
  return pieces;
}

int32_t id_of(const std::vector<std::string>& pieces, const std::string& piece) {
  const auto found = std::ranges::find(pieces, piece);
  return found == pieces.end() ? -1 : static_cast<int32_t>(found - pieces.begin());
}

/// Adds a piece for begin of sentence after the `size` pieces of the model, some of them unused.
std::shared_ptr<const data::Tokenizer> make_tokenizer(const fs::path& vocabulary,
                                                      const fs::path& pieces, int64_t size) {
  const bool numbered = vocabulary.extension() != ".spm";
  data::PieceVocabulary all = numbered ? data::PieceVocabulary{pieces_by_id(vocabulary), -1, -1, -1}
                                       : data::sentencepiece_vocabulary(vocabulary);
  if (numbered) {
    all.unknown = id_of(all.pieces, "<unk>");
    all.end = id_of(all.pieces, "</s>");
  }
  if (static_cast<int64_t>(all.pieces.size()) > size) {
    throw DataError(vocabulary.string() + ": has " + std::to_string(all.pieces.size()) +
                    " pieces, the model " + std::to_string(size));
  }
  while (static_cast<int64_t>(all.pieces.size()) < size) all.pieces.emplace_back();
  for (size_t id = 0; id < all.pieces.size(); ++id)
    if (all.pieces[id].empty()) all.pieces[id] = "<unused " + std::to_string(id) + ">";
  all.begin = static_cast<int32_t>(size);
  all.pieces.push_back(id_of(all.pieces, "<pad>") < 0 ? "<pad>" : "<begin>");
  return std::make_shared<data::Tokenizer>(numbered ? pieces : vocabulary, all);
}

const fs::path& of_side(const std::vector<fs::path>& files, size_t side, const char* what) {
  if (files.empty()) throw ConfigError(std::string("Marian's model needs ") + what);
  return files[std::min(side, files.size() - 1)];
}

std::shared_ptr<const data::Tokenizer> read_tokenizer(const MarianFiles& files, size_t side,
                                                      int64_t size) {
  const fs::path& vocabulary =
      of_side(files.vocabularies, side, "its vocabularies, .spm or .yml (--vocabulary)");
  if (vocabulary.extension() == ".spm") return make_tokenizer(vocabulary, vocabulary, size);
  return make_tokenizer(
      vocabulary,
      of_side(files.pieces, side,
              "the sentencepiece models that cut text into the pieces of the .yml (--pieces)"),
      size);
}

/// Adds a row of zeros for begin of sentence.
Tensor with_begin(const Tensor& rows) { return at::constant_pad_nd(rows, {0, 0, 0, 1}); }

TensorsByName read_parameters(ForeignTensors& tensors, const nmt::ModelConfig& config) {
  TensorsByName values = tensors.take_all(correspondences(config, layer_names(config)));
  values["source_embedding"] = with_begin(tensors.take_first({"encoder_Wemb", "Wemb"}));
  const Tensor target = with_begin(tensors.take_first({"decoder_Wemb", "Wemb"}));
  if (config.tied_embeddings != "all") values["target_embedding"] = target;
  if (config.tied_embeddings == "none") {
    values["output_weight"] =
        with_begin(tensors.take_first({"decoder_ff_logit_out_W", "decoder_ff_logit_out_Wt"}));
  }
  values["output_bias"] = at::constant_pad_nd(tensors.take(kOutputBias).flatten(), {0, 1}, kNever);
  tensors.warn_of_others();
  return values;
}

}  // namespace

nmt::LoadedModel import_marian(const MarianFiles& files) {
  ForeignTensors tensors(files.weights, turned(load_npz(files.weights)));
  nmt::ModelConfig config;
  try {
    config = from_marian(read_options(tensors, files.weights));
  } catch (const ConfigError& error) {
    throw CheckpointError(files.weights.string() + ": " + error.what());
  }
  const auto source = read_tokenizer(files, 0, config.source_vocabulary++);
  const auto target = read_tokenizer(files, 1, config.target_vocabulary++);
  const auto model = std::make_shared<nmt::TranslationModel>(config, 0);
  set_parameters(*model, read_parameters(tensors, config), files.weights);
  model->eval();
  return {model, source, target, files.weights};
}

}  // namespace dietmt::interchange
