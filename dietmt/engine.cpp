#include "dietmt/engine.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/text_io.h"
#include "data/text/language_codes.h"
#include "dietmt/model_loading.h"
#include "nmt/translation/avoided_ends.h"
#include "nmt/translation/forced_scoring.h"
#include "nmt/translation/kept_text.h"
#include "nmt/translation/line_sentences.h"
#include "nmt/translation/translator.h"

namespace dietmt {
namespace {

// Removes the line end; bytes that are not UTF-8, and NUL, become U+FFFD.
std::string clean(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  if (line.ends_with('\r')) line.pop_back();
  return replace_unreadable(std::move(line));
}

// The model reads what follows a line break as the rest of the sentence, and may leave it out.
std::string one_line(const std::string& text, int64_t number) {
  std::string line = clean(text);
  if (line.find('\n') != std::string::npos)
    throw DataError("line " + std::to_string(number) +
                    " has a line break inside: give its lines one by one, or split_sentences");
  return line;
}

// Throws DataError naming the entry that is wrong.
data::Glossary glossary_of(const TranslateOptions& options) {
  std::vector<data::GlossaryTerm> terms;
  for (const auto& [source, target] : options.glossary) {
    try {
      terms.push_back(data::glossary_term(source, target));
    } catch (const DataError& error) {
      throw DataError("entry " + std::to_string(terms.size() + 1) +
                      " of the glossary: " + error.what());
    }
  }
  return data::Glossary(std::move(terms));
}

bool checks_copies(const std::string& check) {
  if (check == "none" || check == "copies") return check == "copies";
  throw ConfigError("check is '" + check + "'; possible: none, copies");
}

bool restores_case(const std::string& letter_case) {
  if (letter_case == "keep" || letter_case == "auto") return letter_case == "auto";
  throw ConfigError("letter_case is '" + letter_case + "'; possible: keep, auto");
}

std::optional<std::string> language_of_sentences(const std::optional<std::string>& given) {
  if (!given) return given;
  if (auto language = data::known_language(*given)) return language;
  throw ConfigError("split_sentences is '" + *given + "', which is no language");
}

Hypothesis hypothesis(nmt::LineResult found) {
  Hypothesis result;
  result.text = std::move(found.text);
  result.score = found.score;
  result.tokens = std::move(found.pieces);
  result.token_scores = std::move(found.token_scores);
  result.missing_terms = std::move(found.missing_terms);
  result.missing_copies = std::move(found.missing_copies);
  for (const nmt::WordPair& pair : found.alignment)
    result.alignment.push_back({pair.source, pair.target});
  result.attention = std::move(found.attention);
  return result;
}

}  // namespace

Engine::Engine(const std::string& model, const TranslatorOptions& options)
    : options_(options),
      process_(getpid()),
      loaded_(load_decoder(model, options)),
      served_(serve_model(loaded_, options)) {}

Engine::~Engine() {
  // The parent's threads do not exist in a forked process, so nothing may wait for them to end.
  if (getpid() != process_) static_cast<void>(served_.release());
}

TranslationPlan Engine::plan(const TranslateOptions& options) const {
  TranslationPlan plan{.search = search_options(options),
                       .glossary = glossary_of(options),
                       .line = {.avoid = options.avoid,
                                .markup = options.markup,
                                .keep = nmt::kept_kinds_from(options.keep),
                                .alignment = nmt::alignment_from_name(options.alignment),
                                .check_copies = checks_copies(options.check),
                                .pieces = true,
                                .restores_case = restores_case(options.letter_case)},
                       .languages = LineLanguages(options),
                       .guard = nmt::guard_from_name(options.guard),
                       .split = language_of_sentences(options.split_sentences)};
  const bool aligns = plan.line.alignment != nmt::AlignmentKind::kNone;
  if (aligns) plan.line.keep = {};  // it would align other words
  plan.search.alignment = plan.line.markup || aligns;
  if (plan.split && aligns)
    throw ConfigError("alignment is that of one sentence: leave out split_sentences");
  if (plan.line.markup && aligns) throw ConfigError("markup moves words: leave out alignment");
  if (plan.search.alignment && !loaded_->decoder->aligns())
    throw ConfigError(std::string(plan.line.markup ? "markup" : "alignment") +
                      " does not work with this model: it compresses the keys of cross-attention, "
                      "which then no longer stand for tokens");
  if (plan.line.restores_case && loaded_->decoder->aligns()) plan.search.alignment = true;
  nmt::check_avoided(options.avoid);
  if (plan.languages.empty()) plan.line.languages = plan.languages.usual();
  nmt::LineCoder(*loaded_, plan.search, plan.line);  // checks the languages
  std::set<nmt::LanguageChoice> checked;
  for (int64_t i = 0; i < plan.languages.lines(); ++i) {
    const nmt::LanguageChoice choice = *plan.languages.of(i);
    if (!checked.insert(choice).second) continue;
    try {
      nmt::LineCoder(*loaded_, plan.search, {.languages = choice});
    } catch (const DataError& error) {
      throw DataError("line " + std::to_string(i + 1) + ": " + error.what());
    }
  }
  return plan;
}

nmt::SearchOptions Engine::search_options(const TranslateOptions& o) const {
  nmt::SearchOptions search = machine_options(options_);
  search.take(loaded_->search);
#define DIETMT_CALL_OPTION(group, type, name, ...) \
  if (o.name) search.name = *o.name;
#include "nmt/search/search_options.def"
  throw_if_any(search.problems());
  const std::string problem = o.glossary.empty() ? "" : nmt::glossary_problem(search);
  if (!problem.empty()) throw ConfigError(problem);
  if (search.coverage_penalty > 0.0 && !loaded_->decoder->aligns())
    throw ConfigError(
        "coverage_penalty does not work with this model: it compresses the keys of "
        "cross-attention");
  return search;
}

std::vector<Translation> Engine::translate(const LineBatch& batch, const TranslationPlan& plan,
                                           const std::function<bool()>& cancelled) {
  nmt::LineOptions options = plan.line;
  options.glossary = &plan.glossary;
  nmt::LineCoder coder(*loaded_, plan.search, options);
  for (const BatchLine& line : batch.earlier)
    coder.prepare(clean(line.text), {.languages = line.languages});
  std::vector<nmt::LineSentences> lines;
  std::vector<nmt::TranslationRequest> requests;
  for (size_t i = 0; i < batch.lines.size(); ++i) {
    const BatchLine& line = batch.lines[i];
    nmt::LineExtras extras{.index = batch.first + static_cast<int64_t>(i),
                           .languages = line.languages,
                           .prefix = clean(line.prefix)};
    std::string text = plan.split ? clean(line.text) : one_line(line.text, extras.index + 1);
    lines.push_back(nmt::prepare_sentences(coder, std::move(text), std::move(extras), plan.split));
    lines.back().take_requests(requests);
  }
  const nmt::SecondSearch search = [&](std::vector<nmt::TranslationRequest> some,
                                       const nmt::SearchOptions& how) {
    return decode(std::move(some), how, cancelled);
  };
  const std::vector<nmt::TranslationRequest> kept =
      plan.guard == nmt::Guard::kOff ? std::vector<nmt::TranslationRequest>() : requests;
  std::vector<nmt::NBest> found = search(std::move(requests), plan.search);
  const std::vector<nmt::GuardOutcome> outcomes =
      nmt::guard_output(plan.guard, *loaded_, kept, plan.search, search, found);
  std::vector<Translation> translations(lines.size());
  std::vector<nmt::TranslatedPair> pairs;
  size_t next = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    nmt::LineSentences& line = lines[i];
    line.finish(coder, found, outcomes, next);
    line.add_pairs(pairs);
  }
  nmt::keep_text(coder, pairs, plan.search, search);
  for (size_t i = 0; i < lines.size(); ++i) {
    Translation& made = translations[i];
    nmt::LineSentences& line = lines[i];
    made.truncated = line.was_cut();
    made.restored_case = line.case_name();
    made.problem = nmt::description(line.guard().sign);
    made.replaced = line.guard().replaced;
    made.prefix_problem = line.sentences.front().request.prefix_problem;
    for (nmt::LineResult& one : line.take_joined())
      made.hypotheses.push_back(hypothesis(std::move(one)));
    made.source_tokens = std::move(line.sentences.front().request.pieces);
  }
  return translations;
}

