#include "service/api/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace dietmt::service {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

const Histogram::BucketBoundaries kSeconds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                              1,     2.5,  5,     10,   30,  60};
const Histogram::BucketBoundaries kShares = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

template <typename Builder>
auto& family(Builder builder, prometheus::Registry& registry, const char* name, const char* help) {
  return builder.Name(name).Help(help).Register(registry);
}

prometheus::ClientMetric rejected(const char* reason, int64_t count) {
  return labelled_counter("reason", reason, static_cast<double>(count));
}

// The connection layer counts these, so no registry has them.
std::vector<prometheus::MetricFamily> connection_families(const HttpCounters& counters) {
  const prometheus::MetricFamily rejections{
      "dietmt_http_rejected_total",
      "Requests and connections that ended before a handler answered, by reason.",
      prometheus::MetricType::Counter,
      {rejected("malformed", counters.malformed), rejected("too_large", counters.too_large),
       rejected("timed_out", counters.timed_out), rejected("overloaded", counters.overloaded),
       rejected("evicted", counters.evicted), rejected("refused", counters.refused),
       rejected("vanished", counters.vanished), rejected("handshake", counters.failed_handshakes)}};
  return {
      single_metric("dietmt_http_connections", "Open connections.", prometheus::MetricType::Gauge,
                    static_cast<double>(counters.open_connections)),
      single_metric("dietmt_http_connections_accepted_total", "Connections accepted.",
                    prometheus::MetricType::Counter,
                    static_cast<double>(counters.accepted_connections)),
      rejections};
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  Family<Counter>& requests =
      family(prometheus::BuildCounter(), registry, "dietmt_http_requests_total",
             "Requests answered, by endpoint and status.");
  Family<Histogram>& latency =
      family(prometheus::BuildHistogram(), registry, "dietmt_http_request_duration_seconds",
             "Time from the start of the handler to its answer.");
  Family<Gauge>& in_flight = family(prometheus::BuildGauge(), registry,
                                    "dietmt_http_requests_in_flight", "Requests being handled.");
  Family<Gauge>& queued_requests =
      family(prometheus::BuildGauge(), registry, "dietmt_queue_requests",
             "Requests with sentences that are waiting or being decoded.");
  Family<Gauge>& queued_tokens = family(prometheus::BuildGauge(), registry, "dietmt_queue_tokens",
                                        "Source tokens waiting for a worker.");
  Family<Gauge>& decoding_tokens =
      family(prometheus::BuildGauge(), registry, "dietmt_decoding_tokens",
             "Source tokens of the sentences being decoded.");
  Family<Histogram>& batch_fill =
      family(prometheus::BuildHistogram(), registry, "dietmt_batch_fill_ratio",
             "Source tokens being decoded as a share of the capacity of all workers, measured "
             "when a worker takes sentences.");
  Family<Counter>& sentences = family(prometheus::BuildCounter(), registry,
                                      "dietmt_sentences_total", "Sentences translated.");
  Family<Counter>& source_tokens =
      family(prometheus::BuildCounter(), registry, "dietmt_source_tokens_total",
             "Source tokens translated, including end of sentence.");
  Family<Counter>& target_tokens =
      family(prometheus::BuildCounter(), registry, "dietmt_target_tokens_total",
             "Tokens of the best translations, including end of sentence.");
  Family<Counter>& loads = family(prometheus::BuildCounter(), registry, "dietmt_model_loads_total",
                                  "Attempts to load a model, by result: ok or failed.");
  Family<Counter>& unloads = family(
      prometheus::BuildCounter(), registry, "dietmt_model_unloads_total",
      "Times that the model was unloaded, because nobody used it or to make room for another.");
  Family<Gauge>& memory = family(prometheus::BuildGauge(), registry, "dietmt_model_memory_bytes",
                                 "Size of the loaded model's files; 0 if it is not loaded.");
  Family<Counter>& guarded = family(
      prometheus::BuildCounter(), registry, "dietmt_guarded_translations_total",
      "Translations of sentences that repeat themselves or are too long, too short or empty, "
      "by sign and whether another one replaced them.");
  Family<Gauge>& states = family(prometheus::BuildGauge(), registry, "dietmt_model_state",
                                 "1 for the state of each model, 0 for the others.");
  Family<Gauge>& load_seconds =
      family(prometheus::BuildGauge(), registry, "dietmt_model_load_duration_seconds",
             "Duration of the last load of the model.");
};

