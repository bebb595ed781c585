#include "interchange/ctranslate2/ctranslate2_import.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "interchange/ctranslate2/ctranslate2_names.h"
#include "interchange/ctranslate2/ctranslate2_reader.h"
#include "interchange/ctranslate2/ctranslate2_tokenizers.h"
#include "interchange/ctranslate2/import_positions.h"
#include "interchange/ctranslate2/package_files.h"
#include "interchange/foreign_tensors.h"
#include "interchange/imported_vocabulary.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kModelFile = "model.bin";
constexpr const char* kTargetTable = "decoder/embeddings/weight";
constexpr const char* kOutputTable = "decoder/projection/weight";
constexpr const char* kOutputBias = "decoder/projection/bias";

const std::string kEmbeddingNorms[] = {"encoder/layernorm_embedding/",
                                       "decoder/layernorm_embedding/"};

/// A model of CTranslate2 on its way to a model of dietmt.
class Import {
 public:
  Import(PackageFiles& files, std::string folder)
      : files_(files), folder_(std::move(folder)), model_(read()), tensors_(where(), floats()) {}

  nmt::LoadedModel run(const std::vector<fs::path>& pieces) {
    require_transformer();
    const CTranslate2Sentences sentences = read_sentences(files_, folder_, model_);
    const CTranslate2Vocabularies vocabularies =
        read_vocabularies(files_, folder_, sentences, pieces);
    config_.languages = vocabularies.languages;
    read_config(sentences);
    TensorsByName values = tensors_.take_layers(config_, ctranslate2_names(is_gated()));
    read_embedding_norms(values);
    scale_queries(queries_factor(), config_, values);
    read_tables(vocabularies, values);
    require_all_used();
    nmt::require_buildable(config_, sizeof(float), where().string());
    const auto made = nmt::unset_model(config_);
    name_positions(*made, positions_, values);
    set_parameters(*made, values, where());
    made->eval();
    return {made, vocabularies.source.tokenizer, vocabularies.target.tokenizer, files_.path()};
  }

 private:
  fs::path where() const { return files_.where(folder_ + kModelFile); }

  template <typename Read>
  auto naming_file(const Read& read) const {
    try {
      return read();
    } catch (const CheckpointError& error) {
      throw CheckpointError(where().string() + ": " + error.what());
    }
  }

  CTranslate2Model read() {
    const std::string_view bytes = files_.bytes(folder_ + kModelFile);
    return naming_file([&] { return read_ctranslate2(bytes); });
  }

  TensorsByName floats() const {
    return naming_file([&] { return dequantized(model_); });
  }

  double number(const std::string& name, double otherwise) const {
    return naming_file([&] { return model_.number(name, otherwise); });
  }

  // Choices of a stack; old files have them once, for the model.
  double choice(const std::string& scope, const std::string& name, double otherwise) const {
    return number(scope + "/" + name, number(name, otherwise));
  }

  void require_transformer() const {
    const std::string& kind = model_.kind;
    if (kind == "TransformerSpec" || kind == "TransformerBase" || kind == "TransformerBig" ||
        kind.empty())
      return;
    tensors_.fail("is of the kind " + kind + "; only TransformerSpec can be imported");
  }

  int64_t layers_of(const std::string& scope) const {
    int64_t layers = 0;
    while (tensors_.contains(scope + "/layer_" + std::to_string(layers) +
                             "/self_attention/linear_0/weight"))
      ++layers;
    return layers;
  }

  void read_config(const CTranslate2Sentences& sentences) {
    config_.encoder_layers = layers_of("encoder");
    config_.decoder_layers = layers_of("decoder");
    const Tensor& inner = tensors_.matrix("encoder/layer_0/ffn/linear_0/weight");
    config_.width = inner.size(1);
    config_.feed_forward = inner.size(0);
    const double usual_heads = model_.kind == "TransformerBig" ? 16 : 8;
    config_.heads = static_cast<int64_t>(choice("encoder", "num_heads", usual_heads));
    config_.norm = choice("encoder", "pre_norm", 1) != 0 ? "pre" : "post";
    config_.norm_type = tensors_.contains("encoder/layer_0/ffn/layer_norm/beta") ? "layer" : "rms";
    config_.norm_epsilon = sentences.norm_epsilon > 0   ? sentences.norm_epsilon
                           : config_.norm_type == "rms" ? 1e-6
                                                        : 1e-5;
    const int64_t projected =
        tensors_.matrix("encoder/layer_0/self_attention/linear_0/weight").size(0);
    if (config_.heads > 0 && projected % (3 * config_.heads) == 0 && projected != 3 * config_.width)
      config_.head_width = projected / (3 * config_.heads);
    config_.embedding_norm = tensors_.contains(kEmbeddingNorms[0] + "gamma");
    config_.activation = naming_file([&] {
      return activation_of_ctranslate2(static_cast<int64_t>(choice("encoder", "activation", 0)),
                                       is_gated());
    });
    for (const char* name : {"num_heads", "pre_norm", "activation"})
      if (choice("decoder", name, -1) != choice("encoder", name, -1))
        tensors_.fail(std::string("has another ") + name + " in its decoder than in its encoder");
    const int64_t site = static_cast<int64_t>(number("decoder/alignment_layer", -1));
    if (site >= 0 && site < config_.decoder_layers) {
      config_.alignment_layer = site + 1;
      config_.alignment_head = number("decoder/alignment_heads", 1) == 1 ? 1 : 0;
    }
    config_.max_positions = nmt::ModelConfig().max_positions;
    config_.encoder_position = position("encoder", config_.encoder_layers);
    config_.decoder_position = position("decoder", config_.decoder_layers);
  }

