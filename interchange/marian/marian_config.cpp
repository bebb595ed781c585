#include "interchange/marian/marian_config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/numbers.h"

namespace dietmt::interchange {
namespace {

const std::string& scalar(const YAML::Node& node, const char* role) {
  if (!node.IsScalar()) throw YAML::Exception(node.Mark(), std::string(role) + " must be a scalar");
  return node.Scalar();
}

std::vector<std::string> values_of(const YAML::Node& node) {
  std::vector<std::string> values;
  if (node.IsSequence())
    for (const YAML::Node& item : node) values.push_back(scalar(item, "an item"));
  else if (!node.IsNull())
    values.push_back(scalar(node, "a value"));
  return values;
}

// yaml-cpp reads a line without a colon as a key without a value. Returns where the colon is.
size_t require_colon(const YAML::Node& key, const std::string& text) {
  const size_t colon = text.find_first_of(":\n", static_cast<size_t>(key.Mark().pos));
  if (colon == std::string::npos || text[colon] == '\n')
    throw YAML::Exception(key.Mark(), "the line is not 'key: value'");
  return colon;
}

/// Reads options and collects the problems with them.
class Reader {
 public:
  explicit Reader(const MarianOptions& options) : options_(options) {}

  std::string text(const std::string& name, const std::string& otherwise = "") const {
    const auto found = options_.find(name);
    return found == options_.end() || found->second.empty() ? otherwise : found->second.front();
  }

  bool flag(const std::string& name) const { return text(name, "false") == "true"; }

  int64_t number(const std::string& name, size_t item = 0) {
    const auto found = options_.find(name);
    if (found == options_.end() || item >= found->second.size()) {
      problems_.push_back("--" + name + " is missing");
      return 1;
    }
    const std::string& text = found->second[item];
    if (const auto value = number_in<int64_t>(text)) return *value;
    problems_.push_back("--" + name + " is " + text + ", not a number");
    return 1;
  }

  /// `usual`: the value if the option is missing.
  void expect(const std::string& name, const std::string& usual,
              const std::vector<std::string>& possible) {
    const std::string value = text(name, usual);
    if (std::ranges::find(possible, value) == possible.end())
      problems_.push_back("--" + name + " is '" + value + "', which dietmt does not support");
  }

