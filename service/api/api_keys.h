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

  /// Without keys the server accepts every client.
  ApiKeys() = default;

  /// A file with one key per line: `key, name, requests per minute`, plus `, admin` for a key that
  /// may reload models. 0: no limit. Each name is there once. Skips empty lines and those with #.
  /// Throws DataError (file:line). Warns if other users of the machine can read the file.
  explicit ApiKeys(std::filesystem::path file);

  /// Reads the file again. A key that is still there keeps the requests that it has left. Throws
  /// DataError, and keeps the old keys.
  void reload();

  bool required() const { return !file_.empty(); }

  /// Counts a request with `key`. Throws HttpError: 401 (no key), 403 (unknown key), 429 (too many
  /// requests in this minute).
  void admit(const std::string& key, Clock::time_point now = Clock::now());

  /// The name of the key; empty if the key is unknown.
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

  // By SHA-256, so that the time of a look-up reveals nothing about the keys.
  using Keys = std::map<std::string, Key>;

  static Keys read(const std::filesystem::path& file);

  std::filesystem::path file_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // guards keys_
  Keys keys_;
};

}  // namespace dietmt::service
