// The language pairs of a server and their models.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/languages/detection.h"
#include "nmt/alignment/inline_markup.h"
#include "service/api/call.h"
#include "service/api/model_path.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

/// Stands for a source language that the server identifies.
constexpr const char* kDetect = "auto";

/// Pairs that have a model, and pairs that two models connect through the pivot language.
class LanguagePairs {
 public:
  /// `pivot`: a language code; empty: only pairs with a direct model. `prior`: the languages in
  /// which short texts probably are; empty: all.
  explicit LanguagePairs(std::vector<ModelSpec> specs, std::string pivot = "",
                         std::vector<std::string> prior = {});

  /// Source languages in the order of their first models.
  const std::vector<std::string>& sources() const { return sources_; }

  /// Target languages of one source, or of all if `source` is empty.
  std::vector<std::string> targets(const std::string& source = "") const;

  /// sources(), and then the languages that are only targets.
  std::vector<std::string> languages() const;

  /// The first model of the pair, or else the first two that connect it, for the
  /// data::closest_code() of both languages. Empty if both are the same language: its texts stay as
  /// they are. Throws HttpError 400 naming the unsupported language.
  ModelPath path_of(const std::string& wanted_source, const std::string& wanted_target) const;

  /// A model by name, or several joined by `+`. Throws HttpError 400 for unknown names, and if a
  /// model does not translate into the next one's source language. `source` and `target`: those of
  /// the path, or empty.
  ModelPath path_named(const std::string& names, const std::string& source = "",
                       const std::string& target = "") const;

  const ModelSpec& model_named(const std::string& name) const;

  /// Whether path_of() would return.
  bool has_path(const std::string& source, const std::string& target) const;

  /// The languages that `source: auto` chooses from: those that the server translates to `target`,
  /// and this itself. Throws HttpError 400 if there is no source.
  std::vector<std::string> sources_of(const std::string& target) const;

  /// The language of a text for `source: auto`: one of `candidates`, from sources_of(), or another
  /// one if the text is certainly in that. If it is uncertain, as for a single word, prefers the
  /// languages of the prior, then the first one in the script of the text, with low confidence.
  data::DetectedLanguage detect_source(const std::string& text,
                                       const std::vector<std::string>& candidates) const;

  /// The language of the first texts of a document together.
  data::DetectedLanguage detect_language(const std::vector<nmt::MarkedText>& texts,
                                         const std::vector<std::string>& candidates) const;

  /// The languages of a text, best first, with this server's codes for its own languages.
  std::vector<data::DetectedLanguage> detect(const std::string& text) const;

  const std::vector<ModelSpec>& specs() const { return specs_; }

 private:
  /// The first model of the pair; of a model of several pairs, a description of this one, which
  /// lives as long as the object.
  const ModelSpec* first(const std::string& source, const std::string& target) const;
  const ModelSpec* pair_of(const ModelSpec& several, const std::string& source,
                           const std::string& target) const;
  const ModelSpec& chosen_pair(const ModelSpec& several, const std::string& source,
                               const std::string& target) const;
  ModelPath find_path(const std::string& source, const std::string& target) const;
  bool is_one_language(const std::string& source, const std::string& target) const;
  const std::string& likeliest(const std::vector<std::string>& codes) const;

  std::vector<ModelSpec> specs_;
  std::string pivot_;
  std::vector<std::string> prior_;
  std::vector<std::string> sources_;  // of all models, each once
  std::vector<std::string> targets_;
  struct MadePairs;
  std::shared_ptr<MadePairs> made_;
};

/// Why a text whose language was detected stays as it is.
std::string unsupported_warning(const std::string& code);

}  // namespace dietmt::service
