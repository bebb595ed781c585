// Reads multipart/form-data bodies (RFC 7578) part by part, since a part may be a large file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "service/http/message.h"

namespace dietmt::service {

struct FormPart {
  std::string name;
  std::string file_name;  // empty: none
};

struct FormSink {
  std::function<void(const FormPart&)> begin;    // starts a part
  std::function<void(std::string_view)> append;  // to the current part
};

bool is_form(const RequestHead& head);

/// Passes the parts of a form to `sink`; exceptions of the sink pass through. Throws RequestError
/// if the body is malformed.
void read_form(const HttpRequest& request, const FormSink& sink);

/// The value of a parameter in a field such as `form-data; name="file"`; empty if it is missing.
std::string parameter_of(std::string_view field, std::string_view name);

/// In lower case, without parameters.
std::string media_type(std::string_view content_type);

}  // namespace dietmt::service
