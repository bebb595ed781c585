// dietmt serve: translates over HTTP.
#include <spdlog/spdlog.h>

#include <thread>

#include "common/error.h"
#include "common/options.h"
#include "nmt/decoding/decoder_loader.h"
#include "nmt/decoding/engine/engine_files.h"
#include "nmt/decoding/text_lines.h"
#include "nmt/service/api/serve_signals.h"
#include "nmt/service/api/translation_api.h"
#include "nmt/service/http/http_server.h"
#include "tools/commands.h"
#include "tools/device.h"

namespace dietmt::tools {
namespace {

using service::ServeSignals;

struct ServeOptions {
  std::vector<std::string> models;
  bool preload = false;
  std::string device = "cpu";
  std::string weights = "auto";
  std::string host = "127.0.0.1";
  int64_t port = 5000;
  int64_t fill_wait = 0;  // milliseconds
  int64_t deadline = 60;  // seconds
  int64_t drain = 30;     // seconds
  std::string api_keys;
  service::HttpOptions http;
  service::ApiSettings api;
  service::RegistrySettings registry;
};

OptionTable option_table(ServeOptions& options) {
  service::ServiceLimits& limits = options.api.limits;
  OptionTable table("serve", "--model DIR...",
                    "Translates over HTTP: LibreTranslate's protocol and an own one, described by "
                    "/openapi.json. SIGHUP reloads the models, SIGTERM finishes what runs and "
                    "ends.");
  table.group("Models")
      .add("model", &options.models, "[SRC-TGT=]DIR...",
           "model directories; without languages, those of config.json or of the name (en-de)")
      .add("preload", &options.preload, "", "load all models now, not when they are first used");
  table.group("Network")
      .add("host", &options.host, "ADDRESS", "address to listen at; 0.0.0.0: all")
      .add("port", &options.port, "N", "0: one that is free")
      .add("tls-certificate", &options.http.certificate_file, "FILE", "PEM; with --tls-key: HTTPS")
      .add("tls-key", &options.http.key_file, "FILE", "PEM")
      .add("cors-origin", &options.api.cors_origins, "ORIGIN...",
           "pages of these origins may call the server; *: all")
      .add("api-keys", &options.api_keys, "FILE",
           "serve these keys alone; a line: key, name, requests per minute[, admin]");
  table.group("Limits")
      .add("max-characters", &limits.characters, "N", "characters of a request")
      .add("max-texts", &limits.texts, "N", "texts of a request")
      .add("max-body", &limits.body_bytes, "N", "bytes of a request's body")
      .add("max-beam", &limits.beam, "N", "largest beam a request may ask for")
      .add("deadline", &options.deadline, "SECONDS", "a request that takes longer is given up")
      .add("queue-tokens", &options.registry.limits.max_tokens, "N",
           "source tokens that may wait for a model; beyond it, requests are refused")
      .add("drain", &options.drain, "SECONDS", "longest wait for running requests after SIGTERM");
  table.group("Machine")
      .add("device", &options.device, "NAME", "cpu, cuda or cuda:I")
      .add("weights", &options.weights, "TYPE",
           "fp32, bf16 or int8, on the CPU; auto: fp32, or what 'dietmt quantize' made")
      .add("workers", &options.registry.threads.workers, "N", "batches decoded at once, per model")
      .add("threads", &options.registry.threads.threads, "N", "threads of each worker")
      .add("batch-tokens", &options.registry.threads.batch_tokens, "N",
           "source tokens decoded together by a worker")
      .add("fill-wait", &options.fill_wait, "MS", "an idle worker waits so long for a full batch");
  return table;
}

void check(const ServeOptions& options) {
  std::vector<std::string> problems;
  const service::ServiceLimits& limits = options.api.limits;
  const service::DecodingThreads& threads = options.registry.threads;
  const auto require = [&](bool holds, const std::string& sentence) {
    if (!holds) problems.push_back(sentence);
  };
  require(!options.models.empty(), "--model is missing: a directory to serve");
  require(options.port >= 0 && options.port < 65536, "--port must be from 0 to 65535");
  require(options.http.certificate_file.empty() == options.http.key_file.empty(),
          "--tls-certificate and --tls-key belong together");
  for (const auto& [name, value] : {std::pair{"--max-characters", limits.characters},
                                    {"--max-texts", limits.texts},
                                    {"--max-body", limits.body_bytes},
                                    {"--max-beam", limits.beam},
                                    {"--deadline", options.deadline},
                                    {"--queue-tokens", options.registry.limits.max_tokens},
                                    {"--workers", threads.workers},
                                    {"--threads", threads.threads},
                                    {"--batch-tokens", threads.batch_tokens}})
    require(value >= 1, std::string(name) + " must be at least 1");
  require(options.fill_wait >= 0, "--fill-wait must not be negative");
  require(options.drain >= 0, "--drain must not be negative");
  throw_if_any(problems);
  parse_device(options.device);
  nmt::parse_weight_choice(options.weights);
}

// What the decoder's loader gives, as the service knows it.
service::LoadedModel load_model(const service::ModelSpec& spec, const ServeOptions& options) {
  const auto loaded = std::make_shared<const nmt::LoadedDecoder>(nmt::load_decoder(
      spec.directory.string(), {.device = parse_device(options.device),
                                .weights = nmt::parse_weight_choice(options.weights)}));
  service::LoadedModel model;
  model.decoder = {loaded, loaded->decoder.get()};
  model.encode_source = [loaded](std::string_view text) {
    return loaded->source_tokenizer->encode(text);
  };
  model.encode_target = [loaded](std::string_view text) {
    return loaded->target_tokenizer->encode(text);
  };
  model.decode_target = [loaded](std::span<const int32_t> ids) {
    return nmt::decode_line(*loaded->target_tokenizer, ids);
  };
  model.target_piece = [loaded](int32_t id) { return loaded->target_tokenizer->piece(id); };
  model.source_end = loaded->source_tokenizer->end_id();
  return model;
}

void serve_until_stopped(const ServeSignals& signals, service::ModelRegistry& models) {
  while (true) {
    const ServeSignals::Event event = signals.wait(std::chrono::hours(1));
    if (event == ServeSignals::Event::kStop) return;
    if (event != ServeSignals::Event::kReload) continue;
    try {
      models.reload("");
    } catch (const RequestError& error) {
      spdlog::error("reload: {}", error.what());
    }
  }
}

}  // namespace

int run_serve(const std::vector<std::string>& arguments) {
  ServeOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  check(options);
  options.registry.limits.fill_wait = std::chrono::milliseconds(options.fill_wait);
  options.api.limits.deadline = std::chrono::seconds(options.deadline);
  options.api.api_keys = options.api_keys;
  options.http.max_body = static_cast<uint64_t>(options.api.limits.body_bytes);

  auto signals = std::make_unique<ServeSignals>();
  service::Metrics metrics;
  options.registry.observer = [&](const std::string& name) { return metrics.observer(name); };
  const auto load = [&](const service::ModelSpec& spec) { return load_model(spec, options); };
  service::ModelRegistry models(service::parse_model_specs(options.models), load, options.registry);
  options.api.client_watch = [] {
    return [gone = service::HttpServer::client_gone()] { return gone->load(); };
  };
  service::TranslationApi api(models, metrics, options.api);
  if (options.preload) models.preload();

  service::HttpServer server(options.http);
  api.install(server);
  const int port = server.listen(options.host, static_cast<int>(options.port));
  spdlog::info("listening at {}:{}", options.host, port);
  serve_until_stopped(*signals, models);

  signals.reset();  // another signal ends the process
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.drain);
  api.drain();
  while (api.running() > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (!server.drain(std::chrono::seconds(1)))
    spdlog::warn("some requests were still running after {} s", options.drain);
  return 0;
}

}  // namespace dietmt::tools
