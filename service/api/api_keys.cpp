#include "service/api/api_keys.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "common/logging.h"
#include "common/numbers.h"
#include "common/text_io.h"
#include "common/trimmed.h"
#include "service/api/call.h"
#include "service/api/sha256.h"

namespace dietmt::service {
namespace {

constexpr size_t kShortestKey = 16;
constexpr double kTriesPerMinute = 10.0;
constexpr size_t kMostAddresses = 100'000;  // within a minute

// The comma-separated fields of a line, without surrounding spaces.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(',', begin), line.size());
    fields.emplace_back(trimmed(std::string_view(line).substr(begin, end - begin), " \t\r"));
    begin = end + 1;
  }
  return fields;
}

}  // namespace

ApiKeys::ApiKeys(std::filesystem::path file, int64_t per_address)
    : file_(std::move(file)), per_address_(static_cast<double>(per_address)), keys_(read(file_)) {}

void ApiKeys::reload() {
  if (!has_keys()) return;
  Keys fresh = read(file_);
  const std::lock_guard lock(*mutex_);
  for (auto& [hash, key] : fresh) {
    const auto old = keys_.find(hash);
    if (old == keys_.end()) continue;
    key.requests.left = std::min(old->second.requests.left, key.requests.per_minute);
    key.requests.refilled = old->second.requests.refilled;
    key.address = old->second.address;
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
    const int64_t per_minute = fields.size() >= 3 ? number_in<int64_t>(fields[2]).value_or(-1) : -1;
    const bool admin = fields.size() == 4 && fields[3] == "admin";
    if (per_minute < 0 || fields[0].empty() || fields[1].empty() || fields.size() > 4 ||
        (fields.size() == 4 && !admin))
      throw DataError(reader.where() + ": expected `key, name, requests per minute[, admin]`");
    if (fields[0].size() < kShortestKey)
      throw DataError(reader.where() + ": the key is shorter than " + std::to_string(kShortestKey) +
                      " characters: make one with `openssl rand -hex 16`");
    const Allowance requests{.per_minute = static_cast<double>(per_minute)};
    if (!keys.emplace(sha256(fields[0]), Key{fields[1], admin, requests}).second)
      throw DataError(reader.where() + ": duplicate key");
    if (!names.insert(fields[1]).second)
      throw DataError(reader.where() + ": duplicate name '" + fields[1] +
                      "'; jobs belong to a name, so give each key its own");
  }
  if (keys.empty()) throw DataError(file.string() + ": the file has no keys");
  return keys;
}

void ApiKeys::Allowance::refill(Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - refilled).count();
  left = std::min(per_minute, left + std::max(elapsed, 0.0) * per_minute / 60.0);
  refilled = now;
}

void ApiKeys::Allowance::require(const std::string& message) const {
  if (left >= 1.0) return;
  const auto seconds = static_cast<int64_t>(std::ceil((1.0 - left) * 60.0 / per_minute));
  throw HttpError(429, message)
      .with_header("Retry-After", std::to_string(std::max<int64_t>(seconds, 1)));
}

ApiKeys::Allowance& ApiKeys::of_address(const std::string& address, double per_minute,
                                        Allowances& all, Clock::time_point now) {
  if (all.size() >= kMostAddresses) {
    std::erase_if(all, [&](auto entry) {
      entry.second.refill(now);
      return entry.second.left >= per_minute;
    });
    if (all.size() >= kMostAddresses) all.clear();
  }
  Allowance& one = all.try_emplace(address, Allowance{.per_minute = per_minute}).first->second;
  one.refill(now);
  return one;
}

void ApiKeys::admit_address(const std::string& address, Clock::time_point now) {
  const std::lock_guard lock(*mutex_);
  Allowance& requests = of_address(address, per_address_, anonymous_, now);
  requests.require("this address has used up its requests without an API key for this minute");
  requests.left -= 1.0;
}

// An address that tries unknown keys must not learn which keys are known, but clients behind the
// same proxy can continue with theirs.
void ApiKeys::admit(const std::string& key, const std::string& address, Clock::time_point now) {
  if (!limits()) return;
  if ((key.empty() || !has_keys()) && per_address_ > 0.0) {
    admit_address(address, now);
    return;
  }
  if (key.empty()) {
    throw HttpError(401, "Please contact the server operator to obtain an API key")
        .with_header("WWW-Authenticate", "Bearer");
  }
  const std::lock_guard lock(*mutex_);
  const auto found = keys_.find(sha256(key));
  const bool is_known = found != keys_.end();
  if (!is_known || (found->second.address != address && tries_.contains(address))) {
    Allowance& tries = of_address(address, kTriesPerMinute, tries_, now);
    tries.require("too many requests with an unknown API key from this address");
    if (!is_known) {
      tries.left -= 1.0;
      throw HttpError(403, "Invalid API key");
    }
  }
  Key& known = found->second;
  known.address = address;
  LogRequest::set_user(known.name);
  if (known.requests.per_minute <= 0.0) return;
  known.requests.refill(now);
  known.requests.require("this API key has used up its requests for this minute");
  known.requests.left -= 1.0;
}

std::string ApiKeys::name_of(const std::string& key) const {
  if (key.empty()) return "";
  const std::lock_guard lock(*mutex_);
  const auto found = keys_.find(sha256(key));
  return found == keys_.end() ? "" : found->second.name;
}

bool ApiKeys::is_admin(const std::string& key) const {
  const std::lock_guard lock(*mutex_);
  const auto found = keys_.find(sha256(key));
  return found != keys_.end() && found->second.admin;
}

}  // namespace dietmt::service
