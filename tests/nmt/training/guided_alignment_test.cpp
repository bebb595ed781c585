#include "nmt/training/guided_alignment.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "common/error.h"
#include "common/files.h"
#include "encoders/attention/observed_attention.h"
#include "encoders/attention/packing.h"
#include "nmt/training/translation_task.h"
#include "tests/common/test_directory.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"
#include "training/optimization/optimizer.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two sentences with two and one target tokens; the second token of the first has two links, its
// first token none.
TEST(AlignmentLossTest, IsTheFormulaWithItsGradient) {
  const at::Tensor scores =
      at::tensor({0.3, -0.2, 0.9, 0.1, 0.5, -1.0, 0.4, 0.8}, at::kDouble).requires_grad_();
  const auto attention = [&] {
    return std::vector<at::Tensor>{at::softmax(scores.narrow(0, 0, 6).view({2, 3}), -1),
                                   at::softmax(scores.narrow(0, 6, 2).view({1, 2}), -1)};
  };
  const std::vector<std::vector<TokenLink>> links = {{{0, 1}, {2, 1}}, {{1, 0}}};
  const auto p = attention();
  const std::vector<int64_t> targets = {2, 1}, sources = {3, 2};
  const at::Tensor loss =
      alignment_loss(p, alignment_targets(targets, sources, links, {}, at::kCPU));
  const double expected = -0.5 * std::log(p[0][1][0].item<double>()) -
                          0.5 * std::log(p[0][1][2].item<double>()) -
                          std::log(p[1][0][1].item<double>());
  EXPECT_NEAR(loss.item<double>(), expected, 1e-6);

  // The gradient of softmax and cross-entropy: p minus the target distribution; zero for tokens
  // without links.
  loss.backward();
  const at::Tensor wanted = at::tensor({0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.0, 1.0}, at::kDouble);
  const at::Tensor given =
      at::cat({at::zeros({3}, at::kDouble), p[0][1].detach(), p[1].detach().view(-1)});
  EXPECT_TRUE(at::allclose(scores.grad(), given - wanted, 1e-6, 1e-7)) << scores.grad();
}

TEST(AlignmentLossTest, CountsPairsByTheirWeights) {
  const std::vector<std::vector<TokenLink>> links = {{{0, 0}, {2, 0}}, {{1, 0}}};
  const std::vector<int64_t> targets = {1, 1}, sources = {3, 2};
  const std::vector<float> weights = {3.0F, 0.0F};
  EXPECT_TRUE(at::equal(alignment_targets(targets, sources, links, weights, at::kCPU).weights,
                        at::tensor({1.5F, 1.5F, 0.0F})));
}

TEST(AlignmentLossTest, WithoutLinksIsZero) {
  const std::vector<int64_t> targets = {1}, sources = {2};
  const std::vector<std::vector<TokenLink>> none(1);
  EXPECT_EQ(alignment_loss({at::full({1, 2}, 0.5)},
                           alignment_targets(targets, sources, none, {}, at::kCPU))
                .item<double>(),
            0.0);
}

TEST(AlignmentLossTest, LinksToMissingTokensAreRefused) {
  const std::vector<int64_t> targets = {1}, sources = {2};
  for (const TokenLink link : {TokenLink{2, 0}, TokenLink{0, 1}, TokenLink{-1, 0}}) {
    const std::vector<std::vector<TokenLink>> links = {{link}};
    EXPECT_THROW(alignment_targets(targets, sources, links, {}, at::kCPU), DataError);
  }
}

class AlignmentGuideTest : public data::ParallelCorpusTest {
 protected:
  std::string written(const std::string& name, const std::string& text) const {
    write_file_atomically(scratch() / name, text);
    return (scratch() / name).string();
  }

  data::ParallelCorpus corpus(const std::string& source, const std::string& target) const {
    const data::CorpusFiles files{
        .source = written("s", source), .target = written("t", target), .allows_unknown = true};
    return data::ParallelCorpus({files}, tokenizer(), tokenizer(), {}, cache_folder(), 2);
  }

  std::shared_ptr<const AlignmentGuide> guide(const std::string& links,
                                              const data::ParallelCorpus& text) const {
    const std::vector<data::CorpusFiles> files = {
        {(scratch() / "s").string(), (scratch() / "t").string()}};
    return read_alignment_guide(written("links", links), files, text, tokenizer(), tokenizer(), 2);
  }

