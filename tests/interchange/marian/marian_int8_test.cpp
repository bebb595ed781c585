#include "interchange/marian/marian_int8.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/random.h"
#include "data/shortlist/shortlist.h"
#include "interchange/marian/marian.h"
#include "interchange/marian/marian_shortlist.h"
#include "nmt/translation/loaded_decoder.h"
#include "nmt/translation/translator.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"
#include "tests/interchange/marian/marian_file.h"
#include "tests/nmt/teacher_forcing.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr int32_t kWidth = 16;
constexpr int32_t kInner = 24;

/// A small model with an SSRU decoder, twice: with int8 weights, and with the same weights in fp32.
class TwinFiles {
 public:
  explicit TwinFiles(int32_t vocabulary, bool text_as_bias = false) : vocabulary_(vocabulary) {
    matrix("Wemb", vocabulary, kWidth, 0.0F);
    alpha("none", 20.0F);
    if (text_as_bias)
      int8_.add_text("decoder_ff_logit_out_b",
                     std::string(static_cast<size_t>(vocabulary - 1), 'x'));
    else
      vector("decoder_ff_logit_out_b", vocabulary, 0.0F);
    for (const std::string letter : {"q", "k", "v", "o"}) {
      linear("encoder_l1_self_W" + letter, kWidth, kWidth, letter == "o" ? 60.0F : 18.0F);
      linear("decoder_l1_context_W" + letter, kWidth, kWidth, letter == "o" ? 60.0F : 25.0F);
    }
    norm("encoder_l1_self_Wo");
    norm("decoder_l1_context_Wo");
    for (const std::string layer : {"encoder_l1", "decoder_l1"}) {
      linear(layer + "_ffn_W1", kWidth, kInner, 25.0F);
      linear(layer + "_ffn_W2", kInner, kWidth, 25.0F);
      norm(layer + "_ffn_ffn");
    }
    matrix("decoder_l1_rnn_W", kWidth, kWidth, 12.0F);
    linear("decoder_l1_rnn_Wf", kWidth, kWidth, 12.0F);
    norm("decoder_l1_rnn_ffn");
    const std::string sizes = std::to_string(vocabulary);
    const std::string options =
        "type: transformer\ndec-cell: ssru\ndec-cell-base-depth: 2\ndec-cell-high-depth: 1\n"
        "transformer-decoder-autoreg: rnn\nenc-depth: 1\ndec-depth: 1\ndim-emb: 16\n"
        "transformer-dim-ffn: 24\ntransformer-heads: 4\ntransformer-ffn-activation: relu\n"
        "transformer-preprocess: \"\"\ntransformer-postprocess: dan\ntied-embeddings-all: true\n"
        "dim-vocabs:\n  - " +
        sizes + "\n  - " + sizes + "\n";
    int8_.add_text("special:model.yml", options);
    full_.add_text("special:model.yml", options);
  }

  /// Adds a weight that the options do not mention.
  void add_stray() { int8_.add_integers("encoder_l2_ffn_W1", {1, 1}, {1}, 1.0F); }

  std::string int8() const { return int8_.bytes(); }
  std::string full() const { return full_.bytes(); }

 private:
  float draw() { return static_cast<float>(random_.uniform() - 0.5); }

  void alpha(const std::string& name, float value) {
    int8_.add_floats(name + "_QuantMultA", {1, 1}, {value});
  }

  void vector(const std::string& name, int32_t size, float around) {
    std::vector<float> values(static_cast<size_t>(size));
    for (float& value : values) value = around + draw();
    int8_.add_floats(name, {1, size}, values);
    full_.add_floats(name, {1, size}, values);
  }

  void norm(const std::string& name) {
    vector(name + "_ln_scale", kWidth, 1.0F);
    vector(name + "_ln_bias", kWidth, 0.0F);
  }

  void linear(const std::string& name, int32_t inputs, int32_t outputs, float multiplier) {
    matrix(name, inputs, outputs, multiplier);
    std::string bias = name;
    bias[name.rfind('W')] = 'b';
    vector(bias, outputs, 0.0F);
  }

  // [inputs, outputs]; the integers of layers are transposed. Multiplier 0: an embedding.
  void matrix(const std::string& name, int32_t inputs, int32_t outputs, float multiplier) {
    const float of_weights = multiplier > 0.0F ? 350.0F : 400.0F;
    const auto count = static_cast<size_t>(inputs * outputs);
    std::vector<int8_t> integers(count);
    std::vector<float> values(count);
    for (int32_t n = 0; n < outputs; ++n) {
      for (int32_t k = 0; k < inputs; ++k) {
        const auto here = static_cast<size_t>(k * outputs + n);
        const auto there = static_cast<size_t>(n * inputs + k);
        const auto integer = static_cast<int8_t>(draw() * 200.0F);
        integers[multiplier > 0.0F ? there : here] = integer;
        values[here] = static_cast<float>(integer) / of_weights;
      }
    }
    int8_.add_integers(name, {inputs, outputs}, integers, of_weights);
    if (multiplier > 0.0F) alpha(name, multiplier);
    full_.add_floats(name, {inputs, outputs}, values);
  }

