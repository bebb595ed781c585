// Lines of text: cleaning, windows, prefixes, tags and output files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "common/error.h"
#include "common/files.h"
#include "common/text_io.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "nmt/translation/line_tokens.h"
#include "nmt/translation/line_writer.h"
#include "nmt/translation/translation_stream.h"
#include "tests/data/toy_text.h"

namespace dietmt::nmt {
namespace {

using testing::HasSubstr;

class TextTest : public data::ToyTextTest {
 protected:
  TextTest() {
    ModelConfig config;
    config.source_vocabulary = config.target_vocabulary = tokenizer().vocabulary_size();
    config.encoder_layers = config.decoder_layers = 1;
    config.width = 16;
    config.feed_forward = 16;
    config.heads = 2;
    model_ = std::make_unique<TranslationModel>(config, 1);
  }

  static SearchOptions search_options() {
    SearchOptions options;
    options.beam = 2;
    options.max_length_factor = 0.0;
    options.max_length_offset = 6;
    options.max_source_length = 40;
    options.workers = 1;
    return options;
  }

  Translator translator_of_model(const SearchOptions& options = search_options(),
                                 const data::SentenceContext& context = {}) const {
    const TranslationModel* const models[] = {model_.get()};
    return {loaded(make_decoder(models, SpecialTokens::of(tokenizer())), context), options};
  }

  static LoadedDecoder loaded(std::shared_ptr<const SentenceDecoder> decoder,
                              const data::SentenceContext& context = {}) {
    const std::shared_ptr<const data::Tokenizer> borrowed(std::shared_ptr<void>(), &tokenizer());
    return {.decoder = std::move(decoder),
            .source_tokenizer = borrowed,
            .target_tokenizer = borrowed,
            .special = SpecialTokens::of(tokenizer()),
            .context = context};
  }

  std::vector<TranslatedLine> translated(const std::string& input, const StreamOptions& options) {
    const Translator translator = translator_of_model();
    LineReader reader(write("input", input));
    std::vector<TranslatedLine> all;
    translate_stream(translator, reader, options, [&](std::span<const TranslatedLine> lines) {
      all.insert(all.end(), lines.begin(), lines.end());
      return true;
    });
    return all;
  }

  std::unique_ptr<TranslationModel> model_;
};

TEST_F(TextTest, LinesOfJsonHaveTheirOwnChoices) {
  const auto plain = translated("baba\nkoriko\n", {});
  const std::string prefix = plain[1].translations.front().text.substr(0, 2);
  const auto found =
      translated("{\"source\": \"baba\"}\n{\"prefix\": \"" + prefix +
                     "\", \"source\": \"koriko\", \"terms\": {\"koriko\": \"tuba\"}}\n",
                 {.json = true});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].source, "baba");
  EXPECT_EQ(found[0].translations.front().text, plain[0].translations.front().text);
  EXPECT_THAT(found[1].translations.front().text, testing::StartsWith(prefix));
  EXPECT_THAT(found[1].translations.front().text, HasSubstr("tuba"));
}