  std::string problem(const std::string& links) const {
    const data::ParallelCorpus text = corpus("the dog\nthe dog sees\n", "the dog\nthe dog sees\n");
    try {
      guide(links, text);
    } catch (const DataError& error) {
      return error.what();
    }
    return "none";
  }

  static std::shared_ptr<TranslationModel> model(int64_t layer) {
    ModelConfig config = ModelConfig::preset("tiny");
    config.encoder_layers = config.decoder_layers = 2;
    config.width = 32;
    config.feed_forward = 48;
    config.dropout = config.embedding_dropout = 0.0;
    config.source_vocabulary = config.target_vocabulary = tokenizer().vocabulary_size();
    config.alignment_layer = layer;
    config.alignment_head = 2;
    return std::make_shared<TranslationModel>(config, 5);
  }
};

// All pieces of both words, however the tokenizer splits them.
TEST_F(AlignmentGuideTest, WordsOfAFileBecomeTheirPieces) {
  const std::string line = "the dog sees";
  const data::ParallelCorpus text = corpus(line + "\n" + line + "\n", line + "\n" + line + "\n");
  const auto links = guide(" 0-2  1-0\r\n\n", text)->links(0);
  std::vector<std::pair<int32_t, int32_t>> words;  // of the links
  const auto pieces = tokenizer().encode_with_spans(line);
  const auto word_of = [&](int32_t token) {
    const int32_t end = pieces.spans[static_cast<size_t>(token)].end;
    return static_cast<int32_t>(std::count(line.begin(), line.begin() + end, ' '));
  };
  size_t expected = 0;
  for (size_t s = 0; s < pieces.ids.size(); ++s)
    for (size_t t = 0; t < pieces.ids.size(); ++t) {
      const auto pair =
          std::pair(word_of(static_cast<int32_t>(s)), word_of(static_cast<int32_t>(t)));
      expected += pair == std::pair(0, 2) || pair == std::pair(1, 0) ? 1 : 0;
    }
  EXPECT_EQ(links.size(), expected);
  for (const TokenLink& link : links)
    words.emplace_back(word_of(link.source), word_of(link.target));
  EXPECT_THAT(words, testing::Each(testing::AnyOf(std::pair(0, 2), std::pair(1, 0))));
  EXPECT_THAT(guide("0-2\n\n", text)->links(1), testing::IsEmpty());
}

// As `dietmt align` counts them: between ASCII white space, whatever the tokenizer treats as
// spaces.
TEST_F(AlignmentGuideTest, WordsAreCountedInTheText) {
  const std::string no_break_space = "\u00a0", zero_width_space = "\u200b";
  const std::string source =
      "the" + no_break_space + "dog " + zero_width_space + " sees \u00b4 the dog\n";
  const data::ParallelCorpus text = corpus(source, "the dog\n");
  const auto pieces = tokenizer().encode_with_spans(source.substr(0, source.size() - 1));
  const auto linked_text = [&](const std::string& links) {
    std::string linked;  // the source bytes of the pieces linked to target word 0
    for (const TokenLink& link : guide(links + "\n", text)->links(0)) {
      const data::TextSpan& span = pieces.spans[static_cast<size_t>(link.source)];
      if (link.target == 0)
        linked += source.substr(static_cast<size_t>(span.begin),
                                static_cast<size_t>(span.end - span.begin));
    }
    return linked;
  };
  EXPECT_THAT(linked_text("0-0"), testing::AllOf(HasSubstr("the"), HasSubstr("dog")));
  EXPECT_THAT(linked_text("2-0"), HasSubstr("sees"));
  EXPECT_THAT(linked_text("5-0"), HasSubstr("dog"));
  EXPECT_THROW(guide("6-0\n", text), DataError);
}

