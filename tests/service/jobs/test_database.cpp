#include "tests/service/jobs/test_database.h"

#include <sstream>

#include "tests/service/jobs/private_postgresql.h"

namespace dietmt::service {

void DatabaseTest::SetUp() {
  if (GetParam() != "postgresql") return;
  PrivatePostgresql& server = PrivatePostgresql::instance();
  if (!server.problem().empty()) GTEST_SKIP() << server.problem();
  queue_uri_ = server.new_database();
}

std::string DatabaseTest::submit(JobQueue& queue, const std::string& text, int chunk_lines,
                                 const JobOptions& options, const std::string& owner) const {
  JobUpload upload = queue.start_upload({owner, ""}, options);
  std::vector<ChunkText> chunks;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (chunks.empty() || chunks.back().lines == chunk_lines) chunks.emplace_back();
    chunks.back().text += line + "\n";
    ++chunks.back().lines;
  }
  upload.append(chunks);
  return upload.finish();
}

std::string DatabaseTest::result(JobQueue& queue, const std::string& id) {
  std::string text;
  for (int64_t i = 0; const std::optional<std::string> chunk = queue.output(id, i); ++i)
    text += *chunk;
  return text;
}

}  // namespace dietmt::service