TEST_F(TextTest, WrongLinesOfJsonAreNamed) {
  const auto failure = [&](const std::string& line) {
    try {
      translated("{\"source\": \"baba\"}\n" + line + "\n", {.json = true});
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(failure("baba"), HasSubstr("input:2: "));
  EXPECT_THAT(failure("[1]"), HasSubstr("input:2: is JSON, but no object"));
  EXPECT_THAT(failure("{}"), HasSubstr("input:2: has no source"));
  EXPECT_THAT(failure("{\"source\": 3}"), HasSubstr("source is 3; it must be a text"));
  EXPECT_THAT(failure("{\"source\": \"a\", \"banned\": []}"), HasSubstr("'banned' is unknown"));
  EXPECT_THAT(failure("{\"source\": \"a\", \"avoid\": \"b\"}"),
              HasSubstr("input:2: avoid must be an array of texts"));
  EXPECT_THAT(failure("{\"source\": \"a\", \"avoid\": [1]}"), HasSubstr("a text of avoid is 1"));
  EXPECT_THAT(failure("{\"source\": \"a\", \"target_language\": \"de\"}"),
              HasSubstr("input:2: the model has one pair of languages"));
  EXPECT_THAT(failure("{\"source\": \"a\", \"terms\": {\"a\": \"\"}}"), HasSubstr("input:2: "));
}

TEST_F(TextTest, OneLineOutPerLineIn) {
  const std::string sources[] = {"baba",
                                 "",
                                 "  \t ",
                                 std::string("ko\0ri", 5),
                                 "bad \xFF byte",
                                 "next\xC2\x85line",
                                 "line\xE2\x80\xA8separator",
                                 "crlf\r",
                                 "\r",
                                 text_.source[0] + text_.source[1] + text_.source[2]};
  std::string input;
  for (const std::string& source : sources) input += source + "\n";
  input += "without line feed";
  StreamOptions small_windows;
  small_windows.windows = WindowSizes{.first_lines = 2, .lines = 3};
  const auto found = translated(input, small_windows);
  ASSERT_EQ(found.size(), std::size(sources) + 1);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].number, static_cast<int64_t>(i) + 1);
    ASSERT_EQ(found[i].translations.size(), 1U) << i;
    const bool has_text = i != 1 && i != 2 && i != 8;
    EXPECT_EQ(found[i].translations[0].token_scores.empty(), !has_text) << i;
  }
  EXPECT_EQ(found[4].source, "bad \xEF\xBF\xBD byte");
  EXPECT_EQ(found[7].source, "crlf");
  EXPECT_EQ(found[10].source, "without line feed");

  // Neither the windows nor the other lines matter.
  const auto whole = translated(input, {});
  const auto singly = translated(input, {.line_by_line = true});
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(whole[i].translations[0].text, found[i].translations[0].text);
    EXPECT_EQ(whole[i].translations[0].score, found[i].translations[0].score);
    EXPECT_EQ(singly[i].translations[0].text, found[i].translations[0].text);
    EXPECT_EQ(singly[i].translations[0].score, found[i].translations[0].score);
  }
}

TEST_F(TextTest, PrefixesGoWithTheirLines) {
  const std::string word = "kori\xC3\xBC";
  LineReader prefixes(write("prefixes", "\n" + word + "\n"));
  const auto found = translated("baba\nbaba\n", {.prefixes = &prefixes});
  EXPECT_THAT(found[1].translations[0].text, testing::StartsWith(word));
  LineReader too_few(write("prefixes", "\n"));
  try {
    translated("baba\nbaba\n", {.prefixes = &too_few});
    FAIL() << "no exception";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("prefixes:1"));
  }
}

TEST_F(TextTest, ATagStandsBeforeEachLineThatHasText) {
  // Any word that is a single piece will do.
  std::string tag;
  for (int32_t id = 3; id < tokenizer().vocabulary_size() && tag.size() < 4; ++id)
    if (tokenizer().piece(id).starts_with("\xE2\x96\x81")) tag = tokenizer().piece(id).substr(3);
  const auto in_text = translated(tag + " baba\n" + tag + " koriko\n", {});
  const auto given = translated("baba\n\nkoriko\n", {.line = {.languages = {.source_tag = tag}}});
  ASSERT_EQ(given.size(), 3U);
  EXPECT_EQ(given[0].source, "baba");
  EXPECT_EQ(given[0].translations[0].text, in_text[0].translations[0].text);
  EXPECT_EQ(given[0].translations[0].score, in_text[0].translations[0].score);
  EXPECT_TRUE(given[1].translations[0].token_scores.empty());
  EXPECT_EQ(given[2].translations[0].score, in_text[1].translations[0].score);
  EXPECT_NE(given[0].translations[0].score, translated("baba\n", {})[0].translations[0].score);
  EXPECT_THROW(translated("baba\n", {.line = {.languages = {.source_tag = "<none>"}}}), DataError);
}

