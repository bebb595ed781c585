// What follows the text of a link or an image in Markdown.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dietmt::service {

/// Bytes begin .. end-1, without quotes.
struct LinkTitle {
  size_t begin = 0;
  size_t end = 0;
};

struct LinkTarget {
  size_t end = 0;
  bool is_label = false;  // the text is the label, as in [label] and [label][]
  std::optional<LinkTitle> title = {};
};

/// The end of what begins with an opening bracket at `at`; npos if it does not end.
size_t end_of_brackets(std::string_view source, size_t at, char open, char close);

/// The target of a text that ends with the bracket at `bracket`; nullopt if it is not understood.
std::optional<LinkTarget> link_target(std::string_view source, size_t bracket);

/// The title in a line that defines a link: [label]: address "title".
std::optional<LinkTitle> title_of_definition(std::string_view line);

}  // namespace dietmt::service
