#include "tools/bert_model_options.h"

#include "bert/model/pretrained.h"
#include "common/error.h"
#include "encoders/position/position_encoding.h"
#include "encoders/transformer/stacks.h"

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
      .add(
          "preset", &o.preset, "NAME",
          "sizes: tiny (2 layers, width 128), mini (4, 256), small (4, 512), medium (8, 512), base "
          "(12, 768), large (24, 1024)")
      .add("layers", &m.layers, "N", "instead of the preset's")
      .add("width", &m.width, "N", "instead of the preset's")
      .add("feed-forward", &m.feed_forward, "N",
           "inner width of the feed-forward blocks, instead of the preset's")
      .add("heads", &m.heads, "N", "attention heads, instead of the preset's")
      .add("position", &o.position, "SPEC",
           "position encoding (default learned); 'dietmt train --position help' lists them")
      .add("segment-encoding", &m.segment_encoding, "input|heads|none",
           "where first and second text are told apart: in the embeddings or in every head")
      .add("max-positions", &m.max_positions, "N", "table size of learned encodings")
      .add("init-from", &o.init_from, "DIR",
           "go on from this model, of this program or of Hugging Face's transformers; --position "
           "exchanges its encoding")
      .add("dropout", &m.dropout, "P", "on residual branches")
      .add("attention-dropout", &m.attention_dropout, "P", "on attention probabilities")
      .add("embedding-dropout", &m.embedding_dropout, "P", "on embeddings");
}

void apply_preset(const OptionTable& table, BertModelOptions& o) {
  const BertConfig preset = BertConfig::preset(o.preset);
  for (const Size& size : kSizes) {
    if (!table.given(size.name)) {
      o.model.*size.field = preset.*size.field;
    } else if (!o.init_from.empty()) {
      throw ConfigError("--" + std::string(size.name) + " is that of the model in --init-from");
    }
  }
  if (!o.position.empty()) o.model.position = o.position;
}

std::vector<std::string> bert_problems(const BertModelOptions& o) {
  if (!o.init_from.empty()) return {};
  BertConfig config = o.model;
  config.vocabulary = 1;
  return config.problems();
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
                        " pieces, the model in --init-from " +
                        std::to_string(model->config().vocabulary));
    return model;
  }
  BertConfig config = o.model;
  config.vocabulary = vocabulary;
  config.task_heads = heads;
  return std::make_shared<encoders::Bert>(config, seed);
}

}  // namespace dietmt::tools
