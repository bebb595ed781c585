// Receives POST /v1/jobs: a file and its settings, as a form or as body and query.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "service/api/call.h"
#include "service/http/form_reader.h"
#include "service/http/spooled_bytes.h"
#include "service/jobs/job.h"

namespace dietmt::service {

/// Lives no longer than the request that it reads.
class JobUploadReceiver {
 public:
  /// Uploads are stored on the disk of `directory`.
  explicit JobUploadReceiver(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Throws RequestError for a malformed upload, StorageFullError.
  void read(const Call& call);

  /// A path under which this process can read the uploaded file.
  const std::string& path() const { return path_; }
  const JobSettings& settings() const { return settings_; }

 private:
  void copy(const SpooledBytes& body);
  void note_setting(const std::string& name);
  void start_part(const FormPart& part);
  void keep(std::string_view bytes);
  void start_file();

  const std::filesystem::path directory_;
  NamelessFile file_;
  uint64_t size_ = 0;  // of file_
  std::string path_;   // empty: no file yet
  JobSettings settings_;
  std::set<std::string> given_;  // settings, by query and form
  std::string part_;             // name of the form's current part
};

}  // namespace dietmt::service
