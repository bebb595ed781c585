#include "data/tasks/span_prediction.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>

#include "common/error.h"
#include "common/random.h"
#include "tests/data/tasks/space_tokenizer.h"

namespace dietmt::data {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

// A context in windows, with scores that tests set per piece.
struct Scored {
  Scored(const std::string& context_text, const WindowOptions& options)
      : context(context_text), pieces(tokenizer.encode(context)) {
    windows = span_windows(tokenizer.encode("what ?"), pieces, tokenizer.special(), options);
    for (const SpanWindow& window : windows)
      scores.push_back({std::vector<float>(window.ids.size(), -10.0F),
                        std::vector<float>(window.ids.size(), -10.0F)});
  }

  float& start(size_t window, int64_t piece) { return at(scores[window].start, window, piece); }
  float& end(size_t window, int64_t piece) { return at(scores[window].end, window, piece); }

  float& at(std::vector<float>& side, size_t window, int64_t piece) const {
    const SpanWindow& w = windows[window];
    return side.at(static_cast<size_t>(w.context_begin + piece - w.first_piece));
  }

  SpanPrediction predict(const PredictionOptions& options = {}) const {
    return predict_span(context, pieces, windows, scores, options);
  }

  SpaceTokenizer tokenizer;
  std::string context;
  TextPieces pieces;
  std::vector<SpanWindow> windows;
  std::vector<WindowScores> scores;
};

TEST(SpanPrediction, TextIsCutFromTheContextAsWritten) {
  Scored scored("Es  war\teinmal \n ein  König.", {});
  scored.start(0, 1) = 2;
  scored.end(0, 3) = 3;
  const SpanPrediction prediction = scored.predict();
  EXPECT_EQ(prediction.text, "war\teinmal \n ein");
  EXPECT_EQ(prediction.nbest[0].start_score, 2);
  EXPECT_EQ(prediction.nbest[0].end_score, 3);
  scored.end(0, 4) = 4;
  EXPECT_EQ(scored.predict().text, "war\teinmal \n ein  König.");
}

TEST(SpanPrediction, SpansHaveTheirOrderTheirLengthAndTheContext) {
  Scored scored("a b c d e", {});
  scored.start(0, 3) = 5;
  scored.end(0, 1) = 4;           // before the best start
  scored.scores[0].start[1] = 9;  // in the question
  scored.scores[0].end[1] = 9;
  scored.scores[0].end.back() = 9;  // [SEP]
  scored.end(0, 4) = 1;
  EXPECT_EQ(scored.predict().text, "d e");
  EXPECT_EQ(scored.predict({.max_answer_pieces = 1}).text, "d");
  scored.start(0, 0) = 3;
  EXPECT_EQ(scored.predict({.max_answer_pieces = 2}).text, "a b");
  EXPECT_EQ(scored.predict({.top_k = 1, .max_answer_pieces = 2}).nbest.size(), 0U);
}

TEST(SpanPrediction, AStartCountsInTheWindowWithMostContext) {
  Scored scored("a b c d e f g h i", {.max_length = 10, .stride = 2, .max_question = 2});
  ASSERT_THAT(scored.windows, SizeIs(3));
  // Piece 4 has most context in the second window, so its score in the first does not count.
  scored.start(0, 4) = 50;
  scored.start(1, 4) = 2;
  scored.end(1, 5) = 2;
  scored.start(2, 7) = 1;
  scored.end(2, 8) = 2;
  const SpanPrediction prediction = scored.predict();
  EXPECT_FALSE(scored.windows[0].has_most_context[4]);
  EXPECT_EQ(prediction.text, "e f");
  EXPECT_EQ(prediction.nbest.at(1).text, "h i");
}

TEST(SpanPrediction, EqualTextsCountOnceAndProbabilitiesAreASoftmax) {
  Scored scored("ja nein ja", {});
  scored.start(0, 0) = scored.end(0, 0) = 1;
  scored.start(0, 2) = scored.end(0, 2) = 2;
  const SpanPrediction prediction = scored.predict();
  std::map<std::string, int> times;
  double sum = 0.0;
  for (const SpanCandidate& candidate : prediction.nbest) {
    ++times[candidate.text];
    sum += candidate.probability;
  }
  EXPECT_EQ(times.size(), prediction.nbest.size());
  EXPECT_EQ(prediction.nbest[0].text, "ja");
  EXPECT_EQ(prediction.nbest[0].start_score, 2);
  EXPECT_THAT(sum, DoubleNear(1.0, 1e-12));
  const SpanCandidate& second = prediction.nbest[1];
  EXPECT_EQ(second.text, "ja nein ja");
  EXPECT_THAT(second.probability / prediction.nbest[0].probability,
              DoubleNear(std::exp(3.0 - 4.0), 1e-12));
  EXPECT_THAT(scored.predict({.nbest = 2}).nbest, SizeIs(2));
}

TEST(SpanPrediction, NoAnswerHasTheLeastScoreOverTheWindows) {
  Scored scored("a b c d e f g h i", {.max_length = 10, .stride = 2, .max_question = 2});
  for (WindowScores& window : scored.scores) window.start[0] = window.end[0] = 4;
  scored.scores[1].start[0] = 1;
  scored.scores[1].end[0] = 2.5F;
  scored.start(0, 0) = scored.end(0, 0) = 1.5F;
  PredictionOptions options = {.has_unanswerable = true};
  const SpanPrediction prediction = scored.predict(options);
  EXPECT_EQ(prediction.null_difference, 0.5);
  EXPECT_EQ(prediction.text, "");
  EXPECT_EQ(prediction.nbest.at(0).text, "");
  EXPECT_EQ(prediction.nbest.at(0).end_score, 2.5);
  EXPECT_EQ(prediction.nbest.at(1).text, "a");
  options.null_threshold = 0.5;
  EXPECT_EQ(scored.predict(options).text, "a");
  options.has_unanswerable = false;
  const SpanPrediction forced = scored.predict(options);
  EXPECT_EQ(forced.text, "a");
  EXPECT_EQ(forced.nbest.at(0).text, "a");
  EXPECT_EQ(forced.null_difference, 0.0);
}

TEST(SpanPrediction, AContextWithoutTextHasNoAnswer) {
  const Scored scored("  ", {});
  EXPECT_EQ(scored.predict().text, "");
  EXPECT_THAT(scored.predict().nbest, IsEmpty());
  const SpanPrediction prediction = scored.predict({.has_unanswerable = true});
  EXPECT_EQ(prediction.text, "");
  ASSERT_THAT(prediction.nbest, SizeIs(1));
  EXPECT_EQ(prediction.nbest[0].probability, 1.0);
}

// Tries every span of every window.
double best_score(const Scored& scored, int64_t max_pieces) {
  double best = -std::numeric_limits<double>::infinity();
  for (size_t w = 0; w < scored.windows.size(); ++w) {
    const SpanWindow& window = scored.windows[w];
    for (int64_t start = 0; start < window.pieces; ++start) {
      if (!window.has_most_context[static_cast<size_t>(start)]) continue;
      for (int64_t end = start; end < std::min(window.pieces, start + max_pieces); ++end) {
        const auto at = [&](int64_t i) { return static_cast<size_t>(window.context_begin + i); };
        best = std::max(best, static_cast<double>(scored.scores[w].start[at(start)]) +
                                  static_cast<double>(scored.scores[w].end[at(end)]));
      }
    }
  }
  return best;
}

TEST(SpanPrediction, WithEnoughStartsAndEndsTheBestSpanIsFound) {
  Random random(random_key(7, 1));
  for (int round = 0; round < 50; ++round) {
    std::string context;
    for (uint64_t words = 1 + random.below(40); words > 0; --words)
      context += "w" + std::to_string(random.below(1000)) + " ";
    Scored scored(
        context,
        {.max_length = 12, .stride = static_cast<int64_t>(1 + random.below(6)), .max_question = 2});
    for (WindowScores& window : scored.scores)
      for (auto* side : {&window.start, &window.end})
        for (float& score : *side) score = static_cast<float>(random.below(1000)) / 100.0F;
    const auto max_pieces = static_cast<int64_t>(1 + random.below(8));
    const SpanPrediction prediction =
        scored.predict({.top_k = 100, .max_answer_pieces = max_pieces});
    const SpanCandidate& best = prediction.nbest.at(0);
    EXPECT_EQ(best.start_score + best.end_score, best_score(scored, max_pieces)) << round;
    for (size_t i = 1; i < prediction.nbest.size(); ++i)
      EXPECT_LE(prediction.nbest[i].probability, prediction.nbest[i - 1].probability);
  }
}

TEST(SpanPrediction, PiecesThatSplitACharacterOrHoldSpaceGiveCleanText) {
  const std::string context = "a é b";
  TextPieces pieces;
  pieces.ids = {5, 6, 7, 8, 9};
  pieces.begins = {0, 1, 2, 3, 4};  // "a", " ", half of "é", the other half, " b"
  pieces.ends = {1, 2, 3, 4, 6};
  const auto windows = span_windows({}, pieces, {}, {});
  const auto text_of = [&](size_t first, size_t last) {
    WindowScores scores;
    scores.start.assign(windows[0].ids.size(), 0.0F);
    scores.end = scores.start;
    const auto shift = static_cast<size_t>(windows[0].context_begin);
    scores.start[shift + first] = scores.end[shift + last] = 5.0F;
    return predict_span(context, pieces, windows, std::vector{scores}, {}).text;
  };
  EXPECT_EQ(text_of(2, 2), "é");
  EXPECT_EQ(text_of(3, 4), "é b");
  EXPECT_EQ(text_of(1, 2), "é");
  EXPECT_EQ(text_of(4, 4), "b");
}

TEST(SpanPrediction, UnusableScoresAndOptionsAreErrors) {
  Scored scored("a b", {});
  EXPECT_THAT([&] { scored.predict({.top_k = 0}); },
              ThrowsMessage<ConfigError>(HasSubstr("at least 1 start")));
  EXPECT_THAT((PredictionOptions{.top_k = 0, .max_answer_pieces = 0, .nbest = 0}.problems()),
              SizeIs(3));
  scored.start(0, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT([&] { scored.predict(); }, ThrowsMessage<Error>(HasSubstr("not finite")));
  scored.scores[0].start.pop_back();
  EXPECT_THAT([&] { scored.predict(); },
              ThrowsMessage<Error>(HasSubstr("a window of 7 pieces has 6 scores")));
  scored.scores.clear();
  EXPECT_THAT([&] { scored.predict(); },
              ThrowsMessage<Error>(HasSubstr("0 windows have scores, expected 1")));
}

}  // namespace
}  // namespace dietmt::data
