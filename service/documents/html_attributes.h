// Attributes of HTML tags that a translation changes: languages, the declared encoding, and texts
// such as titles and alternative texts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/documents/markup.h"

namespace dietmt::service {

/// Markup with texts inside.
struct TextTag {
  struct Value {
    size_t begin = 0;  // bytes of `markup`, with the quotes of an attribute
    size_t size = 0;
    std::string text;                                          // its meaning
    std::string (*encode)(const std::string& text) = nullptr;  // to be written in its place
  };

  std::string markup;
  std::vector<Value> values;  // to translate, in order
};

/// Changes what a tag declares: UTF-8, and the target language and its direction where it has those
/// of the source. The root of a page gets the target language in any case.
TextTag html_tag(const MarkupPart& part, const LanguagePair& languages);

/// The markup with other values, as their encode() returns them; nullopt: as before.
std::string with_values(const TextTag& tag, const std::vector<std::optional<std::string>>& values);

}  // namespace dietmt::service
