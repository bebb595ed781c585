#include "fetching/download_folder.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "common/error.h"
#include "tests/common/test_directory.h"

namespace dietmt::fetching {
namespace {

using ::testing::HasSubstr;

class DownloadFolderTest : public ::testing::Test {
 protected:
  DownloadFolderTest() { setenv("DIETMT_CACHE", cache_.path().c_str(), 1); }

  void record(const std::string& text) const {
    std::filesystem::create_directories(folder_ / "files");
    write_text(folder_ / "fetched.json", text);
  }

  TestDirectory cache_;
  std::filesystem::path folder_ = cache_ / "downloads/test/en-de";
};

TEST_F(DownloadFolderTest, ReadsWhatEarlierProcessesWrote) {
  EXPECT_FALSE(DownloadFolder("test:en-de").complete());
  record(R"({"name": "test:en-de", "complete": true,
             "files": {"a.bin": {"url": "https://x/a", "sha256": "abc"}}})");
  const DownloadFolder folder("test:en-de");
  EXPECT_TRUE(folder.complete());
  EXPECT_EQ(folder.first_sha256({"a.bin", "https://x/a"}), "abc");
  EXPECT_EQ(folder.first_sha256({"a.bin", "https://other/a"}), "");
}

TEST_F(DownloadFolderTest, ADamagedRecordIsNamed) {
  for (const char* text :
       {"", "[]", R"({"complete": 1})", R"({"complete": true, "files": {"a": 1}})"}) {
    record(text);
    EXPECT_THAT(message_of<CheckpointError>([] { DownloadFolder("test:en-de"); }),
                HasSubstr("fetched.json"))
        << text;
  }
}

TEST_F(DownloadFolderTest, RemovingKeepsChecksums) {
  record(R"({"name": "test:en-de", "complete": true,
             "files": {"a.bin": {"url": "https://x/a", "sha256": "abc"}}})");
  DownloadFolder("test:en-de").remove();
  const DownloadFolder folder("test:en-de");
  EXPECT_FALSE(folder.complete());
  EXPECT_FALSE(folder.has_files());
  EXPECT_EQ(folder.first_sha256({"a.bin", "https://x/a"}), "abc");
}

TEST_F(DownloadFolderTest, PackagesAreImportedAsFiles) {
  record(R"({"name": "test:en-de", "complete": true, "files": {}})");
  EXPECT_EQ(DownloadFolder("test:en-de").import_source(), folder_ / "files");
  write_text(folder_ / "files/a.argosmodel", "");
  EXPECT_EQ(DownloadFolder("test:en-de").import_source(), folder_ / "files/a.argosmodel");
}

}  // namespace
}  // namespace dietmt::fetching
