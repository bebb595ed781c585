// The language pairs of a server and their models.
#pragma once

#include <string>
#include <vector>

#include "service/api/languages.h"
#include "service/api/model_path.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

/// Pairs that have a model, and pairs that two models connect through the pivot language.
class LanguagePairs {
 public:
  /// `pivot`: a language code; empty: only pairs with a direct model.
  explicit LanguagePairs(std::vector<ModelSpec> specs, std::string pivot = "")
      : specs_(std::move(specs)), pivot_(std::move(pivot)) {}

  /// Source languages in the order of their first models.
  std::vector<std::string> sources() const;

  /// Target languages of one source, or of all if `source` is empty.
  std::vector<std::string> targets(const std::string& source = "") const;

  /// The first model of the pair, or else the first two that connect it, for the closest_code() of
  /// both languages. Throws HttpError 400 naming the unsupported language.
  ModelPath path_of(const std::string& wanted_source, const std::string& wanted_target) const;

  /// A model by name, or several joined by `+`. Throws HttpError 400 for unknown names, and if a
  /// model does not translate into the next one's source language. `source` and `target`: those of
  /// the path, or empty.
  ModelPath path_named(const std::string& names, const std::string& source = "",
                       const std::string& target = "") const;

  const ModelSpec& model_named(const std::string& name) const;

  /// The language of this text for `source: auto`, among those that the server translates to
  /// `target`. Throws HttpError 400 if the text is certainly in another language. If that is
  /// uncertain, as for a single word, chooses the first language in the script of the text, with
  /// low confidence.
  DetectedLanguage detect_source(const std::string& text, const std::string& wanted_target) const;

  /// The languages of a text, best first, with this server's codes for its own languages.
  std::vector<DetectedLanguage> detect(const std::string& text) const;

  const std::vector<ModelSpec>& specs() const { return specs_; }

 private:
  const ModelSpec* first(const std::string& source, const std::string& target) const;
  ModelPath find_path(const std::string& source, const std::string& target) const;

  std::vector<ModelSpec> specs_;
  std::string pivot_;
};

}  // namespace dietmt::service
