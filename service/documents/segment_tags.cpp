#include "service/documents/segment_tags.h"

#include <charconv>

namespace dietmt::service {

std::string unused_tag_name(std::string_view text) {
  std::string name = "g";
  while (text.find("<" + name) != text.npos || text.find("</" + name) != text.npos) name += 'g';
  return name;
}

std::optional<SegmentTag> next_tag(std::string_view text, size_t at, std::string_view name) {
  for (size_t begin = text.find('<', at); begin != text.npos; begin = text.find('<', begin + 1)) {
    std::string_view rest = text.substr(begin + 1);
    SegmentTag tag{.begin = begin};
    tag.closes = rest.starts_with('/');
    tag.opens = !tag.closes;
    if (tag.closes) rest.remove_prefix(1);
    if (!rest.starts_with(name)) continue;
    rest.remove_prefix(name.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), tag.code);
    if (error != std::errc()) continue;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (tag.opens && rest.starts_with('/')) {
      tag.closes = true;
      rest.remove_prefix(1);
    }
    if (!rest.starts_with('>')) continue;
    tag.end = text.size() - rest.size() + 1;
    return tag;
  }
  return std::nullopt;
}

}  // namespace dietmt::service
