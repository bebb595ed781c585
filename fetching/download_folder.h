// The downloaded files of a model, in downloads/ of the cache (storage/fetched_models.h):
//
//   downloads/firefox/en-de/files/         complete and checked files, and NAME.part
//   downloads/firefox/en-de/fetched.json   what they are and where they came from
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/files.h"
#include "fetching/http_client.h"
#include "fetching/model_registry.h"

namespace dietmt::fetching {

/// Makes a process wait while another one fetches or removes the same model. Held until it is
/// destroyed.
class FetchLock {
 public:
  /// Throws Error with the path if the cache cannot be written.
  explicit FetchLock(const std::string& name);

 private:
  FileDescriptor file_;
};

class DownloadFolder {
 public:
  /// Reads the record of earlier calls, if there is one.
  explicit DownloadFolder(std::string name);

  /// Whether all files are there.
  bool complete() const { return complete_; }

  /// Whether there are any, complete or not.
  bool has_files() const;

  /// The SHA-256 that the file had when it was first downloaded, if the publisher gives none.
  std::string first_sha256(const PublishedFile& file) const;

  /// Downloads the files that are not there, one after another, and unpacks them. Their SHA-256
  /// must be the published one, or that of the first download. Throws Error with the URL or the
  /// path; what is there stays for the next call.
  void download(HttpClient& client, const PublishedModel& model);

  /// The path for `dietmt import`: the package of Argos, or the directory with the files.
  std::filesystem::path import_source() const;

  /// A directory for what is made from the files on the way to the model.
  std::filesystem::path scratch() const { return folder_ / "imported"; }

  /// Removes the files. The record of their first SHA-256 stays.
  void remove();

 private:
  struct Record {
    std::string url;
    std::string sha256;     // of the bytes at the URL; empty: not complete
    std::string validator;  // of NAME.part
  };

  void fetch_file(HttpClient& client, const PublishedFile& file);
  bool is_present(const PublishedFile& file) const;
  void save() const;

  std::string name_;
  std::filesystem::path folder_;
  std::filesystem::path files_;
  bool complete_ = false;
  std::map<std::string, Record> records_;  // by the name of the file
};

}  // namespace dietmt::fetching
