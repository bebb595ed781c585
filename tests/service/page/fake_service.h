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

/// Translates word by word between English and German, with a vocabulary of ten words. Text with
/// the word "slow" takes two seconds; "fail" gets a 503. Text with "Haus" or "Hallo" is German,
/// text with "dům" is Czech, any other text English. A job gains 40 lines each time the list is
/// read; the job of "flaky.txt" makes the next reading fail.
class FakeService {
 public:
  struct Options {
    std::string key;         // required if not empty
    size_t page_size = 0;    // of the job list, with all jobs in one second; 0: one page
    bool is_packed = false;  // then the model gives no analysis
    bool has_jobs = true;  // otherwise documents are translated at once; "slow.odt" takes 2 seconds
  };
  explicit FakeService(Options options);

  std::string url(const std::string& host = "127.0.0.1") const {
    return "http://" + host + ":" + std::to_string(port_) + "/";
  }

  /// Texts of requests to /v1/translate.
  std::vector<std::string> translated() const;
  /// The forms of uploads, by field name.
  std::vector<nlohmann::json> uploads() const;

 private:
  void add_translation();
  void add_jobs();
  void add_documents();
  Answer translate(const Call& call);
  nlohmann::json received(const Call& call);
  Answer upload(const Call& call);
  Answer translate_file(const Call& call);
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
