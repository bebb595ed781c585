// Models of transformers, and what they compute (make_transformers_cases.py).
#include "interchange/huggingface/translation_models.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"
#include "tests/interchange/reference.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

fs::path case_path(const std::string& name) { return fs::path(DIETMT_TRANSFORMERS_CASES) / name; }

class TranslationModels : public testing::TestWithParam<const char*> {};

TEST_P(TranslationModels, ComputeWhatTransformersDoes) {
  constexpr int64_t kLongest = 20;
  const nmt::LoadedModel model = import_translation_model(case_path(GetParam()));
  expect_reference(model, read_reference(case_path(std::string(GetParam()) + ".json")), kLongest);
}

INSTANTIATE_TEST_SUITE_P(Cases, TranslationModels,
                         testing::Values("m2m_100", "nllb", "mbart", "t5", "madlad", "mbart_pair",
                                         "bart", "fsmt", "fsmt_one"),
                         [](const auto& test) { return std::string(test.param); });

TEST(TranslationModels, SearchAsTheirGenerationConfigSays) {
  const nmt::LoadedModel model = import_translation_model(case_path("t5_search"));
  const json expected = read_reference(case_path("t5_search.json"));
  nmt::SearchOptions options;
  options.take(model.model->config().search);
  options.threads = 1;
  const std::vector<std::string> sources = expected.at("sources");
  EXPECT_EQ(nmt::translate_lines(*model.model, *model.source_tokenizer, *model.target_tokenizer,
                                 sources, options),
            expected.at("searched").get<std::vector<std::string>>());
}

class SuppressedModels : public ScratchTest {};

TEST_F(SuppressedModels, NeverGenerateWhatTheirGenerationConfigSuppresses) {
  const json cases = read_reference(case_path("suppressed.json"));
  for (const auto& [name, expected] : cases.items()) {
    SCOPED_TRACE(name);
    const fs::path copy = scratch() / name;
    fs::copy(case_path(name), copy);
    fs::remove(copy / "generation_config.json");
    json generation = read_reference(case_path(name) / "generation_config.json");
    generation.update(expected.at("generation_config"));
    write(name + "/generation_config.json", generation.dump());
    const nmt::LoadedModel model = import_translation_model(copy);
    const nmt::ModelConfig& config = model.model->config();
    EXPECT_EQ(nmt::ModelConfig::from_json(config.to_json()).suppressed, config.suppressed);
    nmt::SearchOptions options;
    options.take(config.search);
    options.threads = 1;
    EXPECT_EQ(nmt::translate_lines(*model.model, *model.source_tokenizer, *model.target_tokenizer,
                                   expected.at("sources").get<std::vector<std::string>>(), options,
                                   languages_of(expected)),
              expected.at("searched").get<std::vector<std::string>>());
  }
}

/// The pieces that a tokenizer makes of texts, and what it makes of them.
void expect_pieces(const data::Tokenizer& tokenizer, const std::vector<std::string>& texts,
                   const json& expected, const std::vector<std::string>& joined) {
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::string> pieces;
    const std::vector<int32_t> ids = tokenizer.encode(texts[i]);
    for (const int32_t id : ids) pieces.push_back(tokenizer.piece(id));
    EXPECT_EQ(pieces, expected[i].get<std::vector<std::string>>()) << texts[i];
    EXPECT_EQ(tokenizer.decode(ids), joined[i]);
  }
}

void expect_pieces(const data::Tokenizer& tokenizer, const json& expected) {
  expect_pieces(tokenizer, expected.at("texts"), expected.at("pieces"), expected.at("texts"));
}

nmt::ModelLanguages languages_in(const std::string& name) {
  return import_translation_model(case_path(name)).model->config().languages;
}

