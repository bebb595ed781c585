// The language pairs of a server and their models.
#pragma once

#include <string>
#include <vector>

#include "service/api/languages.h"
#include "service/api/model_path.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

/// Pairs that have a model, and those that two models join at the pivot language.
class LanguagePairs {
 public:
  /// `pivot`: a language code; empty: no pairs without a model of their own.
  explicit LanguagePairs(std::vector<ModelSpec> specs, std::string pivot = "")
      : specs_(std::move(specs)), pivot_(std::move(pivot)) {}

  /// Source languages in the order of their first models.
  std::vector<std::string> sources() const;

  /// Target languages of one source, or of all if `source` is empty.
  std::vector<std::string> targets(const std::string& source = "") const;

  /// The first model of the pair, or else the first two that join it. Throws HttpError 400 with the
  /// language that is not supported.
  ModelPath path_of(const std::string& source, const std::string& target) const;

  /// A model by its name, or several joined by `+`. Throws HttpError 400 for names that there are
  /// not, and for models of which one does not translate into the next one's source language.
  /// `source` and `target`: those of the path, or empty.
  ModelPath path_named(const std::string& names, const std::string& source = "",
                       const std::string& target = "") const;

  const ModelSpec& model_named(const std::string& name) const;

  /// The language of `source: auto` for this text, among those that the server translates to
  /// `target`. Throws HttpError 400 for a text that is surely in another language. If that is not
  /// sure, as for a single word, the first language in the script of the text counts, with low
  /// confidence.
  DetectedLanguage detect_source(const std::string& text, const std::string& target) const;

  /// The languages of a text, best first, with the codes of this server for its own.
  std::vector<DetectedLanguage> detect(const std::string& text) const;

  const std::vector<ModelSpec>& specs() const { return specs_; }

 private:
  const ModelSpec* first(const std::string& source, const std::string& target) const;
  ModelPath find_path(const std::string& source, const std::string& target) const;

  std::vector<ModelSpec> specs_;
  std::string pivot_;
};

}  // namespace dietmt::service
