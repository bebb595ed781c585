// /translate_file, as LibreTranslate's clients call it.
#include <gmock/gmock.h>

#include <sstream>

#include "service/api/translated_files.h"
#include "service/api/translation_api.h"
#include "tests/common/scratch.h"
#include "tests/service/api/test_server.h"
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The answer to a form with a file and the languages.
std::pair<int, json> translate(const TestServer& server, const std::string& name,
                               const std::string& bytes, const std::string& source = "en",
                               const httplib::MultipartFormDataItems& more = {}) {
  httplib::MultipartFormDataItems form = {{"source", source, "", ""},
                                          {"file", bytes, name, "application/octet-stream"},
                                          {"target", "de", "", ""}};
  form.insert(form.end(), more.begin(), more.end());
  return TestServer::answer(server.client().Post("/translate_file", form));
}

TEST(TranslateFileTest, TheAnswerSaysWhereTheDocumentIs) {
  const TestServer server;
  const auto [status, body] = translate(server, "my page.HTML", "<p>one <b>two</b></p>");
  ASSERT_EQ(status, 200) << body;
  const std::string url = body.at("translatedFileUrl");
  const std::string origin = "http://127.0.0.1:" + std::to_string(server.port());
  ASSERT_TRUE(url.starts_with(origin + "/download_file/")) << url;
  EXPECT_TRUE(url.ends_with(".HTML"));
  const auto file = server.client().Get(url.substr(origin.size()));
  EXPECT_EQ(file->body, "<p>ONE <b>TWO</b></p>");
  EXPECT_EQ(file->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(file->get_header_value("Content-Disposition"), HasSubstr("attachment"));
}

TEST(TranslateFileTest, PlaceholdersSurviveTheModel) {
  const TestServer server;  // its models would translate %s to %S
  const auto [status, body] = translate(server, "a.po", "msgid \"open %s now\"\nmsgstr \"\"\n");
  const std::string url = body.at("translatedFileUrl");
  EXPECT_EQ(server.client().Get(url.substr(url.find("/download")))->body,
            "#, fuzzy\nmsgid \"open %s now\"\nmsgstr \"OPEN %s NOW\"\n");
}

TEST(TranslateFileTest, ARequestCanLeaveOutTheFuzzyMark) {
  const TestServer server;
  const auto [status, body] =
      translate(server, "a.po", "msgid \"a\"\nmsgstr \"\"\n", "en", {{"fuzzy", "false", "", ""}});
  const std::string url = body.at("translatedFileUrl");
  EXPECT_EQ(server.client().Get(url.substr(url.find("/download")))->body,
            "msgid \"a\"\nmsgstr \"A\"\n");
}

// As in /v1/translate.
TEST(TranslateFileTest, DegenerateTranslationsAreReplacedAndReported) {
  const TestServer server;
  const auto letter = [](int32_t c) { return text_of(std::vector<int32_t>{c}); };
  const std::string loop = letter(FakeDecoder::kLoop), mute = letter(FakeDecoder::kMute);
  const auto [status, body] = translate(
      server, "a.html", "<p>a" + loop + "</p><p>b<i>" + mute + "</i></p><p>c</p><p>DE</p>");
  ASSERT_EQ(status, 200) << body;
  const std::string url = body.at("translatedFileUrl");
  EXPECT_EQ(server.client().Get(url.substr(url.find("/download")))->body,
            "<p>A" + loop + "</p><p>b<i>" + mute + "</i></p><p>C</p><p>DE</p>");
  EXPECT_EQ(
      body.at("warnings"),
      json({"a translation is empty; the text was left as it is: \"b" + mute + "\"",
            "a translation repeats itself; it was replaced by another one: \"a" + loop + "\""}));
  EXPECT_EQ(body.at("segments"), json({{"translated", 2}, {"copied", 2}, {"refused", 0}}));
}

// This model's translations show the sentence that it read before.
TEST(TranslateFileTest, SegmentsWithTagsReadContextAndAreContext) {
  const TestServer server({.loader = [](const ModelSpec&) {
    nmt::LoadedDecoder model = fake_model();
    model.context = {.sentences = 1, .source_separator = '|', .max_tokens = 100};
    return model;
  }});
  const auto [status, body] = translate(server, "a.txt", "a\n<b>c</b> d\ne\n\nf %s\ng\n");
  ASSERT_EQ(status, 200) << body;
  const std::string url = body.at("translatedFileUrl");
  std::istringstream text(server.client().Get(url.substr(url.find("/download")))->body);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0], "A");
  EXPECT_TRUE(lines[1].find("A|") != std::string::npos && lines[1].find("<b>") != std::string::npos)
      << lines[1];
  EXPECT_EQ(lines[2], "C D|E");
  EXPECT_EQ(lines[3], "");
  EXPECT_TRUE(lines[4].starts_with("E|F")) << lines[4];
  EXPECT_TRUE(lines[5].starts_with("F") && lines[5].ends_with("|G")) << lines[5];
}

