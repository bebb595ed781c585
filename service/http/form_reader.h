// Bodies of the type multipart/form-data (RFC 7578), part by part: a part may be a large file.
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
  std::function<void(const FormPart&)> begin;    // a part
  std::function<void(std::string_view)> append;  // to the part that has begun
};

bool is_form(const RequestHead& head);

/// Gives the parts of a form to `sink`, whose exceptions pass. Throws RequestError if the body is
/// no such form.
void read_form(const HttpRequest& request, const FormSink& sink);

/// A field with parameters such as `form-data; name="file"`: the value of one, empty if it is
/// missing.
std::string parameter_of(std::string_view field, std::string_view name);

/// In lower case, without parameters.
std::string media_type(std::string_view content_type);

}  // namespace dietmt::service
