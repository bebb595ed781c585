#include "interchange/huggingface/byte_tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/merged_pieces.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/vocabulary_json.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kPrefixSpace = "add_prefix_space";

/// The step that divides texts as GPT-2 does, which may be one of several.
json byte_level(const json& step) {
  if (!step.is_object()) return {};
  if (step.value("type", json()) == "ByteLevel") return step;
  const json several = step.value("pretokenizers", json::array());
  for (const json& one : several)
    if (const json found = byte_level(one); !found.is_null()) return found;
  return {};
}

/// LEFT RIGHT, which tokenizer.json may have as a list.
std::string merge_line(const json& merge) {
  const bool is_pair =
      merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
  if (!is_pair && !merge.is_string())
    throw CheckpointError("merges has " + merge.dump() + "; it must list pairs of symbols");
  return is_pair ? merge[0].get<std::string>() + ' ' + merge[1].get<std::string>()
                 : merge.get<std::string>();
}

struct Rules {
  std::vector<std::string> pieces;
  std::string merges;  // by lines
  bool is_spaced = false;
};

Rules rules_of(const json& tokenizer) {
  const json step = byte_level(tokenizer.value("pre_tokenizer", json()));
  const json& model = object_field(tokenizer, "model");
  if (model.value("type", json()) != "BPE" || step.is_null())
    throw CheckpointError("is no byte-level BPE (a model of type BPE after ByteLevel)");
  Rules rules{
      pieces_by_number(object_field(model, "vocab")), {}, field_or(step, kPrefixSpace, true)};
  for (const json& merge : any_field(model, "merges")) rules.merges += merge_line(merge) + '\n';
  return rules;
}

}  // namespace

ByteTokenizer read_byte_tokenizer(const fs::path& directory) {
  const bool is_split = fs::exists(directory / kVocabularyJson) && fs::exists(directory / kMerges);
  if (!is_split && !fs::exists(directory / kTokenizerJson))
    throw CheckpointError(directory.string() + ": has neither " + kVocabularyJson + " and " +
                          kMerges + " nor " + kTokenizerJson + ", which split text into pieces");
  const fs::path where = directory / (is_split ? kMerges : kTokenizerJson);
  Rules rules = is_split
                    ? Rules{read_vocabulary_json(directory / kVocabularyJson), read_file(where)}
                    : read_json_as(where, rules_of);
  if (fs::exists(directory / kTokenizerConfig))
    rules.is_spaced =
        field_or(read_json_object(directory / kTokenizerConfig), kPrefixSpace, rules.is_spaced);
  const auto text = rules.is_spaced ? data::MergedText::kSpacedBytes : data::MergedText::kBytes;
  return {std::move(rules.pieces),
          {data::merge_rules(text, rules.merges), where.string(), /*are_merges=*/true}};
}

}  // namespace dietmt::interchange
