#include "metrics/comparison/systems_page.h"

#include <gmock/gmock.h>

#include "tests/metrics/comparison/compared_texts.h"

namespace dietmt::metrics {
namespace {

using testing::HasSubstr;
using testing::Not;
using Lines = std::vector<std::string>;

const Lines kComparedReference = {"the <b>cat</b> sat here", "a dog", "yes"};
const std::vector<Lines> kCompared = {{"the cat sat here", "a dog", "no"},
                                      {"the <b>cat</b> sat here", "one dog", "no\x01"}};

std::string page_of(const std::vector<Lines>& hypotheses, const Lines& sources,
                    const Lines& origins) {
  const EvaluationOptions options{.confidence = true,
                                  .confidence_samples = 10,
                                  .paired = hypotheses.size() > 1 ? "bootstrap" : "none",
                                  .paired_samples = 10};
  std::vector<MetricResults> results;
  for (const char* name : {"bleu", "ter", "chrf"}) {
    const std::shared_ptr<const Metric> metric = make_metric(name, {});
    MetricResults& one = results.emplace_back(MetricResults{metric});
    for (const Lines& hypothesis : hypotheses)
      one.statistics.push_back(metric->corpus_statistics(hypothesis, {kComparedReference}));
    one.scores = evaluate(*metric, 1, one.statistics, options);
  }
  ComparedSystems systems{.names = {"<base>", "new"},
                          .reference = kComparedReference,
                          .hypotheses = hypotheses,
                          .sources = sources,
                          .words = words_at_spaces,
                          .metrics = results,
                          .by_sentence = results.back()};
  systems.names.resize(hypotheses.size());
  systems.origins = origins;
  systems.numbers = {1, 5, 9};
  systems.notes = {"a & b"};
  return systems_page("Title", systems);
}

TEST(SystemsPage, ShowsScoresGroupsNgramsAndSentences) {
  const std::string page = page_of(kCompared, {"s1", "s2", "s3"}, {"news", "talk", "news"});
  for (const char* text :
       {"<td>&lt;base&gt;</td>", "95 % interval", "3 sentences", "a &amp; b",
        "<h2>Length of the reference</h2>", "<h2>Length of the source</h2>", "<h2>Origin</h2>",
        "<h2>Words by frequency in the reference</h2>", "Sentences by chrF2",
        "<h2>N-grams that new gets right more often than &lt;base&gt;</h2>",
        "<h2>Sentences in which new is better than &lt;base&gt;</h2>",
        "<td dir='auto'>&lt;b&gt;cat&lt;/b&gt;</td>", "<td dir='auto'>5</td>",
        "<td dir='auto'>s2</td>", "<td>news</td><td>2</td>"})
    EXPECT_THAT(page, HasSubstr(text));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, Not(HasSubstr("\x01")));
}

// TER: less is better.
TEST(SystemsPage, MarksTheBestOfEachMetric) {
  const std::vector<Lines> hypotheses = {kCompared[0], kComparedReference};
  const std::string page = page_of(hypotheses, {}, {});
  EXPECT_THAT(page, HasSubstr("<tr><td>new</td><td class='best' title='the best'>★ 100.00</td>"));
  EXPECT_THAT(page, HasSubstr("★ 0.00</td>"));  // TER
  EXPECT_THAT(page, Not(HasSubstr("★ 28.57</td>")));
}

TEST(SystemsPage, ShowsTheWorstSentencesOfOneSystem) {
  const std::string page = page_of({kCompared[0]}, {}, {});
  EXPECT_THAT(page, HasSubstr("<h2>Sentences with the lowest scores</h2>"));
  EXPECT_THAT(page, Not(HasSubstr("<th>p</th>")));
  EXPECT_THAT(page, Not(HasSubstr("N-grams that")));
  EXPECT_LT(page.find("<td dir='auto'>9</td>"), page.find("<td dir='auto'>1</td>"));
}

}  // namespace
}  // namespace dietmt::metrics
