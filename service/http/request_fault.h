// Requests that the connection layer rejects itself.
#pragma once

#include <string>

#include "common/error.h"
#include "service/http/message.h"

namespace dietmt::service {

/// `status`: of the answer. what(): the sentence for the client.
class RequestFault : public RequestError {
 public:
  RequestFault(int status, const std::string& text) : RequestError(text), status_(status) {}

  int status() const { return status_; }

 private:
  int status_;
};

/// {"error": text}. Replaces invalid UTF-8, since the text may come from a client.
std::string error_body(const std::string& text);

/// Overload (503) also asks the client to retry after `retry_after` seconds.
Answer fault_answer(int status, const std::string& text, int retry_after = 1);

}  // namespace dietmt::service
