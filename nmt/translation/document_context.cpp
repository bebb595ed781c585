#include "nmt/translation/document_context.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

namespace dietmt::nmt {
namespace {

// Returns the number of tokens inserted.
int64_t put_before(std::vector<int32_t>& sentence, const std::vector<int32_t>& context) {
  sentence.insert(sentence.begin(), context.begin(), context.end());
  return std::ssize(context);
}

std::vector<int32_t> without_end(const std::vector<int32_t>& sentence) {
  return {sentence.begin(), sentence.end() - 1};
}

}  // namespace

void DocumentContext::next(TranslationRequest& request, int64_t max_tokens) {
  if (!context_.any()) return;
  const std::vector<int32_t> sentence = without_end(request.source);
  const bool is_fixed = request.has_prefix() || !request.constraints.terms.empty();
  const int64_t most = std::min(context_.max_tokens, max_tokens);
  if (!context_.in_target() || !is_fixed) {
    const int64_t count = sentences_.fitting(std::ssize(request.source), most);
    request.context_tokens =
        put_before(request.source, sentences_.last(count, context_.source_separator));
    request.context_separator = context_.target_separator;
  }
  sentences_.add(sentence);
}

PairContext::Before PairContext::next(std::vector<int32_t>& source, std::vector<int32_t>& target,
                                      int64_t max_source, int64_t max_target) {
  if (!context_.any()) return {};
  if (source.size() == 1) {
    sources_.clear();
    targets_.clear();
    return {};
  }
  const std::vector<int32_t> own_source = without_end(source), own_target = without_end(target);
  const int64_t most = context_.max_tokens;
  int64_t count = sources_.fitting(std::ssize(source), std::min(most, max_source));
  Before before;
  if (context_.in_target()) {
    count = std::min(count, targets_.fitting(std::ssize(target), std::min(most, max_target)));
    before.target = put_before(target, targets_.last(count, context_.target_separator));
  }
  before.source = put_before(source, sources_.last(count, context_.source_separator));
  sources_.add(own_source);
  targets_.add(own_target);
  return before;
}

namespace {

// Keeps the columns of attention from `first` on.
void drop_columns(std::vector<float>& attention, size_t columns, size_t first) {
  const size_t kept = columns - first, rows = attention.size() / columns;
  for (size_t row = 0; row < rows; ++row) {
    const auto from = attention.begin() + static_cast<std::ptrdiff_t>(row * columns + first);
    const auto to = attention.begin() + static_cast<std::ptrdiff_t>(row * kept);
    const float sum = std::accumulate(from, from + static_cast<std::ptrdiff_t>(kept), 0.0F);
    const float scale = sum > 0.0F ? 1.0F / sum : 0.0F;
    std::transform(from, from + static_cast<std::ptrdiff_t>(kept), to,
                   [scale](float weight) { return weight * scale; });
  }
  attention.resize(rows * kept);
}

// Drops the tokens before `first`.
void drop_tokens(Hypothesis& hypothesis, size_t first, size_t columns) {
  const auto drop = [first](auto& values, size_t each) {
    const size_t count = std::min(first * each, values.size());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  };
  drop(hypothesis.ids, 1);
  drop(hypothesis.token_scores, 1);
  drop(hypothesis.attention, columns);
  hypothesis.sum =
      std::accumulate(hypothesis.token_scores.begin(), hypothesis.token_scores.end(), 0.0);
}

}  // namespace

void drop_context(const TranslationRequest& request, const SearchOptions& search,
                  NBest& translations) {
  if (request.context_tokens == 0) return;
  const size_t columns = request.source.size();
  for (Hypothesis& found : translations) {
    const auto last = std::find(found.ids.rbegin(), found.ids.rend(), request.context_separator);
    if (request.context_separator >= 0 && last != found.ids.rend())
      drop_tokens(found, static_cast<size_t>(found.ids.rend() - last), columns);
    if (!found.attention.empty())
      drop_columns(found.attention, columns, static_cast<size_t>(request.context_tokens));
  }
  if (request.context_separator < 0 || search.sample) return;
  std::set<std::vector<int32_t>> known;
  std::erase_if(translations,
                [&](const Hypothesis& found) { return !known.insert(found.ids).second; });
}

}  // namespace dietmt::nmt