TEST(LanguagesOfModels, ComeFromTheirPieces) {
  const nmt::ModelLanguages m2m = languages_in("m2m_100"), nllb = languages_in("nllb");
  EXPECT_EQ(m2m.pieces.size(), 100U);
  EXPECT_EQ(m2m.pieces.at("de"), "__de__");
  EXPECT_EQ(m2m.pieces.at("fil"), "__tl__");
  EXPECT_TRUE(m2m.source_before_source && m2m.target_before_target && !m2m.target_before_source);
  EXPECT_EQ(nllb.pieces.size(), 202U);
  EXPECT_EQ(nllb.pieces.at("zh-Hant"), "zho_Hant");
  EXPECT_EQ(languages_in("mbart").pieces.at("de"), "de_DE");
  EXPECT_TRUE(languages_in("t5").empty());
  const nmt::ModelLanguages madlad = languages_in("madlad");
  EXPECT_EQ(madlad.pieces, (std::map<std::string, std::string>{{"de", "<2de>"}, {"fr", "<2fr>"}}));
  EXPECT_TRUE(madlad.target_before_source && !madlad.target_before_target);
}

TEST(LanguagesOfModels, AreNeededAndKnown) {
  const nmt::LoadedModel model = import_translation_model(case_path("m2m_100"));
  const auto failure_of = [&](const nmt::LanguageChoice& languages) {
    return failure<DataError>([&] { translations(model, {"red dog"}, 1, 20, languages); });
  };
  EXPECT_THAT(failure_of({}), AllOf(HasSubstr("100 languages"), HasSubstr("source language")));
  EXPECT_THAT(failure_of({.source = "en"}), HasSubstr("target language is needed"));
  EXPECT_THAT(failure_of({.source = "en", .target = "tlh"}),
              AllOf(HasSubstr("target language 'tlh'"), HasSubstr("and 88 more")));
  EXPECT_EQ(failure_of({.source = "English", .target = "deu_Latn"}), "succeeded");
  const nmt::LoadedModel pair = import_translation_model(case_path("t5"));
  EXPECT_THAT(failure<DataError>([&] {
                translations(pair, {"red dog"}, 1, 20, {.source = "en", .target = "de"});
              }),
              HasSubstr("one pair of languages"));
}

TEST(LanguagesOfModels, OfMbartsFirstKindAreOnePair) {
  const nmt::LoadedModel model = import_translation_model(case_path("mbart_pair"));
  EXPECT_TRUE(model.model->config().languages.empty());
  const data::Tokenizer& tokenizer = *model.source_tokenizer;
  std::vector<std::string> ending;
  for (const int32_t id : tokenizer.source_ending()) ending.push_back(tokenizer.piece(id));
  EXPECT_THAT(ending, testing::ElementsAre("</s>", "en_XX"));
  EXPECT_EQ(tokenizer.piece(tokenizer.begin_id()), "de_DE");
}

TEST(BartModels, CutTextAsTheirTokenizerDoes) {
  const nmt::LoadedModel model = import_translation_model(case_path("bart"));
  expect_pieces(*model.source_tokenizer, read_reference(case_path("bart.json")));
}

TEST(BartModels, BeginTheirSentences) {
  const nmt::ModelConfig config = import_translation_model(case_path("bart")).model->config();
  EXPECT_EQ(config.languages.always, (nmt::LanguageTags{"<s>", "<s>"}));
  EXPECT_EQ(config.norm, "post");
  EXPECT_TRUE(config.search.empty());
}

class FsmtModels : public testing::TestWithParam<const char*> {};

TEST_P(FsmtModels, MakeWordsAsMosesDoes) {
  const nmt::LoadedModel model = import_translation_model(case_path(GetParam()));
  const json expected = read_reference(case_path(std::string(GetParam()) + ".json"));
  const data::Tokenizer* const tokenizers[] = {model.source_tokenizer.get(),
                                               model.target_tokenizer.get()};
  for (size_t side = 0; side < 2; ++side)
    expect_pieces(*tokenizers[side], expected.at("texts")[side], expected.at("pieces")[side],
                  expected.at("joined")[side]);
}

INSTANTIATE_TEST_SUITE_P(Cases, FsmtModels, testing::Values("fsmt", "fsmt_one"),
                         [](const auto& test) { return std::string(test.param); });

