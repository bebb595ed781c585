// Who may use the server, and how often.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace dietmt::service {

class ApiKeys {
 public:
  using Clock = std::chrono::steady_clock;

  /// Without keys everybody is served.
  ApiKeys() = default;

  /// A file with one key a line: `key, name, requests per minute` and, for one that may reload
  /// models, `, admin`. 0 requests: no limit. Lines that begin with # and empty ones are skipped.
  /// Throws DataError (file:line).
  explicit ApiKeys(const std::filesystem::path& file);

  bool required() const { return !keys_.empty(); }

  /// Counts a request of `key`. Throws HttpError: 401 (none given), 403 (unknown), 429 (too many in
  /// this minute).
  void admit(const std::string& key, Clock::time_point now = Clock::now());

  /// Whose key it is; empty for one that is unknown.
  std::string name_of(const std::string& key) const;

  /// True if `key` may change what the server does.
  bool is_admin(const std::string& key) const;

 private:
  struct Key {
    std::string name;
    double per_minute = 0.0;
    bool admin = false;
    double left = 0.0;  // requests; refilled evenly over the minute
    Clock::time_point refilled;
  };

  // By SHA-256, so that the time a look-up takes tells nothing of the keys.
  std::map<std::string, Key> keys_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace dietmt::service
