#include "service/api/api_keys.h"

#include <openssl/sha.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "common/logging.h"
#include "common/text_io.h"
#include "service/api/call.h"

namespace dietmt::service {
namespace {

std::string digest(const std::string& key) {
  std::string hash(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(),
         reinterpret_cast<unsigned char*>(hash.data()));
  return hash;
}

// The fields of a line between commas, without spaces around them.
std::vector<std::string> fields_of(const std::string& line) {
  constexpr const char* kSpaces = " \t\r";
  std::vector<std::string> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(',', begin), line.size());
    const std::string field = line.substr(begin, end - begin);
    const size_t first = field.find_first_not_of(kSpaces);
    fields.push_back(first == std::string::npos
                         ? ""
                         : field.substr(first, field.find_last_not_of(kSpaces) - first + 1));
    begin = end + 1;
  }
  return fields;
}

}  // namespace

ApiKeys::ApiKeys(std::filesystem::path file) : file_(std::move(file)), keys_(read(file_)) {}

void ApiKeys::reload() {
  if (!required()) return;
  Keys fresh = read(file_);
  const std::lock_guard lock(*mutex_);
  for (auto& [hash, key] : fresh) {
    const auto old = keys_.find(hash);
    if (old == keys_.end()) continue;
    key.left = std::min(old->second.left, key.per_minute);
    key.refilled = old->second.refilled;
  }
  keys_ = std::move(fresh);
}

ApiKeys::Keys ApiKeys::read(const std::filesystem::path& file) {
  warn_if_world_readable(file);
  Keys keys;
  std::set<std::string> names;
  LineReader reader(file.string());
  for (std::string line; reader.next(line);) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.front().starts_with('#') || (fields.size() == 1 && fields.front().empty())) continue;
    int64_t per_minute = -1;
    if (fields.size() >= 3) {
      const std::string& number = fields[2];
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), per_minute);
      if (error != std::errc() || end != number.data() + number.size()) per_minute = -1;
    }
    const bool admin = fields.size() == 4 && fields[3] == "admin";
    if (per_minute < 0 || fields[0].empty() || fields[1].empty() || fields.size() > 4 ||
        (fields.size() == 4 && !admin))
      throw DataError(reader.where() + ": expected `key, name, requests per minute[, admin]`");
    const auto limit = static_cast<double>(per_minute);
    if (!keys.emplace(digest(fields[0]), Key{fields[1], limit, admin, limit, {}}).second)
      throw DataError(reader.where() + ": duplicate key");
    if (!names.insert(fields[1]).second)
      throw DataError(reader.where() + ": duplicate name '" + fields[1] +
                      "'; jobs belong to a name, so give each key its own");
  }
  if (keys.empty()) throw DataError(file.string() + ": the file has no keys");
  return keys;
}

void ApiKeys::admit(const std::string& key, Clock::time_point now) {
  if (!required()) return;
  if (key.empty()) {
    throw HttpError(401, "this server requires an API key; ask its operator for one")
        .with_header("WWW-Authenticate", "Bearer");
  }
  const std::lock_guard lock(*mutex_);
  const auto found = keys_.find(digest(key));
  if (found == keys_.end()) throw HttpError(403, "Invalid API key");
  Key& known = found->second;
  LogRequest::set_user(known.name);
  if (known.per_minute <= 0.0) return;
  const double per_second = known.per_minute / 60.0;
  const double elapsed = std::chrono::duration<double>(now - known.refilled).count();
  known.left = std::min(known.per_minute, known.left + std::max(elapsed, 0.0) * per_second);
  known.refilled = now;
  if (known.left < 1.0) {
    const auto seconds = static_cast<int64_t>(std::ceil((1.0 - known.left) / per_second));
    throw HttpError(429, "this API key has used up its requests for this minute")
        .with_header("Retry-After", std::to_string(std::max<int64_t>(seconds, 1)));
  }
  known.left -= 1.0;
}

std::string ApiKeys::name_of(const std::string& key) const {
  if (key.empty()) return "";
  const std::lock_guard lock(*mutex_);
  const auto found = keys_.find(digest(key));
  return found == keys_.end() ? "" : found->second.name;
}

bool ApiKeys::is_admin(const std::string& key) const {
  const std::lock_guard lock(*mutex_);
  const auto found = keys_.find(digest(key));
  return found != keys_.end() && found->second.admin;
}

}  // namespace dietmt::service