TEST(TablesOfFsmt, AreOneIfTheFilesHaveOne) {
  const nmt::LoadedModel one = import_translation_model(case_path("fsmt_one"));
  EXPECT_EQ(one.model->config().tied_embeddings, "all");
  const nmt::LoadedModel two = import_translation_model(case_path("fsmt"));
  EXPECT_EQ(two.model->config().tied_embeddings, "decoder");
  EXPECT_NE(two.source_tokenizer->vocabulary_size(), two.target_tokenizer->vocabulary_size());
}

class DamagedModels : public ScratchTest {
 protected:
  /// The failure of a copy of a case after `damage`.
  std::string failure_after(const std::string& name, const std::function<void()>& damage) const {
    fs::remove_all(copy());
    fs::copy(case_path(name), copy());
    damage();
    return failure<Error>([&] { import_translation_model(copy()); });
  }
  fs::path copy() const { return scratch() / "model"; }
  void change(const std::string& file, const std::function<void(json&)>& change) const {
    json content = json::parse(read_file(copy() / file));
    change(content);
    write("model/" + file, content.dump());
  }
};

TEST_F(DamagedModels, AreRefusedByName) {
  const auto in_config = [&](const std::string& name, const char* key, const json& value) {
    return failure_after(name, [&] { change("config.json", [&](json& c) { c[key] = value; }); });
  };
  EXPECT_THAT(in_config("m2m_100", "d_model", 15), HasSubstr("config.json: d_model"));
  EXPECT_THAT(in_config("m2m_100", "activation_function", "tanh"), HasSubstr("'tanh'"));
  EXPECT_THAT(in_config("m2m_100", "decoder_ffn_dim", 8), HasSubstr("decoder_ffn_dim"));
  EXPECT_THAT(in_config("mbart", "model_type", "nllb-moe"), HasSubstr("nllb-moe"));
  EXPECT_THAT(in_config("mbart", "max_position_embeddings", 99), HasSubstr("101"));
  EXPECT_THAT(in_config("t5", "feed_forward_proj", "gated-relu"), HasSubstr("gated-relu"));
  EXPECT_THAT(in_config("t5", "d_kv", 8), HasSubstr("shape"));
  EXPECT_THAT(in_config("madlad", "vocab_size", 60), HasSubstr("spiece.model: has 72 pieces"));
}

TEST_F(DamagedModels, OfFsmtAreRefusedByName) {
  const auto in_file = [&](const char* file, const char* key, const json& value) {
    return failure_after("fsmt", [&] { change(file, [&](json& c) { c[key] = value; }); });
  };
  EXPECT_THAT(
      in_file("tokenizer_config.json", "langs", {"en", "fr"}),
      AllOf(HasSubstr("tokenizer_config.json: langs has 'fr'"), HasSubstr("de, en and ru")));
  EXPECT_THAT(in_file("tokenizer_config.json", "langs", {"en"}), HasSubstr("two languages"));
  EXPECT_THAT(in_file("tokenizer_config.json", "do_lower_case", true), HasSubstr("do_lower_case"));
  EXPECT_THAT(in_file("config.json", "pad_token_id", 3), HasSubstr("pad_token_id is 3"));
  EXPECT_THAT(in_file("config.json", "tgt_vocab_size", "x"), HasSubstr("config.json: "));
  EXPECT_THAT(in_file("vocab-tgt.json", "zz", 4), HasSubstr("vocab-tgt.json: "));
  EXPECT_THAT(failure_after("fsmt", [&] { fs::remove(copy() / "merges.txt"); }),
              HasSubstr("merges.txt"));
  EXPECT_THAT(failure_after("fsmt", [&] { fs::remove(copy() / "vocab-src.json"); }),
              HasSubstr("vocab-src.json"));
}

class BartTokenizers : public DamagedModels {
 protected:
  std::string failure_after(const std::function<void()>& damage) const {
    return DamagedModels::failure_after("bart", damage);
  }
};

TEST_F(BartTokenizers, MayBeInOneFile) {
  EXPECT_EQ(failure_after([&] {
              fs::remove(copy() / "vocab.json");
              fs::remove(copy() / "merges.txt");
            }),
            "succeeded");
  const nmt::LoadedModel model = import_translation_model(copy());
  const json expected = read_reference(case_path("bart.json"));
  expect_pieces(*model.source_tokenizer, expected);
  expect_reference(model, expected, 20);
}

