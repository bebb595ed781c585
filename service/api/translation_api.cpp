#include "service/api/translation_api.h"

#include <algorithm>

#include "common/utf8.h"
#include "service/api/probe_routes.h"

namespace dietmt::service {
namespace {

const std::string kKey = "key ";  // before the names of keys

void check_has_models(const ModelRegistry& models) {
  if (models.specs().empty()) throw ConfigError("--model is missing; give a model directory");
}

Pairs absent_paths(const ApiSettings& settings) {
  if (!settings.job_extensions.empty()) return {};
  const std::string reason = "this server has no batch jobs; start it with --data or --queue";
  return {{"/v1/jobs", reason}, {"/v2/document", reason}};
}

// LibreTranslate's clients look for `exceeds character limit` and `exceeds text limit`.
void require_at_most(int64_t limit, int64_t characters, const std::string& what) {
  if (characters > limit)
    throw HttpError(413, what + " (" + std::to_string(characters) +
                             " characters) exceeds character limit (" + std::to_string(limit) +
                             ")");
}

std::vector<prometheus::MetricFamily> cache_families(const CacheCounters& counters) {
  using prometheus::MetricType;
  const auto single = [](const char* name, const char* help, MetricType type, int64_t value) {
    return single_metric(name, help, type, static_cast<double>(value));
  };
  const prometheus::MetricFamily lookups{
      "dietmt_cache_lookups_total",
      "Texts looked up in the cache, by result: hit or miss.",
      MetricType::Counter,
      {labelled_counter("result", "hit", static_cast<double>(counters.hits)),
       labelled_counter("result", "miss", static_cast<double>(counters.misses))}};
  return {lookups,
          single("dietmt_cache_evicted_total", "Texts that newer ones replaced in the cache.",
                 MetricType::Counter, counters.evicted),
          single("dietmt_cache_texts", "Texts in the cache.", MetricType::Gauge, counters.texts),
          single("dietmt_cache_bytes", "Memory of the cache.", MetricType::Gauge, counters.bytes)};
}

}  // namespace

int64_t characters_of(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); });
}

void ServiceContext::check_size(const std::vector<std::string>& texts) const {
  if (static_cast<int64_t>(texts.size()) > limits.texts)
    throw HttpError(413, "the request (" + std::to_string(texts.size()) +
                             " texts) exceeds text limit (" + std::to_string(limits.texts) + ")");
  int64_t characters = 0;
  for (const std::string& text : texts) characters += characters_of(text);
  require_at_most(limits.characters, characters, "the text");
}

void ServiceContext::check_characters(const std::vector<nmt::MarkedText>& segments) const {
  int64_t characters = 0;
  for (const nmt::MarkedText& segment : segments) characters += characters_of(segment.text);
  require_at_most(limits.characters, characters, "the text");
}

void ServiceContext::check_prefix(const std::string& prefix,
                                  const std::vector<std::string>& texts) const {
  require_at_most(limits.characters, characters_of(prefix) * std::ssize(texts),
                  "the prefix, counted for each text,");
}

std::string ServiceContext::client_of(const std::string& key, const std::string& address) const {
  const std::string name = keys.name_of(key);
  return name.empty() ? address : kKey + name;
}

std::string ServiceContext::key_of(const std::string& client) {
  return client.starts_with(kKey) ? client.substr(kKey.size()) : "";
}

Patience ServiceContext::patience(const Call& call, std::chrono::milliseconds limit) const {
  const auto arrived =
      call.request != nullptr ? call.request->arrived : std::chrono::steady_clock::now();
  return {.deadline = arrived + std::min(limit, limits.deadline),
          .client_gone = call.client_gone,
          .client = client_of(call.key, call.address)};
}

TranslationApi::TranslationApi(ModelRegistry& models, Metrics& metrics, const ApiSettings& settings)
    : metrics_(metrics),
      service_{models,
               settings.api_keys.empty()
                   ? ApiKeys(settings.requests_per_address)
                   : ApiKeys(settings.api_keys, settings.requests_per_address),
               settings.limits,
               LanguagePairs(models.specs(), settings.pivot, settings.detect_prior),
               settings.glossaries,
               settings.job_extensions,
               settings.https},
      router_({.cors_origins = settings.cors_origins,
               .allowed_hosts = settings.allowed_hosts,
               .checks_hosts = settings.api_keys.empty(),
               .body_bytes = settings.limits.body_bytes,
               .admit = admission(),
               .client =
                   [this](const std::string& key, const std::string& address) {
                     return service_.client_of(key, address);
                   },
               .deadline = settings.limits.deadline,
               .name_of = [this](const std::string& key) { return service_.keys.name_of(key); },
               .url_prefix = settings.url_prefix,
               .absent = absent_paths(settings)},
              metrics) {
  check_has_models(models);
  service_.quality = settings.quality;
  service_.metrics = &metrics;
  metrics.add_source([this] { return service_.usage.families(); });
  if (settings.cache_bytes > 0) {
    service_.cache =
        std::make_unique<TranslationCache>(settings.cache_bytes, settings.cache_per_key);
    metrics.add_source([this] { return cache_families(service_.cache->counters()); });
  }
  add_libretranslate_routes(router_, service_);
  add_file_routes(router_, service_);
  add_v1_routes(router_, service_);
  add_glossary_routes(router_, service_);
  add_model_routes(router_, service_);
  for (Route& route : probes()) router_.add(std::move(route));
  const std::string document = openapi_of(service_.pairs, service_.limits);
  add_document("/openapi.json", document);
  add_document("/spec", as_libretranslate(document));
}

void TranslationApi::add_document(const char* path, std::string document) {
  router_.add({"GET", path,
               [document = std::move(document)](const Call&) { return Answer{.body = document}; },
               Key::kNone});
}

std::function<void(const std::string&, const std::string&)> TranslationApi::admission() {
  if (!service_.keys.limits()) return nullptr;
  return [this](const std::string& key, const std::string& address) {
    service_.keys.admit(key, address);
  };
}

std::string large_file_advice(bool has_jobs) {
  if (has_jobs) return "Send a large file as a batch job: POST /v1/jobs.";
  return "The server's operator can allow larger files: --data accepts them as batch jobs at "
         "/v1/jobs, --max-body raises the limit for single requests.";
}

std::vector<Route> TranslationApi::probes() {
  return probe_routes({.models = service_.models,
                       .metrics = metrics_,
                       .draining = [this] { return service_.draining.load(); },
                       .running = [this] { return running(); }});
}

void TranslationApi::drain() {
  service_.draining = true;
  service_.models.drain();
}

}  // namespace dietmt::service
