#include "interchange/marian/marian.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "interchange/marian/marian_config.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

MarianFiles stored_files() {
  const fs::path pieces = case_directory("shared");
  return {case_directory("marian") / "model.npz",
          {case_directory("marian") / "vocab.yml"},
          {pieces / "source.spm", pieces / "target.spm"}};
}

MarianOptions usual_options() {
  return {{"type", {"transformer"}},
          {"dim-vocabs", {"100", "90"}},
          {"enc-depth", {"6"}},
          {"dec-depth", {"2"}},
          {"dim-emb", {"256"}},
          {"transformer-dim-ffn", {"1536"}},
          {"transformer-heads", {"8"}},
          {"transformer-ffn-activation", {"relu"}},
          {"transformer-preprocess", {""}},
          {"transformer-postprocess", {"dan"}},
          {"tied-embeddings", {"true"}}};
}

TEST(Marian, SizesThatCannotBeAreOfTheFile) {
  const auto problem = [](int64_t width, int64_t layers) {
    nmt::ModelConfig config = marian_model_config(usual_options(), "model.npz");
    config.width = width;
    config.heads = 1;
    config.encoder_layers = layers;
    return failure<CheckpointError>(
        [&] { nmt::require_buildable(config, sizeof(float), "model.npz"); });
  };
  EXPECT_THAT(problem(15, 6), AllOf(HasSubstr("model.npz"), HasSubstr("sinusoids need an even")));
  EXPECT_THAT(problem(65536, 1000), AllOf(HasSubstr("model.npz"), HasSubstr("GB")));
}

TEST(Marian, AModelComputesWhatItsTwinOfTransformersDoes) {
  expect_outputs(import_marian(stored_files()), case_directory("marian"));
}

TEST(Marian, BeginOfSentenceIsOnePieceMoreOfZeros) {
  const nmt::LoadedModel model = import_marian(stored_files());
  const int32_t begin = model.target_tokenizer->begin_id();
  EXPECT_EQ(begin, model.model->config().target_vocabulary - 1);
  const auto parameters = model.model->named_parameters();
  EXPECT_EQ(parameters["source_embedding"][begin].count_nonzero().item<int64_t>(), 0);
  EXPECT_LT(parameters["output_bias"][begin].item<double>(), -1e8);
}

TEST(Marian, MissingAndSmallVocabulariesAreNamed) {
  MarianFiles files = stored_files();
  files.pieces.clear();
  EXPECT_THAT(failure<Error>([&] { import_marian(files); }), HasSubstr("--pieces"));
  files.vocabularies.clear();
  EXPECT_THAT(failure<Error>([&] { import_marian(files); }), HasSubstr("--vocabulary"));
}

TEST(MarianConfig, SizesAndChoices) {
  const nmt::ModelConfig config = from_marian(usual_options());
  EXPECT_EQ(config.source_vocabulary, 100);
  EXPECT_EQ(config.target_vocabulary, 90);
  EXPECT_EQ(config.encoder_layers, 6);
  EXPECT_EQ(config.decoder_layers, 2);
  EXPECT_EQ(config.feed_forward, 1536);
  EXPECT_EQ(config.norm, "post");
  EXPECT_EQ(config.activation, "relu");
  EXPECT_EQ(config.tied_embeddings, "decoder");
  EXPECT_EQ(config.encoder_position, "sinusoidal(layout=halves)");
  EXPECT_TRUE(config.output_bias);
}

TEST(MarianConfig, PreNormIsAnotherFunctionInMarian) {
  MarianOptions options = usual_options();
  options["transformer-preprocess"] = {"n"};
  options["transformer-postprocess"] = {"da"};
  options["transformer-postprocess-top"] = {"n"};
  EXPECT_THAT(failure<ConfigError>([&] { from_marian(options); }), HasSubstr("keys and values"));
}

TEST(MarianConfig, Ties) {
  MarianOptions options = usual_options();
  options["tied-embeddings-src"] = {"true"};
  EXPECT_EQ(from_marian(options).tied_embeddings, "all");
  options["tied-embeddings"] = {"false"};
  EXPECT_EQ(from_marian(options).tied_embeddings, "none");
}

TEST(MarianConfig, RecurrentDecoders) {
  MarianOptions options = usual_options();
  options["transformer-decoder-autoreg"] = {"rnn"};
  EXPECT_THAT(failure<ConfigError>([&] { from_marian(options); }),
              HasSubstr("--dec-cell is 'gru'"));
  options["dec-cell"] = {"ssru"};
  EXPECT_EQ(from_marian(options).decoder_layer, "ssru");
  options["dec-cell-high-depth"] = {"2"};
  EXPECT_THAT(failure<ConfigError>([&] { from_marian(options); }),
              HasSubstr("--dec-cell-high-depth is '2'"));
}

TEST(MarianConfig, NamesAllThatIsNotKnown) {
  MarianOptions options = usual_options();
  options["type"] = {"s2s"};
  options["transformer-decoder-autoreg"] = {"average-attention"};
  options["transformer-ffn-activation"] = {"gelu"};
  options["transformer-postprocess"] = {"dah"};
  options["transformer-tied-layers"] = {"1", "1"};
  options["transformer-train-position-embeddings"] = {"true"};
  options.erase("dim-emb");
  EXPECT_THAT(failure<ConfigError>([&] { from_marian(options); }),
              AllOf(HasSubstr("--type is 's2s'"),
                    HasSubstr("--transformer-decoder-autoreg is 'average-attention'"),
                    HasSubstr("'gelu'"), HasSubstr("'dah'"), HasSubstr("--transformer-tied-layers"),
                    HasSubstr("--transformer-train-position-embeddings"),
                    HasSubstr("--dim-emb is missing")));
}

}  // namespace
}  // namespace dietmt::interchange
