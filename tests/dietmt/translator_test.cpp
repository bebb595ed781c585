#include "dietmt/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

#include "dietmt/tokenizer.h"

namespace dietmt {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::string packed_model() {
  const char* directory = std::getenv("DIETMT_PACKED_MODEL");
  return directory == nullptr ? "" : directory;
}

std::vector<std::string> toy_lines(int count) {
  const std::vector<std::string> words = {"red", "dog", "sees", "big", "house", "old", "tree"};
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    std::string line;
    for (int w = 0; w <= i % 7; ++w)
      line += (line.empty() ? "" : " ") + words[static_cast<size_t>(i + w * w) % words.size()];
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> texts(const std::vector<Translation>& translations) {
  std::vector<std::string> result;
  for (const Translation& translation : translations) result.push_back(translation.text());
  return result;
}

class TranslatorTest : public testing::Test {
 protected:
  void SetUp() override {
    if (packed_model().empty()) GTEST_SKIP() << "DIETMT_PACKED_MODEL names no model";
  }
  const Translator& translator() const {
    static const Translator shared(packed_model(), {.workers = 2});
    return shared;
  }
};

TEST_F(TranslatorTest, GivesTextScoreAndTokens) {
  const auto translations = translator().translate({"red dog", "", "  \r\n"}, {.nbest = 3});
  ASSERT_EQ(translations.size(), 3U);
  ASSERT_EQ(translations[0].hypotheses.size(), 3U);
  const Hypothesis& best = translations[0].hypotheses[0];
  EXPECT_EQ(best.tokens.size(), best.token_scores.size());
  EXPECT_EQ(best.tokens.back(), "</s>");
  const double sum = std::accumulate(best.token_scores.begin(), best.token_scores.end(), 0.0);
  EXPECT_NEAR(best.score, sum / static_cast<double>(best.tokens.size()), 1e-6);
  EXPECT_GE(best.score, translations[0].hypotheses[1].score);
  EXPECT_EQ(translations[1].text(), "");
  EXPECT_EQ(translations[2].text(), "");
}

TEST_F(TranslatorTest, ManyCallersGetTheLinesOfOne) {
  const std::vector<std::string> lines = toy_lines(600);  // more than one window
  const auto expected = texts(translator().translate(lines));
  std::vector<std::vector<std::string>> found(16);
  std::vector<std::thread> threads;
  for (auto& result : found)
    threads.emplace_back([&] { result = texts(translator().translate(lines)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(found, Each(expected));
}

TEST_F(TranslatorTest, AStreamGivesTheLinesOfAList) {
  const std::vector<std::string> lines = toy_lines(700);
  size_t read = 0;
  TranslationStream stream = translator().stream([&](std::string& line, std::string&) {
    if (read == lines.size()) return false;
    line = lines[read++];
    return true;
  });
  std::vector<Translation> found;
  found.push_back(stream.next().value());
  EXPECT_LT(read, lines.size() + 1);
  while (auto next = stream.next()) found.push_back(std::move(*next));
  EXPECT_EQ(texts(found), texts(translator().translate(lines)));
}

TEST_F(TranslatorTest, LineByLineReadsNoFurtherLine) {
  int read = 0;
  TranslationStream stream = translator().stream(
      [&](std::string& line, std::string&) {
        line = "red dog";
        return ++read <= 3;
      },
      {}, true);
  EXPECT_TRUE(stream.next());
  EXPECT_EQ(read, 1);
}

TEST_F(TranslatorTest, PrefixesAndSamplingWork) {
  const auto forced = translator().translate({"red dog", "dog"}, {}, {"katze", ""});
  EXPECT_EQ(forced[0].text().rfind("katze", 0), 0U) << forced[0].text();
  const TranslateOptions sampling{.nbest = 4, .sample = true, .seed = 7};
  const auto lines = toy_lines(20);
  EXPECT_EQ(texts(translator().translate(lines, sampling)),
            texts(translator().translate(lines, sampling)));
}

TEST_F(TranslatorTest, RepetitionAndPatienceChangeTheSearch) {
  const auto lines = toy_lines(20);
  const TranslateOptions loops{.min_length = 25};
  const TranslateOptions blocked{.min_length = 25, .no_repeat_ngram = 2};
  const TranslateOptions penalized{.min_length = 25, .repetition_penalty = 2.0};
  EXPECT_NE(texts(translator().translate(lines, blocked)),
            texts(translator().translate(lines, loops)));
  EXPECT_NE(texts(translator().translate(lines, penalized)),
            texts(translator().translate(lines, loops)));
  EXPECT_THROW(translator().translate(lines, {.patience = 0.0}), UsageError);
}

TEST_F(TranslatorTest, AModelMayHaveItsOwnDefaultsOfSearch) {
  namespace fs = std::filesystem;
  const fs::path copy = fs::path(testing::TempDir()) / "own_search";
  fs::remove_all(copy);
  fs::copy(packed_model(), copy, fs::copy_options::recursive);
  fs::remove(copy / "manifest.json");
  std::ifstream file(copy / "config.json");
  std::string config((std::istreambuf_iterator<char>(file)), {});
  const std::string model = "\"model\": {";
  ASSERT_NE(config.find(model), config.npos);
  config.insert(config.find(model) + model.size(), R"("search": {"min_length": 25},)");
  std::ofstream(copy / "config.json") << config;
  const Translator own(copy);
  const auto lines = toy_lines(3);
  EXPECT_EQ(texts(own.translate(lines)), texts(translator().translate(lines, {.min_length = 25})));
  EXPECT_EQ(texts(own.translate(lines, {.min_length = 0})), texts(translator().translate(lines)));
  EXPECT_NE(texts(own.translate(lines)), texts(translator().translate(lines)));
  fs::remove_all(copy);
}

TEST_F(TranslatorTest, AGlossaryPrescribesTerms) {
  const std::vector<std::string> lines = {"red dog", "old house", "Dog, dog"};
  const TranslateOptions options{.nbest = 2,
                                 .glossary = {{"dog", "katze|vogel"}, {"tree", "漢字"}}};
  const auto translations = translator().translate(lines, options);
  for (const size_t line : {0, 2})
    for (const Hypothesis& one : translations[line].hypotheses) {
      EXPECT_THAT(one.text, testing::ContainsRegex("[kK]atze|[vV]ogel"));
      EXPECT_THAT(one.missing_terms, testing::IsEmpty());
    }
  EXPECT_EQ(translations[1].text(), translator().translate({lines[1]})[0].text());
  EXPECT_THAT(translator().translate({"old tree"}, options)[0].hypotheses[0].missing_terms,
              testing::ElementsAre("漢字"));
  EXPECT_THROW(translator().translate(lines, {.beam = 1, .glossary = {{"a", "b"}}}), UsageError);
  EXPECT_THAT(
      [&] {
        translator().translate(lines, {.glossary = {{"a", "b"}, {"c", ""}}});
      },
      ThrowsMessage<InputError>(HasSubstr("entry 2 of the glossary: the target term")));
}

TEST_F(TranslatorTest, ALineHasNoLineBreak) {
  const std::vector<std::string> lines = {"red dog\n", "red dog\nblue cat"};
  EXPECT_THAT([&] { translator().translate(lines); },
              ThrowsMessage<InputError>(HasSubstr("line 2 has a line break inside")));
  EXPECT_NO_THROW(translator().translate(lines, {.split_sentences = "en"}));
}

TEST_F(TranslatorTest, NulIsReadAsReplaced) {
  const auto found = translator().translate({std::string("red d\0og", 8), "red d\uFFFDog"});
  EXPECT_EQ(found[0].text(), found[1].text());
}

TEST_F(TranslatorTest, SaysWhatWentWrong) {
  TranslateOptions options{.max_length_offset = 90, .min_length = 70};
  EXPECT_EQ(translator().translate({"red dog"}, options)[0].problem, "");
  options.guard = "report";
  const auto guarded = translator().translate({"", "red dog"}, options);
  EXPECT_EQ(guarded[0].problem, "");
  EXPECT_NE(guarded[1].problem, "");
  EXPECT_FALSE(guarded[1].replaced);
  options.guard = "on";
  EXPECT_THROW(translator().translate({"red dog"}, options), UsageError);
}

TEST_F(TranslatorTest, NamesWhatWasNotCopied) {
  const std::vector<std::string> lines = {"red dog 1,234", "old USB <b>12</b>"};
  const auto checked = translator().translate(lines, {.keep = "none", .check = "copies"});
  EXPECT_THAT(checked[0].hypotheses[0].missing_copies, testing::ElementsAre("1,234"));
  EXPECT_EQ(checked[0].text(), translator().translate(lines, {.keep = "none"})[0].text());
  EXPECT_THAT(translator().translate(lines)[0].hypotheses[0].missing_copies, testing::IsEmpty());
  EXPECT_THAT(translator()
                  .translate({"red <img alt='12'> dog"}, {.markup = true, .check = "copies"})[0]
                  .hypotheses[0]
                  .missing_copies,
              testing::IsEmpty());
  EXPECT_THROW(translator().translate(lines, {.check = "all"}), UsageError);
}

TEST_F(TranslatorTest, AlignmentsOfWordsAndTokens) {
  const auto hard = translator().translate({"red dog sees", ""}, {.nbest = 2, .alignment = "hard"});
  for (const Hypothesis& one : hard[0].hypotheses) {
    const auto words = std::ranges::count(one.text, ' ') + 1;
    ASSERT_EQ(std::ssize(one.alignment), words) << one.text;
    for (std::int32_t w = 0; w < words; ++w) {
      EXPECT_EQ(one.alignment[static_cast<size_t>(w)].target, w);
      EXPECT_LT(one.alignment[static_cast<size_t>(w)].source, 3);
    }
    EXPECT_THAT(one.attention, testing::IsEmpty());
  }
  EXPECT_THAT(hard[1].hypotheses.front().alignment, testing::IsEmpty());

  const auto soft = translator().translate({"red dog sees"}, {.alignment = "soft"});
  const Hypothesis& best = soft[0].hypotheses.front();
  EXPECT_EQ(soft[0].source_tokens.back(), "</s>");
  EXPECT_EQ(best.attention.size(), best.tokens.size());
  for (const std::vector<float>& row : best.attention) {
    EXPECT_EQ(row.size(), soft[0].source_tokens.size());
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-3);
  }
  EXPECT_EQ(best.text, hard[0].text());
  EXPECT_THAT(best.alignment, testing::IsEmpty());
}

TEST_F(TranslatorTest, MarkupMovesWithItsWords) {
  const auto plain = translator().translate({"red dog"}, {.nbest = 2});
  const auto marked = translator().translate({"\"{0}\": <b>red dog</b>\r\n", "{0} <i></i>"},
                                             {.nbest = 2, .markup = true});
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(marked[0].hypotheses[i].text, "\"{0}\": <b>" + plain[0].hypotheses[i].text + "</b>");
  EXPECT_EQ(marked[0].hypotheses[0].tokens, plain[0].hypotheses[0].tokens);
  EXPECT_EQ(marked[1].text(), "{0} <i></i>");
  EXPECT_THAT([&] { translator().translate({"a"}, {.alignment = "hard", .markup = true}); },
              ThrowsMessage<UsageError>(HasSubstr("leave out alignment")));
  EXPECT_THAT([&] { translator().translate({"a"}, {.alignment = "some"}); },
              ThrowsMessage<UsageError>(HasSubstr("none, hard, soft")));
}

TEST_F(TranslatorTest, ScoresAreThoseOfTheSearch) {
  const std::vector<std::string> lines = toy_lines(50);
  const auto found = translator().translate(lines, {.beam = 1, .length_penalty = 0.0});
  const auto scores = translator().score(lines, texts(found));
  int compared = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (scores[i].tokens != found[i].hypotheses[0].tokens) continue;  // other pieces, same text
    EXPECT_NEAR(scores[i].score, found[i].hypotheses[0].score, 1e-3) << lines[i];
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST_F(TranslatorTest, CancellationEndsACallAndASream) {
  const std::vector<std::string> lines = toy_lines(5000);
  const TranslateOptions options{.beam = 50, .cancelled = [] { return true; }};
  EXPECT_THROW(translator().translate(lines, options), Cancelled);
  EXPECT_EQ(texts(translator().translate({"red dog"})).size(), 1U);
}

TEST_F(TranslatorTest, AnErrorOfTheSourceOfLinesPassesThrough) {
  TranslationStream stream = translator().stream(
      [](std::string&, std::string&) -> bool { throw std::out_of_range("mine"); });
  EXPECT_THROW(stream.next(), std::out_of_range);
}

TEST_F(TranslatorTest, WhatAModelLacksIsNamed) {
  const auto copy = std::filesystem::temp_directory_path() / "dietmt_lacking_test";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(packed_model(), copy, std::filesystem::copy_options::recursive);
  std::filesystem::remove(copy / "positions.safetensors");
  EXPECT_THAT(
      [&] { Translator own(copy.string()); },
      ThrowsMessage<ModelError>(HasSubstr(copy.string() + " has no stored positions: pack it")));
  std::filesystem::remove_all(copy);
}

TEST_F(TranslatorTest, ReloadKeepsTheOldWeightsIfItFails) {
  const auto copy = std::filesystem::temp_directory_path() / "dietmt_reload_test";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(packed_model(), copy, std::filesystem::copy_options::recursive);
  Translator own(copy.string());
  const auto before = texts(own.translate({"red dog"}));
  own.reload();
  EXPECT_EQ(texts(own.translate({"red dog"})), before);
  std::filesystem::remove_all(copy);
  EXPECT_THROW(own.reload(), ModelError);
  EXPECT_EQ(texts(own.translate({"red dog"})), before);
}

TEST_F(TranslatorTest, WrongUseIsNamed) {
  EXPECT_THAT([&] { translator().translate({"dog"}, {.beam = 0}); },
              ThrowsMessage<UsageError>(HasSubstr("beam is 0; it must be from 1 to 1000")));
  EXPECT_THAT([&] { translator().translate({"dog"}, {.source_tag = "<2xx>"}); },
              ThrowsMessage<InputError>(HasSubstr("<2xx>")));
  EXPECT_THAT([&] { translator().translate({"dog"}, {.target_language = "de"}); },
              ThrowsMessage<InputError>(HasSubstr("one pair of languages")));
  EXPECT_THAT([&] { translator().score({"dog"}, {"Hund"}, {.target_language = "de"}); },
              ThrowsMessage<InputError>(HasSubstr("one pair of languages")));
  EXPECT_THAT(
      [&] {
        translator().translate({"dog"}, {}, {"a", "b"});
      },
      ThrowsMessage<InputError>(HasSubstr("1 lines, but 2 prefixes")));
  EXPECT_THAT([&] { translator().score({"dog"}, {}); },
              ThrowsMessage<InputError>(HasSubstr("1 sources, but 0 targets")));
  EXPECT_THAT([] { Translator("/nowhere"); }, ThrowsMessage<ModelError>(HasSubstr("/nowhere")));
  EXPECT_THAT([] { Translator(nullptr); }, ThrowsMessage<UsageError>(HasSubstr("model is null")));
  EXPECT_NO_THROW(Translator(packed_model(), {.device = "cpu:0"}));
  for (const std::string device : {"gpu", "CPU", "cuda0"})
    EXPECT_THAT([&] { Translator(packed_model(), {.device = device}); },
                ThrowsMessage<UsageError>(HasSubstr("it must be cpu, cuda or cuda:I")));
  EXPECT_THAT([] { Translator(packed_model(), {.device = "cuda"}); },
              ThrowsMessage<UsageError>(HasSubstr("needs LibTorch")));
}

TEST_F(TranslatorTest, AForkedProcessIsToldToLoadTheModelItself) {
  translator().translate({"dog"});
  const pid_t child = fork();
  if (child == 0) {
    try {
      translator().translate({"dog"});
    } catch (const Exception& error) {
      _exit(std::string(error.what()).find("forked") == std::string::npos ? 2 : 0);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(TranslatorTest, TokenizerGivesPiecesAndText) {
  const Tokenizer tokenizer(packed_model() + "/tokenizer.model");
  const std::vector<std::int32_t> ids = tokenizer.encode("red dog");
  EXPECT_EQ(tokenizer.decode(ids), "red dog");
  EXPECT_EQ(tokenizer.pieces("red dog").size(), ids.size());
  EXPECT_EQ(tokenizer.piece(tokenizer.end_id()), "</s>");
  EXPECT_THROW(tokenizer.piece(1 << 30), InputError);
  EXPECT_THROW(Tokenizer("/nowhere"), InputError);
}

}  // namespace
}  // namespace dietmt
