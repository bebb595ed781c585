#include "service/api/call.h"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

constexpr int kClientClosedRequest = 499;  // only seen in the metrics

nlohmann::ordered_json own_body(const HttpError& error) {
  nlohmann::ordered_json body{{"error", error.what()}};
  if (!error.option().empty()) body["option"] = error.option();
  return body;
}

Answer answer_of(const HttpError& error, const ErrorBody& form) {
  Answer answer =
      json_answer(form ? form(error.status(), error.what()) : own_body(error), error.status());
  answer.headers = error.headers();
  return answer;
}

HttpError later(int status, const std::string& message, int64_t seconds) {
  return HttpError(status, message).with_header("Retry-After", std::to_string(seconds));
}

}  // namespace

Answer json_answer(const nlohmann::ordered_json& body, int status) {
  return {.status = status,
          .body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

std::string Call::parameter(const std::string& name, const std::string& otherwise) const {
  for (const auto& [given, value] : query)
    if (given == name) return value;
  return otherwise;
}

Answer error_answer(std::exception_ptr error, const ErrorBody& form) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& known) {
    return answer_of(known, form);
  } catch (const QueueFull& full) {
    return answer_of(later(429, full.what(), full.retry_after()), form);
  } catch (const Unavailable& absent) {
    return answer_of(later(503, absent.what(), absent.retry_after()), form);
  } catch (const DeadlineExceeded& late) {
    return answer_of(HttpError(504, late.what()), form);
  } catch (const ClientGone& gone) {
    return answer_of(HttpError(kClientClosedRequest, gone.what()), form);
  } catch (const RequestFault& fault) {
    Answer answer = fault_answer(fault.status(), fault.what());
    if (form) answer.body = json_answer(form(fault.status(), fault.what())).body;
    return answer;
  } catch (const RequestError& refused) {
    return answer_of(HttpError(400, refused.what()), form);
  } catch (const std::exception& unknown) {
    spdlog::error("a request failed: {}", unknown.what());
    return answer_of(HttpError(500, "the request failed; the server's log says why"), form);
  }
}

}  // namespace dietmt::service
