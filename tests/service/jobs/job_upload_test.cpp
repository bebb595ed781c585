// Uploads and downloads: formats, forms, limits, full disks.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "service/http/http_server.h"
#include "service/jobs/job.h"
#include "service/jobs/job_upload_receiver.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/gzipped.h"
#include "tests/common/measurable_memory.h"
#include "tests/common/soon.h"
#include "tests/service/jobs/job_routes_fixture.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using nlohmann::json;
using ::testing::ElementsAre;
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
  std::set<std::string> formats;
  for (const std::string& extension : job_extensions())
    formats.insert(job_options_of({{"name", "A" + extension + ".gz"}})
                       .to_json()
                       .at("format")
                       .get<std::string>());
  EXPECT_THAT(formats, ::testing::UnorderedElementsAreArray(job_formats()));
}

TEST_P(JobUploadTest, CompressedFilesComeBackCompressed) {
  const std::string text = numbered_lines(1, 500) + "last";
  const std::string back = round_trip("", gzipped(text));
  EXPECT_THAT(back, StartsWith("\x1f\x8b"));
  EXPECT_EQ(gunzipped(back), numbered_lines(1, 500, "<line ", ">\n") + "<last>");
  EXPECT_EQ(gunzipped(round_trip("", gzipped(""))), "");
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

TEST_P(JobUploadTest, ABombOfZeroesIsRefused) {
  const std::string bomb = gzipped(std::string(50'000'000, 'x'));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", bomb, "application/gzip"), 400),
              HasSubstr("longer than"));
  const std::string lines = gzipped(numbered_lines(1, 110'000, std::string(920, 'x')));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", lines, "application/gzip"), 413),
              HasSubstr("bytes of text"));
  const std::string empty_lines = gzipped(std::string(20'000'000, '\n'));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", empty_lines, "application/gzip"), 413),
              HasSubstr("expands to more than text does"));
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadTest, ADocumentThatIsTooLargeIsRefused) {
  const std::string page(33'554'433, ' ');
  for (const std::string& body : {page, gzipped(page)})
    EXPECT_THAT(error_of(client_->Post("/v1/jobs?name=a.html", body, "text/plain"), 413),
                HasSubstr("file: the file is longer than 33554432 bytes"));
  const std::string nodes = "<tmx a=\"" + std::string(2'000'001, '=') + "\"/>";
  EXPECT_THAT(
      error_of(client_->Post("/v1/jobs?name=a.tmx&source=en&target=de", nodes, "text/plain"), 413),
      HasSubstr("2000000 elements and attributes"));
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadTest, ABodyAboveTheServersLimitIsRefused) {
  EXPECT_EQ(error_of(client_->Post("/v1/jobs", std::string(60'000'001, 'x'), "text/plain"), 413),
            "The body is larger than 60000000 bytes.");
  const httplib::MultipartFormDataItems form = {{"file", std::string(60'000'001, 'x'), "f", ""}};
  EXPECT_EQ(error_of(client_->Post("/v1/jobs", form), 413),
            "The body is larger than 60000000 bytes.");
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadTest, AFullDiskIsReportedAndLeavesNothing) {
  if (GetParam() == "postgresql") GTEST_SKIP() << "the server writes in another process";
  submit_body("", "a\n");
  const int64_t before = rows();
  const std::string large = numbered_lines(1, 400'000);  // 5 MB
  const std::string packed = gzipped(large);             // fits; its lines do not
  ASSERT_LT(packed.size(), 1'500'000U);
  {
    const FileSizeLimit limit(2'000'000);
    for (const std::string& body : {large, packed})
      EXPECT_THAT(error_of(client_->Post("/v1/jobs", body, "text/plain"), 507),
                  HasSubstr("disk is full"));
  }
  EXPECT_EQ(rows(), before);
  EXPECT_EQ(round_trip("", "b\n"), "<b>\n");
}

TEST_P(JobUploadTest, Utf16IsReadAndComesBackAsUtf8) {
  EXPECT_EQ(round_trip("", "\xFF\xFE"s + "a\0\xE4\0\n\0\n\0b\0"s), "<aä>\n\n<b>");
  EXPECT_EQ(round_trip("?format=tsv&column=2", "\xFE\xFF"s + "\0a\0\t\0b\0\n"s), "a\t<b>\n");
  const std::string packed = gzipped("\xFF\xFE"s + "a\0\n\0"s);
  EXPECT_EQ(gunzipped(round_trip("", packed)), "<a>\n");
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

class JobDownloadTest : public JobRoutesTest {
 protected:
  // The path of the result of a finished job.
  std::string done(const std::string& query, const std::string& body) {
    if (!worker_) start_worker();
    const json ended = wait_for(submit_body(query, body).at("id"));
    return "/v1/jobs/" + std::string(ended.at("id")) + "/result";
  }

  httplib::Result get(const std::string& path, const std::string& range,
                      const httplib::Headers& more = {}) {
    httplib::Headers headers = more;
    headers.emplace("Range", range);
    return client_->Get(path, headers);
  }
};

TEST_P(JobDownloadTest, ResultsHaveALengthAndATag) {
  const std::string path = done("", "a\nb\n");
  const auto whole = client_->Get(path);
  EXPECT_EQ(whole->get_header_value("Content-Length"), "8");
  EXPECT_EQ(whole->get_header_value("Accept-Ranges"), "bytes");
  EXPECT_EQ(whole->get_header_value("ETag").size(), 34U);
  const auto head = client_->Head(path);
  EXPECT_EQ(head->get_header_value("Content-Length"), "8");
  EXPECT_EQ(head->body, "");
}

TEST_P(JobDownloadTest, ADownloadContinuesAnywhere) {
  const std::string text = numbered_lines(1, 1001);  // six chunks
  for (const bool is_packed : {false, true}) {
    const std::string path = done("", is_packed ? gzipped(text) : text);
    const std::string whole = client_->Get(path)->body;
    const std::string size = std::to_string(whole.size());
    for (const size_t first : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 1}) {
      const auto rest = get(path, "bytes=" + std::to_string(first) + "-");
      ASSERT_EQ(rest->status, 206);
      EXPECT_EQ(rest->body, whole.substr(first));
      EXPECT_EQ(
          rest->get_header_value("Content-Range"),
          "bytes " + std::to_string(first) + "-" + std::to_string(whole.size() - 1) + "/" + size);
    }
    EXPECT_EQ(get(path, "bytes=2-5")->body, whole.substr(2, 4));
    EXPECT_EQ(get(path, "bytes=-3")->body, whole.substr(whole.size() - 3));
    const auto behind = get(path, "bytes=" + size + "-");
    EXPECT_EQ(behind->status, 416);
    EXPECT_EQ(behind->get_header_value("Content-Range"), "bytes */" + size);
  }
}

TEST_P(JobDownloadTest, AnotherResultIsSentWhole) {
  const std::string path = done("", "a\n");
  const std::string tag = client_->Get(path)->get_header_value("ETag");
  EXPECT_EQ(get(path, "bytes=1-", {{"If-Range", tag}})->status, 206);
  EXPECT_EQ(get(path, "bytes=1-", {{"If-Range", "\"other\""}})->body, "<a>\n");
  EXPECT_EQ(get(path, "lines=1-")->status, 200);
}

TEST_P(JobDownloadTest, OfDocumentsToo) {
  const std::string path = done("?name=a.html", "<p>One</p>");
  EXPECT_EQ(get(path, "bytes=3-11")->body, "&lt;One&g");
}

TEST_P(JobDownloadTest, ReadsWorkOnAFullDisk) {
  if (GetParam() == "postgresql") GTEST_SKIP() << "the server writes in another process";
  const std::string path = done("", "a\nb\n");
  worker_.reset();
  const FileSizeLimit full(0);
  EXPECT_EQ(client_->Get(path)->body, "<a>\n<b>\n");
  EXPECT_EQ(get(path, "bytes=4-")->body, "<b>\n");
  EXPECT_EQ(client_->Get("/v1/jobs")->status, 200);
  EXPECT_EQ(client_->Get(path.substr(0, path.rfind('/')))->status, 200);
  for (const std::string& body : {std::string("a\n"), numbered_lines(1, 400'000)})
    EXPECT_THAT(error_of(client_->Post("/v1/jobs", body, "text/plain"), 507),
                HasSubstr("disk is full"));
}

int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  return 0;
}

TEST_P(JobUploadTest, LargeFilesStayOutOfMemory) {
  constexpr int64_t kBytes = 50'000'000;
  const std::string block = numbered_lines(100'000, 1000, std::string(990, 'x'));
  const auto provider = [&](size_t offset, size_t length, httplib::DataSink& sink) {
    const size_t start = offset % block.size();
    return sink.write(block.data() + start, std::min(length, block.size() - start));
  };
  std::ofstream("/proc/self/clear_refs") << "5";  // forgets the peak so far
  const int64_t before = peak_memory();
  const auto answer = client_->Post("/v1/jobs", kBytes, provider, "text/plain");
  ASSERT_EQ(answer->status, 201);
  start_worker();
  const json status = wait_for(json::parse(answer->body).at("id"));
  EXPECT_EQ(status.at("state"), "done");
  int64_t received = 0;
  client_->Get("/v1/jobs/" + std::string(status.at("id")) + "/result",
               [&](const char*, size_t size) {
                 received += static_cast<int64_t>(size);
                 return true;
               });
  EXPECT_EQ(received, kBytes + 2 * status.at("lines").get<int64_t>());
  std::cout << (peak_memory() - before) / 1'000'000 << " MB for a file of 50 MB\n";
  if (kMemoryIsMeasurable) {
    EXPECT_LT(peak_memory() - before, 30'000'000);
  }
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Bytes in this process's unnamed files.
uint64_t nameless_bytes() {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    struct stat status = {};
    if (::stat(entry.path().c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_nlink == 0)
      bytes += static_cast<uint64_t>(status.st_size);
  }
  return bytes;
}

class UploadReceiverTest : public ScratchTest {
 protected:
  ReceivedUpload receive(const std::string& body, const std::string& type) {
    request_.head.target = "/v1/jobs?source=en";
    request_.head.fields = {{"Content-Type", type}};
    request_.body = std::make_unique<SpooledBytes>(budget_);
    request_.body->append(body);
    Call call;
    call.query = {{"source", "en"}};
    call.request = &request_;
    return receive_upload(call);
  }

  SpoolBudget budget_{1000, 100'000, 100'000'000, scratch()};
  HttpRequest request_;
};

TEST_F(UploadReceiverTest, AnUploadIsStoredOnce) {
  const uint64_t before = nameless_bytes();
  for (const size_t size : {size_t{0}, size_t{10}, size_t{3'000'000}}) {
    const std::string text(size, 'a');
    for (const bool is_form : {false, true}) {
      const std::string form =
          "--x\r\nContent-Disposition: form-data; name=target\r\n\r\nde\r\n"
          "--x\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\n\r\n" +
          text + "\r\n--x\r\nContent-Disposition: form-data; name=model\r\n\r\nm\r\n--x--\r\n";
      const ReceivedUpload upload =
          is_form ? receive(form, "multipart/form-data; boundary=x") : receive(text, "text/plain");
      EXPECT_EQ(content_of(upload.path), text);
      EXPECT_EQ(upload.settings.size(), is_form ? 4U : 1U);
      EXPECT_EQ(nameless_bytes() - before, size);
      EXPECT_EQ(budget_.disk_used, size);
    }
  }
  request_.body.reset();
  EXPECT_EQ(budget_.disk_used, 0U);
}

// The form breaks off later, which is never reached.
TEST_F(UploadReceiverTest, AnUnknownSettingIsRefusedWhenItArrives) {
  try {
    receive(
        "--x\r\nContent-Disposition: form-data; name=field0\r\n\r\n" + std::string(100'000, 'x'),
        "multipart/form-data; boundary=x");
    ADD_FAILURE();
  } catch (const RequestError& error) {
    EXPECT_STREQ(error.what(), "unknown setting \"field0\"");
  }
}

TEST_P(JobUploadTest, AllSettingsTogetherAreLimited) {
  const std::string half(40'000, 'x');
  EXPECT_EQ(error_of(client_->Post("/v1/jobs",
                                   httplib::MultipartFormDataItems{{"field", half, "", ""},
                                                                   {"output_field", half, "", ""}}),
                     400),
            "the fields of the form have more than 65536 bytes");
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
              HasSubstr("must end in one of"));
  EXPECT_EQ(submit_body("?name=a.xls&format=txt", "a\n").at("format"), "txt");
  EXPECT_EQ(submit_body("?name=a.TXT.gz", "a\n").at("format"), "txt");
}

// An upload that is already in a file is only extracted there.
TEST_P(JobUploadTest, UploadsNeedRoomOnlyOnce) {
  Router router({}, metrics_);
  for (Route& route : job_routes(*service_)) router.add(std::move(route));
  const std::string text = numbered_lines(1, 200'000);
  HttpServer server(
      {.max_body = 10'000'000, .all_bodies_disk = text.size() + 1000, .spool_directory = scratch()},
      router);
  httplib::Client client("127.0.0.1", server.listen("127.0.0.1", 0));
  client.set_read_timeout(60);
  const auto upload = [&] {
    return client.Post("/v1/jobs", httplib::MultipartFormDataItems{{"file", text, "a.txt", ""}});
  };
  const auto first = upload();
  ASSERT_TRUE(first);
  ASSERT_EQ(first->status, 201) << first->body;
  EXPECT_EQ(json::parse(first->body).at("lines"), 200'000);
  // The first one's space is free soon after its answer.
  EXPECT_TRUE(soon([&] {
    const auto next = upload();
    return next && next->status == 201;
  }));
}

INSTANTIATE_TEST_SUITE_P(Databases, JobUploadTest, both_databases(), database_name);
INSTANTIATE_TEST_SUITE_P(Databases, JobDownloadTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
