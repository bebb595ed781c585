#include "nmt/search/search_task.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "data/text/tokenizer.h"

namespace dietmt::nmt {

void require_in_vocabulary(const std::vector<int32_t>& tokens, int64_t vocabulary,
                           const char* side) {
  for (const int32_t token : tokens)
    if (token < 0 || token >= vocabulary)
      throw DataError("token " + std::to_string(token) + " is outside the " + side +
                      " vocabulary of " + std::to_string(vocabulary) + " tokens");
}

SpecialTokens SpecialTokens::of(const data::Tokenizer& tokenizer) {
  return {tokenizer.unknown_id(), tokenizer.begin_id(), tokenizer.end_id()};
}

int32_t SearchTask::forced_token(int64_t step, const SpecialTokens& special) const {
  if (step + 1 >= max_length) return special.end;
  const auto position = static_cast<size_t>(step);
  return position < prefix.size() ? prefix[position] : -1;
}

bool SearchTask::is_in_open_word(int64_t step) const {
  const int64_t position = step - std::ssize(prefix);
  return position >= 0 && position < std::ssize(open_word.choices);
}

const std::vector<int32_t>* SearchTask::choices(std::span<const int32_t> tokens) const {
  if (!is_in_open_word(std::ssize(tokens))) return nullptr;
  const std::span<const int32_t> begun = tokens.subspan(prefix.size());
  const auto pieces = std::span(open_word.pieces).first(begun.size());
  return std::ranges::equal(begun, pieces) ? &open_word.choices[begun.size()] : nullptr;
}

std::vector<int32_t> TranslationRequest::demanded_tokens() const {
  std::vector<int32_t> tokens = prefix;
  for (const std::vector<int32_t>& choices : open_word.choices)
    tokens.insert(tokens.end(), choices.begin(), choices.end());
  const std::vector<int32_t> of_terms = constraints.tokens();
  tokens.insert(tokens.end(), of_terms.begin(), of_terms.end());
  return tokens;
}

int64_t cut_and_end(std::vector<int32_t>& tokens, int64_t max_tokens,
                    const std::vector<int32_t>& ending) {
  const int64_t cut = std::clamp<int64_t>(std::ssize(tokens) + std::ssize(ending) - max_tokens, 0,
                                          std::ssize(tokens));
  tokens.resize(tokens.size() - static_cast<size_t>(cut));
  tokens.insert(tokens.end(), ending.begin(), ending.end());
  return cut;
}

void require_fitting(const TranslationRequest& request, const RequestLimits& limits) {
  const int64_t length = std::ssize(request.source);
  if (length < 1 || length > limits.max_source_length)
    throw DataError("a source of " + std::to_string(length) + " tokens; the model takes 1 to " +
                    std::to_string(limits.max_source_length));
  require_in_vocabulary(request.source, limits.source_vocabulary, "source");
  require_in_vocabulary(request.demanded_tokens(), limits.target_vocabulary, "target");
}

SearchTask search_task(const TranslationRequest& request, const SearchOptions& options,
                       int64_t max_target_length) {
  const int64_t untranslated = request.context_separator < 0 ? request.context_tokens : 0;
  const int64_t wanted = options.max_target_length(std::ssize(request.source) - untranslated);
  const int64_t with_prefix =
      std::ssize(request.prefix) + std::ssize(request.open_word.choices) + 1;
  SearchTask task{std::min(std::max(wanted, with_prefix), max_target_length),
                  options.min_length,
                  request.prefix,
                  request.index,
                  request.open_word,
                  request.unscored};
  if (!request.constraints.terms.empty())
    task.constraints = std::make_shared<const ConstraintTrie>(request.constraints);
  task.avoided = request.avoided;
  task.suppressed = request.suppressed;
  return task;
}

}  // namespace dietmt::nmt
