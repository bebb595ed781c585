// /v1/glossaries.
#include <nlohmann/json.hpp>

#include "service/api/service_context.h"

namespace dietmt::service {
namespace {

using nlohmann::ordered_json;

Answer glossary_list(const Call& call, const ServiceContext& service) {
  auto glossaries = ordered_json::array();
  for (const NamedGlossary& one : service.glossaries->all()) {
    ordered_json glossary{{"name", one.name}, {"terms", one.glossary->terms().size()}};
    if (!one.source.empty()) glossary.update({{"source", one.source}, {"target", one.target}});
    glossaries.push_back(glossary);
  }
  for (const GlossaryInfo& made : service.glossaries->of_client(service.owner_of(call)))
    for (const DictionaryInfo& one : made.dictionaries)
      glossaries.push_back({{"name", made.name},
                            {"terms", one.terms},
                            {"source", one.source},
                            {"target", one.target},
                            {"id", made.id}});
  const ordered_json body{{"glossaries", glossaries}};
  return json_answer(body);
}

}  // namespace

void add_glossary_routes(Router& router, ServiceContext& service) {
  router.add(
      {"GET", "/v1/glossaries", [&](const Call& call) { return glossary_list(call, service); }});
}

}  // namespace dietmt::service
