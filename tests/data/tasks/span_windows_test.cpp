#include "data/tasks/span_windows.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/data/tasks/space_tokenizer.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

// "w0 w1 w2 ..."
std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "w" : " w") + std::to_string(i);
  return text;
}

Answer answer_of(const std::string& context, const std::string& text) {
  const auto begin = static_cast<int64_t>(context.find(text));
  return {text, begin, begin + std::ssize(text)};
}

class SpanWindowsTest : public ::testing::Test {
 protected:
  std::vector<SpanWindow> windows_of(const std::string& question, const std::string& context,
                                     const WindowOptions& options) const {
    const TextPieces asked = tokenizer_.encode(question);
    return span_windows(asked, tokenizer_.encode(context), tokenizer_.special(), options);
  }
  const SpaceTokenizer tokenizer_;
};

TEST_F(SpanWindowsTest, AWindowHoldsQuestionAndContextBetweenSpecialPieces) {
  const auto windows = windows_of("a b", "c d e", {});
  ASSERT_THAT(windows, SizeIs(1));
  EXPECT_THAT(windows[0].ids, ElementsAre(2, 5, 6, 3, 7, 8, 9, 3));
  EXPECT_EQ(windows[0].context_begin, 4);
  EXPECT_EQ(windows[0].pieces, 3);
  EXPECT_THAT(windows[0].has_most_context, ElementsAre(true, true, true));
}

TEST_F(SpanWindowsTest, RobertaHasTwoSeparators) {
  SpecialPieces special = tokenizer_.special();
  special.separators = 2;
  const TextPieces question = tokenizer_.encode("a b"), context = tokenizer_.encode("c d e");
  const auto windows = span_windows(question, context, special, {});
  ASSERT_THAT(windows, SizeIs(1));
  EXPECT_THAT(windows[0].ids, ElementsAre(2, 5, 6, 3, 3, 7, 8, 9, 3));
  EXPECT_EQ(windows[0].context_begin, 5);
  // The shortest windows that the options allow still show one piece of context each.
  const WindowOptions narrow{.max_length = 6, .stride = 1, .max_question = 2};
  for (const SpanWindow& window : span_windows(question, context, special, narrow)) {
    EXPECT_THAT(window.ids, SizeIs(6));
    EXPECT_EQ(window.pieces, 1);
  }
}

TEST_F(SpanWindowsTest, WindowsOverlapByTheStride) {
  const WindowOptions options = {.max_length = 10, .stride = 2, .max_question = 2};
  const auto windows = windows_of("a b", words(9), options);  // room for 5 pieces of context
  ASSERT_THAT(windows, SizeIs(3));
  for (size_t w = 0; w < 3; ++w) {
    EXPECT_EQ(windows[w].first_piece, static_cast<int64_t>(2 * w));
    EXPECT_EQ(windows[w].pieces, 5);
    EXPECT_THAT(windows[w].ids, SizeIs(10));
  }
  // Pieces 0..8 have min(left, right) of 0 1 2 1 0 in each window.
  EXPECT_THAT(windows[0].has_most_context, ElementsAre(true, true, true, true, false));
  EXPECT_THAT(windows[1].has_most_context, ElementsAre(false, false, true, true, false));
  EXPECT_THAT(windows[2].has_most_context, ElementsAre(false, false, true, true, true));
}

TEST_F(SpanWindowsTest, EveryPieceHasMostContextInExactlyOneWindow) {
  for (const int count : {1, 5, 6, 7, 23, 100}) {
    for (const int64_t stride : {1, 2, 3, 5, 50}) {
      const WindowOptions options = {.max_length = 10, .stride = stride, .max_question = 3};
      const auto windows = windows_of("a b", words(count), options);
      std::vector<int64_t> least(static_cast<size_t>(count), -1), shown = least,
                                                                  times(least.size());
      for (const SpanWindow& window : windows) {
        EXPECT_LE(std::ssize(window.ids), options.max_length);
        for (int64_t i = 0; i < window.pieces; ++i) {
          const auto piece = static_cast<size_t>(window.first_piece + i);
          const int64_t context = std::min(i, window.pieces - 1 - i);
          least[piece] = std::max(least[piece], context);
          if (!window.has_most_context[static_cast<size_t>(i)]) continue;
          shown[piece] = context;
          ++times[piece];
        }
      }
      EXPECT_EQ(shown, least) << count << ' ' << stride;
      EXPECT_EQ(times, std::vector<int64_t>(times.size(), 1)) << count << ' ' << stride;
    }
  }
}

