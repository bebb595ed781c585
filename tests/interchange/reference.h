// What another program computes with a model: the JSON files next to the stored cases.
#pragma once

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/files.h"
#include "nmt/network/model_directory.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "tests/interchange/outputs.h"

namespace dietmt::interchange {

inline nlohmann::json read_reference(const std::filesystem::path& file) {
  return nlohmann::json::parse(read_file(file));
}

inline nmt::LanguageChoice languages_of(const nlohmann::json& reference) {
  return {.source = reference.value("source_language", ""),
          .target = reference.value("target_language", "")};
}

inline std::vector<int64_t> ids_of_pieces(const data::Tokenizer& tokenizer,
                                          const std::vector<std::string>& pieces) {
  std::map<std::string, int64_t> ids;
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) ids[tokenizer.piece(id)] = id;
  std::vector<int64_t> found;
  for (const std::string& piece : pieces) found.push_back(ids.at(piece));
  return found;
}

/// The log-probabilities of the pieces of a target and of end of sentence.
inline std::vector<float> token_scores(const nmt::LoadedModel& model, const std::string& source,
                                       std::vector<std::string> target,
                                       const nmt::LanguageChoice& languages = {}) {
  const nmt::LanguageTags tags = model.model->config().languages.tags(languages);
  const data::Tokenizer& tokenizer = *model.target_tokenizer;
  const std::string tagged = tags.source.empty() ? source : tags.source + " " + source;
  std::vector<int32_t> tokens = model.source_tokenizer->encode(tagged);
  for (const int32_t end : model.source_tokenizer->source_ending()) tokens.push_back(end);
  const std::vector<int64_t> sources(tokens.begin(), tokens.end());
  if (!tags.target.empty()) target.insert(target.begin(), tags.target);
  std::vector<int64_t> targets = ids_of_pieces(tokenizer, target);
  std::vector<int64_t> inputs = {tokenizer.begin_id()};
  inputs.insert(inputs.end(), targets.begin(), targets.end());
  targets.push_back(tokenizer.end_id());
  const at::Tensor logits =
      logits_of(*model.model, {{"source", at::tensor(sources)},
                               {"source_lengths", at::tensor(std::ssize(sources))},
                               {"target", at::tensor(inputs)},
                               {"target_lengths", at::tensor(std::ssize(inputs))}});
  const at::Tensor chosen = logits.log_softmax(-1)
                                .gather(1, at::tensor(targets).unsqueeze(1))
                                .flatten()
                                .slice(0, tags.target.empty() ? 0 : 1)
                                .contiguous();
  const auto* first = chosen.const_data_ptr<float>();
  return {first, first + chosen.numel()};
}

/// `longest`: tokens of a translation, with end of sentence.
inline std::vector<std::string> translations(const nmt::LoadedModel& model,
                                             const std::vector<std::string>& lines, int64_t beam,
                                             int64_t longest,
                                             const nmt::LanguageChoice& languages = {}) {
  nmt::SearchOptions options;
  options.beam = beam;
  options.max_length_factor = 0;
  options.max_length_offset = longest;
  options.threads = 1;
  return nmt::translate_lines(*model.model, *model.source_tokenizer, *model.target_tokenizer, lines,
                              options, languages);
}

inline void expect_reference(const nmt::LoadedModel& model, const nlohmann::json& expected,
                             int64_t longest) {
  const nmt::LanguageChoice languages = languages_of(expected);
  const std::vector<std::string> sources = expected.at("sources");
  for (size_t i = 0; i < expected.at("targets").size(); ++i) {
    const std::vector<float> wanted = expected.at("token_scores")[i];
    EXPECT_THAT(token_scores(model, sources[i], expected.at("targets")[i], languages),
                testing::Pointwise(testing::FloatNear(1e-4F), wanted))
        << sources[i];
  }
  for (const auto& [name, beam] : {std::pair("greedy", 1), std::pair("beam", 5)})
    if (expected.contains(name)) {
      EXPECT_EQ(translations(model, sources, beam, longest, languages),
                expected.at(name).get<std::vector<std::string>>())
          << name;
    }
}

}  // namespace dietmt::interchange
