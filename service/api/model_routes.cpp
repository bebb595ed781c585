// /v1/models and /v1/models/reload.
#include <nlohmann/json.hpp>

#include "service/api/fields.h"
#include "service/api/host_check.h"
#include "service/api/service_context.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

void add_length(ordered_json& model, const char* name, int64_t length) {
  if (length > 0 && length != nmt::SentenceDecoder::kNoLimit) model[name] = length;
}

// Why the client may not reload models; "" if it may. Without keys, programs on the same machine
// may, but not web pages in a browser there, nor clients of a proxy there that forwards their host.
std::string reload_refusal(const Call& call, const ServiceContext& service) {
  if (service.keys.has_keys())
    return service.keys.is_admin(call.key) ? "" : "this API key may not reload models";
  if (!call.address.starts_with("127.") && call.address != "::1")
    return "without API keys, only a client on the same machine may reload models";
  if (!names_loopback(call.host))
    return "without API keys, the Host field must be localhost, 127.0.0.1 or [::1]";
  if (is_foreign(call.origin, call.host))
    return "without API keys, a page of another origin may not reload models";
  return "";
}

Answer model_list(const Call& call, const ServiceContext& service) {
  const bool with_errors = reload_refusal(call, service).empty();  // errors name files
  auto models = ordered_json::array();
  for (const ModelStatus& status : service.models.status()) {
    ordered_json model{{"name", status.spec.name}};
    if (status.spec.has_several_pairs()) {
      model["sources"] = status.spec.sources;
      model["targets"] = status.spec.targets;
    } else {
      model["source"] = status.spec.source;
      model["target"] = status.spec.target;
    }
    model["state"] = state_name(status.state);
    model["loads"] = status.loads;
    if (with_errors && !status.error.empty()) model["error"] = status.error;
    if (status.bytes > 0) model["bytes"] = status.bytes;
    add_length(model, "max_source_length", status.max_source_length);
    add_length(model, "max_target_length", status.max_target_length);
    models.push_back(model);
  }
  // Clients of OpenAI read the list `data`.
  auto data = ordered_json::array();
  for (const ModelStatus& status : service.models.status())
    data.push_back(
        {{"id", status.spec.name}, {"object", "model"}, {"created", 0}, {"owned_by", "dietmt"}});
  return json_answer({{"models", models}, {"object", "list"}, {"data", data}});
}

Answer reload(const Call& call, ServiceContext& service) {
  if (const std::string why = reload_refusal(call, service); !why.empty())
    throw HttpError(403, why);
  const Fields fields = Fields::of_json(call);
  fields.allow_only({"model"});
  const std::string name = fields.text_or("model", "");
  if (fields.has("model")) service.pairs.model_named(name);
  service.models.reload(name);
  return model_list(call, service);
}

}  // namespace

void add_model_routes(Router& router, ServiceContext& service) {
  router.add({"GET", "/v1/models", [&](const Call& call) { return model_list(call, service); }});
  router.add(
      {"POST", "/v1/models/reload", [&](const Call& call) { return reload(call, service); }});
}

}  // namespace dietmt::service