TEST_F(TextTest, EachLineCanHaveATagOfItsOwn) {
  std::string tag;
  for (int32_t id = 3; id < tokenizer().vocabulary_size() && tag.size() < 4; ++id)
    if (tokenizer().piece(id).starts_with("\xE2\x96\x81")) tag = tokenizer().piece(id).substr(3);
  LineReader tags(write("tags", tag + "\n\n"));
  const auto found = translated("baba\nbaba\n", {.tags = &tags});
  const auto tagged = translated("baba\n", {.line = {.languages = {.source_tag = tag}}});
  const auto plain = translated("baba\n", {});
  EXPECT_EQ(found[0].translations[0].score, tagged[0].translations[0].score);
  EXPECT_EQ(found[1].translations[0].score, plain[0].translations[0].score);
  for (const auto& [lines, problem] :
       {std::pair("\n", "tags:1: the tags end here"),
        std::pair("\n\n\n", "tags:3: this tag has no"),
        std::pair("<none>\n\n", "tags:1: the tag '<none>' is not a piece"),
        std::pair("a b\n\n", "tags:1: the tag 'a b' must be a word")}) {
    LineReader wrong(write("tags", lines));
    try {
      translated("baba\nbaba\n", {.tags = &wrong});
      FAIL() << problem;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr(problem));
    }
  }
}

// Two models in sequence give what the second makes of the first one's lines.
TEST_F(TextTest, AModelCanTranslateBefore) {
  const std::string input = text_.source[0] + "\n\n" + text_.source[1] + "\n";
  std::string between;
  for (const TranslatedLine& line : translated(input, {}))
    between += line.translations.front().text + "\n";
  const std::vector<TranslatedLine> expected = translated(between, {});

  const Translator translator = translator_of_model();
  std::vector<TranslatedLine> found = translated(input, {.before = &translator});
  ASSERT_EQ(found.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].sentences.pivot(), i == 1 ? "" : expected[i].source);
    EXPECT_EQ(found[i].translations.front().text, expected[i].translations.front().text);
  }
  LineReader prefixes(write("prefixes", "ba\n\nko\n"));
  found = translated(input, {.prefixes = &prefixes, .before = &translator});
  EXPECT_EQ(found[0].sentences.pivot(), expected[0].source);  // prefixes are for the last model
  EXPECT_THAT(found[0].translations.front().text, testing::StartsWith("ba"));
  EXPECT_THAT(found[2].translations.front().text, testing::StartsWith("ko"));
}

// Context that fills the limit cuts nothing off the sentence, whose terms reach the last model.
TEST_F(TextTest, TermsPassAFirstModelThatReadsContext) {
  const std::string lines[] = {"baba", "koriko"};
  const auto pieces = [](const std::string& line) { return std::ssize(tokenizer().encode(line)); };
  const int64_t whole = pieces(lines[0]) + pieces(lines[1]) + 2;  // separator, end of sentence
  SearchOptions search = search_options();
  search.max_source_length = whole;
  const Translator translator = translator_of_model(
      search, {.sentences = 1, .source_separator = tokenizer().end_id(), .max_tokens = whole});
  const auto glossary = data::Glossary::read(write("terms", "koriko\tvi\n"));
  const auto found = translated(lines[0] + "\n" + lines[1] + "\n",
                                {.line = {.glossary = &glossary}, .before = &translator});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].sentences.sentences.front().request.terms.size(), 1U);
  EXPECT_THAT(found[1].translations.front().text, HasSubstr("vi"));
}

TEST_F(TextTest, FoundTranslationsCanBeChanged) {
  const auto found = translated(
      "baba\n\nkoriko\n",
      {.choose = [](std::span<const TranslationRequest> requests, std::vector<NBest>& all) {
        ASSERT_EQ(requests.size(), 2U);
        EXPECT_EQ(requests[0].text, "baba");
        EXPECT_EQ(requests[1].text, "koriko");
        for (NBest& one : all) one.front().score = 5.0;
      }});
  EXPECT_EQ(found[0].translations.front().score, 5.0);
  EXPECT_EQ(found[1].translations.front().score, 0.0);  // no text, no search
  EXPECT_EQ(found[2].translations.front().score, 5.0);
}

