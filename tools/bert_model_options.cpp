#include "tools/bert_model_options.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

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

std::shared_ptr<encoders::Bert> continued_bert(const OptionTable& table, const BertModelOptions& o,
                                               int64_t vocabulary, const encoders::BertHeads& heads,
                                               uint64_t seed) {
  interchange::ImportOptions import;
  import.position = o.position;
  import.heads = heads;
  import.seed = seed;
  const auto trained = bert::load_pretrained(o.init_from, import);
  if (trained->config().vocabulary < vocabulary)
    throw ConfigError("the tokenizer has " + std::to_string(vocabulary) +
                      " pieces, but the model in --init-from has only " +
                      std::to_string(trained->config().vocabulary));
  const encoders::RebuiltBert rebuilt =
      encoders::rebuild(*trained, continued_config(table, o, trained->config()), seed);
  for (const std::string& name : rebuilt.inheritance.extended)
    spdlog::info("{}: {} is extended; its new rows are initialised at random", o.init_from, name);
  return rebuilt.model;
}

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
           "where the two segments are told apart; input: in the embeddings; heads: in "
           "every attention head",
           {.choices = {"input", "heads", "none"}})
      .add("max-positions", &m.max_positions, "N", "table size of learned encodings",
           ranges::kMaxPositions)
      .add("init-from", &o.init_from, "DIR",
           "continue from this dietmt or Hugging Face model; --position, dropouts and a larger "
           "--max-positions replace its own");
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

BertConfig continued_config(const OptionTable& table, const BertModelOptions& o,
                            const BertConfig& trained) {
  std::vector<std::string> problems;
  const auto refuse = [&](const char* name, const auto& value, const auto& models) {
    problems.push_back(fmt::format("--{} is {}, but {} has {}, which --init-from keeps", name,
                                   value, o.init_from, models));
  };
  if (table.given("preset")) {
    for (const Size& size : kSizes)
      if (o.model.*size.field != trained.*size.field)
        refuse("preset", fmt::format("{} with --{} {}", o.preset, size.name, o.model.*size.field),
               trained.*size.field);
  }
  if (table.given("segment-encoding") && o.model.segment_encoding != trained.segment_encoding)
    refuse("segment-encoding", o.model.segment_encoding, trained.segment_encoding);
  BertConfig config = trained;
  const auto take = [&](const char* name, auto BertConfig::*field) {
    if (table.given(name)) config.*field = o.model.*field;
  };
  take("dropout", &BertConfig::dropout);
  take("attention-dropout", &BertConfig::attention_dropout);
  take("embedding-dropout", &BertConfig::embedding_dropout);
  take("max-positions", &BertConfig::max_positions);
  if (config.max_positions < trained.max_positions)
    refuse("max-positions", config.max_positions, trained.max_positions);
  throw_if_any(problems);
  return config;
}

std::shared_ptr<encoders::Bert> make_bert(const OptionTable& table, const BertModelOptions& o,
                                          int64_t vocabulary, const encoders::BertHeads& heads,
                                          uint64_t seed) {
  if (!o.init_from.empty()) return continued_bert(table, o, vocabulary, heads, seed);
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