TEST_F(AlignmentGuideTest, AFileThatDoesNotFitIsRefusedWithItsLine) {
  EXPECT_EQ(problem("0-0 1-1\n2-2\n"), "none");
  EXPECT_THAT(problem("0-0\n0-3\n"), HasSubstr("links:2: target word 3 of a sentence of 3 words"));
  EXPECT_THAT(problem("2-0\n0-0\n"), HasSubstr("links:1: source word 2 of a sentence of 2 words"));
  for (const char* bad : {"0", "0-", "-1-0", "a-b", "0-0x", "0 - 0", "99999999999-0"})
    EXPECT_THAT(problem(std::string(bad) + "\n\n"), HasSubstr("links:1: '")) << bad;
  EXPECT_THAT(problem("0-0\n"), HasSubstr("1 lines of alignments for a training text of 2 pairs"));
  EXPECT_THAT(problem("\n\n\n"), HasSubstr("3 lines of alignments"));
  const data::ParallelCorpus gaps = corpus("the dog\n\n", "the dog\nthe dog\n");
  EXPECT_THROW(guide("0-0\n\n", gaps), DataError);
}

// The toy language has one translation per word.
TEST_F(AlignmentGuideTest, TheStatisticalGuideDoesNotDependOnThreads) {
  const data::ParallelCorpus text = toy_corpus();
  const auto one = statistical_guide(text, tokenizer(), tokenizer(), 1);
  const auto three = statistical_guide(text, tokenizer(), tokenizer(), 3);
  size_t links = 0;
  for (int64_t pair = 0; pair < text.size(); ++pair) {
    const auto found = one->links(pair);
    ASSERT_EQ(found, three->links(pair));
    links += found.size();
    for (const TokenLink& link : found) {
      ASSERT_LT(link.source, text.source_length(pair) - 1);
      ASSERT_LT(link.target, text.target_length(pair) - 1);
    }
  }
  EXPECT_GT(links, static_cast<size_t>(text.size()));
}

// Training with a guide moves the attention of its head, and the task's gradient is that of both
// losses; recomputed layers change nothing.
TEST_F(AlignmentGuideTest, TheTaskAddsTheLossOfTheGuide) {
  const data::ParallelCorpus text = toy_corpus();
  TranslationTaskOptions options;
  options.batches.batch_tokens = 600;
  options.guide = statistical_guide(text, tokenizer(), tokenizer(), 1);
  options.guide_weight = 0.5;
  const auto gradient = [&](const TranslationTaskOptions& chosen, bool recomputed) {
    const auto network = model(1);
    network->set_recomputation(recomputed);
    TranslationTask task(network, text, text, tokenizer(), tokenizer(), chosen);
    encoders::DropoutKeys dropout(1);
    task.accumulate_gradients(dropout);
    return network->named_parameters()["decoder.layer0.cross_attention.query_weight"]
        .grad()
        .clone();
  };
  TranslationTaskOptions unguided = options;
  unguided.guide = nullptr;
  const at::Tensor guided = gradient(options, false);
  EXPECT_TRUE(at::allclose(gradient(options, true), guided, 1e-4, 1e-5));

  // The guide's part by itself, from the model's definition.
  const auto network = model(1);
  const data::ParallelBatch batch = data::BatchIterator(text, options.batches).next();
  const encoders::Packing source = encoders::packing_of(batch.source, at::kCPU);
  const encoders::Packing target = encoders::packing_of(batch.target, at::kCPU);
  const at::Tensor memory =
      network->encode(encoders::ids_of(batch.source.tokens, at::kCPU), source);
  encoders::ObservedAttention observed;
  network->decode(
      encoders::ids_of(shifted_right(batch.target, tokenizer().begin_id()).tokens, at::kCPU),
      target, memory, source, nullptr, &observed);
  std::vector<std::vector<TokenLink>> links;
  for (const int64_t pair : batch.pairs) links.push_back(options.guide->links(pair));
  const AlignmentTargets aligned =
      alignment_targets(target.lengths(), source.lengths(), links, {}, at::kCPU);
  (0.5 * alignment_loss(encoders::attention_probabilities(observed, target, source, 1), aligned))
      .backward();
  const at::Tensor& alone =
      network->named_parameters()["decoder.layer0.cross_attention.query_weight"].grad();
  EXPECT_GT(alone.abs().max().item<double>(), 0.0);
  EXPECT_TRUE(at::allclose(guided, gradient(unguided, false) + alone, 1e-3, 1e-3));
}

}  // namespace
}  // namespace dietmt::nmt