// While another request has a large document open.
TEST(TranslateFileTest, SmallDocumentsDoNotWaitForLargeOnes) {
  Metrics metrics;
  ModelRegistry models({{"en-de", "en", "de", "first"}},
                       [](const ModelSpec&) { return fake_model(); }, {});
  ServiceContext service{.models = models,
                         .keys = ApiKeys(),
                         .limits = {.deadline = std::chrono::milliseconds(500)},
                         .pairs = LanguagePairs(models.specs(), ""),
                         .glossaries = {}};
  Router router({.allowed_hosts = {"*"}}, metrics);
  add_file_routes(router, service);
  HttpServer server({}, router);
  httplib::Client client("127.0.0.1", server.listen("127.0.0.1", 0));
  const auto status_of = [&](const std::string& bytes) {
    const httplib::MultipartFormDataItems form = {
        {"source", "en", "", ""}, {"target", "de", "", ""}, {"file", bytes, "a.txt", "text/plain"}};
    const auto answer = client.Post("/translate_file", form);
    if (answer->status == 504) {
      EXPECT_THAT(answer->body, testing::HasSubstr("batch jobs"));
    }
    return answer->status;
  };
  const std::string page(5000, ' '), large(100'000, ' ');
  EXPECT_EQ(status_of(large), 200);
  const Turns::Turn other = service.documents.take(1 << 20, {});
  EXPECT_EQ(status_of("one"), 200);
  EXPECT_EQ(status_of(page), 200);
  EXPECT_EQ(status_of(large), 504);
  const Turns::Turn one_more = service.documents.take(1, {});
  EXPECT_EQ(status_of("one"), 200);
  EXPECT_EQ(status_of(page), 504);
}

TEST(TranslateFileTest, TheLanguageCanBeFound) {
  const TestServer server;
  EXPECT_EQ(translate(server, "a.txt", "The weather was fine and we walked.", "auto").first, 200);
  const auto expect_same = [&](const std::string& text, const char* source) {
    const auto answer = translate(server, "a.txt", text, source);
    EXPECT_EQ(answer.first, 200) << answer.second;
    const std::string url = answer.second.at("translatedFileUrl");
    EXPECT_EQ(server.client().Get(url.substr(url.find("/download_file")))->body, text) << source;
    return answer.second.value("warnings", json::array()).dump();
  };
  for (const char* source : {"auto", "de"})
    EXPECT_EQ(expect_same("Das Wetter war sehr schön,\n\n und wir gingen.\n", source), "[]");
  EXPECT_THAT(expect_same("La maison est rouge et le chien court.", "auto"),
              HasSubstr("French (fr) is not supported"));
  EXPECT_THAT(translate(server, "a.tmx", "<tmx/>", "auto").second.at("error"), HasSubstr("TMX"));
}

TEST(TranslateFileTest, AGuessedCharsetIsSaid) {
  const TestServer server;
  const auto warnings = [&](const std::string& bytes) {
    const auto [status, body] = translate(server, "a.txt", bytes);
    return std::to_string(status) + body.value("warnings", json::array()).dump();
  };
  EXPECT_THAT(warnings("M\xFCller gr\xF6\xDF"), HasSubstr("it was read as windows-1252"));
  EXPECT_THAT(warnings("The caf\xE9 was n\xE9\x65 in a house by the river."),
              HasSubstr("it was read as windows-1252"));
  EXPECT_EQ(warnings("Müller"), "200[]");
  EXPECT_EQ(warnings("\xCF\xF0\xE8\xE2\xE5\xF2"), "400[]");  // no ASCII letters
}

TEST(TranslateFileTest, WhatIsWrongIsSaid) {
  const TestServer server;
  const auto problem = [&](const std::string& name, const std::string& bytes) {
    const auto [status, body] = translate(server, name, bytes);
    EXPECT_EQ(status, 400) << body;
    return body.value("error", "none");
  };
  EXPECT_THAT(problem("a.doc", "x"), HasSubstr("the name must end in one of .txt, .html"));
  EXPECT_THAT(problem("test.en", "x"), HasSubstr("; plain text: rename it to .txt"));
  EXPECT_THAT(problem("a.docx", "x"), HasSubstr("not a complete ZIP archive"));
  EXPECT_THAT(problem("a.po", "msgid \"a\"\nmsgstr \"\n"),
              HasSubstr("file: line 2: the string has no closing quote"));
  EXPECT_THAT(problem("a.srt", "a\n"), HasSubstr("file: line 1: this is neither the number"));
  EXPECT_THAT(problem("a.xlf", "<xliff version=\"2.0\" srcLang=\"fr\"/>"),
              HasSubstr("file: line 1: srcLang is 'fr'"));
  EXPECT_THAT(problem("a.xlf", "<a"), HasSubstr("the XML is damaged at line 1"));
  const httplib::MultipartFormDataItems no_file = {{"source", "en", "", ""}};
  EXPECT_EQ(server.client().Post("/translate_file", no_file)->status, 400);
}

TEST(TranslateFileTest, ADocumentThatIsTooLargeIsRefused) {
  const TestServer server;
  const auto [status, body] =
      translate(server, "a.tmx", "<tmx a=\"" + std::string(200'001, '=') + "\"/>");
  EXPECT_EQ(status, 413);
  EXPECT_THAT(body.at("error"), HasSubstr("200000 elements and attributes"));
}

TEST(TranslateFileTest, AModelAndACheckOfCopiesCanBeAskedFor) {
  const TestServer server;
  const auto with = [&](const std::string& name, const std::string& value) {
    return translate(server, "a.html", "<p>see www.<b>a</b>.org 5</p>", "en",
                     {{name, value, "", ""}})
        .second;
  };
  EXPECT_EQ(with("model", "de-en")["error"], "source of model de-en is de, not en");
  EXPECT_TRUE(with("model", "en-de").contains("translatedFileUrl"));
  EXPECT_FALSE(with("check", "none").contains("warnings"));
  EXPECT_EQ(with("check", "all")["error"], "check must be none or copies");
  const auto [status, body] = translate(server, "a.txt", "see www.a.org 5", "en",
                                        {{"check", "copies", "", ""}, {"keep", "none", "", ""}});
  EXPECT_EQ(body["warnings"].dump(),
            R"(["\"www.a.org\" is not in the translation of \"see www.a.org 5\""])");
}

class TranslateOfficeFileTest : public ScratchTest {};

TEST_F(TranslateOfficeFileTest, EmbeddedFilesAreNamed) {
  const TestServer server;
  const std::string slides = zip_archive(
      scratch() / "a.pptx", {{"ppt/presentation.xml", "<p/>"},
                             {"ppt/slides/slide1.xml", "<s><p><r><t>one</t></r></p></s>"},
                             {"ppt/embeddings/sheet.xlsx", "x"}});
  const auto [status, body] = translate(server, "a.pptx", slides);
  ASSERT_EQ(status, 200) << body;
  EXPECT_EQ(body["warnings"].dump(), R"(["ppt/embeddings/sheet.xlsx is not translated"])");
  const std::string url = body.at("translatedFileUrl");
  const auto file = server.client().Get(url.substr(url.find("/download")));
  EXPECT_THAT(ZipPackage(file->body).read("ppt/slides/slide1.xml", 1000), HasSubstr(">ONE<"));
  EXPECT_THAT(file->get_header_value("Content-Type"), HasSubstr("presentationml.presentation"));
}

TEST(TranslateFileTest, A413SaysWhatToDo) {
  const std::string large(2'000'000, ' ');
  const TestServer without({.http = {.large_body_advice = large_file_advice(false)}});
  EXPECT_THAT(error_of(translate(without, "a.docx", large)),
              testing::AllOf(HasSubstr("413 The body is larger than 1048576 bytes."),
                             HasSubstr("--data"), HasSubstr("--max-body")));
  const TestServer with({.api = {.job_extensions = {".docx"}},
                         .http = {.large_body_advice = large_file_advice(true)}});
  EXPECT_THAT(error_of(translate(with, "a.docx", large)), HasSubstr("POST /v1/jobs"));
  EXPECT_THAT(error_of(translate(with, "a.tmx", "<tmx a=\"" + std::string(200'001, '=') + "\"/>")),
              HasSubstr("POST /v1/jobs"));
}

TEST(TranslateFileTest, TheAddressHasThePrefixOfAProxy) {
  const TestServer server;
  const httplib::MultipartFormDataItems form = {
      {"source", "en", "", ""}, {"file", "a", "a.txt", ""}, {"target", "de", "", ""}};
  const auto address = [&](const std::string& prefix) {
    const auto answer =
        server.client().Post("/translate_file", {{"X-Forwarded-Prefix", prefix}}, form);
    const std::string url = json::parse(answer->body).at("translatedFileUrl");
    return url.substr(url.find('/', 7), url.find("download_file") - url.find('/', 7));
  };
  EXPECT_EQ(address("/mt"), "/mt/");
  EXPECT_EQ(address("/a/mt/"), "/a/mt/");
  for (const char* other : {"", "/", "mt", "//evil.example", "/a b", "/<script>"})
    EXPECT_EQ(address(other), "/") << other;
  const TestServer prefixed({.api = {.url_prefix = "/own"}});
  const auto answer = prefixed.client().Post("/own/translate_file", form);
  const std::string url = json::parse(answer->body).at("translatedFileUrl");
  EXPECT_THAT(url, HasSubstr("/own/download_file/"));
  EXPECT_EQ(prefixed.client().Get(url.substr(url.find("/own")))->body, "A");
}

class TranslateFileKeyTest : public ScratchTest {};

TEST_F(TranslateFileKeyTest, TheFormMayHaveTheKey) {
  const TestServer server({.api = {.api_keys = write("keys", "secret-of-a-test,test,0\n")}});
  EXPECT_EQ(translate(server, "a.txt", "a").first, 401);
  EXPECT_EQ(translate(server, "a.txt", "a", "en", {{"api_key", "secret-of-a-test", "", ""}}).first,
            200);
  EXPECT_EQ(translate(server, "a.txt", "a", "en", {{"api_key", "wrong", "", ""}}).first, 403);
}

TEST(TranslatedFilesTest, OldFilesGo) {
  TranslatedFiles files;
  const auto start = TranslatedFiles::Clock::now();
  const std::string name = files.add({"a", "text/plain"}, "txt", start);
  EXPECT_TRUE(files.find(name, start + std::chrono::minutes(29)));
  EXPECT_FALSE(files.find(name, start + std::chrono::minutes(30)));
}

TEST(TranslatedFilesTest, TheOldestGoForNewOnes) {
  TranslatedFiles files;
  const std::string large(40'000'000, 'x');
  const std::string first = files.add({large, ""}, "txt");
  const std::string second = files.add({large, ""}, "txt");
  EXPECT_FALSE(files.find(first));
  EXPECT_TRUE(files.find(second));
}

}  // namespace
}  // namespace dietmt::service
