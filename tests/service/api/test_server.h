// The service on a free port, with models that translate into capitals (fake_decoder.h).
#pragma once

#include <httplib.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "service/api/translation_api.h"
#include "service/http/http_server.h"
#include "tests/service/fake_decoder.h"

namespace dietmt::service {

/// The status of an answer, with its error if it has one: "404 there is no such path".
inline std::string error_of(const std::pair<int, nlohmann::json>& answer) {
  return std::to_string(answer.first) + " " + answer.second.value("error", "none");
}

struct TestSettings {
  ApiSettings api = {};
  RegistrySettings registry = {};
  std::chrono::microseconds step{0};  // of the decoder
  ModelLoader loader = nullptr;       // instead of the usual one
  HttpOptions http = {};
  /// Adds routes outside the API; may be empty.
  std::function<void(TranslationApi&)> extend = nullptr;
  std::vector<ModelSpec> specs = {{"en-de", "en", "de", "first"},
                                  {"de-en", "de", "en", "second"},
                                  {"ru-en", "ru", "en", "third"}};
};

class TestServer {
 public:
  explicit TestServer(TestSettings settings = {})
      : models_(settings.specs, loader(settings), registry_settings(settings)),
        api_(models_, metrics_, settings.api),
        server_(settings.http, api_.handler()) {
    if (settings.extend) settings.extend(api_);
    port_ = server_.listen("127.0.0.1", 0);
  }

  httplib::Client client() const {
    httplib::Client one("127.0.0.1", port_);
    one.set_read_timeout(60);
    return one;
  }

  /// Status and body of a JSON request.
  std::pair<int, nlohmann::json> post(const std::string& path, const nlohmann::json& body,
                                      const httplib::Headers& headers = {}) const {
    return answer(client().Post(path, headers, body.dump(), "application/json"));
  }
  std::pair<int, nlohmann::json> get(const std::string& path,
                                     const httplib::Headers& headers = {}) const {
    return answer(client().Get(path, headers));
  }

  static std::pair<int, nlohmann::json> answer(const httplib::Result& result) {
    if (!result) return {0, httplib::to_string(result.error())};
    return {result->status, nlohmann::json::parse(result->body, nullptr, false)};
  }

  int port() const { return port_; }
  ModelRegistry& models() { return models_; }
  TranslationApi& api() { return api_; }
  HttpCounters counters() const { return server_.counters(); }

 private:
  static ModelLoader loader(const TestSettings& settings) {
    if (settings.loader) return settings.loader;
    return [step = settings.step](const ModelSpec&) { return fake_model(step); };
  }
  RegistrySettings registry_settings(const TestSettings& settings) {
    RegistrySettings registry = settings.registry;
    registry.observer = [this](const std::string& name) { return metrics_.observer(name); };
    return registry;
  }

  Metrics metrics_;
  ModelRegistry models_;
  TranslationApi api_;
  HttpServer server_;
  int port_ = 0;
};

}  // namespace dietmt::service
