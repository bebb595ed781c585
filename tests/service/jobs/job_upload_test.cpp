// Uploads: formats, forms, settings.
#include <gmock/gmock.h>

#include <set>

#include "service/jobs/job.h"
#include "tests/common/gzipped.h"
#include "tests/service/jobs/job_routes_fixture.h"

namespace dietmt::service {
namespace {

using namespace std::string_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class JobUploadTest : public JobRoutesTest {};

TEST_P(JobUploadTest, FilesOfText) {
  EXPECT_EQ(round_trip("", "a\nb\n"), "<a>\n<b>\n");
  EXPECT_EQ(round_trip("", "a\r\n\r\nb"), "<a>\r\n\r\n<b>");
  EXPECT_EQ(round_trip("", "\n\n"), "\n\n");
  EXPECT_EQ(round_trip("", ""), "");
  EXPECT_EQ(round_trip("", "a\xFF\nb\n"), "a\xFF\n<b>\n");
  EXPECT_EQ(round_trip("",
                       "\xEF\xBB\xBF"
                       "a\n"),
            "<a>\n");
  EXPECT_EQ(round_trip("", numbered_lines(1, 1001)), numbered_lines(1, 1001, "<line ", ">\n"));
}

TEST_P(JobUploadTest, ColumnsAndFields) {
  EXPECT_EQ(round_trip("?format=tsv&column=2", "1\ta\tx\n2\n3\tb\n"), "1\t<a>\tx\n2\n3\t<b>\n");
  EXPECT_EQ(round_trip("?name=f.tsv&output=add", "a\tx\r\nb\ty\r\n"), "a\tx\t<a>\r\nb\ty\t<b>\r\n");
  EXPECT_EQ(round_trip("?format=jsonl&field=t&output=add&output_field=de",
                       "{\"t\": \"a\", \"n\": 1.0}\n{\"t\"\n"),
            "{\"t\": \"a\", \"n\": 1.0, \"de\": \"<a>\"}\n{\"t\"\n");
}

TEST_P(JobUploadTest, ColumnsOfATable) {
  EXPECT_EQ(round_trip("?name=f.csv&columns=text&source=en&target=de", "id,text\n1,(One two)\n"),
            "id,text\n1,<(One two)>\n");
  EXPECT_EQ(client_->Post("/v1/jobs?name=f.json&columns=text", "[]", "text/plain")->status, 400);
}

TEST(JobExtensions, AreThoseOfAllFormats) {
  std::set<std::string> formats = {"pdf"};  // whose extension is missing without pdftotext
  for (const std::string& extension : job_extensions())
    formats.insert(job_options_of({{"name", "A" + extension + ".gz"}})
                       .to_json()
                       .at("format")
                       .get<std::string>());
  EXPECT_THAT(formats, ::testing::UnorderedElementsAreArray(job_formats()));
}

TEST_P(JobUploadTest, AFileNameSaysTheFormat) {
  for (const char* name : {"a.xls", "a.rtf", "a.doc", "a.pages", "a.xls.gz", "a", "txt"})
    EXPECT_THAT(
        error_of(client_->Post("/v1/jobs", httplib::MultipartFormDataItems{{"file", "a\n", name,
                                                                            "text/plain"}}),
                 400),
        ::testing::AllOf(HasSubstr(std::string("\"") + name + "\" must end in one of "),
                         HasSubstr(".docx"), HasSubstr(".jsonl")));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs?name=a.xls", "a\n", "text/plain"), 400),
              HasSubstr("or give the format, for plain text txt"));
  EXPECT_EQ(submit_body("?name=a.xls&format=txt", "a\n").at("format"), "txt");
  EXPECT_EQ(submit_body("?name=a.TXT.gz", "a\n").at("format"), "txt");
}

TEST_P(JobUploadTest, CompressedFilesComeBackCompressed) {
  const std::string text = numbered_lines(1, 500) + "last";
  const std::string back = round_trip("", gzipped(text));
  EXPECT_THAT(back, StartsWith("\x1f\x8b"));
  EXPECT_EQ(gunzipped(back), numbered_lines(1, 500, "<line ", ">\n") + "<last>");
  EXPECT_EQ(gunzipped(round_trip("", gzipped(""))), "");
}

TEST_P(JobUploadTest, Utf16IsReadAndComesBackAsUtf8) {
  EXPECT_EQ(round_trip("", "\xFF\xFE"s + "a\0\xE4\0\n\0\n\0b\0"s), "<aä>\n\n<b>");
  EXPECT_EQ(round_trip("?format=tsv&column=2", "\xFE\xFF"s + "\0a\0\t\0b\0\n"s), "a\t<b>\n");
  const std::string packed = gzipped("\xFF\xFE"s + "a\0\n\0"s);
  EXPECT_EQ(gunzipped(round_trip("", packed)), "<a>\n");
}

TEST_P(JobUploadTest, ASettingIsGivenOnce) {
  const httplib::MultipartFormDataItems items = {
      {"file", "a\n", "a.txt", "text/plain"}, {"name", "b.txt", "", ""}, {"target", "de", "", ""}};
  EXPECT_EQ(client_->Post("/v1/jobs?source=en", items)->status, 201);
  const auto twice = client_->Post("/v1/jobs?target=en", items);
  EXPECT_EQ(twice->status, 400);
  EXPECT_THAT(twice->body, HasSubstr("target: the setting is given twice"));
  EXPECT_EQ(client_->Post("/v1/jobs?source=en&source=de", items)->status, 400);
}

TEST_P(JobUploadTest, FormPartsInAnyOrder) {
  start_worker();
  const httplib::MultipartFormDataItems items = {
      {"column", "2", "", ""},
      {"file", gzipped("1\ta\n2\tb\n"), "dir/caf\xC3\xA9 1.tsv.gz", "application/gzip"},
      {"target", "de", "", ""},
      {"options", "{\"beam\": 2}", "", "application/json"}};
  const auto answer = client_->Post("/v1/jobs", items);
  ASSERT_EQ(answer->status, 201) << answer->body;
  const json job = wait_for(json::parse(answer->body).at("id"));
  EXPECT_EQ(job.at("name"), "caf\xC3\xA9 1.tsv.gz");
  EXPECT_EQ(job.at("format"), "tsv");
  EXPECT_EQ(job.at("gzip"), true);
  EXPECT_EQ(job.at("target"), "de");
  EXPECT_EQ(job.at("options"), json({{"beam", 2}}));
  const auto result = client_->Get("/v1/jobs/" + std::string(job.at("id")) + "/result");
  EXPECT_EQ(gunzipped(result->body), "1\t<a>\n2\t<b>\n");
  // The client has decoded the name.
  EXPECT_EQ(result->get_header_value("Content-Disposition"),
            "attachment; filename=\"translated-caf___1.tsv.gz\"; "
            "filename*=UTF-8''translated-caf\xC3\xA9 1.tsv.gz");
}

TEST_P(JobUploadTest, AllSettingsTogetherAreLimited) {
  const std::string half(40'000, 'x');
  EXPECT_EQ(error_of(client_->Post("/v1/jobs",
                                   httplib::MultipartFormDataItems{{"field", half, "", ""},
                                                                   {"output_field", half, "", ""}}),
                     400),
            "the fields of the form have more than 65536 bytes");
}

TEST_P(JobUploadTest, WrongRequestsAreRefusedAndLeaveNothing) {
  const auto post = [&](const std::string& query, const std::string& body = "a\n") {
    return error_of(client_->Post("/v1/jobs" + query, body, "text/plain"), 400);
  };
  EXPECT_THAT(post("?format=xls"), HasSubstr("xls"));
  EXPECT_THAT(post("?formt=tsv"), HasSubstr("formt"));
  EXPECT_THAT(post("?format=tsv&column=0"), HasSubstr("column: must be at least 1"));
  EXPECT_THAT(post("?column=two"), HasSubstr("column"));
  for (const char* query : {"?column=1", "?format=jsonl&column=2", "?name=a.docx&column=2"})
    EXPECT_EQ(post(query), "column: only for the format tsv") << query;
  for (const char* query : {"?field=text", "?format=tsv&field=t", "?name=a.html&field=t"})
    EXPECT_EQ(post(query), "field: only for the format jsonl") << query;
  EXPECT_EQ(post("?format=tsv&output=add&output_field=t"),
            "output_field: only for the format jsonl");
  EXPECT_THAT(post("?output=add"), HasSubstr("output"));
  EXPECT_EQ(post("?format=tsv&quality=true"), "quality: only with output=add");
  EXPECT_THAT(post("?options=[1]"), HasSubstr("options"));
  EXPECT_THAT(post("?target=xx"), HasSubstr("no model translates to xx"));
  EXPECT_THAT(post("?field=%FF"), HasSubstr("UTF-8"));
  EXPECT_THAT(post("", "a\0b and more\n"s), HasSubstr("file: is binary: byte 2 is zero"));
  EXPECT_THAT(post("", "a\0b\0\n\0"s), HasSubstr("UTF-16 without a byte-order mark"));
  EXPECT_THAT(post("", gzipped("%PDF-1.7\n")), HasSubstr("file: is a PDF file"));
  EXPECT_THAT(post("?format=docx"), HasSubstr("file: the file is not a complete ZIP archive"));
  EXPECT_THAT(post("?name=a.xlf&source=en&target=de", "<xliff"), HasSubstr("the XML is damaged"));
  EXPECT_THAT(post("?name=a.tmx&model=x", "<tmx/>"), HasSubstr("source and target"));
  EXPECT_THAT(post("?name=a.html&output=add", "<p>"), HasSubstr("output"));
  const std::string packed = gzipped(numbered_lines(1, 5000));
  EXPECT_THAT(post("", packed.substr(0, packed.size() / 2)),
              ::testing::MatchesRegex("file:[0-9]+: .*cut short"));
  EXPECT_THAT(post("", "a\n" + std::string(kMaxLine + 1, 'x')),
              StartsWith("file:2: cannot be read: the line is longer than"));
  EXPECT_THAT(post("?name=a.html", "<p>one<p>" + std::string(kMaxLine + 1, 'x')),
              HasSubstr("is longer than 100000 bytes"));
  EXPECT_THAT(
      error_of(client_->Post("/v1/jobs", httplib::MultipartFormDataItems{{"target", "de", "", ""}}),
               400),
      HasSubstr("file"));
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadTest, DocumentsComeBackWithTheirMarkup) {
  EXPECT_EQ(round_trip("?name=a.html", "<p>One <b>two</b></p>\n<i>3</i>"),
            "<p>&lt;One <b>two</b>&gt;</p>\n<i>3</i>");
  EXPECT_EQ(round_trip("?format=po&fuzzy=false", "msgid \"%s is open\"\nmsgstr \"\"\n"),
            "msgid \"%s is open\"\nmsgstr \"<%s is open>\"\n");
  const std::string xliff =
      "<xliff version=\"1.2\"><file><trans-unit xml:space=\"preserve\"><source>a\nb</source>"
      "</trans-unit></file></xliff>";
  EXPECT_THAT(gunzipped(round_trip("?name=a.xlf.gz&source=en&target=de", gzipped(xliff))),
              HasSubstr("<target>&lt;a\nb&gt;</target>"));
  EXPECT_EQ(round_trip("?name=empty.html", ""), "");
  std::string page, translated;
  for (int i = 0; i < 1000; ++i) {
    page += "<p>line " + std::to_string(i) + "</p>\n";
    translated += "<p>&lt;line " + std::to_string(i) + "&gt;</p>\n";
  }
  EXPECT_EQ(round_trip("?name=long.html", page), translated);
}

TEST_P(JobUploadTest, TheResultSaysWhatBecameOfADocument) {
  start_worker();
  const auto headers_of = [&](const std::string& query, const std::string& body) {
    const json job = wait_for(submit_body(query, body).at("id"));
    return client_->Get("/v1/jobs/" + std::string(job.at("id")) + "/result");
  };
  const auto document = headers_of("?name=a.html", "<p>One</p><p>Two</p>");
  EXPECT_EQ(document->get_header_value("X-Segments"), "translated=2, copied=0, refused=0");
  EXPECT_FALSE(document->has_header("X-Left-Out"));
  EXPECT_FALSE(headers_of("", "One\n")->has_header("X-Segments"));
}

TEST_P(JobUploadTest, ADocumentThatIsNotDoneKeepsItsText) {
  const json queued = submit_body("?name=a.html", "<p>One</p>");
  EXPECT_EQ(queued.at("format"), "html");
  EXPECT_EQ(queued.at("lines"), 1);
  const auto answer =
      client_->Get("/v1/jobs/" + std::string(queued.at("id")) + "/result?partial=1");
  EXPECT_EQ(answer->body, "<p>One</p>");
  EXPECT_EQ(answer->get_header_value("Content-Type"), "text/html; charset=utf-8");
}

INSTANTIATE_TEST_SUITE_P(Databases, JobUploadTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
