// The models that can be fetched by name: models.json, which ships with the program, or another
// registry of the same form.
//
//   {"format": 1, "models": [
//     {"name": "firefox:en-de", "pair": "en-de", "kind": "Firefox tiny", "licence": "MPL-2.0",
//      "files": [{"name": "model.ende.bin", "url": "https://...", "size": 17141051,
//                 "sha256": "...", "compressed": true}]},
//     {"name": "opus:en-de", "pair": "en-de", "kind": "OPUS-MT",
//      "hub": "Helsinki-NLP/opus-mt-en-de"}]}
//
// Size and SHA-256 are those of the file at the URL; a publisher may give neither. `compressed`: it
// is unpacked (gzip, bzip2, xz, zstd) and then called `name`. `hub`: a repository of the Hugging
// Face hub, which knows files and licence (fetching/hub_listing.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::fetching {

struct PublishedFile {
  std::string name;
  std::string url;
  int64_t size = -1;        // -1: not published
  std::string sha256 = {};  // empty: not published
  bool compressed = false;
};

struct PublishedModel {
  std::string name;
  std::string pair = {};
  std::string kind = {};
  std::string licence = {};
  std::string hub = {};  // OWNER/NAME; then `files` is empty until it is looked up
  std::vector<PublishedFile> files = {};

  /// The sum of the sizes; nothing if one is not published.
  std::optional<int64_t> size() const;
};

/// "1,000,000 bytes" are 1.0 MB.
std::string megabytes(int64_t bytes);

/// The licence, with a remark if it excludes commercial use (CC BY-NC, as of NLLB).
std::string described_licence(const std::string& licence);

/// True for a name that stays in its directory.
bool is_file_name(std::string_view text);

/// Throws CheckpointError that names `where` and the entry at fault.
std::vector<PublishedModel> parse_registry(std::string_view text, const std::string& where);

/// The entry; of hf:OWNER/NAME, one with only name, kind and hub. Throws ConfigError with similar
/// names if there is none.
PublishedModel published_model(const std::vector<PublishedModel>& registry,
                               const std::string& name);

}  // namespace dietmt::fetching
