// Protocols of other translation services, on the same models, queues, keys and limits. Each has a
// file that maps its requests to translate_call() and back.
#pragma once

#include <string>
#include <vector>

#include "service/api/fields.h"
#include "service/api/service_context.h"
#include "service/api/translation_call.h"
#include "service/jobs/client_glossaries.h"
#include "service/jobs/job_routes.h"

namespace dietmt::service {

/// All routes. `service` must outlive them.
std::vector<Route> protocol_routes(ServiceContext& service);

/// /v2/translate, /v2/languages, /v2/usage and /deepl.
std::vector<Route> deepl_routes(ServiceContext& service);

/// /v2/document, /v2/document/{id} and /v2/document/{id}/result, on batch jobs, which must outlive
/// the routes.
std::vector<Route> deepl_document_routes(JobService& jobs, OwnerOf owner_of);

/// /v2/glossary-language-pairs, /v2/glossaries and /v3/glossaries. `made`: by clients, must outlive
/// the routes; null: clients cannot make any.
std::vector<Route> deepl_glossary_routes(ServiceContext& service, ClientGlossaries* made);

/// The glossary that a request names by DeepL's glossary_id, or as the only one of its
/// glossary_ids; empty: none. Throws HttpError 400 for several, and if there is one but no source
/// language.
std::string deepl_glossary(const std::string& id, const std::vector<std::string>& ids,
                           const std::string& source);

/// Calls `work`; DeepL answers 404 to the name of an unknown glossary.
template <class Work>
auto with_known_glossary(Work&& work) {
  try {
    return work();
  } catch (const NoSuchGlossaryError& error) {
    throw HttpError(404, std::string("Glossary not found: ") + error.what());
  }
}

/// {"message": message}
nlohmann::ordered_json deepl_error(int status, const std::string& message);

/// /language/translate/v2 with /detect and /languages, and the same below /google.
std::vector<Route> google_routes(ServiceContext& service);

/// /v1/chat/completions.
std::vector<Route> openai_routes(ServiceContext& service);

/// The interfaces of browser add-ons: /imme, /kiss, /hcfy; and those of MTranServer that
/// LibreTranslate does not have.
std::vector<Route> browser_routes(ServiceContext& service);

/// The texts of a field. Throws HttpError 400 if it has none.
std::vector<std::string> some_texts(const Fields& fields, const std::string& name);

}  // namespace dietmt::service
