// How attention's work is distributed to threads: the same bits for any number of them, bounded
// memory, and errors that reach the caller.
#include <gtest/gtest.h>
#include <omp.h>

#include <new>

#include "kernels/cpu/attention/backward_work.h"
#include "tests/kernels/cpu/attention/case_memory.h"

namespace dietmt::kernels {
namespace {

class AttentionThreadsTest : public LevelTest<AttentionKernels> {
 protected:
  void TearDown() override { omp_set_num_threads(1); }
};

TEST_P(AttentionThreadsTest, ResultsDoNotDependOnTheirNumber) {
  AttentionCaseOptions options{.name = "",
                               .type = ElementType::kFloat,
                               .width = 16,
                               .terms = kAllTerms,
                               .dropout = 0.1,
                               .heads = 3};
  options.queries.clear();
  for (int64_t b = 0; b < 40; ++b) options.queries.push_back(1 + b * 7 % 53);
  for (const bool shared : {false, true}) {
    options.shared_tables = shared;
    std::vector<NamedValues> first;
    for (const int threads : {1, 2, 3, 5}) {
      omp_set_num_threads(threads);
      CaseMemory memory;
      AttentionCase attention(options, memory.arena());
      level().forward(attention.forward());
      level().backward(attention.backward());
      const auto results = attention.results();
      if (first.empty()) first = results;
      for (size_t i = 0; i < results.size(); ++i)
        EXPECT_EQ(results[i].values, first[i].values) << results[i].name << ", " << threads;
    }
  }
}

#ifndef __SANITIZE_ADDRESS__  // it ends the program at such a request
TEST_P(AttentionThreadsTest, TooLittleMemoryIsAnErrorOfTheCaller) {
  CaseMemory memory;
  AttentionCase attention({.name = "", .type = ElementType::kFloat}, memory.arena());
  omp_set_num_threads(2);
  attention.forward().sizes.max_keys = int64_t{1} << 48;
  EXPECT_THROW(level().forward(attention.forward()), std::bad_alloc);
  EXPECT_THROW(level().backward(attention.backward()), std::bad_alloc);
}
#endif

INSTANTIATE_TEST_SUITE_P(Levels, AttentionThreadsTest, testing::ValuesIn(attention_tables()),
                         level_name<AttentionKernels>);

int64_t units(const BackwardWork& work) { return work.heads * parts_of_batch(work); }

TEST(PartsOfBatchTest, UnitsOfWorkGrowWithHeadsAndSentences) {
  // [512, 512] tables of a bias for pairs of positions, in batches of whole sentences.
  const auto work = [](int64_t heads, int64_t sentences) {
    return BackwardWork{.sentences = sentences,
                        .heads = heads,
                        .head_width = 64,
                        .queries = 512 * sentences,
                        .block = 512 * 512};
  };
  EXPECT_EQ(units(work(8, 1)), 8);
  EXPECT_EQ(units(work(8, 8)), 16);
  EXPECT_EQ(units(work(8, 32)), 64);
  EXPECT_EQ(units(work(8, 128)), 256);
  EXPECT_EQ(units(work(16, 128)), 512);
}

TEST(PartsOfBatchTest, WithoutTablesEverySentenceIsAUnit) {
  EXPECT_EQ(parts_of_batch({.sentences = 700, .heads = 8, .head_width = 64, .queries = 30000}),
            700);
}

TEST(PartsOfBatchTest, PartialSumsTakeNoMoreThanTheGradientsOfQueriesAndKeys) {
  for (const int64_t sentences : {1, 3, 10, 100, 1000})
    for (const int64_t length : {1, 30, 512, 2048})
      for (const int64_t block : {1, 500, 30 * 30, 512 * 512, 2048 * 2048}) {
        const BackwardWork work{.sentences = sentences,
                                .heads = 8,
                                .head_width = 64,
                                .queries = sentences * length,
                                .block = block};
        const int64_t parts = parts_of_batch(work);
        EXPECT_GE(parts, 1);
        EXPECT_LE(parts, sentences);
        const int64_t gradients = 2 * work.queries * work.heads * work.head_width;
        if (parts > 1) {
          EXPECT_LE(parts * work.heads * block, std::max<int64_t>(gradients, 1 << 20));
        }
      }
}

}  // namespace
}  // namespace dietmt::kernels
