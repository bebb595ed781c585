#include "storage/fetched_models.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "common/ascii.h"
#include "common/error.h"
#include "common/options.h"

namespace dietmt::storage {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLongestName = 200;

// Whether the text can be the name of an owner or a model.
bool is_plain(std::string_view part) {
  return !part.empty() && part.front() != '.' && std::ranges::all_of(part, [](char c) {
    return is_ascii_word(c) || c == '-' || c == '.' || c == '_';
  });
}

bool is_publisher(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_ascii_lower(c) || is_ascii_digit(c); });
}

// An absolute path in a variable, or ""; the XDG specification ignores relative ones.
fs::path absolute_from(const char* variable) {
  const char* const value = std::getenv(variable);
  const fs::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : fs::path();
}

// A registry may have other publishers, but a name that is almost a usual one is a mistake.
std::string publisher_hint(const std::string& name) {
  static const std::vector<std::string> kPublishers = {"firefox", "opus", "argos", "hf"};
  const std::string publisher = name.substr(0, name.find(':'));
  if (std::ranges::find(kPublishers, publisher) != kPublishers.end()) return "";
  return suggestion(publisher, kPublishers);
}

}  // namespace

bool is_model_name(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == text.npos || text.size() > kLongestName) return false;
  const std::string_view all = text;
  if (!is_publisher(all.substr(0, colon))) return false;
  const std::string_view rest = all.substr(colon + 1);
  const size_t slash = rest.find('/');
  if (slash == rest.npos) return is_plain(rest);
  return is_plain(rest.substr(0, slash)) && is_plain(rest.substr(slash + 1));
}

fs::path cache_directory() {
  const char* const own = std::getenv("DIETMT_CACHE");
  if (own != nullptr && *own != '\0') return own;
  if (const fs::path xdg = absolute_from("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "dietmt";
  if (const fs::path home = absolute_from("HOME"); !home.empty()) return home / ".cache/dietmt";
  throw ConfigError("HOME is not set: set DIETMT_CACHE to a directory for fetched models");
}

fs::path name_in_cache(const std::string& name) {
  std::string path = name;
  std::ranges::replace(path, '/', '+');
  path[path.find(':')] = '/';
  return path;
}

fs::path fetched_directory(const std::string& name) {
  return cache_directory() / "models" / name_in_cache(name);
}

bool is_fetched(const std::string& name) { return fs::is_directory(fetched_directory(name)); }

std::vector<std::string> names_in_cache(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& publisher : fs::directory_iterator(cache_directory() / folder, none))
    for (const auto& model : fs::directory_iterator(publisher.path(), none)) {
      std::string name =
          publisher.path().filename().string() + ":" + model.path().filename().string();
      std::ranges::replace(name, '+', '/');
      if (is_model_name(name)) names.push_back(name);
    }
  std::ranges::sort(names);
  return names;
}

fs::path located_model(const fs::path& path) {
  std::error_code none;
  if (!is_model_name(path.string()) || fs::exists(path, none)) return path;
  if (is_fetched(path.string())) return fetched_directory(path.string());
  throw CheckpointError(path.string() + ": is not fetched yet: run 'dietmt models fetch " +
                        path.string() + "'" + publisher_hint(path.string()));
}

}  // namespace dietmt::storage
