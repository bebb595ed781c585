#include "interchange/huggingface/generation_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/error.h"
#include "common/json_fields.h"
#include "interchange/huggingface/transformers_config.h"
#include "nmt/search/search_options.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

/// The settings of a file, and what becomes of them.
class Generation {
 public:
  explicit Generation(const json& file) : file_(file) {}

  /// Takes a number, `less` some, as an option of ours. False if there is none, as for set().
  bool take(const char* theirs, const std::string& option, double less = 0.0) {
    if (!is_set(theirs)) return false;
    double value = 0.0;
    read_field(file_, theirs, value);
    return set(theirs, option, value - std::min(less, std::max(value, 0.0)));
  }

  /// False if our search has no such value.
  bool set(const char* theirs, const std::string& option, double value) {
    nmt::SearchOptions options;
    try {
      options.take({{option, value}});
    } catch (const CheckpointError&) {
      leave_out(theirs);
      return false;
    }
    search_[option] = value;
    return true;
  }

  /// Notes a setting that we do not have, unless it has one of the values that change nothing.
  void refuse(const char* theirs, const std::vector<json>& harmless) {
    if (is_set(theirs) && std::ranges::find(harmless, file_.at(theirs)) == harmless.end())
      leave_out(theirs);
  }

  /// Notes the ids of a list that are not in `known`: numbers, or lists of one number.
  void refuse_ids(const char* theirs, const std::vector<int32_t>& known) {
    if (!is_set(theirs)) return;
    const json& ids = file_.at(theirs);
    for (const json& one : ids.is_array() ? ids : json::array({ids})) {
      const json& id = one.is_array() && one.size() == 1 ? one.front() : one;
      const bool is_known = is_whole_number(id) && std::ranges::count(known, id.get<int64_t>()) > 0;
      if (!is_known) return leave_out(theirs);
    }
  }

  /// Takes ids, or lists of ids that follow each other; none if the vocabulary lacks one. Those
  /// with a token that is never generated change nothing.
  std::vector<std::vector<std::string>> pieces(const char* theirs, const data::Tokenizer& target) {
    std::vector<std::vector<std::string>> all;
    if (!is_set(theirs)) return all;
    const json& lists = file_.at(theirs);
    for (const json& one : lists.is_array() ? lists : json::array({lists})) {
      const json ids = one.is_array() ? one : json::array({one});
      const auto is_id = [&](const json& id) {
        return is_whole_number(id) && id.get<int64_t>() >= 0 &&
               id.get<int64_t>() < target.vocabulary_size();
      };
      if (ids.empty() || !std::ranges::all_of(ids, is_id)) {
        leave_out(theirs);
        return {};
      }
      const auto is_never = [&](int32_t id) {
        return id == target.unknown_id() || id == target.begin_id();
      };
      if (std::ranges::any_of(ids, is_never)) continue;
      std::vector<std::string> sequence;
      for (const int32_t id : ids) sequence.push_back(target.piece(id));
      all.push_back(std::move(sequence));
    }
    return all;
  }

  /// Whether a number is below a limit; true if it is not set.
  bool is_below(const char* theirs, int64_t limit) const {
    double value = 0.0;
    if (is_set(theirs)) read_field(file_, theirs, value);
    return value < static_cast<double>(limit);
  }

  bool is_set(const char* theirs) const {
    return file_.contains(theirs) && !file_.at(theirs).is_null();
  }

  /// Without options that have their usual values.
  nmt::SearchDefaults search() const {
    nmt::SearchDefaults different;
    for (const auto& [option, value] : search_) {
      const nmt::SearchOptions usual;
      nmt::SearchOptions taken;
      taken.take({{option, value}});
      const bool differs =
          std::ranges::any_of(nmt::search_option_table(), [&](const nmt::SearchOption& one) {
            return std::visit([&](auto field) { return taken.*field != usual.*field; }, one.field);
          });
      if (differs) different[option] = value;
    }
    return different;
  }

  const std::set<std::string>& left_out() const { return left_out_; }

 private:
  void leave_out(const char* theirs) {
    constexpr size_t kShown = 40;
    const std::string value = file_.at(theirs).dump();
    left_out_.insert(std::string(theirs) + " " +
                     (value.size() > kShown ? value.substr(0, kShown) + "..." : value));
  }