std::vector<Hypothesis> Engine::score(const std::vector<std::string>& sources,
                                      const std::vector<std::string>& targets,
                                      const ScoreOptions& options) {
  if (!options_.shortlist.empty())
    throw ConfigError(
        "scores need all probabilities, and a shortlist leaves some out: load the "
        "model without a shortlist");
  if (sources.size() != targets.size())
    throw DataError(std::to_string(sources.size()) + " sources, but " +
                    std::to_string(targets.size()) + " targets");
  const nmt::SearchOptions search = nmt::forced_search(machine_options(options_));
  nmt::ForcedRequests pairs(*loaded_,
                            {.source_tag = options.source_tag,
                             .source = options.source_language,
                             .target = options.target_language},
                            loaded_->decoder->source_limit(search),
                            loaded_->decoder->max_target_length());
  std::vector<nmt::TranslationRequest> requests;
  for (size_t i = 0; i < sources.size(); ++i)
    requests.push_back(pairs.next({clean(sources[i]), clean(targets[i])}));
  const nmt::LineCoder coder(*loaded_, search, {.pieces = true});
  std::vector<Hypothesis> scores;
  for (const nmt::NBest& found : decode(std::move(requests), search, options.cancelled)) {
    scores.push_back(hypothesis(coder.finish(nmt::LineRequest{.has_text = true}, found).front()));
    scores.back().score = found.front().sum;  // without the context
  }
  return scores;
}

void Engine::require_own_process() const {
  if (getpid() != process_)
    throw Error("this process was forked from the one that loaded the model: load it here");
}

// Longest first, so that no worker starts a long sentence at the end.
std::vector<nmt::NBest> Engine::decode(std::vector<nmt::TranslationRequest> requests,
                                       const nmt::SearchOptions& search,
                                       const std::function<bool()>& cancelled) {
  require_own_process();
  const std::vector<size_t> order = nmt::longest_first(requests);
  std::vector<nmt::TranslationRequest> sorted;
  for (const size_t i : order) sorted.push_back(std::move(requests[i]));
  service::Patience patience;
  patience.client_gone = cancelled;
  std::vector<nmt::NBest> found = served_->queue().translate(std::move(sorted), search, patience);
  std::vector<nmt::NBest> results(found.size());
  for (size_t r = 0; r < found.size(); ++r) results[order[r]] = std::move(found[r]);
  return results;
}

}  // namespace dietmt
