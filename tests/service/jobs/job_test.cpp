#include "service/jobs/job.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "common/files.h"

namespace dietmt::service {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(JobFormatsTest, AreThoseOfLinesAndOfEveryDocument) {
  for (const char* format : {"txt", "tsv", "jsonl"}) EXPECT_THAT(job_formats(), Contains(format));
  for (const std::string& document : document_names())
    EXPECT_THAT(job_formats(), Contains(document).Times(1));
}

TEST(JobFormatsTest, CanAllBeSetAndHaveAnExtension) {
  for (const std::string& format : job_formats()) {
    JobOptions options;
    set_format(options, format);
    EXPECT_EQ(options.to_json().at("format"), format);
    if (format == "pdf") continue;  // without pdftotext, it has no extension
    EXPECT_THAT(job_extensions(), Contains("." + format).Times(1));
  }
}

TEST(JobFormatsTest, AreAllNamedWhereAnotherIsRefused) {
  JobOptions options;
  for (const std::string& format : job_formats()) {
    EXPECT_THAT([&] { set_format(options, "abc"); },
                ThrowsMessage<RequestError>(
                    AllOf(StartsWith("format: \"abc\" is not one of "), HasSubstr(format))));
  }
}

TEST(JobFormatsTest, AreThoseOfTheApisDescription) {
  const auto api = nlohmann::json::parse(read_file(DIETMT_JOBS_OPENAPI));
  EXPECT_EQ(api.at("/components/schemas/JobFormat/enum"_json_pointer), job_formats());
}

}  // namespace
}  // namespace dietmt::service
