#pragma once

#include <string>

#include "service/scheduling/model_registry.h"
#include "tests/service/fake_decoder.h"

namespace dietmt::service {

/// The translation of `text` by a model whose decoder is a FakeDecoder.
inline std::string translated(ServedModel& model, const std::string& text) {
  std::vector<int32_t> ids = characters(text);
  ids.push_back(2);
  const auto found = model.queue().translate({{.source = ids, .prefix = {}, .index = 0}}, {}, {});
  return text_of(found.at(0).at(0).ids);
}

}  // namespace dietmt::service
