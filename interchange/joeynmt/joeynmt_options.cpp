#include "interchange/joeynmt/joeynmt_options.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/foreign_settings.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string activation(const std::string& theirs) {
  if (theirs == "relu" || theirs == "gelu") return theirs;
  if (theirs == "swish") return "silu";
  throw CheckpointError("activation is '" + theirs + "'; known: relu, gelu, swish");
}

void require_transformer(const json& stack, const char* name) {
  if (const auto type = field_or<std::string>(stack, "type", "recurrent"); type != "transformer")
    throw CheckpointError(std::string(name) + ": type is '" + type +
                          "'; only 'transformer' can be imported");
  if (const auto alpha = field_or(stack, "alpha", 1.0); alpha != 1)
    throw CheckpointError(std::string(name) + ": alpha is " + json(alpha).dump() +
                          "; dietmt's residual connections have no such factor");
}

// What JoeyNMT does to text before it is cut into pieces.
std::string preparation(const json& data, const json& tokenizer) {
  std::string steps;
  const auto add = [&](const std::string& step) { steps += (steps.empty() ? "" : ", ") + step; };
  if (field_or(data, "normalize", false)) add("normalizes Unicode");
  if (field_or<std::string>(tokenizer, "pretokenizer", "none") == "moses")
    add("tokenizes by Moses");
  if (field_or(data, "lowercase", false)) add("lower-cases");
  return steps;
}

JoeynmtSide side(const json& data, const json& stack, const std::string& name) {
  JoeynmtSide made;
  made.scales_embeddings = field_or(object_field(stack, "embeddings"), "scale", false);
  const json tokenizer = data.value("tokenizer_cfg", json::object());
  if (!tokenizer.is_object()) throw CheckpointError(name + ": tokenizer_cfg holds no settings");
  made.prepared_by = preparation(data, tokenizer);
  const auto level = field_or<std::string>(data, "level", "word");
  if (level == "word") return made;
  if (level != "bpe")
    throw CheckpointError(name + ": level is '" + level + "'; only bpe and word can be imported");
  if (const auto mark = field_or<std::string>(tokenizer, "separator", "@@"); mark != "@@")
    throw CheckpointError(name + ": separator is '" + mark + "'; only '@@' can be imported");
  const bool has_codes = tokenizer.contains("codes");
  made.subword_file =
      file_name(field_or<std::string>(tokenizer, has_codes ? "codes" : "model_file", ""));
  return made;
}

std::string norm(const json& stack, const char* name) {
  const auto norm = field_or<std::string>(stack, "layer_norm", "");
  if (norm != "pre" && norm != "post")
    throw CheckpointError(std::string(name) + ": layer_norm is '" + norm +
                          "'; add the place that the model was trained with, pre or post");
  return norm;
}

void read_specials(const json& data, JoeynmtOptions& made) {
  const json specials = data.value("special_symbols", json::object());
  if (!specials.is_object()) throw CheckpointError("special_symbols holds no settings");
  require_unset(specials, {"lang_tags"});
  made.unknown = field_or(specials, "unk_token", made.unknown);
  made.padding = field_or(specials, "pad_token", made.padding);
  made.begin = field_or(specials, "bos_token", made.begin);
  made.end = field_or(specials, "eos_token", made.end);
  made.separator = field_or(specials, "sep_token", made.separator);
}

}  // namespace

JoeynmtOptions parse_joeynmt_options(const json& config) {
  const json& model = object_field(config, "model");
  const json& encoder = object_field(model, "encoder");
  const json& decoder = object_field(model, "decoder");
  const json& data = object_field(config, "data");
  require_transformer(encoder, "encoder");
  require_transformer(decoder, "decoder");
  JoeynmtOptions made;
  nmt::ModelConfig& ours = made.model;
  read_field(encoder, "num_layers", ours.encoder_layers);
  read_field(decoder, "num_layers", ours.decoder_layers);
  read_field(encoder, "hidden_size", ours.width);
  read_field(encoder, "num_heads", ours.heads);
  read_field(encoder, "ff_size", ours.feed_forward);
  ours.norm = norm(encoder, "encoder");
  ours.activation = activation(field_or<std::string>(encoder, "activation", "relu"));
  ours.norm_epsilon = 1e-6;
  ours.encoder_position = ours.decoder_position = "sinusoidal";
  require_one_for_both(encoder, decoder,
                       {"hidden_size", "num_heads", "ff_size", "layer_norm", "activation"});
  ours.dropout = ours.activation_dropout = ours.attention_dropout =
      field_or(encoder, "dropout", 0.1);
  ours.embedding_dropout = field_or(object_field(encoder, "embeddings"), "dropout", ours.dropout);
  made.source = side(object_field(data, "src"), encoder, "src");
  made.target = side(object_field(data, "trg"), decoder, "trg");
  read_specials(data, made);
  return made;
}

const std::map<std::string, std::string>& joeynmt_settings() {
  static const std::map<std::string, std::string> names = {{"width", "hidden_size"},
                                                           {"feed_forward", "ff_size"},
                                                           {"heads", "num_heads"},
                                                           {"embedding_dropout", "dropout"},
                                                           {"activation_dropout", "dropout"},
                                                           {"attention_dropout", "dropout"}};
  return names;
}

}  // namespace dietmt::interchange
