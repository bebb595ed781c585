// Receiving an upload: stored once, and refused as soon as it can be.
#include "service/jobs/job_upload_receiver.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/service/jobs/job_routes_fixture.h"

namespace dietmt::service {
namespace {

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

}  // namespace
}  // namespace dietmt::service