  const json& file_;
  nmt::SearchDefaults search_;
  std::set<std::string> left_out_;
};

// transformers counts the token that the decoder starts from in max_length and min_length.
void read_lengths(Generation& generation, int64_t positions) {
  const bool most_new = generation.is_set("max_new_tokens");
  const char* const most = most_new ? "max_new_tokens" : "max_length";
  if (generation.is_below(most, positions) &&
      generation.take(most, "max_length_offset", most_new ? 0.0 : 1.0))
    generation.set(most, "max_length_factor", 0.0);
  const bool least_new = generation.is_set("min_new_tokens");
  generation.take(least_new ? "min_new_tokens" : "min_length", "min_length", least_new ? 0.0 : 1.0);
}

void read_search(Generation& generation) {
  generation.take("num_beams", "beam");
  generation.take("length_penalty", "length_penalty");
  generation.take("no_repeat_ngram_size", "no_repeat_ngram");
  generation.take("repetition_penalty", "repetition_penalty");
  generation.refuse("early_stopping", {true});
  generation.refuse("do_sample", {false});
  generation.refuse("num_beam_groups", {1});
  generation.refuse("num_return_sequences", {1});
  for (const char* other : {"encoder_no_repeat_ngram_size", "exponential_decay_length_penalty",
                            "force_words_ids", "penalty_alpha", "sequence_bias"})
    generation.refuse(other, {0});
}

nmt::SuppressedPieces read_suppressed(Generation& generation, const data::Tokenizer& target) {
  nmt::SuppressedPieces suppressed;
  const std::vector<std::string> end = {target.piece(target.end_id())};
  for (auto& sequence : generation.pieces("bad_words_ids", target))
    if (sequence != end) suppressed.sequences.push_back(std::move(sequence));  // as transformers
  for (auto& sequence : generation.pieces("suppress_tokens", target))
    suppressed.sequences.push_back(std::move(sequence));
  for (auto& piece : generation.pieces("begin_suppress_tokens", target))
    suppressed.first.push_back(std::move(piece.front()));
  return suppressed;
}

std::vector<int32_t> ids_of_languages(const data::Tokenizer& tokenizer,
                                      const nmt::ModelLanguages& languages) {
  std::set<std::string> pieces = {languages.always.target};
  for (const auto& [language, piece] : languages.pieces) pieces.insert(piece);
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id)
    if (pieces.contains(tokenizer.piece(id))) ids.push_back(id);
  return ids;
}

}  // namespace

void read_generation_config(const std::filesystem::path& directory, const json& description,
                            const data::Tokenizer& target, nmt::ModelConfig& config,
                            int64_t positions) {
  const std::filesystem::path own = directory / kGenerationConfig;
  const bool has_own = std::filesystem::exists(own);
  const json file = has_own ? read_json_object(own) : description;
  const std::string where = (has_own ? own : directory / kTransformersConfig).string();
  Generation generation(file);
  try {
    read_lengths(generation, positions);
    read_search(generation);
    config.suppressed = read_suppressed(generation, target);
    generation.refuse_ids("forced_bos_token_id", ids_of_languages(target, config.languages));
    if (file.value("forced_eos_token_id", json()) != file.value("eos_token_id", json()))
      generation.refuse("forced_eos_token_id", {});
  } catch (const CheckpointError& error) {
    throw CheckpointError(where + ": " + error.what());
  }
  if (!generation.left_out().empty())
    spdlog::warn("{}: left out, since dietmt's search lacks it: {}", where,
                 fmt::join(generation.left_out(), ", "));
  config.search = generation.search();
}

json generation_settings(const nmt::SearchDefaults& search, int64_t longest) {
  nmt::SearchOptions options;
  options.take(search);
  if (options.max_length_factor == 0.0) longest = std::min(longest, options.max_length_offset + 1);
  json settings = {{"num_beams", options.beam}, {"max_length", longest}};
  if (search.contains("length_penalty")) settings["length_penalty"] = options.length_penalty;
  if (search.contains("min_length")) settings["min_length"] = options.min_length + 1;
  if (search.contains("no_repeat_ngram"))
    settings["no_repeat_ngram_size"] = options.no_repeat_ngram;
  if (search.contains("repetition_penalty"))
    settings["repetition_penalty"] = options.repetition_penalty;
  return settings;
}

}  // namespace dietmt::interchange
