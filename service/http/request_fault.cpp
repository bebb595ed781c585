#include "service/http/request_fault.h"

#include <nlohmann/json.hpp>

namespace dietmt::service {
namespace {

const char* reason_phrase(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

std::string error_body(const std::string& text) {
  return nlohmann::json{{"error", text}}.dump(-1, ' ', false,
                                              nlohmann::json::error_handler_t::replace);
}

std::string fault_response(int status, const std::string& text, int retry_after,
                           const HeaderFields& fields) {
  const std::string body = error_body(text);
  std::string response =
      "HTTP/1.1 " + std::to_string(status) + " " + reason_phrase(status) +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\nConnection: close\r\n";
  if (status == 503) response += "Retry-After: " + std::to_string(retry_after) + "\r\n";
  for (const auto& [name, value] : fields) response += name + ": " + value + "\r\n";
  return response + "\r\n" + body;
}

}  // namespace dietmt::service
