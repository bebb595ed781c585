#include "nmt/translation/forced_scoring.h"

#include "nmt/translation/line_tokens.h"

namespace dietmt::nmt {

SearchOptions forced_search(SearchOptions options) {
  options.beam = 1;
  options.length_penalty = 0.0;
  options.max_length_factor = 0.0;
  options.max_length_offset = 1;
  return options;
}

ForcedRequests::ForcedRequests(const LoadedDecoder& model, const LanguageChoice& languages,
                               int64_t max_source, int64_t max_target)
    : source_tokenizer_(model.source_tokenizer),
      target_tokenizer_(model.target_tokenizer),
      tag_(*source_tokenizer_, model.languages.tags(languages).source),
      target_tag_(target_tokenizer_->encode(model.languages.tags(languages).target)),
      document_(model.context),
      separator_(model.context.target_separator),
      max_source_(max_source),
      max_target_(max_target) {}

TranslationRequest ForcedRequests::next(const TextPair& pair) {
  TranslationRequest request;
  request.source =
      encode_line(*source_tokenizer_, pair.source.empty() ? pair.source : tag_.before(pair.source),
                  source_tokenizer_->source_ending(), max_source_, pair.source_where);
  const int64_t tags = std::ssize(target_tag_);
  request.prefix = encode_line(*target_tokenizer_, pair.target, {target_tokenizer_->end_id()},
                               max_target_ - tags, pair.target_where);
  request.context_tokens =
      document_.next(request.source, request.prefix, max_source_, max_target_).source;
  request.context_separator = separator_;
  request.prefix.pop_back();  // the search appends end of sentence
  request.prefix.insert(request.prefix.begin(), target_tag_.begin(), target_tag_.end());
  request.unscored = tags;
  return request;
}

}  // namespace dietmt::nmt
