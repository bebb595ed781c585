#include "tools/bert_model_options.h"

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "encoders/bert/bert_config.h"
#include "tools/model_options.h"

namespace dietmt::tools {
namespace {

using encoders::BertConfig;

struct Size {
  const char* name;
  int64_t BertConfig::*field;
};
constexpr Size kSizes[] = {{"layers", &BertConfig::layers},
                           {"width", &BertConfig::width},
                           {"feed-forward", &BertConfig::feed_forward},
                           {"heads", &BertConfig::heads}};

}  // namespace

void bind_bert_model(OptionTable& table, BertModelOptions& o) {
  BertConfig& m = o.model;
  table.group("Model")
      .add("preset", &o.preset, "",
           "model sizes: tiny (2 layers, width 128), mini (4, 256), small (4, 512), medium (8, "
           "512), base (12, 768), large (24, 1024)",
           {.choices = {"tiny", "mini", "small", "medium", "base", "large"}})
      .add("layers", &m.layers, "N", "layers; overrides the preset", ranges::kLayers)
      .add("width", &m.width, "N", "model width; overrides the preset", ranges::kWidth)
      .add("feed-forward", &m.feed_forward, "N",
           "inner width of the feed-forward blocks; overrides the preset", ranges::kFeedForward)
      .add("heads", &m.heads, "N", "attention heads; overrides the preset", ranges::kHeads)
      .add("position", &o.position, "SPEC",
           "position encoding (default learned); 'dietmt train --position help' lists them")
      .add("segment-encoding", &m.segment_encoding, "",
           "where the two segments are told apart: in the embeddings or in every head",
           {.choices = {"input", "heads", "none"}})
      .add("max-positions", &m.max_positions, "N", "table size of learned encodings",
           ranges::kMaxPositions)
      .add("init-from", &o.init_from, "DIR",
           "continue from this dietmt or Hugging Face model; --position replaces its encoding");
  add_dropout(table, "dropout", &m.dropout, "dropout on residual branches");
  add_dropout(table, "attention-dropout", &m.attention_dropout,
              "dropout on attention probabilities");
  add_dropout(table, "embedding-dropout", &m.embedding_dropout, "dropout on embeddings");
}

std::vector<std::string> apply_preset(const OptionTable& table, BertModelOptions& o,
                                      int64_t vocabulary) {
  std::vector<std::string> problems;
  if (!o.position.empty()) o.model.position = o.position;
  const BertConfig preset = table.allows("preset") ? BertConfig::preset(o.preset) : BertConfig();
  for (const Size& size : kSizes) {
    if (!table.given(size.name)) {
      o.model.*size.field = preset.*size.field;
    } else if (!o.init_from.empty()) {
      problems.push_back("--" + std::string(size.name) +
                         " is fixed by the model in --init-from: leave it out");
    }
  }
  if (!o.init_from.empty()) return problems;
  o.model.vocabulary = vocabulary;
  for (const std::string& problem : o.model.problems()) problems.push_back(problem);
  if (!problems.empty()) return problems;
  try {
    encoders::parameter_counts(o.model);
  } catch (const ConfigError& error) {
    problems.emplace_back(error.what());
  }
  return problems;
}

std::shared_ptr<encoders::Bert> make_bert(const BertModelOptions& o, int64_t vocabulary,
                                          const encoders::BertHeads& heads, uint64_t seed) {
  if (!o.init_from.empty()) {
    interchange::ImportOptions import;
    import.position = o.position;
    import.heads = heads;
    import.seed = seed;
    const auto model = bert::load_pretrained(o.init_from, import);
    if (model->config().vocabulary < vocabulary)
      throw ConfigError("the tokenizer has " + std::to_string(vocabulary) +
                        " pieces, but the model in --init-from has only " +
                        std::to_string(model->config().vocabulary));
    return model;
  }
  BertConfig config = o.model;
  config.vocabulary = vocabulary;
  config.task_heads = heads;
  return std::make_shared<encoders::Bert>(config, seed);
}

void require_training_memory(const encoders::Bert& model, const std::string& directory,
                             double bytes_per_weight) {
  const std::string file =
      directory.empty() ? "" : (bert::pretrained_directory(directory) / "config.json").string();
  const std::string problem = encoders::memory_problem(model.config(), bytes_per_weight, file);
  if (!problem.empty()) throw ConfigError(problem);
}

}  // namespace dietmt::tools
