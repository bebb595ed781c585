#include "metrics/segment_mean.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "metrics/evaluation.h"

namespace dietmt::metrics {
namespace {

using testing::ElementsAre;

const std::vector<double> kGood = {0.9, 0.7, 0.8, 0.9}, kBad = {0.2, 0.1, 0.3, 0.2};

TEST(SegmentMean, ASystemHasTheMean) {
  const SegmentMean comet("COMET", "toy");
  const Score score = comet.score(SegmentMean::statistics(kGood).sum());
  EXPECT_DOUBLE_EQ(score.score, 0.825);
  EXPECT_EQ(score.to_string(2), "COMET = 0.8250");
  EXPECT_THROW(SegmentMean::statistics({}), DataError);
}

TEST(SegmentMean, SentencesDocumentsAndSignificance) {
  const SegmentMean comet("COMET", "toy");
  EvaluationOptions options;
  options.paired = "randomization";
  options.sentence_level = true;
  options.documents = {0, 0, 1, 1};
  const std::vector<SystemScore> results =
      evaluate(comet, 1, {SegmentMean::statistics(kGood), SegmentMean::statistics(kBad)}, options);
  EXPECT_EQ(results[0].sentence_scores, kGood);
  EXPECT_THAT(results[1].document_scores,
              ElementsAre(testing::DoubleEq(0.15), testing::DoubleEq(0.25)));
  EXPECT_TRUE(results[0].signature.starts_with("nrefs:1|ar:10000|seed:12345|model:toy|version:"));
  // All four must be swapped, or none: 2 of 16 cases.
  EXPECT_NEAR(*results[1].p_value, 0.125, 0.02);
}

}  // namespace
}  // namespace dietmt::metrics
