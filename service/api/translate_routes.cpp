// /v1/translate: translation with all decoding options.
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "service/api/fields.h"
#include "service/api/service_context.h"
#include "service/api/translation_call.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

// Limit on the numbers of soft alignments in an answer, at about ten bytes each.
constexpr size_t kMostWeights = 1'000'000;

// true means hard.
nmt::AlignmentKind alignment_kind(const Fields& fields) {
  if (!fields.has("alignment")) return nmt::AlignmentKind::kNone;
  if (!fields.is_text("alignment"))
    return fields.flag_or("alignment", false) ? nmt::AlignmentKind::kHard
                                              : nmt::AlignmentKind::kNone;
  try {
    return nmt::alignment_from_name(fields.text("alignment"));
  } catch (const ConfigError&) {
    throw HttpError::of_option("alignment", "alignment must be true, false, none, hard or soft");
  }
}

TextOptions text_options(const Call& call, const Fields& fields, const ModelPath& path,
                         const ServiceContext& service) {
  TextOptions options;
  const std::string format = fields.text_or("format", "text");
  if (format != "text" && format != "html")
    throw HttpError::of_option("format", "format must be text or html");
  options.language = path.front()->source;
  options.target = path.back()->target;
  options.html = format == "html";
  const bool is_asked = fields.flag_or("markup", false);
  if (is_asked && options.html)
    throw HttpError::of_option("markup", "markup is for format text; html moves tags by itself");
  options.markup = is_asked || (!fields.has("markup") && service.limits.markup && !options.html &&
                                alignment_kind(fields) == nmt::AlignmentKind::kNone);
  options.split = fields.flag_or("split_sentences", true);
  options.line = {.languages = {.source_tag = source_tag(fields)},
                  .avoid = avoided(fields),
                  .keep = kept_kinds(fields, service.limits),
                  .alignment = alignment_kind(fields),
                  .check_copies = checks_copies(fields),
                  .pieces = fields.flag_or("token_scores", false),
                  .restores_case = restores_case(fields, service.limits)};
  options.prefix = fields.text_or("prefix", "");
  if (fields.has("context")) options.context = fields.texts("context");
  options.search = search_options(fields, service.limits, path.back()->search);
  options.guard = service.limits.guard;
  options.search.alignment = options.line.alignment != nmt::AlignmentKind::kNone;
  if (options.search.alignment) options.line.keep = {};  // it would align other words
  // Words are counted without the markup, so a client could not find them in the translation.
  if (options.markup && options.search.alignment)
    throw HttpError::of_option("alignment", "markup moves words: leave out alignment");
  options.glossary =
      service.glossaries->of_request(fields, service.owner_of(call), path, options.search);
  if (!options.prefix.empty() && options.split)
    throw HttpError::of_option("prefix", "prefix needs split_sentences false");
  return options;
}

void check_names(const Fields& fields) {
  fields.allow_only(with_decoding_fields({"text", "model", "source", "target", "context", "format",
                                          "split_sentences", "prefix", "glossary", "avoid",
                                          "source_tag", "token_scores", "markup", "keep",
                                          "alignment", "check", "case", "quality", "deadline_ms"}));
}

ordered_json pairs_json(const nmt::LineResult& found) {
  auto pairs = ordered_json::array();
  for (const nmt::WordPair& pair : found.alignment)
    pairs.push_back(ordered_json::array({pair.source, pair.target}));
  return pairs;
}

// From each target piece to each source piece.
ordered_json attention_json(const nmt::LineResult& found,
                            const std::vector<std::string>& source_pieces) {
  constexpr double kDigits = 1e5;
  auto rows = ordered_json::array();
  for (const std::vector<float>& weights : found.attention) {
    auto row = ordered_json::array();
    for (const float weight : weights)
      row.push_back(std::round(static_cast<double>(weight) * kDigits) / kDigits);
    rows.push_back(std::move(row));
  }
  return {{"source_tokens", source_pieces}, {"target_tokens", found.pieces}, {"weights", rows}};
}

ordered_json translation_json(const nmt::LineResult& found, const TranslatedSentence& sentence,
                              const TextOptions& options) {
  ordered_json translation{{"text", found.text}, {"score", found.score}};
  if (!found.missing_terms.empty()) translation["missing_terms"] = found.missing_terms;
  if (options.line.check_copies) translation["missing_copies"] = found.missing_copies;
  if (options.line.alignment == nmt::AlignmentKind::kHard)
    translation["alignment"] = pairs_json(found);
  if (options.line.alignment == nmt::AlignmentKind::kSoft)
    translation["alignment"] = attention_json(found, sentence.line.pieces);
  if (!options.line.pieces || found.pieces.empty()) return translation;
  auto tokens = ordered_json::array();
  for (size_t i = 0; i < found.pieces.size() && i < found.token_scores.size(); ++i)
    tokens.push_back({{"piece", found.pieces[i]}, {"score", found.token_scores[i]}});
  translation["tokens"] = tokens;
  return translation;
}

