#include "inspection/position_report.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/json_fields.h"
#include "common/random.h"
#include "data/text/bert_tokenizer.h"
#include "encoders/transformer/stacks.h"
#include "interchange/huggingface/gpt2.h"
#include "interchange/huggingface/transformers_config.h"
#include "nmt/network/model_directory.h"

namespace dietmt::inspection {
namespace {

using at::Tensor;
using encoders::InspectedStack;

/// The ids from 0 to `pieces` that stand for text, in random order.
std::vector<int64_t> shuffled_pieces(int64_t pieces, const std::vector<int32_t>& special,
                                     int64_t seed) {
  std::vector<int64_t> ids;
  for (int32_t id = 0; id < pieces; ++id)
    if (std::ranges::find(special, id) == special.end()) ids.push_back(id);
  Random(random_key(static_cast<uint64_t>(seed), 0)).shuffle(ids);
  return ids;
}

std::vector<int64_t> shuffled_pieces(const data::Tokenizer& tokenizer, int64_t seed) {
  return shuffled_pieces(tokenizer.vocabulary_size(),
                         {tokenizer.unknown_id(), tokenizer.begin_id(), tokenizer.end_id()}, seed);
}

struct EncoderPieces {
  int64_t count = 0;
  data::SpecialPieces special = {};
};

/// Those of the tokenizer; where encoders cannot use it here, as byte-level BPE and TUPE's, those
/// of fairseq, with the ids that config.json of RoBERTa names.
EncoderPieces encoder_pieces(const std::filesystem::path& directory, int64_t vocabulary) {
  const auto file = data::bert_tokenizer_file(directory);
  if (file && !std::filesystem::exists(directory / interchange::kMerges)) {
    const auto tokenizer = data::load_bert_tokenizer(*file);
    return {tokenizer->vocabulary_size(), tokenizer->special()};
  }
  constexpr int32_t kUnknown = 3;
  return read_json_as(directory / "config.json", [&](const nlohmann::json& config) {
    return EncoderPieces{vocabulary,
                         {.pad = field_or<int32_t>(config, "pad_token_id", 1),
                          .unknown = kUnknown,
                          .classify = field_or<int32_t>(config, "bos_token_id", 0),
                          .separate = field_or<int32_t>(config, "eos_token_id", 2),
                          .mask = static_cast<int32_t>(vocabulary) - 1}};
  });
}

/// The first `words` of `pieces` as the model embeds them: [words, D].
Tensor embeddings(const nmt::TranslationModel& model, const std::string& table,
                  const std::vector<int64_t>& pieces, int64_t words) {
  const auto parameters = model.named_parameters();
  const Tensor& weight = parameters[parameters.contains(table) ? table : "source_embedding"];
  const Tensor ids = at::tensor(pieces, at::kLong).narrow(0, 0, words);
  return weight.detach().index_select(0, ids) *
         std::sqrt(static_cast<double>(model.config().width));
}

/// `longest`: the model's number of positions.
void check(const PositionReportOptions& options, int64_t longest) {
  if (options.length <= longest) return;
  throw ConfigError(
      fmt::format("--length is {}, but the model has only {} positions", options.length, longest));
}

PositionReport translation_report(const nmt::LoadedModel& loaded,
                                  const PositionReportOptions& options) {
  const nmt::TranslationModel& model = *loaded.model;
  check(options, std::min(model.max_source_length(), model.max_target_length()));
  const nmt::ModelConfig& config = model.config();
  const auto children = model.named_children();
  const auto& encoder = *children["encoder"]->as<encoders::EncoderStack>();
  const auto& decoder = *children["decoder"]->as<encoders::DecoderStack>();
  InspectedStack encoder_stack{encoder, encoder.position(), config.heads, config.width};
  InspectedStack decoder_stack{decoder, decoder.position(), config.heads, config.width};
  encoder_stack.norm_epsilon = decoder_stack.norm_epsilon = config.norm_epsilon;
  encoder_stack.own_head_width = decoder_stack.own_head_width = config.head_width;
  encoder_stack.embedding_norm = decoder_stack.embedding_norm = config.embedding_norm;
  if (config.norm == "pre") encoder_stack.norm = decoder_stack.norm = encoders::NormPlacement::kPre;
  decoder_stack.causal = true;
  const auto source = shuffled_pieces(*loaded.source_tokenizer, options.seed);
  const auto target = shuffled_pieces(*loaded.target_tokenizer, options.seed);
  const int64_t words = std::min({options.words, std::ssize(source), std::ssize(target)});
  PositionReport report{loaded.directory.string(), options.length, words, {}};
  report.sites.push_back(self_attention_report("encoder", encoder_stack,
                                               embeddings(model, "source_embedding", source, words),
                                               options.length));
  if (config.decoder_layer != "ssru") {
    report.sites.push_back(self_attention_report(
        "decoder", decoder_stack, embeddings(model, "target_embedding", target, words),
        options.length));
  }
  report.sites.push_back(cross_attention_report(decoder.cross_position(), config.heads,
                                                config.width, config.width_of_heads(),
                                                options.length));
  return report;
}

PositionReport bert_report(const std::filesystem::path& directory,
                           const PositionReportOptions& options) {
  const std::shared_ptr<encoders::Bert> model = bert::load_pretrained(directory, {});
  const encoders::BertModel& encoder = model->encoder();
  check(options, encoder.max_length());
  const auto [count, special] = encoder_pieces(directory, encoder.config().vocabulary);
  const auto pieces = shuffled_pieces(
      count, {special.pad, special.unknown, special.classify, special.separate, special.mask},
      options.seed);
  const int64_t words = std::min(options.words, std::ssize(pieces));
  const auto children = encoder.named_children();
  const auto& stack = *children["encoder"]->as<encoders::EncoderStack>();
  InspectedStack inspected{stack, stack.position(), encoder.config().heads, encoder.config().width};
  inspected.embedding_norm = true;
  inspected.norm_epsilon = encoder.config().norm_epsilon;
  const Tensor embedded = encoder.piece_embedding().detach().index_select(
      0, at::tensor(pieces, at::kLong).narrow(0, 0, words));
  const Tensor ends = encoder.piece_embedding().detach().index_select(
      0, at::tensor({int64_t{special.classify}, int64_t{special.separate}}, at::kLong));
  return {directory.string(),
          options.length,
          words,
          {self_attention_report("encoder", inspected, embedded, options.length, ends)}};
}

PositionReport gpt2_report(const std::filesystem::path& directory,
                           const PositionReportOptions& options) {
  const interchange::Gpt2Start model = interchange::import_gpt2_start(directory);
  check(options, model.config.max_positions);
  const auto pieces =
      shuffled_pieces(model.pieces.size(0), {static_cast<int32_t>(model.end_piece)}, options.seed);
  const int64_t words = std::min(options.words, std::ssize(pieces));
  InspectedStack inspected{*model.stack, model.stack->position(), model.config.heads,
                           model.config.width, model.config.norm};
  inspected.causal = true;
  inspected.norm_epsilon = model.config.norm_epsilon;
  const Tensor embedded =
      model.pieces.index_select(0, at::tensor(pieces, at::kLong).narrow(0, 0, words));
  return {directory.string(),
          options.length,
          words,
          {self_attention_report("decoder", inspected, embedded, options.length)}};
}

/// transformers' name of an architecture; empty for models of dietmt.
std::string model_type_of(const std::filesystem::path& directory) {
  return read_json_as(
      directory / interchange::kTransformersConfig,
      [](const nlohmann::json& config) { return field_or<std::string>(config, "model_type", ""); });
}

}  // namespace

PositionReport position_report(const std::filesystem::path& model,
                               const PositionReportOptions& options) {
  if (nmt::is_adapter(model)) {
    PositionReport report = translation_report(nmt::load_model(model), options);
    report.model = model.string();
    return report;
  }
  const std::filesystem::path directory = bert::pretrained_directory(model);
  if (bert::is_bert(directory)) return bert_report(directory, options);
  const std::string type = model_type_of(directory);
  if (type == interchange::kGpt2) return gpt2_report(directory, options);
  if (!type.empty())
    throw CheckpointError((directory / interchange::kTransformersConfig).string() +
                          ": model_type is '" + type +
                          "'; inspect positions reads bert, roberta, xlm-roberta and gpt2 of "
                          "transformers, and models of dietmt: dietmt import makes them");
  return translation_report(nmt::load_model(directory), options);
}

}  // namespace dietmt::inspection
