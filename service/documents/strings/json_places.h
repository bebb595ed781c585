// Where the values of a JSON text are, so that some of them can be replaced.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

struct JsonPlace {
  enum class Kind { kObject, kArray, kString, kOther };

  Kind kind = Kind::kOther;
  size_t begin = 0;  // bytes; of a string with its quotes
  size_t end = 0;
  std::string key = {};  // in an object
  size_t key_begin = 0;
  size_t key_end = 0;
  std::string text = {};  // of a string
  size_t next = 0;        // the number of the value after those inside
};

/// The values in order, each before those inside; the first one is the whole text. Throws DataError
/// with the line, and DocumentTooLargeError if there are more values than `most`.
std::vector<JsonPlace> json_places(std::string_view json, size_t most);

/// The bytes of the next string, with its quotes, also after comments. The text must have one.
std::pair<size_t, size_t> next_json_string(std::string_view json, size_t at);

}  // namespace dietmt::service
