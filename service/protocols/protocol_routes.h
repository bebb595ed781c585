// Protocols of other translation services, on the same models, queues, keys and limits. Each has a
// file that maps its requests to translate_call() and back.
#pragma once

#include <string>
#include <vector>

#include "service/api/fields.h"
#include "service/api/service_context.h"
#include "service/api/translation_call.h"
#include "service/jobs/job_routes.h"

namespace dietmt::service {

/// All routes. `service` must outlive them.
std::vector<Route> protocol_routes(ServiceContext& service);

/// /v2/translate, /v2/languages, /v2/usage, /v2/glossary-language-pairs, and /deepl.
std::vector<Route> deepl_routes(ServiceContext& service);

/// /v2/document, /v2/document/{id} and /v2/document/{id}/result, on batch jobs, which must outlive
/// the routes.
std::vector<Route> deepl_document_routes(JobService& jobs, OwnerOf owner_of);

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