TEST_F(TextTest, EmitCanStopTheStream) {
  const Translator translator = translator_of_model();
  LineReader reader(write("input", "a\nb\nc\n"));
  int64_t calls = 0;
  translate_stream(translator, reader, {.line_by_line = true},
                   [&](std::span<const TranslatedLine>) { return ++calls < 2; });
  EXPECT_EQ(calls, 2);
}

// Its first run waits until `ready`, but at most ten seconds.
class PatientDecoder : public SentenceDecoder {
 public:
  explicit PatientDecoder(const std::atomic<bool>& ready) : ready_(ready) {}
  int64_t max_source_length() const override { return kNoLimit; }
  int64_t max_target_length() const override { return kNoLimit; }
  void run(SentenceFeed& feed, int64_t, int64_t, int64_t batch_tokens) const override {
    for (int wait = 0; wait < 1000 && !ready_; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    was_ready = was_ready && ready_;
    for (auto taken = feed.take(batch_tokens, true); !taken.empty();
         taken = feed.take(batch_tokens, true))
      for (const FedSentence& one : taken) feed.deliver(one.ticket, NBest(1));
  }

  mutable bool was_ready = true;

 private:
  const std::atomic<bool>& ready_;
};

// The second window exceeds all buffers, so the writer of the pipe finishes only if the window is
// read while the decoder waits.
TEST_F(TextTest, TheNextWindowIsReadDuringATranslation) {
  const std::string pipe = (scratch() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::atomic<bool> written = false;
  std::thread writer([&] {
    std::ofstream out(pipe);
    const std::string second(300'000, 'b');
    out << "baba" << std::endl << second << std::endl << second << std::endl;
    written = true;
  });
  const auto decoder = std::make_shared<PatientDecoder>(written);
  const Translator translator(loaded(decoder), search_options());
  LineReader reader(pipe);
  int64_t lines = 0;
  translate_stream(translator, reader, {.windows = WindowSizes{.first_lines = 1}},
                   [&](std::span<const TranslatedLine> window) {
                     lines += std::ssize(window);
                     return true;
                   });
  writer.join();
  EXPECT_TRUE(decoder->was_ready);
  EXPECT_EQ(lines, 3);
}

TEST_F(TextTest, EncodedLinesAreCut) {
  EXPECT_EQ(encode_line(tokenizer(), text_.source[0], {tokenizer().end_id()}, 5, "x:1").size(), 5U);
  EXPECT_EQ(encode_line(tokenizer(), text_.source[0], {tokenizer().end_id()}, 5, "x:1").back(),
            tokenizer().end_id());
  EXPECT_THAT(encode_line(tokenizer(), "", {tokenizer().end_id()}, 5, "x:1"),
              testing::ElementsAre(tokenizer().end_id()));
}

TEST_F(TextTest, AFileIsWholeOrAbsent) {
  const std::string path = (scratch() / "out").string();
  {
    LineWriter writer(path);
    writer.write("lost");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  {
    LineWriter writer(path);
    for (int i = 0; i < 30000; ++i) writer.write("line " + std::to_string(i));
    writer.commit();
  }
  const std::vector<std::string> lines = read_lines(path);
  ASSERT_EQ(lines.size(), 30000U);
  EXPECT_EQ(lines.back(), "line 29999");
  EXPECT_THROW(LineWriter((scratch() / "no" / "out").string()), Error);
  // No temporary file is left.
  for (const auto& entry : std::filesystem::directory_iterator(scratch()))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("tmp")));
}

TEST_F(TextTest, AnUnfinishedFileIsContinuedAfterItsWholeLines) {
  const std::string path = (scratch() / "kept").string();
  {
    LineWriter writer(path, Unfinished::kKept);
    EXPECT_EQ(writer.lines_left(), 0);
    writer.keep(0);
    for (int i = 0; i < 30000; ++i) writer.write("line " + std::to_string(i));
    writer.flush();
    EXPECT_THROW(LineWriter(path, Unfinished::kKept), Error) << "two writers of one file";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path + ".part", std::ios::app) << "half a li";
  {
    LineWriter writer(path, Unfinished::kKept);
    EXPECT_EQ(writer.lines_left(), 30000);
    writer.keep(29000);
    writer.write("the end");
    writer.commit();
  }
  const std::vector<std::string> lines = read_lines(path);
  ASSERT_EQ(lines.size(), 29001U);
  EXPECT_EQ(lines[28999], "line 28999");
  EXPECT_EQ(lines.back(), "the end");
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_F(TextTest, AFileNamedGzIsCompressed) {
  const std::string path = (scratch() / "out.gz").string();
  LineWriter writer(path);
  std::string expected;
  for (int i = 0; i < 30000; ++i) {
    writer.write("line " + std::to_string(i));
    expected += "line " + std::to_string(i) + '\n';
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.commit();
  EXPECT_LT(std::filesystem::file_size(path), expected.size() / 2);
  std::string lines;
  for (const std::string& line : read_lines(path)) lines += line + '\n';
  EXPECT_EQ(lines, expected);
}

// Its unfinished part can be continued after any line.
TEST_F(TextTest, ACompressedFileIsContinued) {
  const std::string path = (scratch() / "kept.gz").string();
  {
    LineWriter writer(path, Unfinished::kKept);
    for (const char* line : {"one", "two", "three"}) writer.write(line);
    writer.flush();
  }
  LineWriter writer(path, Unfinished::kKept);
  EXPECT_EQ(writer.lines_left(), 3);
  writer.keep(2);
  writer.write("end");
  writer.commit();
  EXPECT_EQ(read_file(path).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(read_lines(path), (std::vector<std::string>{"one", "two", "end"}));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_F(TextTest, ALinkStaysALink) {
  const std::filesystem::path file = scratch() / "file", link = scratch() / "link";
  std::ofstream(file) << "old";
  std::filesystem::create_symlink("file", link);
  LineWriter writer(link.string());
  writer.write("new");
  writer.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_lines(file.string()), std::vector<std::string>{"new"});
}

// /dev/stdout is a link, and may point to a file.
TEST_F(TextTest, OnlyFilesCanBeReadAgain) {
  const std::string pipe = scratch() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(can_reread(source_file()));
  EXPECT_TRUE(can_reread(scratch() / "none"));
  for (const std::string& text : {pipe, std::string("-"), std::string("/dev/null")})
    EXPECT_FALSE(can_reread(text)) << text;
}

TEST_F(TextTest, DevStdoutIsStandardOutput) {
  EXPECT_FALSE(is_file_output("/dev/stdout"));
  EXPECT_FALSE(is_file_output("-"));
  EXPECT_FALSE(is_file_output("/dev/fd/1"));
  EXPECT_TRUE(is_file_output((scratch() / "a file to be").string()));
}

TEST_F(TextTest, ADeviceIsNotReplaced) {
  LineWriter writer("/dev/null");
  writer.write("line");
  writer.commit();
  struct stat status = {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(TextTest, TranslateLinesKeepsTheOrder) {
  const std::vector<std::string> lines = {text_.source[3], "", text_.source[4], "  ",
                                          text_.source[5]};
  const auto all = translate_lines(*model_, tokenizer(), tokenizer(), lines, search_options());
  ASSERT_EQ(all.size(), lines.size());
  EXPECT_TRUE(all[1].empty());
  EXPECT_TRUE(all[3].empty());
  for (const size_t i : {0U, 2U, 4U}) {
    EXPECT_EQ(all[i], translate_lines(*model_, tokenizer(), tokenizer(), {&lines[i], 1},
                                      search_options())[0]);
  }
}

}  // namespace
}  // namespace dietmt::nmt
