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

enum class PartUse { kKeep, kPass, kSkip };

struct FormSink {
  std::function<PartUse(const FormPart&)> begin;           // decides on each part
  std::function<void(std::string_view)> append = nullptr;  // gets the bytes of kPass parts
};

bool is_form(const RequestHead& head);

/// Returns the names and values of a form's kKeep parts. Throws RequestError if the body is
/// malformed or they exceed `most_kept` bytes. Exceptions of the sink pass through.
Pairs read_form(const HttpRequest& request, uint64_t most_kept, const FormSink& sink);

/// A parameter's value in a field such as `form-data; name="file"`; "" if it is missing.
std::string parameter_of(std::string_view field, std::string_view name);

/// In lower case, without parameters.
std::string media_type(std::string_view content_type);

}  // namespace dietmt::service
