#include "service/api/translation_call.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/text/language_codes.h"

namespace dietmt::service {
namespace {

constexpr const char* kFailed = "Cannot translate text; the server's log has the reason";

// Texts of one path, by their numbers.
struct Group {
  ModelPath path;
  std::vector<size_t> texts;
};

std::vector<data::DetectedLanguage> detect_each(const std::vector<std::string>& texts,
                                                const std::vector<std::string>& candidates,
                                                const LanguagePairs& pairs) {
  std::vector<data::DetectedLanguage> found;
  for (const std::string& text : texts) found.push_back(pairs.detect_source(text, candidates));
  // Texts that show no language, such as numbers, have that of the others.
  const auto shows = [](const data::DetectedLanguage& one) { return one.confidence > 0.0; };
  const auto first = std::ranges::find_if(found, shows);
  if (first == found.end()) return found;
  const std::string code = first->code;
  for (data::DetectedLanguage& one : found)
    if (!shows(one)) one.code = code;
  return found;
}

void detect(const TranslationCall& call, const ModelPath& named, const LanguagePairs& pairs,
            std::vector<CalledText>& called) {
  const std::string target = named.empty() ? call.target : named.back()->target;
  const auto candidates = named.empty() ? pairs.sources_of(target)
                                        : std::vector<std::string>{named.front()->source, target};
  std::vector<data::DetectedLanguage> found = detect_each(call.texts, candidates, pairs);
  for (size_t i = 0; i < found.size(); ++i) {
    CalledText& one = called[i];
    one.source = std::move(found[i]);
    const auto is_it = [&](const std::string& code) { return code == one.source.code; };
    one.is_unsupported = std::ranges::none_of(candidates, is_it);
    if (one.is_unsupported) continue;
    if (named.empty()) one.path = pairs.path_of(one.source.code, target);
    if (!named.empty() && is_it(named.front()->source)) one.path = named;
  }
}

std::vector<Group> grouped(const std::vector<CalledText>& called) {
  std::vector<Group> groups;
  for (size_t i = 0; i < called.size(); ++i) {
    auto group = std::ranges::find(groups, called[i].path, &Group::path);
    if (group == groups.end()) group = groups.insert(groups.end(), {called[i].path, {}});
    group->texts.push_back(i);
  }
  return groups;
}

std::vector<TranslatedText> translate_with_cache(const ServedPath& models,
                                                 const std::vector<std::string>& texts,
                                                 const TextOptions& options,
                                                 TranslationCache& cache,
                                                 const Patience& patience) {
  const std::string prefix = cache.prefix(models, options, patience.client);
  if (prefix.empty()) return translate_texts(models, texts, options, patience);
  std::vector<TranslatedText> all(texts.size());
  std::vector<std::string> missing;
  std::vector<size_t> places;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (const auto found = cache.find(prefix, texts[i])) {
      all[i] = *found;
      continue;
    }
    missing.push_back(texts[i]);
    places.push_back(i);
  }
  if (missing.empty()) return all;
  std::vector<TranslatedText> translated = translate_texts(models, missing, options, patience);
  for (size_t i = 0; i < missing.size(); ++i) {
    cache.add(prefix, missing[i], translated[i]);
    all[places[i]] = std::move(translated[i]);
  }
  return all;
}

std::vector<TranslatedText> translate(const Group& group, const std::vector<std::string>& texts,
                                      const TranslationCall& call, ServiceContext& service,
                                      const Patience& patience) {
  const TextOptions options = group.path.empty() ? TextOptions() : call.options(group.path);
  const ServedPath models = acquire(service.models, group.path, patience);
  try {
    if (service.cache)
      return translate_with_cache(models, texts, options, *service.cache, patience);
    return translate_texts(models, texts, options, patience);
  } catch (const RequestError&) {
    throw;
  } catch (const std::exception& error) {
    spdlog::error("a translation failed: {}", error.what());
    throw HttpError(500, kFailed);
  }
}

std::vector<std::string> texts_of(const Group& group, const std::vector<std::string>& all) {
  std::vector<std::string> texts;
  for (const size_t i : group.texts) texts.push_back(all[i]);
  return texts;
}

// Counts the request for /metrics.
void count(const TranslationCall& call, const std::vector<CalledText>& called,
           const std::string& key, ServiceContext& service) {
  int64_t characters = 0, tokens = 0;
  for (const std::string& text : call.texts) characters += characters_of(text);
  for (const CalledText& one : called) {
    for (const TranslatedSentence& sentence : one.text.sentences) {
      tokens += sentence.line.tokens;
      if (sentence.guard.sign != nmt::Degeneration::kNone && service.metrics != nullptr)
        service.metrics->guarded(nmt::description(sentence.guard.sign), sentence.guard.replaced);
    }
  }
  service.usage.add(key, std::ssize(call.texts), characters, tokens);
}

void add_warnings(const TranslatedSentence& sentence, const std::string& where,
                  std::vector<std::string>& warnings) {
  if (sentence.line.cut_tokens > 0) warnings.push_back(where + cut_warning(sentence.line));
  if (sentence.guard.sign != nmt::Degeneration::kNone)
    warnings.push_back(where + nmt::guard_warning(sentence.guard));
  if (sentence.translations.empty()) return;
  for (const std::string& term : sentence.translations.front().missing_terms)
    warnings.push_back(where + "the glossary's term \"" + term + "\" is not in the translation");
  for (const std::string& copy : sentence.translations.front().missing_copies)
    warnings.push_back(where + "\"" + copy + "\" is not in the translation");
}

}  // namespace

