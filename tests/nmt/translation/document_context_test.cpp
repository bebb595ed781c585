#include "nmt/translation/document_context.h"

#include <gmock/gmock.h>

namespace dietmt::nmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int32_t kEnd = 2, kSource = 7, kTarget = 8;

TranslationRequest request_of(std::vector<int32_t> sentence) {
  sentence.push_back(kEnd);
  TranslationRequest request;
  request.source = std::move(sentence);
  return request;
}

TranslationRequest next(DocumentContext& document, std::vector<int32_t> sentence,
                        int64_t max_tokens = 100) {
  TranslationRequest request = request_of(std::move(sentence));
  document.next(request, max_tokens);
  return request;
}

TEST(DocumentContextTest, SentencesFollowThoseBefore) {
  DocumentContext document({1, kSource, -1, 100});
  EXPECT_THAT(next(document, {10}).source, ElementsAre(10, kEnd));
  const TranslationRequest second = next(document, {11, 12});
  EXPECT_THAT(second.source, ElementsAre(10, kSource, 11, 12, kEnd));
  EXPECT_EQ(second.context_tokens, 2);
  EXPECT_EQ(second.context_separator, -1);
  EXPECT_THAT(next(document, {13}).source, ElementsAre(11, 12, kSource, 13, kEnd));
  document.end();
  EXPECT_THAT(next(document, {14}).source, ElementsAre(14, kEnd));
}

TEST(DocumentContextTest, BothLimitsOfTheLengthHold) {
  DocumentContext short_model({1, kSource, -1, 3});
  next(short_model, {10});
  EXPECT_THAT(next(short_model, {11}).source, ElementsAre(11, kEnd));
  DocumentContext document({1, kSource, -1, 100});
  next(document, {10});
  EXPECT_THAT(next(document, {11}, 3).source, ElementsAre(11, kEnd));
  EXPECT_THAT(next(document, {12}, 4).source, ElementsAre(11, kSource, 12, kEnd));
}

TEST(DocumentContextTest, NoContextChangesNothing) {
  DocumentContext document({});
  next(document, {10});
  const TranslationRequest request = next(document, {11});
  EXPECT_THAT(request.source, ElementsAre(11, kEnd));
  EXPECT_EQ(request.context_tokens, 0);
}

// A prefix or term belongs to the sentence, not to the translation of its context.
TEST(DocumentContextTest, AForcedTranslationOfBothSidesHasNoContext) {
  for (const int32_t target : {-1, kTarget}) {
    DocumentContext document({1, kSource, target, 100});
    next(document, {10});
    TranslationRequest forced = request_of({11});
    forced.prefix = {20};
    document.next(forced, 100);
    EXPECT_EQ(forced.context_tokens, target < 0 ? 2 : 0);
    TranslationRequest with_term = request_of({12});
    with_term.constraints.terms = {{{21}}};
    document.next(with_term, 100);
    EXPECT_EQ(with_term.context_tokens, target < 0 ? 2 : 0);
    EXPECT_THAT(next(document, {13}).source, ElementsAre(12, kSource, 13, kEnd));
  }
}

// Two context tokens and a sentence of two.
TranslationRequest with_context(int32_t separator) {
  DocumentContext document({1, kSource, separator, 100});
  next(document, {10});
  return next(document, {11});
}

Hypothesis hypothesis_of(std::vector<int32_t> ids) {
  Hypothesis found;
  found.ids = std::move(ids);
  for (size_t token = 0; token <= found.ids.size(); ++token) {
    found.token_scores.push_back(-static_cast<float>(token + 1));
    for (const float weight : {0.5F, 0.25F, 0.1F, 0.15F}) found.attention.push_back(weight);
    found.sum -= static_cast<double>(token + 1);
  }
  found.score = -1.5;
  return found;
}

TEST(DropContextTest, AttentionLosesTheColumnsOfTheContext) {
  NBest found = {hypothesis_of({30})};
  drop_context(with_context(-1), {}, found);
  EXPECT_THAT(found[0].ids, ElementsAre(30));
  EXPECT_THAT(found[0].token_scores, ElementsAre(-1, -2));
  ASSERT_EQ(found[0].attention.size(), 4U);
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_FLOAT_EQ(found[0].attention[2 * row], 0.4F);
    EXPECT_FLOAT_EQ(found[0].attention[2 * row + 1], 0.6F);
  }
}

TEST(DropContextTest, TheSentenceFollowsTheLastSeparator) {
  NBest found = {hypothesis_of({30, kTarget, 31, kTarget, 32, 33}), hypothesis_of({34}),
                 hypothesis_of({35, kTarget})};
  drop_context(with_context(kTarget), {}, found);
  EXPECT_THAT(found[0].ids, ElementsAre(32, 33));
  EXPECT_THAT(found[0].token_scores, ElementsAre(-5, -6, -7));
  EXPECT_EQ(found[0].sum, -18);
  EXPECT_EQ(found[0].score, -1.5);
  EXPECT_EQ(found[0].attention.size(), 6U);
  EXPECT_THAT(found[1].ids, ElementsAre(34));
  EXPECT_THAT(found[2].ids, IsEmpty());
  EXPECT_THAT(found[2].token_scores, ElementsAre(-3));
}

TEST(DropContextTest, ASearchHasEachTranslationOnce) {
  const NBest all = {hypothesis_of({30, kTarget, 32}), hypothesis_of({31, kTarget, 33}),
                     hypothesis_of({31, kTarget, 32}), hypothesis_of({32})};
  NBest found = all;
  drop_context(with_context(kTarget), {}, found);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].ids, ElementsAre(32));
  EXPECT_THAT(found[0].token_scores, ElementsAre(-3, -4));
  EXPECT_THAT(found[1].ids, ElementsAre(33));
  found = all;
  drop_context(with_context(kTarget), {.sample = true}, found);
  EXPECT_EQ(found.size(), 4U);
  found = {hypothesis_of({30}), hypothesis_of({30})};
  drop_context(with_context(-1), {}, found);
  EXPECT_EQ(found.size(), 2U);
}

TEST(DropContextTest, ASentenceWithoutContextStaysWhole) {
  NBest found = {hypothesis_of({30, kTarget, 31})};
  drop_context(request_of({10}), {}, found);
  EXPECT_THAT(found[0].ids, ElementsAre(30, kTarget, 31));
}

TEST(DropContextTest, OnlyTranslatedContextCountsForTheLength) {
  SearchOptions options;
  options.max_length_factor = 2.0;
  options.max_length_offset = 1;
  EXPECT_EQ(search_task(with_context(-1), options, 100).max_length, 5);
  EXPECT_EQ(search_task(with_context(kTarget), options, 100).max_length, 9);
}

}  // namespace
}  // namespace dietmt::nmt
