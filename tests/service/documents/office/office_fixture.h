// Makes Word and OpenDocument files, and inspects them.
#pragma once

#include <zip.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "service/documents/zip_package.h"
#include "tests/common/scratch.h"
#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {

using Parts = std::vector<std::pair<std::string, std::string>>;

/// The bytes of an archive with these parts, written to `path`.
inline std::string zip_archive(const std::filesystem::path& path, const Parts& parts,
                               time_t time = 0, zip_uint16_t encryption = ZIP_EM_NONE) {
  std::filesystem::remove(path);
  zip_t* const zip = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  for (const auto& [name, content] : parts) {
    zip_source_t* const source = zip_source_buffer(zip, content.data(), content.size(), 0);
    const int64_t index = zip_file_add(zip, name.c_str(), source, 0);
    zip_file_set_mtime(zip, static_cast<zip_uint64_t>(index), time, 0);
    if (encryption != ZIP_EM_NONE)
      zip_file_set_encryption(zip, static_cast<zip_uint64_t>(index), encryption, "secret");
  }
  EXPECT_EQ(zip_close(zip), 0);
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

class OfficeDocumentTest : public ScratchTest {
 protected:
  static constexpr time_t kTime = 1'000'000'000;  // of the parts; in 2001

  std::string archive(const Parts& parts, zip_uint16_t encryption = ZIP_EM_NONE) {
    return zip_archive(scratch() / "archive.zip", parts, kTime, encryption);
  }

  std::string word(const std::string& body) {
    return archive({{"[Content_Types].xml", "<Types/>"},
                    {"word/document.xml",
                     "<w:document xmlns:w=\"urn:w\"><w:body>" + body + "</w:body></w:document>"},
                    {"word/media/picture.png", std::string(1000, '\x7F')}});
  }

  static std::string part(const std::string& bytes, const std::string& name) {
    return ZipPackage(bytes).read(name, 1 << 20);
  }

  // The times of an archive's parts.
  std::vector<time_t> times(const std::string& bytes) {
    zip_t* const zip = zip_open(write("times.zip", bytes).c_str(), ZIP_RDONLY, nullptr);
    std::vector<time_t> all;
    for (int64_t i = 0; i < zip_get_num_entries(zip, 0); ++i) {
      zip_stat_t about;
      EXPECT_EQ(zip_stat_index(zip, static_cast<uint64_t>(i), 0, &about), 0);
      all.push_back(about.mtime);
    }
    zip_discard(zip);
    return all;
  }
};

}  // namespace dietmt::service
