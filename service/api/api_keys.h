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

  /// Without keys the server accepts every client. `per_address`: requests without a key that an
  /// address may make in a minute; 0: no limit.
  explicit ApiKeys(int64_t per_address = 0) : per_address_(static_cast<double>(per_address)) {}

  /// Reads a file with one key per line: `key, name, requests per minute`, plus `, admin` for a key
  /// that may reload models. 0: no limit. Keys have at least 16 characters, and names are unique.
  /// Skips empty lines and lines starting with #. Throws DataError (file:line). Warns if other
  /// users of the machine can read the file.
  /// `per_address`: requests without a key that an address may make in a minute; 0: a key is
  /// required.
  explicit ApiKeys(std::filesystem::path file, int64_t per_address = 0);

  /// Reads the file again. Keys that are still listed keep their remaining requests. Throws
  /// DataError, and keeps the old keys.
  void reload();

  bool required() const { return !file_.empty() && per_address_ <= 0.0; }

  /// Whether there are keys.
  bool has_keys() const { return !file_.empty(); }

  /// Whether admit() may refuse a request.
  bool limits() const { return has_keys() || per_address_ > 0.0; }

  /// Counts a request with `key` from `address`. Throws HttpError: 401 (no key), 403 (unknown key),
  /// 429 (too many requests this minute, or too many unknown keys from the address; a key's last
  /// address may continue to use it).
  void admit(const std::string& key, const std::string& address,
             Clock::time_point now = Clock::now());

  /// The name of the key; "" if the key is unknown.
  std::string name_of(const std::string& key) const;

  /// True if `key` may reload models.
  bool is_admin(const std::string& key) const;

 private:
  // A number of uses per minute, refilled evenly over the minute.
  struct Allowance {
    double per_minute = 0.0;
    double left = per_minute;
    Clock::time_point refilled = {};

    void refill(Clock::time_point now);
    /// Throws HttpError 429 with this message unless one is left.
    void require(const std::string& message) const;
  };
  struct Key {
    std::string name;
    bool admin = false;
    Allowance requests;
    std::string address = {};  // of the last admitted request
  };

  // By SHA-256, so that the time of a look-up reveals nothing about the keys.
  using Keys = std::map<std::string, Key>;

  using Allowances = std::map<std::string, Allowance>;  // by address

  static Keys read(const std::filesystem::path& file);
  static Allowance& of_address(const std::string& address, double per_minute, Allowances& all,
                               Clock::time_point now);
  void admit_address(const std::string& address, Clock::time_point now);

  std::filesystem::path file_;
  double per_address_ = 0.0;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // guards the members below
  Keys keys_;
  Allowances tries_;      // with unknown keys
  Allowances anonymous_;  // without a key
};

}  // namespace dietmt::service