std::vector<CalledText> translate_call(const TranslationCall& call, ServiceContext& service,
                                       const Patience& patience) {
  service.check_size(call.texts);
  ModelPath named;
  if (call.model)
    named = service.pairs.path_named(*call.model, call.detects() ? "" : call.source, call.target);
  std::vector<CalledText> called(call.texts.size());
  if (call.detects() && !called.empty()) {
    detect(call, named, service.pairs, called);
  } else {
    const ModelPath path = named.empty() ? service.pairs.path_of(call.source, call.target) : named;
    if (called.empty() && !path.empty()) call.options(path);  // checks them
    for (CalledText& one : called) {
      one.path = path;
      one.source = {path.empty() ? call.source : path.front()->source, 1.0};
    }
  }
  for (const Group& group : grouped(called)) {
    const bool is_all = group.texts.size() == call.texts.size();
    std::vector<TranslatedText> translated = translate(
        group, is_all ? call.texts : texts_of(group, call.texts), call, service, patience);
    for (size_t i = 0; i < translated.size(); ++i)
      called[group.texts[i]].text = std::move(translated[i]);
  }
  count(call, called, ServiceContext::key_of(patience.client), service);
  return called;
}

TextOptions usual_options(const ModelPath& path, bool is_html, const ServiceContext& service) {
  TextOptions options;
  options.language = path.front()->source;
  options.target = path.back()->target;
  options.html = is_html;
  options.markup = service.limits.markup && !is_html;
  options.line.keep = service.limits.keep;
  options.line.restores_case = service.limits.restores_case;
  options.guard = service.limits.guard;
  options.search = default_search(service.limits, path.back()->search);
  return options;
}

std::vector<CalledText> translate_plainly(const Call& call, ServiceContext& service,
                                          std::vector<std::string> texts, const std::string& source,
                                          const std::string& target, bool is_html) {
  const TranslationCall request{
      .texts = std::move(texts),
      .source = source.empty() ? kDetect : source,
      .target = target,
      .options = [&](const ModelPath& path) { return usual_options(path, is_html, service); }};
  return translate_call(request, service, service.patience(call, service.limits.deadline));
}

nlohmann::ordered_json detection_json(const data::DetectedLanguage& language) {
  const double percent = std::round(1000.0 * language.confidence) / 10.0;
  return {{"confidence", percent}, {"language", data::language_tag(language.code)}};
}

std::vector<std::string> warnings_of(const std::vector<CalledText>& texts) {
  std::vector<std::string> warnings;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string where = "text " + std::to_string(i + 1) + ": ";
    if (texts[i].is_unsupported)
      warnings.push_back(where + unsupported_warning(texts[i].source.code));
    for (const TranslatedSentence& sentence : texts[i].text.sentences)
      add_warnings(sentence, where, warnings);
  }
  return warnings;
}

}  // namespace dietmt::service
