#include "service/api/language_pairs.h"

#include <algorithm>

#include "service/api/call.h"
#include "service/api/languages.h"

namespace dietmt::service {
namespace {

constexpr double kSure = 0.9;  // reached by 20 letters of one language

void add_once(std::vector<std::string>& codes, const std::string& code) {
  if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
}

// `wanted`: from a request, which may leave it to the model.
void check_language(const std::string& field, const std::string& wanted, const std::string& found,
                    const std::string& models) {
  if (!wanted.empty() && closest_code(wanted, {found}) != found)
    throw HttpError::of_option(field,
                               field + " of model " + models + " is " + found + ", not " + wanted);
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
    if (source.empty() || !find_path(source, spec.target).empty()) add_once(codes, spec.target);
  }
  return codes;
}

const ModelSpec* LanguagePairs::first(const std::string& source, const std::string& target) const {
  for (const ModelSpec& spec : specs_) {
    if (spec.source == source && spec.target == target) return &spec;
  }
  return nullptr;
}

// Empty if there is none.
ModelPath LanguagePairs::find_path(const std::string& source, const std::string& target) const {
  if (const ModelSpec* direct = first(source, target)) return {direct};
  if (pivot_.empty() || source == target) return {};
  const ModelSpec* to_pivot = first(source, pivot_);
  const ModelSpec* from_pivot = first(pivot_, target);
  if (to_pivot == nullptr || from_pivot == nullptr) return {};
  return {to_pivot, from_pivot};
}

ModelPath LanguagePairs::path_of(const std::string& wanted_source,
                                 const std::string& wanted_target) const {
  const std::string source = closest_code(wanted_source, sources());
  const std::string target = closest_code(wanted_target, targets());
  ModelPath path = find_path(source, target);
  if (!path.empty()) return path;
  if (!holds(sources(), source))
    throw HttpError::of_option("source", "source: " + source + " is not supported");
  if (!holds(targets(), target))
    throw HttpError::of_option("target", "target: " + target + " is not supported");
  throw HttpError::of_option(
      "target", "target: " + source + " cannot be translated to " + target + " on this server");
}

ModelPath LanguagePairs::path_named(const std::string& names, const std::string& source,
                                    const std::string& target) const {
  constexpr size_t kMostModels = 4;
  ModelPath path;
  for (size_t begin = 0; begin <= names.size();) {
    if (path.size() == kMostModels)
      throw HttpError::of_option(
          "model", "model: a path has at most " + std::to_string(kMostModels) + " models");
    const size_t end = std::min(names.find('+', begin), names.size());
    const ModelSpec& model = model_named(names.substr(begin, end - begin));
    if (!path.empty() && path.back()->target != model.source)
      throw HttpError::of_option("model", "model: " + path.back()->name + " translates to " +
                                              path.back()->target + ", but " + model.name +
                                              " from " + model.source);
    path.push_back(&model);
    begin = end + 1;
  }
  check_language("source", source, path.front()->source, names);
  check_language("target", target, path.back()->target, names);
  return path;
}

const ModelSpec& LanguagePairs::model_named(const std::string& name) const {
  for (const ModelSpec& spec : specs_) {
    if (spec.name == name) return spec;
  }
  throw HttpError::of_option("model", "model: there is no model '" + name + "'; see /v1/models");
}

DetectedLanguage LanguagePairs::detect_source(const std::string& text,
                                              const std::string& wanted_target) const {
  const std::string target = closest_code(wanted_target, targets());
  std::vector<std::string> candidates;
  for (const ModelSpec& spec : specs_) {
    if (!find_path(spec.source, target).empty()) add_once(candidates, spec.source);
  }
  if (candidates.empty())
    throw HttpError::of_option("target", "target: " + target + " is not supported");
  const std::vector<DetectedLanguage> found = identify_languages(text);
  if (found.empty()) return {candidates.front(), 0.0};
  const bool is_sure = found.front().confidence >= kSure;
  for (const DetectedLanguage& one : found) {
    for (const std::string& code : candidates)
      if (is_same_language(code, one.code)) return {code, one.confidence};
    if (is_sure) break;
  }
  const auto in_script = std::find_if(candidates.begin(), candidates.end(), [&](const auto& code) {
    return share_in_script(text, code) > 0.5;
  });
  if (is_sure || in_script == candidates.end()) {
    const std::string& code = found.front().code;
    throw HttpError::of_option("source", "source: detected " + language_name(code) + " (" + code +
                                             "), which this server cannot translate to " + target +
                                             "; if that is wrong, set source");
  }
  // The candidates and all other languages share what the detected language leaves.
  const auto shares = static_cast<double>(candidates.size() + 1);
  return {*in_script, (1.0 - found.front().confidence) / shares};
}

std::vector<DetectedLanguage> LanguagePairs::detect(const std::string& text) const {
  std::vector<DetectedLanguage> found = identify_languages(text);
  for (DetectedLanguage& one : found) {
    for (const std::string& code : sources()) {
      if (!is_same_language(code, one.code)) continue;
      one.code = code;
      break;
    }
  }
  if (found.empty()) found.push_back({sources().front(), 0.0});
  return found;
}

}  // namespace dietmt::service
