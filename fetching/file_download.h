// One file of a publisher, downloaded with resumption and checked before it gets its name.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "fetching/http_client.h"
#include "fetching/model_registry.h"

namespace dietmt::fetching {

/// The file has other bytes than it should; nothing of it is left.
class WrongBytes : public Error {
 public:
  using Error::Error;
};

/// Files whose size is not published may have at most this many bytes.
inline constexpr int64_t kMostUnknownBytes = int64_t{8} << 30;

struct DownloadProgress {
  /// Called before the first byte of a new or changed file, with what identifies this version
  /// (HttpAnswer::validator). To be stored, for a later call.
  std::function<void(const std::string& validator)> identified;
  /// Called with the bytes that are there.
  std::function<void(int64_t bytes)> advanced;
};

/// Downloads `file` to `path` and returns its SHA-256. What an earlier call left in NAME.part is
/// continued if it is of the same version: `validator` is that of the call, or the SHA-256 is
/// published. Throws Error if the file is not what the registry says, WrongBytes if its SHA-256
/// differs, and HttpError; NAME.part then stays, except for wrong bytes.
std::string download(HttpClient& client, const PublishedFile& file,
                     const std::filesystem::path& path, std::string validator,
                     const DownloadProgress& progress);

}  // namespace dietmt::fetching