  void add_problem(const std::string& problem) { problems_.push_back(problem); }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  const MarianOptions& options_;
  std::vector<std::string> problems_;
};

/// The operations around a block, without dropout, which decoding does not use.
std::string process(const Reader& reader, const std::string& name) {
  std::string steps = reader.text(name);
  std::erase(steps, 'd');
  return steps;
}

void require_post_norm(Reader& reader) {
  const std::string before = process(reader, "transformer-preprocess");
  const std::string after = process(reader, "transformer-postprocess");
  const std::string top = process(reader, "transformer-postprocess-top");
  if (before.empty() && after == "an" && top.empty()) return;
  if (before == "n" && after == "a" && top == "n") {
    reader.add_problem(
        "the model is pre-norm (--transformer-preprocess n): its self-attention does not "
        "normalize keys and values, which dietmt does not support");
    return;
  }
  reader.add_problem(
      "--transformer-preprocess, --transformer-postprocess and --transformer-postprocess-top are "
      "'" +
      reader.text("transformer-preprocess") + "', '" + reader.text("transformer-postprocess") +
      "' and '" + reader.text("transformer-postprocess-top") +
      "'; known: '', 'dan' and '' (post-norm)");
}

bool is_recurrent(const Reader& reader) {
  return reader.text("transformer-decoder-autoreg") == "rnn";
}

// Marian aligns with the first head of one layer, whether or not training guided it there.
void read_alignment(Reader& reader, nmt::ModelConfig& config) {
  constexpr const char* kLayer = "transformer-guided-alignment-layer";
  const std::string layer = reader.text(kLayer);
  if (layer.empty()) return;
  config.alignment_layer = layer == "last" ? config.decoder_layers : reader.number(kLayer);
  config.alignment_head = 1;
}

void check_architecture(Reader& reader) {
  reader.expect("type", "", {"transformer"});
  reader.expect("transformer-decoder-autoreg", "self-attention", {"self-attention", "rnn"});
  if (is_recurrent(reader)) {
    reader.expect("dec-cell", "gru", {"ssru"});
    reader.expect("dec-cell-base-depth", "2", {"2"});
    reader.expect("dec-cell-high-depth", "1", {"1"});
    reader.expect("layer-normalization", "false", {"false"});
  }
  reader.expect("transformer-ffn-activation", "swish", {"relu", "swish"});
  reader.expect("transformer-ffn-depth", "2", {"2"});
  reader.expect("transformer-decoder-ffn-depth", "0", {"0", "2"});
  reader.expect("transformer-decoder-dim-ffn", "0", {"0", reader.text("transformer-dim-ffn")});
  reader.expect("transformer-postprocess-emb", "d", {"", "d"});
  reader.expect("lemma-dim-emb", "0", {"0"});
  for (const char* flag :
       {"transformer-no-projection", "transformer-no-bias", "transformer-no-affine",
        "transformer-train-positions", "transformer-train-position-embeddings",
        "transformer-rnn-projection", "transformer-disable-position-embeddings", "ulr",
        "output-omit-bias", "right-left"})
    reader.expect(flag, "false", {"false"});
  if (!reader.text("transformer-tied-layers").empty())
    reader.add_problem("--transformer-tied-layers is set, which dietmt does not support");
}

std::string tied_embeddings(const Reader& reader) {
  if (reader.flag("tied-embeddings-all")) return "all";
  if (!reader.flag("tied-embeddings")) return "none";
  return reader.flag("tied-embeddings-src") ? "all" : "decoder";
}

}  // namespace

std::vector<std::pair<std::string, std::vector<std::string>>> parse_yaml_options(
    const std::string& text, const std::string& where) {
  constexpr size_t kMostBytes = 64 * 1024;  // yaml-cpp takes more than proportional time
  if (text.size() > kMostBytes)
    throw DataError(where + ": is " + std::to_string(text.size()) +
                    " bytes long; options of Marian take a few thousand");
  std::vector<std::pair<std::string, std::vector<std::string>>> pairs;
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap() && !root.IsNull())
      throw YAML::Exception(root.Mark(), "the top level must be a mapping");
    size_t colon = 0;  // the last one found: a line may have many keys
    for (const auto& pair : root) {
      if (pair.second.IsNull() && std::cmp_greater_equal(pair.first.Mark().pos, colon))
        colon = require_colon(pair.first, text);
      pairs.emplace_back(scalar(pair.first, "a key"), values_of(pair.second));
    }
  } catch (const YAML::Exception& error) {
    throw DataError(where + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
  return pairs;
}

MarianOptions marian_options(std::string text, const std::string& where) {
  text.resize(std::min(text.find('\0'), text.size()));
  MarianOptions options;
  for (auto& [name, values] : parse_yaml_options(text, where + ": special:model.yml"))
    options[name] = std::move(values);
  return options;
}

nmt::ModelConfig marian_model_config(const MarianOptions& options, const std::string& where) {
  nmt::ModelConfig config;
  try {
    config = from_marian(options);
  } catch (const ConfigError& error) {
    throw CheckpointError(where + ": " + error.what());
  }
  throw_if_any<CheckpointError>(config.problems(where));
  return config;
}

nmt::ModelConfig from_marian(const MarianOptions& options) {
  Reader reader(options);
  check_architecture(reader);
  nmt::ModelConfig config;
  config.source_vocabulary = reader.number("dim-vocabs", 0);
  config.target_vocabulary = reader.number("dim-vocabs", 1);
  config.encoder_layers = reader.number("enc-depth");
  config.decoder_layers = reader.number("dec-depth");
  config.width = reader.number("dim-emb");
  config.feed_forward = reader.number("transformer-dim-ffn");
  config.heads = reader.number("transformer-heads");
  require_post_norm(reader);
  config.norm_epsilon = 1e-6;
  config.activation = reader.text("transformer-ffn-activation") == "relu" ? "relu" : "silu";
  config.tied_embeddings = tied_embeddings(reader);
  config.output_bias = true;
  if (is_recurrent(reader)) config.decoder_layer = "ssru";
  config.encoder_position = config.decoder_position = "sinusoidal(layout=halves)";
  read_alignment(reader, config);
  throw_if_any(reader.problems());
  return config;
}

}  // namespace dietmt::interchange