  std::string position(const std::string& scope, int64_t layers) {
    ImportedPosition found =
        naming_file([&] { return import_position(scope, config_, layers, model_, tensors_); });
    if (found.max_positions > 0) {
      if (learned_ > 0 && learned_ != found.max_positions)
        tensors_.fail("has tables of " + std::to_string(learned_) + " and " +
                      std::to_string(found.max_positions) + " positions; dietmt has one size");
      learned_ = config_.max_positions = found.max_positions;
    }
    positions_[scope] = std::move(found.parameters);
    return found.spec;
  }

  bool is_gated() const { return tensors_.contains("encoder/layer_0/ffn/linear_0_noact/weight"); }

  void read_embedding_norms(TensorsByName& values) {
    if (!config_.embedding_norm) return;
    for (const auto& [ours, theirs] :
         {std::pair("encoder", kEmbeddingNorms[0]), std::pair("decoder", kEmbeddingNorms[1])}) {
      const std::string norm = std::string(ours) + ".embedding_norm.";
      values[norm + "weight"] = tensors_.take(theirs + "gamma");
      if (config_.norm_type == "layer") values[norm + "bias"] = tensors_.take(theirs + "beta");
    }
  }

  /// What the model's products of queries and keys are multiplied by, relative to 1/sqrt(Dh).
  double queries_factor() {
    const double usual = 1.0 / std::sqrt(static_cast<double>(config_.width_of_heads()));
    const double first = number("encoder/layer_0/self_attention/queries_scale", usual);
    for (const auto& [name, tensor] : tensors_.all()) {
      if (!name.ends_with("/queries_scale")) continue;
      if (number(name, usual) != first) tensors_.fail(name + " differs between layers");
      tensors_.ignore(name);
    }
    return first / usual;
  }

  double embedding_scale(const std::string& scope) const {
    const double stored = number(scope + "/scale_embeddings", 1);
    const auto found = model_.variables.find(scope + "/scale_embeddings");
    const bool is_flag = found == model_.variables.end() || !found->second.is_floating_point();
    return is_flag && stored != 0 ? std::sqrt(static_cast<double>(config_.width))
           : is_flag              ? 1.0
                                  : stored;
  }

  void read_tables(const CTranslate2Vocabularies& vocabularies, TensorsByName& values) {
    ImportedTables tables;
    tables.source =
        tensors_.take_first({"encoder/embeddings_0/weight", "encoder/embeddings/weight"});
    const Tensor target = tensors_.take(kTargetTable), output = tensors_.take(kOutputTable);
    tables.source_scale = embedding_scale("encoder");
    tables.target_scale = embedding_scale("decoder");
    tables.output_scale = number("decoder/scale_outputs", 1);
    tensors_.ignore("decoder/scale_outputs");
    if (!vocabularies.is_shared || !is_one_table(tables.source, target)) tables.target = target;
    if (!is_one_table(target, output)) tables.output = output;
    if (tensors_.contains(kOutputBias)) tables.output_bias = tensors_.take(kOutputBias);
    set_tables(tables, vocabularies.source, vocabularies.target, tensors_, config_, values);
  }

  /// A tensor that nothing has taken changes what the model computes.
  void require_all_used() const {
    tensors_.refuse_others();
    for (const char* name : {"decoder/start_from_zero_embedding", "decoder/final_logit_softcapping",
                             "encoder/sliding_window", "decoder/sliding_window",
                             "encoder/layer_0/self_attention/num_heads_kv"})
      if (model_.number(name, 0) != 0)
        tensors_.fail(std::string("has ") + name + ", which dietmt's models do not have");
  }

  PackageFiles& files_;
  const std::string folder_;
  const CTranslate2Model model_;
  ForeignTensors tensors_;
  nmt::ModelConfig config_;
  int64_t learned_ = 0;                             // size of tables of positions
  std::map<std::string, TensorsByName> positions_;  // by stack
};

}  // namespace

nmt::LoadedModel import_ctranslate2(const fs::path& path, const std::vector<fs::path>& pieces) {
  PackageFiles files(path);
  const std::string folder = files.contains("metadata.json") ? "model/" : "";
  return Import(files, folder).run(pieces);
}

}  // namespace dietmt::interchange
