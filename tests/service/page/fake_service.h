// A server with the page and canned answers instead of models and jobs.
#pragma once

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "service/api/router.h"
#include "service/http/http_server.h"

namespace dietmt::service {

/// Translates word by word between English and German, which it knows ten words of. Text with the
/// word "slow" takes two seconds, "fail" is answered with 503. Text with "Haus" or "Hallo" is
/// German, text with "dům" is Czech, any other English. A job gains 40 lines each time the list is
/// read; that of "flaky.txt" makes the next reading fail.
class FakeService {
 public:
  struct Options {
    std::string key;       // asked for if not empty
    size_t page_size = 0;  // of the list of jobs, which then all are of one second; 0: one page
  };
  explicit FakeService(Options options);

  std::string url(const std::string& host = "127.0.0.1") const {
    return "http://" + host + ":" + std::to_string(port_) + "/";
  }

  /// Texts of the requests to /v1/translate.
  std::vector<std::string> translated() const;
  /// The forms of uploads, by name of the field.
  std::vector<nlohmann::json> uploads() const;

 private:
  void add_translation();
  void add_jobs();
  Answer translate(const Call& call);
  Answer upload(const Call& call);
  Answer remove(const std::string& id);
  Answer list(const std::string& before);

  const Options options_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> translated_;
  std::vector<nlohmann::json> uploads_;
  std::vector<nlohmann::json> jobs_;  // newest first
  bool list_fails_ = false;           // the next time
  Metrics metrics_;
  Router router_;
  HttpServer server_{{}, router_};
};

}  // namespace dietmt::service
