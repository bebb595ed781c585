#include "fetching/argos_packages.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "common/ascii.h"
#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "fetching/sha256.h"
#include "interchange/zip/zip_archive.h"
#include "storage/fetched_models.h"

namespace dietmt::fetching {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMetadata = "metadata.json";

bool is_archive(const fs::path& path) {
  return path.extension() == ".argosmodel" && fs::is_regular_file(path);
}

// The metadata are in the one directory of the archive.
std::string read_metadata(const fs::path& package) {
  if (!is_archive(package)) return read_file(package / kMetadata);
  const MappedFile file(package);
  const interchange::ZipArchive archive(file.bytes());
  for (const interchange::ZipEntry& entry : archive.entries()) {
    const fs::path name = entry.name;
    if (name.filename() == kMetadata && std::ranges::distance(name) <= 2)
      return archive.read(entry);
  }
  throw CheckpointError("has no metadata.json");
}

// Argos and ICU write two languages differently.
std::string language(const nlohmann::json& metadata, const char* field) {
  std::string code;
  read_field(metadata, field, code);
  if (code == "pb") return "pt_BR";
  if (code == "zt") return "zh_Hant";
  if (code.size() < 2 || code.size() > 3 || !std::ranges::all_of(code, is_ascii_lower))
    throw CheckpointError(std::string(field) + " is '" + code + "', not the code of a language");
  return code;
}

// "1.10": 1 and 10.
std::vector<int64_t> version_numbers(std::string_view text) {
  std::vector<int64_t> numbers;
  while (!text.empty()) {
    int64_t number = 0;
    const char* const end = text.data() + text.size();
    const char* const rest = std::from_chars(text.data(), end, number).ptr;
    numbers.push_back(number);
    text.remove_prefix(std::min<size_t>(static_cast<size_t>(rest - text.data()) + 1, text.size()));
  }
  return numbers;
}

ArgosPackage package_at(const fs::path& path) {
  try {
    const nlohmann::json metadata = parse_json(read_metadata(path));
    const std::string type = field_or<std::string>(metadata, "type", "translate");
    if (type != "translate") throw CheckpointError("is of type '" + type + "', not 'translate'");
    return {path, language(metadata, "from_code"), language(metadata, "to_code"),
            version_numbers(field_or<std::string>(metadata, "package_version", ""))};
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
}

std::vector<fs::path> candidates(const fs::path& directory) {
  if (!fs::is_directory(directory)) throw DataError(directory.string() + ": no such directory");
  const fs::path packages = directory / "packages";
  std::vector<fs::path> found;
  for (const auto& entry :
       fs::directory_iterator(fs::is_directory(packages) ? packages : directory))
    if (is_archive(entry.path()) || fs::exists(entry.path() / kMetadata))
      found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// The files of a package, sorted, without the sentence splitters that import does not read.
std::vector<fs::path> files_of(const fs::path& package) {
  if (is_archive(package)) return {package};
  std::vector<fs::path> files;
  for (const fs::path& folder : {package, package / "model"}) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// Changes whenever a file is written.
std::string stamp_of(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  const auto written = error ? fs::file_time_type() : fs::last_write_time(file, error);
  if (error) throw DataError(file.string() + ": cannot be read");
  return fmt::format("{} {} {}\n", fs::absolute(file).string(), size,
                     written.time_since_epoch() / std::chrono::nanoseconds(1));
}

std::string sha256_of(const fs::path& package, const std::vector<fs::path>& files) {
  constexpr size_t kPiece = 1 << 20;
  Sha256 hash;
  for (const fs::path& path : files) {
    const MappedFile file(path);
    std::string_view rest = file.bytes();
    hash.add(fmt::format("{} {}\n", path.lexically_relative(package).string(), rest.size()));
    for (; !rest.empty(); rest.remove_prefix(std::min(kPiece, rest.size())))
      hash.add(rest.substr(0, kPiece));
  }
  return hash.digest();
}

}  // namespace

std::vector<ArgosPackage> argos_packages(const fs::path& directory) {
  std::map<std::string, ArgosPackage> newest;  // by pair
  for (const fs::path& path : candidates(directory)) {
    try {
      const ArgosPackage package = package_at(path);
      const auto [at, is_new] = newest.try_emplace(package.source + "-" + package.target, package);
      if (is_new) continue;
      const bool is_newer = package.version > at->second.version;
      spdlog::warn("{} is left out: {} is for the same languages",
                   (is_newer ? at->second : package).path.string(),
                   (is_newer ? package : at->second).path.string());
      if (is_newer) at->second = package;
    } catch (const Error& error) {
      spdlog::warn("{}; it is left out", error.what());
    }
  }
  std::vector<ArgosPackage> packages;
  for (auto& [pair, package] : newest) packages.push_back(std::move(package));
  if (packages.empty())
    throw DataError(directory.string() +
                    ": has no packages of Argos Translate (directories with metadata.json, or "
                    ".argosmodel files), and neither has its directory 'packages'");
  return packages;
}

std::string name_of_package(const fs::path& package) {
  constexpr size_t kDigits = 32;
  const std::vector<fs::path> files = files_of(package);
  Sha256 stamps;
  for (const fs::path& file : files) stamps.add(stamp_of(file));
  const fs::path known = storage::cache_directory() / "packages" / stamps.digest();
  std::string key = fs::exists(known) ? read_file(known) : "";
  if (!is_sha256(key)) {
    key = sha256_of(package, files);
    fs::create_directories(known.parent_path());
    write_file_atomically(known, key);
  }
  return "package:" + key.substr(0, kDigits);
}

}  // namespace dietmt::fetching
