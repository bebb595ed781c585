#include "service/api/language_pairs.h"

#include <algorithm>

#include "service/api/exchange.h"

namespace dietmt::service {
namespace {

void add_once(std::vector<std::string>& codes, const std::string& code) {
  if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
}

bool holds(const std::vector<std::string>& codes, const std::string& code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

}  // namespace

std::vector<std::string> LanguagePairs::sources() const {
  std::vector<std::string> codes;
  for (const ModelSpec& spec : specs_) add_once(codes, spec.source);
  return codes;
}

std::vector<std::string> LanguagePairs::targets(const std::string& source) const {
  std::vector<std::string> codes;
  for (const ModelSpec& spec : specs_) {
    if (source.empty() || spec.source == source) add_once(codes, spec.target);
  }
  return codes;
}

const ModelSpec& LanguagePairs::model_of(const std::string& source,
                                         const std::string& target) const {
  for (const ModelSpec& spec : specs_) {
    if (spec.source == source && spec.target == target) return spec;
  }
  if (!holds(sources(), source))
    throw HttpError::of_option("source", "source: " + source + " is not supported");
  if (!holds(targets(), target))
    throw HttpError::of_option("target", "target: " + target + " is not supported");
  throw HttpError::of_option(
      "target", "target: " + source + " cannot be translated to " + target + " on this server");
}

const ModelSpec& LanguagePairs::model_named(const std::string& name) const {
  for (const ModelSpec& spec : specs_) {
    if (spec.name == name) return spec;
  }
  throw HttpError::of_option("model", "model: there is no model '" + name + "'; see /v1/models");
}

DetectedLanguage LanguagePairs::detect_source(const std::string& text,
                                              const std::string& target) const {
  std::vector<std::string> candidates;
  for (const ModelSpec& spec : specs_) {
    if (spec.target == target) add_once(candidates, spec.source);
  }
  if (candidates.empty())
    throw HttpError::of_option("target", "target: " + target + " is not supported");
  if (candidates.size() == 1) return {candidates[0], share_in_script(text, candidates[0])};
  if (auto found = language_by_script(text, candidates)) return *found;
  throw HttpError::of_option("source",
                             "source: auto cannot tell the languages of this server apart in this "
                             "text; choose one of /languages");
}

}  // namespace dietmt::service
