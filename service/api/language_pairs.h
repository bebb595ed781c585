// The language pairs of a server and their models.
#pragma once

#include <string>
#include <vector>

#include "service/api/languages.h"
#include "service/scheduling/model_spec.h"

namespace dietmt::service {

class LanguagePairs {
 public:
  explicit LanguagePairs(std::vector<ModelSpec> specs) : specs_(std::move(specs)) {}

  /// Source languages in the order of their first models.
  std::vector<std::string> sources() const;

  /// Target languages of one source, or of all if `source` is empty.
  std::vector<std::string> targets(const std::string& source = "") const;

  /// The first model of the pair. Throws HttpError 400 with the language that is not supported.
  const ModelSpec& model_of(const std::string& source, const std::string& target) const;

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
  std::vector<ModelSpec> specs_;
};

}  // namespace dietmt::service
