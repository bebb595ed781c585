#include "service/api/probe_routes.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dietmt::service {
namespace {

Answer status_answer(int status, const char* name) {
  return {.status = status, .body = nlohmann::json{{"status", name}}.dump()};
}

bool all_failed(const std::vector<ModelStatus>& models) {
  return std::all_of(models.begin(), models.end(),
                     [](const ModelStatus& model) { return model.state == ModelState::kFailed; });
}

Answer readiness(const ProbeSources& from) {
  if (from.draining()) return status_answer(503, "draining");
  return all_failed(from.models.status()) ? status_answer(503, "no_model")
                                          : status_answer(200, "ok");
}

}  // namespace

std::vector<Route> probe_routes(const ProbeSources& from) {
  const auto probe = [](const char* path, Handler handler) {
    return Route{.method = "GET",
                 .path = path,
                 .handler = std::move(handler),
                 .key = Key::kNone,
                 .is_probe = true};
  };
  return {probe("/live", [](const Call&) { return status_answer(200, "ok"); }),
          probe("/ready", [from](const Call&) { return readiness(from); }),
          probe("/health",
                [from](const Call&) {
                  return from.draining() ? status_answer(503, "draining")
                                         : status_answer(200, "ok");
                }),
          probe("/metrics", [from](const Call&) {
            return Answer{.body = from.metrics.text(from.models.status(), from.running()),
                          .type = "text/plain; version=0.0.4; charset=utf-8"};
          })};
}

}  // namespace dietmt::service
