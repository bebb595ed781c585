#include "service/http/form_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/error.h"

namespace dietmt::service {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FormReaderTest : public ::testing::Test {
 protected:
  // name[file name][content] of each part.
  std::vector<std::string> parts(const std::string& body, const std::string& boundary = "x") {
    HttpRequest request{.head = {}, .body = std::make_unique<SpooledBytes>(budget_)};
    request.head.fields = {{"content-type", "Multipart/Form-Data; boundary=" + boundary}};
    request.body->append(body);
    std::vector<std::string> found;
    std::string content;
    EXPECT_TRUE(is_form(request.head));
    read_form(request, 0,
              {.begin =
                   [&](const FormPart& part) {
                     found.push_back(part.name + "[" + part.file_name + "]");
                     return PartUse::kPass;
                   },
               .append = [&](std::string_view bytes) { found.back() += bytes; }});
    return found;
  }

  static std::string part(const std::string& name, const std::string& content) {
    return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + content +
           "\r\n";
  }

  SpoolBudget budget_{500, 100000, 10'000'000, std::filesystem::temp_directory_path()};
};

TEST_F(FormReaderTest, FilesAreRead) {
  EXPECT_THAT(parts("--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"n\"\r\n\r\n"
                    "content\r\n--x--\r\n"),
              ElementsAre("f[n]content"));
  EXPECT_THAT(parts("--x\r\ncontent-disposition:form-data;name=f\r\nContent-Type: a/b\r\n\r\n\r\n"
                    "--x--"),
              ElementsAre("f[]"));
  EXPECT_THAT(parts("--x--"), IsEmpty());
}

TEST_F(FormReaderTest, PartsAreKeptUpToALimit) {
  HttpRequest request{.head = {}, .body = std::make_unique<SpooledBytes>(budget_)};
  request.head.fields = {{"Content-Type", "multipart/form-data; boundary=x"}};
  request.body->append(part("a", "12345") + part("skipped", "1234567890") + part("b", "") +
                       "--x--");
  const FormSink sink = {.begin = [](const FormPart& part) {
    return part.name == "skipped" ? PartUse::kSkip : PartUse::kKeep;
  }};
  EXPECT_EQ(read_form(request, 7, sink), (Pairs{{"a", "12345"}, {"b", ""}}));
  EXPECT_THROW(read_form(request, 6, sink), RequestError);
}

TEST_F(FormReaderTest, TextThatLooksLikeABoundaryIsContent) {
  EXPECT_THAT(parts("preamble\r\n" + part("a", "\r\n--y\r\n--") + part("b", "--x") + "--x--"),
              ElementsAre("a[]\r\n--y\r\n--", "b[]--x"));
}

// The boundary may cross the blocks in which the body is read.
TEST_F(FormReaderTest, LargePartsAreRead) {
  for (size_t size = 65400; size < 65540; ++size) {
    const std::string large(size, '\r');
    ASSERT_THAT(parts(part("a", large) + part("b", "c") + "--x--\r\n"),
                ElementsAre("a[]" + large, "b[]c"))
        << size;
  }
}

TEST_F(FormReaderTest, MalformedFormsAreRefused) {
  EXPECT_THROW(parts("nonsense"), RequestError);
  EXPECT_THROW(parts(part("a", "b")), RequestError);  // does not end
  EXPECT_THROW(parts("--x\r\nContent-Type: text/plain\r\n\r\nfile\r\n--x--\r\n"), RequestError);
  EXPECT_THROW(parts("--xy" + part("a", "b").substr(3) + "--x--"), RequestError);
  EXPECT_THROW(parts("--x--", ""), RequestError);
  std::string many;
  for (int i = 0; i < 51'001; ++i) many += part("a", "b");
  EXPECT_THROW(parts(many + "--x--"), RequestError);
}

TEST_F(FormReaderTest, LongHeadersAreRefused) {
  EXPECT_THROW(parts("--x\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; " +
                     std::string(900000, 'a') + "\r\n\r\nfile\r\n--x--\r\n"),
               RequestError);
}

}  // namespace
}  // namespace dietmt::service