ordered_json result_json(const TranslatedText& text, const TextOptions& options) {
  auto sentences = ordered_json::array();
  for (const TranslatedSentence& sentence : text.sentences) {
    auto translations = ordered_json::array();
    for (const auto& found : sentence.translations)
      translations.push_back(translation_json(found, sentence, options));
    sentences.push_back({{"before", nmt::join(sentence.before)},
                         {"source", sentence.line.source},
                         {"source_tokens", sentence.line.tokens},
                         {"cut_tokens", sentence.line.cut_tokens},
                         {"translations", translations}});
    if (sentence.line.text_case != nmt::LineCase::kUsual)
      sentences.back()["case"] = nmt::case_name(sentence.line.text_case);
    if (!sentence.line.pivots.empty()) sentences.back()["pivots"] = sentence.line.pivots;
    if (sentence.guard.sign != nmt::Degeneration::kNone)
      sentences.back()["guard"] = {{"problem", nmt::description(sentence.guard.sign)},
                                   {"replaced", sentence.guard.replaced}};
    if (sentence.guard.kept_source) sentences.back()["guard"]["kept_source"] = true;
  }
  return {{"text", text.joined()},
          {"sentences", sentences},
          {"after", nmt::join(text.after)},
          {"cut", text.was_cut()}};
}

ordered_json usage_json(const std::vector<CalledText>& texts, double seconds) {
  int64_t sentences = 0, source_tokens = 0, target_tokens = 0;
  for (const CalledText& one : texts) {
    sentences += std::ssize(one.text.sentences);
    for (const TranslatedSentence& sentence : one.text.sentences) {
      source_tokens += sentence.line.tokens;
      target_tokens += sentence.target_tokens;
    }
  }
  return {{"sentences", sentences},
          {"source_tokens", source_tokens},
          {"target_tokens", target_tokens},
          {"seconds", seconds}};
}

void check_weights(const std::vector<CalledText>& texts) {
  size_t weights = 0;
  for (const CalledText& one : texts)
    for (const TranslatedSentence& sentence : one.text.sentences)
      for (const nmt::LineResult& found : sentence.translations)
        weights += found.attention.size() * sentence.line.pieces.size();
  if (weights > kMostWeights)
    throw HttpError(413, "the soft alignments have " + std::to_string(weights) +
                             " numbers; the limit for an answer is " +
                             std::to_string(kMostWeights) +
                             ": send less text, or ask for fewer translations");
}

// Whether to estimate the quality of translations.
bool asks_for_quality(const Fields& fields, const ServiceContext& service) {
  if (!fields.flag_or("quality", false)) return false;
  require_estimates(service.quality);
  return true;
}

// One estimate for each translation, in the order of the answer.
std::vector<double> qualities_of(const std::vector<CalledText>& texts, QualityEstimates& estimates,
                                 const Patience& patience) {
  std::vector<TranslatedPair> pairs;
  for (const CalledText& one : texts)
    for (const TranslatedSentence& sentence : one.text.sentences)
      for (const nmt::LineResult& found : sentence.translations)
        pairs.push_back({sentence.line.source, words_of(found)});
  return estimates.of(pairs, patience);
}

void add_qualities(const std::vector<double>& qualities, ordered_json& results) {
  auto quality = qualities.begin();
  for (ordered_json& result : results)
    for (ordered_json& sentence : result["sentences"])
      for (ordered_json& translation : sentence["translations"])
        translation["quality"] = *quality++;
}

TranslationCall read(const Fields& fields, const ServiceContext& service) {
  check_names(fields);
  TranslationCall call{.texts = fields.texts("text")};
  if (fields.has("model")) call.model = fields.text("model");
  call.source = call.model ? fields.text_or("source", "") : fields.text("source");
  call.target = call.model ? fields.text_or("target", "") : fields.text("target");
  std::vector<std::string> all = call.texts;
  if (fields.has("context"))
    for (std::string& text : fields.texts("context")) all.push_back(std::move(text));
  service.check_size(all);
  service.check_prefix(fields.text_or("prefix", ""), call.texts);
  return call;
}

std::chrono::milliseconds deadline_of(const Fields& fields, const ServiceLimits& limits) {
  const int64_t limit = limits.deadline.count();
  return std::chrono::milliseconds(
      std::min(limit, fields.integer_or("deadline_ms", limit, 1, INT64_MAX)));
}

ordered_json results_json(const std::vector<CalledText>& called, bool detects,
                          const TextOptions& options) {
  auto results = ordered_json::array();
  for (const CalledText& one : called) {
    results.push_back(result_json(one.text, options));
    if (!detects) continue;
    results.back()["detectedLanguage"] = detection_json(one.source);
    if (!one.path.empty()) results.back()["model"] = path_name(one.path);
  }
  return results;
}

Answer translate(const Call& call, ServiceContext& service) {
  const auto start = std::chrono::steady_clock::now();
  const Fields fields = Fields::of_json(call);
  TranslationCall request = read(fields, service);
  const bool estimates = asks_for_quality(fields, service);
  const Patience patience = service.patience(call, deadline_of(fields, service.limits));
  TextOptions options;
  request.options = [&](const ModelPath& path) {
    return options = text_options(call, fields, path, service);
  };
  const std::vector<CalledText> called = translate_call(request, service, patience);
  check_weights(called);
  auto results = results_json(called, request.detects(), options);
  if (estimates) add_qualities(qualities_of(called, *service.quality, patience), results);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  ordered_json body;
  const ModelPath path = request.detects() || called.empty() ? ModelPath() : called.front().path;
  if (!path.empty()) body["model"] = path_name(path);
  body["source"] = path.empty() ? request.source : path.front()->source;
  body["target"] = path.empty() ? request.target : path.back()->target;
  body["results"] = std::move(results);
  body["usage"] = usage_json(called, elapsed.count());
  return json_answer(body);
}

}  // namespace

void add_v1_routes(Router& router, ServiceContext& service) {
  router.add({"POST", "/v1/translate", [&](const Call& call) { return translate(call, service); }});
}

}  // namespace dietmt::service
