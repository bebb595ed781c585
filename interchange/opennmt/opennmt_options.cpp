#include "interchange/opennmt/opennmt_options.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/foreign_settings.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

void require_transformer(const json& opt) {
  if (const auto task = field_or<std::string>(opt, "model_task", "seq2seq"); task != "seq2seq")
    throw CheckpointError("is a model of the task '" + task +
                          "'; only models that translate (seq2seq) can be imported");
  for (const char* name : {"encoder_type", "decoder_type"})
    if (const auto type = field_or<std::string>(opt, name, "rnn"); type != "transformer")
      throw CheckpointError(std::string(name) + " is '" + type +
                            "'; only 'transformer' can be imported");
  if (const auto type = field_or<std::string>(opt, "self_attn_type", "scaled-dot");
      type != "scaled-dot" && type != "scaled-dot-flash")
    throw CheckpointError("self_attn_type is '" + type + "'; only 'scaled-dot' can be imported");
  if (const auto function = field_or<std::string>(opt, "generator_function", "softmax");
      function != "softmax")
    throw CheckpointError("generator_function is '" + function +
                          "'; only 'softmax' can be imported");
}

// The width of a stack: `enc_hid_size`, in version 2 `enc_rnn_size`.
int64_t width_of(const json& opt, const std::string& stack) {
  const std::string hidden = stack + "_hid_size", old = stack + "_rnn_size";
  int64_t width = 0;
  read_field(opt, opt.contains(hidden) ? hidden.c_str() : old.c_str(), width);
  return width;
}

std::string activation(const std::string& theirs) {
  if (theirs == "relu" || theirs == "gelu") return theirs;
  if (theirs == "silu") return "swiglu";
  throw CheckpointError("pos_ffn_activation_fn is '" + theirs + "'; known: relu, gelu, silu");
}

// With `position_encoding`, sinusoids; apart from them, max_relative_positions is a distance, -1
// for rotary positions or -2 for ALiBi.
std::string positions(const json& opt, int64_t head_width) {
  const bool has_sinusoids = field_or(opt, "position_encoding", false);
  const auto relative = static_cast<int64_t>(first_number(opt, "max_relative_positions", 0));
  std::string spec = has_sinusoids ? opennmt_sinusoids(field_or<std::string>(
                                         opt, "position_encoding_type", "SinusoidalInterleaved"))
                                   : "";
  if (relative == 0) return spec.empty() ? "none" : spec;
  if (!spec.empty()) spec += "+";
  if (relative == -1) return spec + opennmt_rotation(opt, head_width);
  if (relative < 0)
    throw CheckpointError("max_relative_positions is " + std::to_string(relative) +
                          " (ALiBi), which cannot be imported");
  return spec + "shaw(clip=" + std::to_string(relative) + ",tied=true)";
}

void read_subwords(const json& opt, OpennmtOptions& made) {
  made.subword_files[0] = last_part(field_or<std::string>(opt, "src_subword_model", ""));
  made.subword_files[1] = last_part(field_or<std::string>(opt, "tgt_subword_model", ""));
  // With share_vocab, one model may cut both sides.
  if (made.subword_files[1].empty()) made.subword_files[1] = made.subword_files[0];
  const json transforms = opt.value("transforms", json());
  made.is_tokenized = std::ranges::find(transforms, json("onmt_tokenize")) != transforms.end();
}

}  // namespace

double first_number(const json& options, const char* name, double otherwise) {
  const json value = options.value(name, json());
  const json first = value.is_array() && !value.empty() ? value.front() : value;
  if (first.is_null()) return otherwise;
  if (!first.is_number())
    throw CheckpointError(std::string(name) + " is " + value.dump() + "; it must be a number");
  return first.get<double>();
}

std::string opennmt_sinusoids(const std::string& type) {
  if (type == "SinusoidalInterleaved") return "sinusoidal";
  if (type == "SinusoidalConcat") return "sinusoidal(layout=halves)";
  throw CheckpointError("position_encoding_type is '" + type + "', which cannot be imported");
}

std::string opennmt_rotation(const json& options, int64_t head_width) {
  const auto rotated = static_cast<int64_t>(first_number(options, "rotary_dim", 0));
  if (rotated != 0 && rotated != head_width)
    throw CheckpointError("rotary_dim is " + std::to_string(rotated) +
                          ", a part of the heads; dietmt rotates whole heads");
  return rotation_spec(field_or(options, "rotary_interleave", true),
                       first_number(options, "rotary_theta", 10000));
}

std::string last_part(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

OpennmtOptions parse_opennmt_options(const json& opt) {
  if (!opt.is_object()) throw CheckpointError("has options of an unknown form");
  require_transformer(opt);
  require_unset(opt, {"copy_attn", "coverage_attn", "num_kv", "sliding_window", "parallel_residual",
                      "num_experts", "relative_positions_buckets", "lora_layers", "lora_embedding",
                      "quant_layers", "src_feats_vocab", "n_src_feats"});
  OpennmtOptions made;
  nmt::ModelConfig& config = made.model;
  config.width = width_of(opt, "enc");
  if (config.width != width_of(opt, "dec"))
    throw CheckpointError("the encoder and the decoder have different widths");
  read_field(opt, "enc_layers", config.encoder_layers);
  read_field(opt, "dec_layers", config.decoder_layers);
  read_field(opt, "heads", config.heads);
  read_field(opt, "transformer_ff", config.feed_forward);
  config.norm = "pre";
  const auto norm = field_or<std::string>(opt, "layer_norm", "standard");
  if (norm != "standard" && norm != "rms")
    throw CheckpointError("layer_norm is '" + norm + "'; known: standard, rms");
  config.norm_type = norm == "rms" ? "rms" : "layer";
  config.norm_epsilon = first_number(opt, "norm_eps", 1e-6);
  config.activation = activation(field_or<std::string>(opt, "pos_ffn_activation_fn", "relu"));
  made.scales_embeddings = field_or(opt, "position_encoding", false);
  config.encoder_position = config.decoder_position =
      positions(opt, config.heads > 0 ? config.width / config.heads : 0);
  config.dropout = config.embedding_dropout = config.activation_dropout =
      first_number(opt, "dropout", 0.1);
  config.attention_dropout = first_number(opt, "attention_dropout", config.dropout);
  read_subwords(opt, made);
  return made;
}

const std::map<std::string, std::string>& opennmt_settings() {
  static const std::map<std::string, std::string> names = {{"width", "hidden_size"},
                                                           {"feed_forward", "transformer_ff"},
                                                           {"embedding_dropout", "dropout"},
                                                           {"activation_dropout", "dropout"}};
  return names;
}

}  // namespace dietmt::interchange
