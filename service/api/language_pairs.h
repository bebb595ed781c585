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

  /// The language of `source: auto` for this text: the only language that the server translates to
  /// `target`, or the only one in the text's script. Throws HttpError 400 if neither exists.
  DetectedLanguage detect_source(const std::string& text, const std::string& target) const;

  const std::vector<ModelSpec>& specs() const { return specs_; }

 private:
  std::vector<ModelSpec> specs_;
};

}  // namespace dietmt::service
