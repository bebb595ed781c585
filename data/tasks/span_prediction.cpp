#include "data/tasks/span_prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_set>

#include "common/error.h"
#include "common/utf8.h"

namespace dietmt::data {
namespace {

// Pieces first .. last of the context.
struct Span {
  int64_t first = 0;
  int64_t last = 0;
  double start_score = 0.0;
  double end_score = 0.0;
  double score() const { return start_score + end_score; }
};

void check_scores(std::span<const SpanWindow> windows, std::span<const WindowScores> scores) {
  if (windows.size() != scores.size())
    throw Error(std::to_string(scores.size()) + " windows have scores, expected " +
                std::to_string(windows.size()));
  for (size_t w = 0; w < windows.size(); ++w) {
    for (const std::vector<float>* side : {&scores[w].start, &scores[w].end}) {
      if (side->size() != windows[w].ids.size())
        throw Error("a window of " + std::to_string(windows[w].ids.size()) + " pieces has " +
                    std::to_string(side->size()) + " scores");
      if (!std::ranges::all_of(*side, [](float score) { return std::isfinite(score); }))
        throw Error("the score of a span is not finite");
    }
  }
}

// The `k` best-scored of a window's context pieces that `is_allowed`, counted from its first.
template <typename Allowed>
std::vector<int64_t> top_pieces(const SpanWindow& window, const std::vector<float>& scores,
                                int64_t k, const Allowed& is_allowed) {
  std::vector<int64_t> pieces;
  for (int64_t i = 0; i < window.pieces; ++i)
    if (is_allowed(i)) pieces.push_back(i);
  const float* of_context = scores.data() + window.context_begin;
  const auto middle = pieces.begin() + std::min<int64_t>(k, std::ssize(pieces));
  std::partial_sort(pieces.begin(), middle, pieces.end(), [&](int64_t a, int64_t b) {
    return std::pair(-of_context[a], a) < std::pair(-of_context[b], b);
  });
  pieces.erase(middle, pieces.end());
  return pieces;
}

void append_spans(const SpanWindow& window, const WindowScores& scores,
                  const PredictionOptions& options, std::vector<Span>& spans) {
  const auto starts = top_pieces(window, scores.start, options.top_k, [&](int64_t i) {
    return window.has_most_context[static_cast<size_t>(i)];
  });
  const auto ends = top_pieces(window, scores.end, options.top_k, [](int64_t) { return true; });
  const auto at = [&](const std::vector<float>& side, int64_t i) {
    return static_cast<double>(side[static_cast<size_t>(window.context_begin + i)]);
  };
  for (const int64_t start : starts) {
    for (const int64_t end : ends) {
      if (end < start || end - start >= options.max_answer_pieces) continue;
      spans.push_back({window.first_piece + start, window.first_piece + end,
                       at(scores.start, start), at(scores.end, end)});
    }
  }
}

// The text of a span: whole code points, without the space that a piece may include.
std::string text_of(std::string_view context, const TextPieces& pieces, const Span& span) {
  const auto is_inside_character = [&](size_t i) {
    return i < context.size() && continues_character(context[i]);
  };
  const auto is_space = [&](size_t i) {
    return context[i] == ' ' || (context[i] >= '\t' && context[i] <= '\r');
  };
  auto begin = static_cast<size_t>(pieces.begins[static_cast<size_t>(span.first)]);
  auto end = static_cast<size_t>(pieces.ends[static_cast<size_t>(span.last)]);
  while (begin > 0 && is_inside_character(begin)) --begin;
  while (is_inside_character(end)) ++end;
  while (begin < end && is_space(begin)) ++begin;
  while (begin < end && is_space(end - 1)) --end;
  return std::string(context.substr(begin, end - begin));
}

// The best spans of different texts, best first.
std::vector<SpanCandidate> best_texts(std::string_view context, const TextPieces& pieces,
                                      std::vector<Span> spans, int64_t count) {
  std::ranges::sort(spans, [](const Span& a, const Span& b) {
    return std::tuple(-a.score(), a.first, a.last) < std::tuple(-b.score(), b.first, b.last);
  });
  std::vector<SpanCandidate> best;
  std::unordered_set<std::string> seen;
  for (const Span& span : spans) {
    if (std::ssize(best) == count) break;
    std::string text = text_of(context, pieces, span);
    if (text.empty() || !seen.insert(text).second) continue;
    best.push_back({std::move(text), span.start_score, span.end_score});
  }
  return best;
}

SpanCandidate null_candidate(std::span<const WindowScores> scores) {
  SpanCandidate null;
  double least = std::numeric_limits<double>::infinity();
  for (const WindowScores& window : scores) {
    const double start = window.start.front();
    const double end = window.end.front();
    if (start + end >= least) continue;
    least = start + end;
    null.start_score = start;
    null.end_score = end;
  }
  return null;
}

double score_of(const SpanCandidate& candidate) {
  return candidate.start_score + candidate.end_score;
}

void insert_by_score(std::vector<SpanCandidate>& best, const SpanCandidate& candidate) {
  const auto place = std::ranges::find_if(
      best, [&](const SpanCandidate& other) { return score_of(other) < score_of(candidate); });
  best.insert(place, candidate);
}

// Softmax; the first has the greatest score.
void set_probabilities(std::vector<SpanCandidate>& best) {
  double sum = 0.0;
  for (SpanCandidate& candidate : best) {
    candidate.probability = std::exp(score_of(candidate) - score_of(best.front()));
    sum += candidate.probability;
  }
  for (SpanCandidate& candidate : best) candidate.probability /= sum;
}

}  // namespace

std::vector<std::string> PredictionOptions::problems() const {
  std::vector<std::string> found;
  if (top_k < 1) found.push_back("at least 1 start and end of a span must be tried");
  if (max_answer_pieces < 1) found.push_back("an answer must have room for at least 1 piece");
  if (nbest < 1) found.push_back("at least 1 answer must be asked for");
  if (!std::isfinite(null_threshold)) found.push_back("the threshold must be a finite number");
  return found;
}

SpanPrediction predict_span(std::string_view context, const TextPieces& pieces,
                            std::span<const SpanWindow> windows,
                            std::span<const WindowScores> scores,
                            const PredictionOptions& options) {
  throw_if_any(options.problems());
  check_scores(windows, scores);
  std::vector<Span> spans;
  for (size_t w = 0; w < windows.size(); ++w) append_spans(windows[w], scores[w], options, spans);
  SpanPrediction prediction;
  prediction.nbest = best_texts(context, pieces, std::move(spans), options.nbest);
  if (!prediction.nbest.empty()) prediction.text = prediction.nbest.front().text;
  if (options.has_unanswerable) {
    const SpanCandidate null = null_candidate(scores);
    const double best_span = prediction.nbest.empty() ? 0.0 : score_of(prediction.nbest.front());
    prediction.null_difference = score_of(null) - best_span;
    if (prediction.null_difference > options.null_threshold) prediction.text.clear();
    insert_by_score(prediction.nbest, null);
  }
  set_probabilities(prediction.nbest);
  return prediction;
}

}  // namespace dietmt::data