TEST_F(SpanWindowsTest, AmongEqualsTheLongerWindowHasMostContext) {
  // Windows of 4 and 3 pieces; the third piece ends the first and begins the second.
  const WindowOptions options = {.max_length = 8, .stride = 3, .max_question = 1};
  const auto windows = windows_of("a", words(6), options);
  ASSERT_THAT(windows, SizeIs(2));
  EXPECT_EQ(windows[1].pieces, 3);
  EXPECT_TRUE(windows[0].has_most_context[3]);
  EXPECT_FALSE(windows[1].has_most_context[0]);
}

TEST_F(SpanWindowsTest, ALongQuestionIsCut) {
  const WindowOptions options = {.max_length = 10, .stride = 2, .max_question = 3};
  const auto windows = windows_of(words(30), "x", options);
  ASSERT_THAT(windows, SizeIs(1));
  EXPECT_THAT(windows[0].ids, ElementsAre(2, 5, 6, 7, 3, 35, 3));
}

TEST_F(SpanWindowsTest, AnEmptyContextGivesAWindow) {
  const auto windows = windows_of("a", " ", {});
  ASSERT_THAT(windows, SizeIs(1));
  EXPECT_THAT(windows[0].ids, ElementsAre(2, 5, 3, 3));
  EXPECT_EQ(windows[0].pieces, 0);
  EXPECT_THAT(windows_of("", "", {})[0].ids, ElementsAre(2, 3, 3));
}

TEST_F(SpanWindowsTest, LabelsPointAtTheAnswerOrAtTheFirstPiece) {
  const std::string context = words(9);
  const TextPieces pieces = tokenizer_.encode(context);
  const auto windows =
      windows_of("a b", context, {.max_length = 10, .stride = 2, .max_question = 2});
  ASSERT_THAT(windows, SizeIs(3));
  const auto labels = [&](const std::string& text) {
    std::vector<std::pair<int64_t, int64_t>> found;
    for (const SpanWindow& window : windows) {
      const SpanLabel label = span_label(window, pieces, answer_of(context, text));
      found.emplace_back(label.start, label.end);
    }
    return found;
  };
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_THAT(labels("w3 w4"), ElementsAre(Pair(7, 8), Pair(5, 6), Pair(0, 0)));
  EXPECT_THAT(labels("w4 w5"), ElementsAre(Pair(0, 0), Pair(6, 7), Pair(4, 5)));
  EXPECT_THAT(labels("w8"), ElementsAre(Pair(0, 0), Pair(0, 0), Pair(8, 8)));
  EXPECT_THAT(labels("w0"), ElementsAre(Pair(4, 4), Pair(0, 0), Pair(0, 0)));
  EXPECT_THAT(labels(context), ElementsAre(Pair(0, 0), Pair(0, 0), Pair(0, 0)));
  // Part of a word stands for the word; white space by itself for nothing.
  EXPECT_THAT(labels("3 w"), ElementsAre(Pair(7, 8), Pair(5, 6), Pair(0, 0)));
  EXPECT_THAT(labels(" "), ElementsAre(Pair(0, 0), Pair(0, 0), Pair(0, 0)));
  const SpanLabel unplaced = span_label(windows[0], pieces, {.text = "w1"});
  EXPECT_EQ(unplaced.start, 0);
  EXPECT_EQ(unplaced.end, 0);
}

TEST_F(SpanWindowsTest, OptionsThatLeaveNoRoomAreRefused) {
  EXPECT_THAT(WindowOptions().problems(), IsEmpty());
  EXPECT_THAT((WindowOptions{.max_length = 68, .stride = 1, .max_question = 64}.problems()),
              IsEmpty());
  EXPECT_THAT((WindowOptions{.max_length = 67, .stride = 0, .max_question = 64}.problems()),
              SizeIs(2));
  EXPECT_THAT([&] { windows_of("a", "b", {.max_length = 67}); },
              ThrowsMessage<ConfigError>(HasSubstr("no room")));
}

}  // namespace
}  // namespace dietmt::data