  int32_t vocabulary_;
  Random random_{17};
  MarianFile int8_, full_;
};

class MarianInt8Test : public ScratchTest {
 protected:
  std::string path(const std::string& name) const { return (scratch() / name).string(); }

  MarianInt8Test() {
    const fs::path pieces = case_directory("shared") / "source.spm";
    fs::copy_file(pieces, path("vocab.test.spm"));
    twins_ = std::make_unique<TwinFiles>(
        static_cast<int32_t>(data::sentencepiece_vocabulary(pieces).pieces.size()));
    write("model.test.intgemm.alphas.bin", twins_->int8());
  }

  std::string import_it() {
    const MarianFiles files = find_marian_files(path(""));
    fs::create_directory(path("imported"));
    import_marian_int8(MarianBinary(files.weights), files, path("imported"));
    return path("imported");
  }

  std::string failed_import() {
    return failure<Error>([&] { import_it(); });
  }

  std::unique_ptr<TwinFiles> twins_;
};

TEST_F(MarianInt8Test, ScoresAreThoseOfTheSameWeightsInFp32) {
  write("full.bin", twins_->full());
  const nmt::LoadedModel full = import_marian({path("full.bin"), {path("vocab.test.spm")}, {}});
  const auto packed = nmt::load_stored_decoder({import_it()}, {});
  ASSERT_TRUE(packed);
  nmt::SearchOptions options;
  options.beam = 1;
  options.workers = 1;
  options.max_length_factor = 0.0;
  options.max_length_offset = 1;
  const int32_t end = full.target_tokenizer->end_id();
  std::vector<nmt::TranslationRequest> requests;
  std::vector<nmt::ScoringRequest> pairs;
  Random random(3);
  for (int64_t i = 0; i < 8; ++i) {
    const auto words = [&] {
      std::vector<int32_t> drawn(10);
      for (int32_t& word : drawn) word = static_cast<int32_t>(3 + random.below(30));
      return drawn;
    };
    requests.push_back({.source = words(), .prefix = words(), .index = i});
    requests.back().source.push_back(end);
    pairs.push_back({requests.back().source, requests.back().prefix});
    pairs.back().target.push_back(end);
  }
  nmt::RequestFeed feed(requests, options, {});
  packed->decoder->run(feed, 1, 1, 512);
  const auto found = std::move(feed).results();
  const std::vector<const nmt::TranslationModel*> models = {full.model.get()};
  const auto wanted = nmt::score_targets(models, pairs);
  // Integers and their scales cause rounding; the bias of another layer would give far more.
  double gaps = 0.0, count = 0.0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    for (size_t t = 0; t + 1 < wanted[i].size(); ++t, ++count)
      gaps += std::abs(found[i].front().token_scores[t] - wanted[i][t]);
  }
  EXPECT_LE(gaps / count, 0.05);
}

TEST_F(MarianInt8Test, ImportedTwiceIsTheSame) {
  const std::string once = read_file(import_it() + "/model.safetensors");
  fs::remove_all(path("imported"));
  EXPECT_EQ(read_file(import_it() + "/model.safetensors"), once);
}

TEST_F(MarianInt8Test, NamesWhatTheDirectoryLacks) {
  fs::remove(path("vocab.test.spm"));
  EXPECT_THAT(failed_import(), HasSubstr("neither vocab*.spm nor srcvocab*.spm"));
  write("model.other.bin", "");
  EXPECT_THAT(failed_import(), HasSubstr("name the files: --from"));
  fs::remove(path("model.other.bin"));
  fs::remove(path("model.test.intgemm.alphas.bin"));
  EXPECT_THAT(failed_import(), HasSubstr("neither config.json nor model*.bin"));
}

TEST_F(MarianInt8Test, WrongOptionsAndWeightsAreNamed) {
  const auto failed_with = [&](std::string bytes, const std::string& from, const std::string& to) {
    const size_t at = bytes.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write("model.test.intgemm.alphas.bin", bytes.replace(at, from.size(), to));
    const std::string problem = failed_import();
    fs::remove_all(path("imported"));
    return problem;
  };
  const std::string bytes = twins_->int8();
  EXPECT_THAT(failed_with(bytes, "transformer-heads: 4", "transformer-heads: 0"),
              HasSubstr("heads is 0"));
  EXPECT_THAT(failed_with(bytes, "transformer-heads: 4", "transformer-heads: 5"),
              HasSubstr("heads"));
  const float right = 350.0F, wrong = -1.0F;
  EXPECT_THAT(failed_with(bytes, std::string(reinterpret_cast<const char*>(&right), 4),
                          std::string(reinterpret_cast<const char*>(&wrong), 4)),
              HasSubstr("a multiplier that is not a positive number"));
  const float alpha = 60.0F, infinite = INFINITY;
  EXPECT_THAT(failed_with(bytes, std::string(reinterpret_cast<const char*>(&alpha), 4),
                          std::string(reinterpret_cast<const char*>(&infinite), 4)),
              HasSubstr("_QuantMultA' is not a positive number"));
  const auto pieces = data::sentencepiece_vocabulary(path("vocab.test.spm")).pieces.size();
  EXPECT_THAT(failed_with(TwinFiles(static_cast<int32_t>(pieces), true).int8(), "ssru", "ssru"),
              HasSubstr("'decoder_ff_logit_out_b' is text, not numbers"));
  twins_->add_stray();
  EXPECT_THAT(failed_with(twins_->int8(), "ssru", "ssru"),
              HasSubstr("'encoder_l2_ffn_W1' is not part of the model"));
}

