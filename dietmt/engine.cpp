#include "dietmt/engine.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "data/text/copy_check.h"
#include "dietmt/model_loading.h"
#include "nmt/search/document_context.h"
#include "nmt/translation/forced_scoring.h"
#include "nmt/translation/line_alignment.h"
#include "nmt/translation/text_lines.h"
#include "nmt/translation/translator.h"

namespace dietmt {
namespace {

std::string without_line_end(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

// Throws DataError, which names the entry that is wrong.
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

AlignmentKind alignment_from_name(const std::string& name) {
  if (name == "none") return AlignmentKind::kNone;
  if (name == "hard") return AlignmentKind::kHard;
  if (name == "soft") return AlignmentKind::kSoft;
  throw ConfigError("alignment is '" + name + "'; possible: none, hard, soft");
}

}  // namespace

Engine::Engine(const std::string& model, const TranslatorOptions& options)
    : options_(options),
      process_(getpid()),
      loaded_(load_decoder(model, options)),
      served_(serve_model(loaded_, options)) {}

Engine::~Engine() {
  // The threads of the parent do not exist in a forked process, so nothing can wait for their end.
  if (getpid() != process_) static_cast<void>(served_.release());
}

TranslationPlan Engine::plan(const TranslateOptions& options) const {
  TranslationPlan plan{.search = search_options(options),
                       .tag = source_tag(options.source_tag),
                       .glossary = glossary_of(options),
                       .alignment = alignment_from_name(options.alignment),
                       .markup = options.markup,
                       .check_copies = checks_copies(options.check)};
  plan.search.alignment = plan.markup || plan.alignment != AlignmentKind::kNone;
  if (plan.markup && plan.alignment != AlignmentKind::kNone)
    throw ConfigError("markup moves words: leave out alignment");
  if (plan.search.alignment && !loaded_->decoder->aligns())
    throw ConfigError(std::string(plan.markup ? "markup" : "alignment") +
                      " does not work with this model: it compresses the keys of cross-attention, "
                      "which are no tokens then");
  return plan;
}

nmt::SearchOptions Engine::search_options(const TranslateOptions& o) const {
  nmt::SearchOptions search = machine_options(options_);
  search.beam = o.beam;
  search.nbest = o.nbest;
  search.length_penalty = o.length_penalty;
  search.length_norm = nmt::parse_length_norm(o.length_norm);
  search.max_length_factor = o.max_length_factor;
  search.max_length_offset = o.max_length_offset;
  search.min_length = o.min_length;
  search.no_repeat_ngram = o.no_repeat_ngram;
  search.repetition_penalty = o.repetition_penalty;
  search.patience = o.patience;
  search.diverse_groups = o.diverse_groups;
  search.diversity_strength = o.diversity_strength;
  search.coverage_penalty = o.coverage_penalty;
  search.sample = o.sample;
  search.top_k = o.top_k;
  search.top_p = o.top_p;
  search.temperature = o.temperature;
  search.seed = o.seed;
  throw_if_any(search.problems());
  const std::string problem = o.glossary.empty() ? "" : nmt::glossary_problem(search);
  if (!problem.empty()) throw ConfigError(problem);
  if (search.coverage_penalty > 0.0 && !loaded_->decoder->aligns())
    throw ConfigError("coverage_penalty: this model compresses the keys of cross-attention");
  return search;
}

data::SourceTag Engine::source_tag(const std::string& tag) const {
  if (!tag.empty()) {
    const std::string problem = data::source_tag_problem(tag);
    if (!problem.empty()) throw ConfigError("source_tag: " + problem);
  }
  return {*loaded_->source_tokenizer, tag};
}

// Ends the sentence. Whether tokens were cut off.
bool Engine::cut(std::vector<int32_t>& ids) const {
  const int64_t longest = loaded_->decoder->source_limit(machine_options(options_));
  return nmt::cut_and_end(ids, longest, loaded_->source_tokenizer->end_id()) > 0;
}

// Without end of sentence, for which there must be room.
std::vector<int32_t> Engine::encode_target(const std::string& line) const {
  std::vector<int32_t> ids = loaded_->target_tokenizer->encode(without_line_end(line));
  const int64_t limit = loaded_->decoder->max_target_length() - 1;
  if (std::ssize(ids) > limit) ids.resize(static_cast<size_t>(limit));
  return ids;
}

Hypothesis Engine::hypothesis(const nmt::Hypothesis& found) const {
  const data::Tokenizer& tokenizer = *loaded_->target_tokenizer;
  Hypothesis result;
  result.text = nmt::decode_line(tokenizer, found.ids);
  result.score = found.score;
  result.token_scores = found.token_scores;
  result.tokens.reserve(found.token_scores.size());
  for (const int32_t id : found.ids) result.tokens.push_back(tokenizer.piece(id));
  if (result.tokens.size() < found.token_scores.size())
    result.tokens.push_back(tokenizer.piece(tokenizer.end_id()));
  return result;
}

const nmt::TermEncoder& Engine::terms() {
  std::call_once(has_terms_, [&] {
    terms_ =
        std::make_unique<const nmt::TermEncoder>(nmt::TargetPieces::of(*loaded_->target_tokenizer));
  });
  return *terms_;
}

// A line and its tokens.
nmt::TranslatedLine Engine::prepared(std::string line, const TranslationPlan& plan,
                                     bool& truncated) const {
  nmt::TranslatedLine made{.source = without_line_end(std::move(line)), .translations = {}};
  const data::Tokenizer& tokenizer = *loaded_->source_tokenizer;
  if (!plan.search.alignment) {
    made.pieces.ids = tokenizer.encode(plan.tag.before(made.source));
    truncated = cut(made.pieces.ids);
    return made;
  }
  made.source = replace_invalid_utf8(made.source);
  if (plan.markup) made.marked = nmt::take_out_markup(made.source);
  made.pieces =
      nmt::encode_tagged_line(tokenizer, plan.tag, plan.markup ? made.marked.text : made.source);
  truncated = cut(made.pieces.ids);
  made.pieces.spans.resize(made.pieces.ids.size() - 1);
  return made;
}

// Terms of a part that was cut off are wanted, but not required.
void Engine::add_terms(nmt::TranslatedLine& line, const TranslationPlan& plan, bool truncated,
                       nmt::TranslationRequest& request) {
  const std::string& text = plan.markup ? line.marked.text : line.source;
  line.terms = plan.glossary.find(text);
  if (line.terms.empty()) return;
  const int64_t tokens = std::ssize(request.source) - 1;
  const auto required = truncated ? plan.glossary.find(nmt::text_of_tokens(
                                        *loaded_->source_tokenizer, plan.tag, text, tokens))
                                  : line.terms;
  if (!required.empty()) request.constraints = terms().constraints(required);
}

void Engine::add_hypothesis(const nmt::TranslatedLine& line, const nmt::Hypothesis& found,
                            const TranslationPlan& plan, Translation& translation) const {
  const data::Tokenizer& tokenizer = *loaded_->target_tokenizer;
  Hypothesis& result = translation.hypotheses.emplace_back(hypothesis(found));
  for (const data::GlossaryTerm* term : data::missing_terms(line.terms, result.text))
    result.missing_terms.push_back(term->target_text());
  if (plan.check_copies)
    result.missing_copies =
        data::missing_copies(plan.markup ? line.marked.text : line.source, result.text);
  if (plan.markup) result.text = nmt::with_markup(line, found, tokenizer);
  if (plan.alignment == AlignmentKind::kHard) {
    for (const nmt::WordPair& pair : nmt::word_pairs(line, found, tokenizer))
      result.alignment.push_back({pair.source, pair.target});
  }
  if (plan.alignment == AlignmentKind::kSoft) {
    result.attention = nmt::token_rows(line, found);
    translation.source_tokens = nmt::source_pieces(line, *loaded_->source_tokenizer);
  }
}

std::vector<Translation> Engine::translate(const LineBatch& batch, const TranslationPlan& plan,
                                           const std::function<bool()>& cancelled) {
  std::vector<Translation> translations(batch.lines.size());
  std::vector<nmt::TranslationRequest> requests;
  std::vector<nmt::TranslatedLine> lines;  // of the requests
  std::vector<size_t> places;              // of them in the batch
  nmt::DocumentContext document(loaded_->context);
  const int64_t longest = loaded_->decoder->source_limit(plan.search);
  for (const std::string& text : batch.earlier) {
    bool truncated = false;
    nmt::TranslationRequest passed;
    passed.source = prepared(text, plan, truncated).pieces.ids;
    if (std::ssize(passed.source) - 1 > plan.tag.pieces())
      document.next(passed, longest);
    else
      document.end();
  }
  for (size_t i = 0; i < batch.lines.size(); ++i) {
    bool& truncated = translations[i].truncated;
    nmt::TranslatedLine line = prepared(batch.lines[i], plan, truncated);
    if (std::ssize(line.pieces.ids) - 1 <= plan.tag.pieces()) {
      translations[i].hypotheses.resize(1);
      if (!line.marked.marks.empty()) translations[i].hypotheses.front().text = line.source;
      document.end();
      continue;
    }
    std::vector<int32_t> prefix;
    if (!batch.prefixes.empty()) prefix = encode_target(batch.prefixes[i]);
    requests.push_back({line.pieces.ids, std::move(prefix), batch.first + static_cast<int64_t>(i)});
    add_terms(line, plan, truncated, requests.back());
    lines.push_back(std::move(line));
    places.push_back(i);
    document.next(requests.back(), longest);
  }
  const std::vector<nmt::NBest> found = decode(std::move(requests), plan.search, cancelled);
  for (size_t r = 0; r < found.size(); ++r)
    for (const nmt::Hypothesis& one : found[r])
      add_hypothesis(lines[r], one, plan, translations[places[r]]);
  return translations;
}

std::vector<Hypothesis> Engine::score(const std::vector<std::string>& sources,
                                      const std::vector<std::string>& targets,
                                      const std::function<bool()>& cancelled) {
  if (!options_.shortlist.empty())
    throw ConfigError(
        "scores need all probabilities, and a shortlist leaves some out: load the "
        "model without a shortlist");
  if (sources.size() != targets.size())
    throw DataError(std::to_string(sources.size()) + " sources, but " +
                    std::to_string(targets.size()) + " targets");
  const nmt::SearchOptions search = nmt::forced_search(machine_options(options_));
  nmt::ForcedRequests pairs(*loaded_, "", loaded_->decoder->source_limit(search),
                            loaded_->decoder->max_target_length());
  std::vector<nmt::TranslationRequest> requests;
  for (size_t i = 0; i < sources.size(); ++i)
    requests.push_back(pairs.next({without_line_end(sources[i]), without_line_end(targets[i])}));
  std::vector<Hypothesis> scores;
  for (const nmt::NBest& found : decode(std::move(requests), search, cancelled)) {
    scores.push_back(hypothesis(found.front()));
    scores.back().score = found.front().sum;  // without the context
  }
  return scores;
}

void Engine::require_own_process() const {
  if (getpid() != process_)
    throw Error("this process was forked from the one that loaded the model: load it here");
}

// Longest first, so that no worker gets a long sentence at the end.
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
