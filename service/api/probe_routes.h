// Routes for orchestrators and monitoring, which answer under any load:
//
//   /live     200 while the process serves
//   /ready    200 if the server accepts requests; 503 while it drains, or if no model can be loaded
//   /health   200, or 503 while it drains (LibreTranslate)
//   /metrics  for Prometheus
#pragma once

#include <functional>
#include <vector>

#include "service/api/metrics.h"
#include "service/api/router.h"
#include "service/scheduling/model_registry.h"

namespace dietmt::service {

struct ProbeSources {
  ModelRegistry& models;
  Metrics& metrics;
  std::function<bool()> draining;
  std::function<int64_t()> running;  // requests that handlers are answering
};

/// What `sources` refers to must outlive the routes.
std::vector<Route> probe_routes(const ProbeSources& sources);

}  // namespace dietmt::service
