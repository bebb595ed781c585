// Which model translates from what to what.
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

  /// Target languages of one source, or, for an empty one, of all.
  std::vector<std::string> targets(const std::string& source = "") const;

  /// The first model of the pair. Throws HttpError 400 naming the language that is not served.
  const ModelSpec& model_of(const std::string& source, const std::string& target) const;

  const ModelSpec& model_named(const std::string& name) const;

  /// What `source: auto` means for this text: the only language that can be translated to `target`,
  /// or the one that the script tells. Throws HttpError 400 where neither holds.
  DetectedLanguage detect_source(const std::string& text, const std::string& target) const;

  const std::vector<ModelSpec>& specs() const { return specs_; }

 private:
  std::vector<ModelSpec> specs_;
};

}  // namespace dietmt::service