TEST_F(BartTokenizers, MayPutASpaceBeforeTexts) {
  failure_after(
      [&] { change("tokenizer_config.json", [](json& c) { c["add_prefix_space"] = true; }); });
  const nmt::LoadedModel spaced = import_translation_model(copy());
  const nmt::LoadedModel plain = import_translation_model(case_path("bart"));
  const auto ids = spaced.source_tokenizer->encode("red dog");
  EXPECT_EQ(ids, plain.source_tokenizer->encode(" red dog"));
  EXPECT_EQ(spaced.source_tokenizer->encode(" red dog"), ids);
  EXPECT_EQ(spaced.source_tokenizer->encode("<s> red dog").size(), ids.size() + 1);
}

TEST_F(BartTokenizers, AreRefusedByFileAndLine) {
  const auto with_merges = [&](const std::string& text) {
    return failure_after([&] { write("model/merges.txt", text); });
  };
  EXPECT_THAT(with_merges("#version: 0.2\nr e\nre\n"), HasSubstr("merges.txt:3: not a merge"));
  EXPECT_THAT(with_merges("r e x\n"), HasSubstr("merges.txt:1: not a merge"));
  EXPECT_THAT(with_merges("r e\n\n"), HasSubstr("merges.txt:2: not a merge"));
  EXPECT_THAT(with_merges("r q\xff\n"), HasSubstr("merges.txt:1: not UTF-8"));
  EXPECT_THAT(with_merges("a u\nau \u2581d\n"),
              HasSubstr("merges.txt:2: the symbol '\u2581d' is not a piece"));
  EXPECT_THAT(failure_after([&] { write("model/vocab.json", "{\"a\": 0,\n \"b\": }"); }),
              HasSubstr("vocab.json: "));
  EXPECT_THAT(failure_after([&] { change("vocab.json", [](json& c) { c["zz"] = "x"; }); }),
              HasSubstr("vocab.json: "));
  EXPECT_THAT(failure_after([&] {
                for (const char* file : {"vocab.json", "merges.txt", "tokenizer.json"})
                  fs::remove(copy() / file);
              }),
              HasSubstr("has neither vocab.json and merges.txt nor tokenizer.json"));
  EXPECT_THAT(failure_after([&] {
                fs::remove(copy() / "merges.txt");
                change("tokenizer.json", [](json& c) { c["pre_tokenizer"] = nullptr; });
              }),
              HasSubstr("tokenizer.json: is no byte-level BPE"));
  EXPECT_THAT(failure_after([&] {
                fs::remove(copy() / "merges.txt");
                change("tokenizer.json", [](json& c) { c["model"]["merges"] = {1}; });
              }),
              HasSubstr("tokenizer.json: merges has 1"));
}

TEST_F(DamagedModels, WithoutTheirTokenizers) {
  EXPECT_THAT(failure_after("nllb", [&] { fs::remove(copy() / "sentencepiece.bpe.model"); }),
              HasSubstr("has no sentencepiece.bpe.model"));
  EXPECT_THAT(failure_after("madlad", [&] { fs::remove(copy() / "spiece.model"); }),
              HasSubstr("has no spiece.model"));
  EXPECT_THAT(
      failure_after(
          "mbart_pair",
          [&] { change("tokenizer_config.json", [](json& c) { c["src_lang"] = "tlh_XX"; }); }),
      HasSubstr("src_lang is 'tlh_XX'"));
  EXPECT_THAT(failure_after("mbart_pair",
                            [&] {
                              for (const char* file : {"config.json", "generation_config.json"})
                                change(file, [](json& c) { c["decoder_start_token_id"] = 5; });
                            }),
              AllOf(HasSubstr("config.json: decoder_start_token_id"),
                    HasSubstr("starts a translation with its language")));
  EXPECT_THAT(failure_after("m2m_100", [&] { write("model/vocab.json", R"({"a": 0, "b": 7})"); }),
              HasSubstr("vocab.json"));
}

}  // namespace
}  // namespace dietmt::interchange
