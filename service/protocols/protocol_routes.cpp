#include "service/protocols/protocol_routes.h"

#include <iterator>

namespace dietmt::service {

std::vector<Route> protocol_routes(ServiceContext& service) {
  std::vector<Route> all;
  for (const auto routes_of : {deepl_routes, google_routes, openai_routes, browser_routes}) {
    std::vector<Route> routes = routes_of(service);
    std::move(routes.begin(), routes.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<std::string> some_texts(const Fields& fields, const std::string& name) {
  std::vector<std::string> texts = fields.texts(name);
  if (texts.empty()) throw HttpError::of_option(name, name + " is empty");
  return texts;
}

}  // namespace dietmt::service
