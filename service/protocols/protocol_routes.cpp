#include "service/protocols/protocol_routes.h"

#include <iterator>
#include <utility>

namespace dietmt::service {

std::vector<Route> protocol_routes(ServiceContext& service) {
  std::vector<Route> all;
  for (const auto routes_of : {deepl_routes, google_routes, openai_routes, browser_routes}) {
    std::vector<Route> routes = routes_of(service);
    std::move(routes.begin(), routes.end(), std::back_inserter(all));
  }
  return all;
}

Handler with_errors(Handler handler, ErrorBody body) {
  return [handler = std::move(handler), body = std::move(body)](const Call& call) {
    try {
      return handler(call);
    } catch (...) {
      Answer answer = error_answer(std::current_exception());
      const auto error = nlohmann::json::parse(answer.body, nullptr, false);
      answer.body = json_answer(body(answer.status, error.value("error", ""))).body;
      return answer;
    }
  };
}

}  // namespace dietmt::service
