#include "fetching/download_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/json_fields.h"
#include "fetching/file_download.h"
#include "fetching/unpacked_file.h"
#include "reporting/progress_bar.h"
#include "storage/fetched_models.h"

namespace dietmt::fetching {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRecord = "fetched.json";

void create(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    throw Error(directory.string() + ": cannot be created: " + error.message() +
                "; DIETMT_CACHE names another directory for models");
}

}  // namespace

FetchLock::FetchLock(const std::string& name) {
  fs::path path = storage::cache_directory() / "locks" / storage::name_in_cache(name);
  create(path.parent_path());
  path += ".lock";
  file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file_.valid()) throw Error(path.string() + ": cannot be written: " + std::strerror(errno));
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  spdlog::info("another process is working on {}; waiting for it", name);
  while (::flock(file_.number(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

DownloadFolder::DownloadFolder(std::string name)
    : name_(std::move(name)),
      folder_(storage::cache_directory() / "downloads" / storage::name_in_cache(name_)),
      files_(folder_ / "files") {
  if (!fs::exists(folder_ / kRecord)) return;
  read_json_as(folder_ / kRecord, [&](const nlohmann::json& json) {
    read_field(json, "complete", complete_);
    for (const auto& [file, entry] : object_field(json, "files").items()) {
      Record& record = records_[file];
      read_field(entry, "url", record.url);
      record.sha256 = field_or<std::string>(entry, "sha256", "");
      record.validator = field_or<std::string>(entry, "validator", "");
    }
    return 0;
  });
}

void DownloadFolder::save() const {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& [file, record] : records_) {
    nlohmann::json& entry = files[file] = {{"url", record.url}};
    if (!record.sha256.empty()) entry["sha256"] = record.sha256;
    if (!record.validator.empty()) entry["validator"] = record.validator;
  }
  const nlohmann::json json = {{"name", name_}, {"complete", complete_}, {"files", files}};
  write_file_atomically(folder_ / kRecord, json.dump(1) + "\n");
}

std::string DownloadFolder::first_sha256(const PublishedFile& file) const {
  const auto found = records_.find(file.name);
  return found == records_.end() || found->second.url != file.url ? "" : found->second.sha256;
}

bool DownloadFolder::has_files() const { return fs::exists(files_); }

bool DownloadFolder::is_present(const PublishedFile& file) const {
  const std::string sha256 = first_sha256(file);
  return !sha256.empty() && (file.sha256.empty() || file.sha256 == sha256) &&
         fs::is_regular_file(files_ / file.name);
}

void DownloadFolder::fetch_file(HttpClient& client, const PublishedFile& file) {
  Record& record = records_[file.name];
  const fs::path at = files_ / (file.compressed ? file.name + ".packed" : file.name);
  if (record.url != file.url) {
    fs::remove(at.string() + ".part");
    record = {.url = file.url, .sha256 = {}, .validator = {}};
  }
  PublishedFile wanted = file;
  if (wanted.sha256.empty()) wanted.sha256 = record.sha256;
  reporting::ProgressBar bar(std::max<int64_t>(file.size, 0));
  const DownloadProgress progress = {
      .identified =
          [&](const std::string& validator) {
            record.validator = validator;
            save();
          },
      .advanced = [&](int64_t bytes) { bar.show(bytes, file.name + " " + megabytes(bytes)); }};
  std::string found;
  try {
    found = fetching::download(client, wanted, at, record.validator, progress);
  } catch (const WrongBytes& error) {
    const bool is_ours = file.sha256.empty() && !record.sha256.empty();
    throw Error(std::string(error.what()) +
                (is_ours ? "; it differs from that of the first download; if the publisher has "
                           "replaced the file, remove " +
                               (folder_ / kRecord).string()
                         : "; run the command again, or ask the publisher of the registry"));
  }
  bar.finish();
  if (file.compressed) {
    unpack(at, files_ / file.name);
    fs::remove(at);
  }
  if (wanted.sha256.empty()) spdlog::info("{}: SHA-256 {}, now recorded", file.name, found);
  record.sha256 = found;
  record.validator.clear();
  save();
}

void DownloadFolder::download(HttpClient& client, const PublishedModel& model) {
  create(files_);
  for (const PublishedFile& file : model.files)
    if (!is_present(file)) fetch_file(client, file);
  const auto is_wanted = [&](const std::string& file) {
    return std::ranges::find(model.files, file, &PublishedFile::name) != model.files.end();
  };
  // import looks at all files of the directory.
  for (const auto& entry : fs::directory_iterator(files_))
    if (!is_wanted(entry.path().filename())) fs::remove_all(entry.path());
  std::erase_if(records_, [&](const auto& record) { return !is_wanted(record.first); });
  complete_ = true;
  save();
}

fs::path DownloadFolder::import_source() const {
  for (const auto& entry : fs::directory_iterator(files_))
    if (entry.path().extension() == ".argosmodel") return entry.path();
  return files_;
}

void DownloadFolder::remove() {
  if (!fs::exists(folder_)) return;
  complete_ = false;
  save();
  fs::remove_all(scratch());
  fs::remove_all(files_);
}

}  // namespace dietmt::fetching