TEST_F(MarianInt8Test, OneEmbeddingNeedsOneVocabulary) {
  fs::rename(path("vocab.test.spm"), path("srcvocab.test.spm"));
  fs::copy_file(case_directory("shared") / "target.spm", path("trgvocab.test.spm"));
  EXPECT_THAT(failed_import(), HasSubstr("one embedding for both languages"));
}

TEST_F(MarianInt8Test, DamageIsNamed) {
  const std::string bytes = twins_->int8();
  const auto failed = [&](const std::string& content) {
    return failure<CheckpointError>([&] { MarianBinary(write("damaged.bin", content)); });
  };
  // Up to the data, every truncation makes a length wrong.
  for (size_t size = 0; size < bytes.size(); size += size < 4000 ? 1 : 997)
    EXPECT_THAT(failed(bytes.substr(0, size)), HasSubstr("damaged.bin")) << size;
  MarianFile other;
  other.add("decoder_l1_ffn_W1", 0x4102, {2, 2}, std::string(12, '\1'));
  EXPECT_THAT(failed(other.bytes()), AllOf(HasSubstr("'decoder_l1_ffn_W1'"), HasSubstr("0x4102")));
  MarianFile large;
  large.add_floats("Wemb", {2'000'000'000, 2'000'000'000}, {1.0F});
  EXPECT_THAT(failed(large.bytes()), AllOf(HasSubstr("'Wemb'"), HasSubstr("shape")));
}

std::string marian_shortlist(const std::vector<uint64_t>& bounds,
                             const std::vector<uint32_t>& ids) {
  std::vector<uint64_t> header = {0xF11A48D5013417F5, 0, 2, 3, bounds.size(), ids.size()};
  std::string rest(reinterpret_cast<const char*>(header.data() + 2), 4 * sizeof(uint64_t));
  rest.append(reinterpret_cast<const char*>(bounds.data()), bounds.size() * sizeof(uint64_t));
  rest.append(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(uint32_t));
  for (size_t at = 0; at + 8 <= rest.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, rest.data() + at, 8);
    header[1] ^= word + 0x9e3779b9 + (header[1] << 6) + (header[1] >> 2);
  }
  return std::string(reinterpret_cast<const char*>(header.data()), 16) + rest;
}

TEST_F(MarianInt8Test, ShortlistsKeepTheirCandidates) {
  const std::string bytes = marian_shortlist({0, 2, 2, 3}, {4, 5, 9});
  const std::string file = write("lex.s2t.bin", bytes);
  const auto content = read_marian_shortlist(file, {.source = 4, .target = 10, .shared = true});
  EXPECT_THAT(content.always, testing::ElementsAre(0, 1));
  EXPECT_THAT(content.bounds, testing::ElementsAre(0, 3, 4, 6, 6));
  EXPECT_THAT(content.ids, testing::ElementsAre(4, 5, 0, 1, 9, 2));

  const auto failed = [&](const std::string& damaged, int64_t target) {
    return failure<DataError>([&] {
      read_marian_shortlist(write("lex.s2t.bin", damaged), {.source = 4, .target = target});
    });
  };
  EXPECT_THAT(failed(bytes, 9), HasSubstr("other vocabularies"));
  EXPECT_THAT(failed(bytes.substr(0, 20), 10), HasSubstr("is not a binary shortlist of Marian"));
  std::string flipped = bytes;
  flipped[50] ^= 1;
  EXPECT_THAT(failed(flipped, 10), HasSubstr("damaged"));
}

TEST_F(MarianInt8Test, ImportWritesTheShortlistForTheVocabularies) {
  write("lex.s2t.bin", marian_shortlist({0, 1, 2}, {6, 7}));
  const nmt::Tokenizers tokenizers = nmt::load_tokenizers(import_it());
  const data::Shortlist shortlist(path("imported/shortlist.bin"), *tokenizers.source,
                                  *tokenizers.target);
  std::vector<int32_t> ids;
  shortlist.candidates(std::vector<int32_t>{1}, ids);
  EXPECT_THAT(ids, testing::ElementsAre(0, 1, 7));
}

}  // namespace
}  // namespace dietmt::interchange
