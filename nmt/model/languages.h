// The languages of a model that translates several, and the pieces that tell it which are wanted.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::nmt {

/// What a caller says of the languages of a line; empty: nothing.
struct LanguageChoice {
  std::string source_tag = {};  // before the source (data::SourceTag), instead of the model's own
  std::string source = {};      // a BCP 47 or FLORES code or an English name (data::closest_code())
  std::string target = {};

  bool empty() const { return source_tag.empty() && source.empty() && target.empty(); }
  /// For a model in the opposite direction, without the tag.
  LanguageChoice reversed() const { return {{}, target, source}; }
  auto operator<=>(const LanguageChoice&) const = default;
};

/// Pieces before a source and before its translation; empty: none.
struct LanguageTags {
  std::string source;
  std::string target;

  bool operator==(const LanguageTags&) const = default;
};

struct ModelLanguages {
  std::map<std::string, std::string> pieces = {};  // of each language, by BCP 47 code
  // Which languages a source and a translation begin with. M2M-100, NLLB and mBART-50 begin both
  // with their own; MarianMT and MADLAD begin a source with the target's (Johnson et al. 2017).
  bool source_before_source = false;
  bool target_before_source = false;
  bool target_before_target = false;
  // Those of every sentence in a model of one pair, such as BART.
  LanguageTags always = {};

  bool empty() const { return pieces.empty(); }
  std::vector<std::string> codes() const;

  /// Adds a language under its data::canonical_code(), or, if that is taken, under all of `code`.
  void add(const std::string& code, const std::string& piece);

  /// The tags of a line. Throws DataError if the model needs a language that the choice lacks, and
  /// for a language that the model does not have.
  LanguageTags tags(const LanguageChoice& choice) const;

  /// Whether the text begins with the piece of its target language, and the model reads that there.
  bool is_named_in(std::string_view text) const;

  nlohmann::json to_json() const;
  /// Throws CheckpointError naming the key.
  static ModelLanguages from_json(const nlohmann::json& json);

  bool operator==(const ModelLanguages&) const = default;
};

}  // namespace dietmt::nmt