class Metrics::Counted final : public ModelObserver {
 public:
  Counted(Families& families, const std::string& model)
      : fill_(families.batch_fill.Add({{"model", model}}, kShares)),
        sentences_(families.sentences.Add({{"model", model}})),
        source_tokens_(families.source_tokens.Add({{"model", model}})),
        target_tokens_(families.target_tokens.Add({{"model", model}})),
        loads_(families.loads.Add({{"model", model}, {"result", "ok"}})),
        failed_loads_(families.loads.Add({{"model", model}, {"result", "failed"}})),
        unloads_(families.unloads.Add({{"model", model}})),
        load_seconds_(families.load_seconds.Add({{"model", model}})) {}

  void taken(int64_t /*sentences*/, double fill) override { fill_.Observe(fill); }
  void translated(int64_t source_tokens, int64_t target_tokens) override {
    sentences_.Increment();
    source_tokens_.Increment(static_cast<double>(source_tokens));
    target_tokens_.Increment(static_cast<double>(target_tokens));
  }
  void loaded(double seconds) override {
    loads_.Increment();
    load_seconds_.Set(seconds);
  }
  void load_failed() override { failed_loads_.Increment(); }
  void unloaded() override { unloads_.Increment(); }

 private:
  Histogram& fill_;
  Counter& sentences_;
  Counter& source_tokens_;
  Counter& target_tokens_;
  Counter& loads_;
  Counter& failed_loads_;
  Counter& unloads_;
  Gauge& load_seconds_;
};

Metrics::Metrics() : families_(std::make_unique<Families>()), sources_{process_families} {}

Metrics::~Metrics() = default;

void Metrics::answered(const std::string& endpoint, int status, double seconds) {
  count(endpoint, status);
  families_->latency.Add({{"endpoint", endpoint}}, kSeconds).Observe(seconds);
}

void Metrics::count(const std::string& endpoint, int status) {
  families_->requests.Add({{"endpoint", endpoint}, {"status", std::to_string(status)}}).Increment();
}

void Metrics::guarded(const std::string& sign, bool is_replaced) {
  families_->guarded.Add({{"sign", sign}, {"replaced", is_replaced ? "true" : "false"}})
      .Increment();
}

std::shared_ptr<ModelObserver> Metrics::observer(const std::string& model) {
  return std::make_shared<Counted>(*families_, model);
}

void Metrics::watch_connections(std::function<HttpCounters()> counters) {
  connections_ = std::move(counters);
}

void Metrics::add_source(std::function<std::vector<prometheus::MetricFamily>()> source) {
  sources_.push_back(std::move(source));
}

std::string Metrics::text(const std::vector<ModelStatus>& models, int64_t requests_in_flight) {
  families_->in_flight.Add({}).Set(static_cast<double>(requests_in_flight));
  for (const ModelStatus& model : models) {
    const prometheus::Labels labels = {{"model", model.spec.name}};
    families_->queued_requests.Add(labels).Set(static_cast<double>(model.load.requests));
    families_->queued_tokens.Add(labels).Set(static_cast<double>(model.load.waiting_tokens));
    families_->decoding_tokens.Add(labels).Set(static_cast<double>(model.load.decoding_tokens));
    families_->memory.Add(labels).Set(static_cast<double>(model.bytes));
    for (const ModelState state :
         {ModelState::kNotLoaded, ModelState::kLoading, ModelState::kReady, ModelState::kFailed})
      families_->states.Add({{"model", model.spec.name}, {"state", state_name(state)}})
          .Set(state == model.state ? 1.0 : 0.0);
  }
  std::vector<prometheus::MetricFamily> all = families_->registry.Collect();
  if (connections_) {
    for (prometheus::MetricFamily& family : connection_families(connections_()))
      all.push_back(std::move(family));
  }
  for (const auto& source : sources_) {
    for (prometheus::MetricFamily& family : source()) all.push_back(std::move(family));
  }
  return prometheus::TextSerializer().Serialize(all);
}

prometheus::ClientMetric labelled_counter(const char* label, const std::string& value,
                                          double count) {
  prometheus::ClientMetric metric;
  metric.label = {{label, value}};
  metric.counter.value = count;
  return metric;
}

prometheus::MetricFamily single_metric(const std::string& name, const std::string& help,
                                       prometheus::MetricType type, double value) {
  prometheus::MetricFamily family{name, help, type, {prometheus::ClientMetric()}};
  prometheus::ClientMetric& metric = family.metric[0];
  (type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return family;
}

}  // namespace dietmt::service
