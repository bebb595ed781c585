#include "service/api/language_pairs.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "data/languages/scripts.h"
#include "data/text/language_codes.h"

namespace dietmt::service {
namespace {

constexpr double kSure = 0.9;  // reached by 20 letters of one language
constexpr size_t kMostDetected = 3;

// Codes in the order in which they were first added.
class CodeList {
 public:
  void add(const std::string& code) {
    if (known_.insert(code).second) codes_.push_back(code);
  }
  void add(const std::vector<std::string>& codes) {
    for (const std::string& code : codes) add(code);
  }
  std::vector<std::string> take() { return std::move(codes_); }

 private:
  std::unordered_set<std::string> known_;
  std::vector<std::string> codes_;
};

// `wanted`: from a request, which may leave it to the model.
void check_language(const std::string& field, const std::string& wanted, const std::string& found,
                    const std::string& models) {
  if (!wanted.empty() && data::closest_code(wanted, {found}) != found)
    throw HttpError::of_option(field,
                               field + " of model " + models + " is " + found + ", not " + wanted);
}

bool holds(const std::vector<std::string>& codes, const std::string& code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// Null if there is none.
const std::string* same_language(const std::vector<std::string>& codes, const std::string& code) {
  const auto found = std::ranges::find_if(
      codes, [&](const auto& one) { return data::is_same_language(one, code); });
  return found == codes.end() ? nullptr : &*found;
}

// LibreTranslate's clients look for the end of the message.
HttpError unsupported(const std::string& field, const std::string& code) {
  return HttpError::of_option(field, field + ": " + code + " is not supported");
}

std::string closest(const std::string& field, const std::string& code,
                    const std::vector<std::string>& known) {
  const std::string found = data::closest_code(code, known);
  if (!holds(known, found)) throw unsupported(field, code);
  return found;
}

}  // namespace

// Pairs of models of several, made when a request needs them.
struct LanguagePairs::MadePairs {
  std::mutex mutex;
  std::map<std::tuple<std::string, std::string, std::string>, ModelSpec> specs;
};

LanguagePairs::LanguagePairs(std::vector<ModelSpec> specs, std::string pivot,
                             std::vector<std::string> prior)
    : specs_(std::move(specs)),
      pivot_(std::move(pivot)),
      prior_(std::move(prior)),
      made_(std::make_shared<MadePairs>()) {
  CodeList sources, targets;
  for (const ModelSpec& spec : specs_) sources.add(spec.source_languages());
  for (const ModelSpec& spec : specs_) targets.add(spec.target_languages());
  sources_ = sources.take();
  targets_ = targets.take();
}

const ModelSpec* LanguagePairs::pair_of(const ModelSpec& several, const std::string& source,
                                        const std::string& target) const {
  const std::lock_guard lock(made_->mutex);
  const auto [place, is_new] = made_->specs.try_emplace({several.name, source, target});
  if (is_new)
    place->second = {.name = several.name,
                     .source = source,
                     .target = target,
                     .directory = several.directory,
                     .shortlist = several.shortlist,
                     .source_tag = several.source_tag};
  return &place->second;
}

std::vector<std::string> LanguagePairs::targets(const std::string& source) const {
  CodeList codes;
  for (const ModelSpec& spec : specs_) {
    const bool is_source = source.empty() || holds(spec.source_languages(), source);
    for (const std::string& code : spec.target_languages())
      if (source.empty() || (is_source && code != source) || !find_path(source, code).empty())
        codes.add(code);
  }
  return codes.take();
}

std::vector<std::string> LanguagePairs::languages() const {
  CodeList codes;
  codes.add(sources_);
  codes.add(targets_);
  return codes.take();
}

const ModelSpec* LanguagePairs::first(const std::string& source, const std::string& target) const {
  for (const ModelSpec& spec : specs_) {
    if (!spec.translates(source, target)) continue;
    return spec.has_several_pairs() ? pair_of(spec, source, target) : &spec;
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
  const std::string source = data::closest_code(wanted_source, sources_);
  const std::string target = data::closest_code(wanted_target, targets_);
  ModelPath path = find_path(source, target);
  if (!path.empty() || is_one_language(wanted_source, wanted_target)) return path;
  if (!holds(sources_, source)) throw unsupported("source", source);
  if (!holds(targets_, target)) throw unsupported("target", target);
  throw HttpError::of_option(
      "target", "target: " + source + " cannot be translated to " + target + " on this server");
}

bool LanguagePairs::is_one_language(const std::string& source, const std::string& target) const {
  const std::vector<std::string> known = languages();
  const std::string code = data::closest_code(source, known);
  return code == data::closest_code(target, known) && holds(known, code);
}

bool LanguagePairs::has_path(const std::string& source, const std::string& target) const {
  return is_one_language(source, target) ||
         !find_path(data::closest_code(source, sources_), data::closest_code(target, targets_))
              .empty();
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
    const ModelSpec& named = model_named(names.substr(begin, end - begin));
    const ModelSpec& model = named.has_several_pairs() && begin == 0 && end == names.size()
                                 ? chosen_pair(named, source, target)
                                 : named;
    if (model.has_several_pairs())
      throw HttpError::of_option(
          "model", "model: " + model.name + " has several languages and cannot be part of a path");
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

const ModelSpec& LanguagePairs::chosen_pair(const ModelSpec& several, const std::string& source,
                                            const std::string& target) const {
  const auto chosen = [&](const char* field, const std::string& code,
                          const std::vector<std::string>& known) {
    if (code.empty())
      throw HttpError::of_option(field, std::string(field) + ": model " + several.name +
                                            " has several languages, so one must be named");
    return closest(field, code, known);
  };
  return *pair_of(several, chosen("source", source, several.sources),
                  chosen("target", target, several.targets));
}

const ModelSpec& LanguagePairs::model_named(const std::string& name) const {
  for (const ModelSpec& spec : specs_) {
    if (spec.name == name) return spec;
  }
  throw HttpError::of_option("model", "model: there is no model '" + name + "'; see /v1/models");
}

std::vector<std::string> LanguagePairs::sources_of(const std::string& wanted_target) const {
  const std::string target = data::closest_code(wanted_target, targets_);
  CodeList candidates;
  bool is_target = false;
  for (const std::string& source : sources_) {
    if (find_path(source, target).empty()) continue;
    candidates.add(source);
    is_target = true;
  }
  if (!is_target) throw unsupported("target", target);
  candidates.add(target);
  return candidates.take();
}

data::DetectedLanguage LanguagePairs::detect_source(
    const std::string& text, const std::vector<std::string>& candidates) const {
  const std::vector<data::DetectedLanguage> found = data::identify_languages(text);
  if (found.empty()) return {likeliest(candidates), 0.0};
  const bool is_sure = found.front().confidence >= kSure;
  if (is_sure || prior_.empty()) {
    for (const data::DetectedLanguage& one : found) {
      if (const auto* code = same_language(candidates, one.code)) return {*code, one.confidence};
      if (is_sure) return one;
    }
  }
  const data::DetectedLanguage guess =
      data::guess_language(text, prior_.empty() ? candidates : prior_);
  if (const auto* code = same_language(candidates, guess.code)) return {*code, guess.confidence};
  const auto in_script = std::ranges::find_if(candidates, [&](const auto& code) {
    return data::ScriptSet::of_language(code).share_of(text) > 0.5;
  });
  if (in_script == candidates.end()) return found.front();
  // The candidates and all other languages share what the detected language leaves.
  const auto shares = static_cast<double>(candidates.size() + 1);
  return {*in_script, (1.0 - found.front().confidence) / shares};
}

data::DetectedLanguage LanguagePairs::detect_language(
    const std::vector<nmt::MarkedText>& texts, const std::vector<std::string>& candidates) const {
  constexpr size_t kSample = 10'000;
  std::string sample;
  for (const nmt::MarkedText& text : texts) {
    if (sample.size() > kSample) break;
    sample += text.text + "\n";
  }
  return detect_source(sample, candidates);
}

std::vector<data::DetectedLanguage> LanguagePairs::detect(const std::string& text) const {
  std::vector<data::DetectedLanguage> found = data::identify_languages(text);
  const std::vector<std::string> known = languages();
  bool has_known = false;
  for (data::DetectedLanguage& one : found) {
    if (const auto* code = same_language(known, one.code)) {
      one.code = *code;
      has_known = true;
    }
  }
  if (found.empty()) return {{likeliest(sources_), 0.0}};
  if (found.front().confidence >= kSure || (has_known && prior_.empty())) return found;
  const data::DetectedLanguage guess = data::guess_language(text, prior_.empty() ? known : prior_);
  const auto* code = same_language(known, guess.code);
  if (code == nullptr) return found;
  std::erase_if(found, [&](const data::DetectedLanguage& one) { return one.code == *code; });
  found.insert(found.begin(), {*code, guess.confidence});
  if (found.size() > kMostDetected) found.pop_back();
  return found;
}

const std::string& LanguagePairs::likeliest(const std::vector<std::string>& codes) const {
  for (const std::string& code : prior_)
    if (const auto* known = same_language(codes, code)) return *known;
  return codes.front();
}

std::string unsupported_warning(const std::string& code) {
  return "not translated, because " + data::language_name(code) + " (" + code +
         ") is not supported for this target";
}

}  // namespace dietmt::service
