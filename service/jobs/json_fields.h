// Where the values of a JSON object stand in its text, so that one of them can be replaced without
// touching the others: numbers of many digits, spaces and the order of fields stay as they are.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace dietmt::service {

struct JsonFields {
  std::map<std::string, std::string_view> values;  // as written; of equal names the last
  size_t end = 0;                                  // of what is inside the braces
};

/// `object`: the text of one valid JSON object, which the views point into.
JsonFields json_fields(std::string_view object);

}  // namespace dietmt::service
