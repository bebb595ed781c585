#include "nmt/model/languages.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "data/text/language_codes.h"

namespace dietmt::nmt {
namespace {

constexpr const char* kPieces = "pieces";
constexpr const char* kBeforeSource = "before_source";
constexpr const char* kBeforeTarget = "before_target";
constexpr const char* kAlways = "always";
constexpr const char* kSource = "source";
constexpr const char* kTarget = "target";

// All languages if they are few, or else as many as a message has room for.
std::string some_of(const std::vector<std::string>& codes) {
  constexpr size_t kShown = 12;
  std::string text;
  for (size_t i = 0; i < std::min(codes.size(), kShown); ++i) text += (i ? ", " : "") + codes[i];
  return codes.size() > kShown ? text + " and " + std::to_string(codes.size() - kShown) + " more"
                               : text;
}

bool is_named(const nlohmann::json& json, const char* place, const char* side) {
  const nlohmann::json sides = json.value(place, nlohmann::json::array());
  for (const nlohmann::json& one : sides)
    if (one != kSource && one != kTarget)
      throw CheckpointError(std::string("languages: ") + place + " has " + one.dump() +
                            "; possible: \"source\", \"target\"");
  return std::ranges::find(sides, side) != sides.end();
}

std::map<std::string, std::string> read_pieces(const nlohmann::json& json) {
  const bool are_strings =
      json.is_object() &&
      std::ranges::all_of(json, [](const nlohmann::json& piece) { return piece.is_string(); });
  if (!are_strings || json.empty())
    throw CheckpointError("languages: pieces must have the piece of each language, {\"de\": ...}");
  return json.get<std::map<std::string, std::string>>();
}

}  // namespace

std::vector<std::string> ModelLanguages::codes() const {
  std::vector<std::string> all;
  for (const auto& [code, piece] : pieces) all.push_back(code);
  return all;
}

void ModelLanguages::add(const std::string& code, const std::string& piece) {
  if (!pieces.emplace(data::canonical_code(code), piece).second)
    pieces.emplace(data::language_tag(code), piece);
}

LanguageTags ModelLanguages::tags(const LanguageChoice& choice) const {
  if (empty() && !(choice.source.empty() && choice.target.empty()))
    throw DataError("the model has one pair of languages, so none can be chosen");
  const auto piece_of = [&](const std::string& side, const std::string& language) {
    const std::vector<std::string> known = codes();
    if (language.empty())
      throw DataError("the model has " + std::to_string(known.size()) + " languages, so the " +
                      side + " language is needed: " + some_of(known));
    const auto found = pieces.find(data::closest_code(language, known));
    if (found != pieces.end()) return found->second;
    throw DataError("the model does not have the " + side + " language '" + language +
                    "'; it has " + some_of(known));
  };
  if (empty() && !(choice.source_tag.empty() || always.source.empty()))
    throw DataError("the model's sources begin with '" + always.source +
                    "', so they cannot have the tag '" + choice.source_tag + "'");
  if (empty()) return {choice.source_tag + always.source, always.target};
  LanguageTags tags{choice.source_tag, {}};
  if (tags.source.empty() && source_before_source) tags.source = piece_of(kSource, choice.source);
  if (tags.source.empty() && target_before_source) tags.source = piece_of(kTarget, choice.target);
  if (target_before_target) tags.target = piece_of(kTarget, choice.target);
  return tags;
}

bool ModelLanguages::is_named_in(std::string_view text) const {
  return target_before_source &&
         std::ranges::any_of(pieces, [&](const auto& one) { return text.starts_with(one.second); });
}

nlohmann::json ModelLanguages::to_json() const {
  if (empty()) return {{kAlways, {{kSource, always.source}, {kTarget, always.target}}}};
  nlohmann::json json = {{kPieces, pieces}};
  if (source_before_source) json[kBeforeSource].push_back(kSource);
  if (target_before_source) json[kBeforeSource].push_back(kTarget);
  if (target_before_target) json[kBeforeTarget].push_back(kTarget);
  return json;
}

ModelLanguages ModelLanguages::from_json(const nlohmann::json& json) {
  if (!json.is_object()) throw CheckpointError("languages must be an object, {...}");
  ModelLanguages languages;
  if (json.contains(kAlways) && !json.contains(kPieces)) {
    const nlohmann::json& always = object_field(json, kAlways);
    languages.always = {field_or<std::string>(always, kSource, ""),
                        field_or<std::string>(always, kTarget, "")};
    return languages;
  }
  languages.pieces = read_pieces(json.value(kPieces, nlohmann::json()));
  languages.source_before_source = is_named(json, kBeforeSource, kSource);
  languages.target_before_source = is_named(json, kBeforeSource, kTarget);
  languages.target_before_target = is_named(json, kBeforeTarget, kTarget);
  if (languages.source_before_source && languages.target_before_source)
    throw CheckpointError("languages: before_source names both languages; a source has one tag");
  if (is_named(json, kBeforeTarget, kSource))
    throw CheckpointError("languages: before_target can only name the target");
  return languages;
}

}  // namespace dietmt::nmt
