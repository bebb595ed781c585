#include "service/documents/styled_segments.h"

#include <algorithm>
#include <map>
#include <utility>

#include "service/documents/segment_tags.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// The first text of the style that has the most bytes.
size_t main_text(const std::vector<StyledText>& texts) {
  std::map<std::string, size_t> bytes;
  for (const StyledText& one : texts) bytes[one.style] += content_of(one.text).size();
  const auto most = std::max_element(
      bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto first = std::find_if(texts.begin(), texts.end(),
                                  [&](const StyledText& one) { return one.style == most->first; });
  return static_cast<size_t>(first - texts.begin());
}

// xmlAddNextSibling() would join two text nodes.
void insert_behind(xmlNode* place, xmlNode* added) {
  xmlNode* const next = place->next;
  added->parent = place->parent;
  added->prev = place;
  added->next = next;
  place->next = added;
  (next != nullptr ? next->prev : added->parent->last) = added;
}

}  // namespace

void StyledSegments::add(StyledText text) {
  if (!open_.empty() && open_.back().item->parent != text.item->parent) end_segment();
  open_.push_back(std::move(text));
}

void StyledSegments::end_segment() {
  if (open_.empty()) return;
  Group group{.texts = std::exchange(open_, {}), .tag = {}, .styles = {}, .place = {}};
  std::string plain;
  for (const StyledText& one : group.texts) plain += content_of(one.text);
  if (!has_letter(plain)) return;
  group.tag = unused_tag_name(plain);
  const size_t main = main_text(group.texts);
  std::string text, open_style = group.texts[main].style;
  const std::string main_style = open_style;
  const auto close = [&] {
    if (open_style != main_style)
      text += "</" + group.tag + std::to_string(group.styles.size() - 1) + ">";
  };
  for (size_t i = 0; i < group.texts.size(); ++i) {
    const std::string content = content_of(group.texts[i].text);
    const std::string& style = group.texts[i].style;
    if (style != open_style && !is_blank(content)) {
      close();
      open_style = style;
      if (style != main_style) {
        text += "<" + group.tag + std::to_string(group.styles.size()) + ">";
        group.styles.push_back(i);
      }
    }
    text += content;
  }
  close();
  group.styles.push_back(main);
  group.place = *add_segment(text, segments_);
  groups_.push_back(std::move(group));
}

void StyledSegments::fill(const std::vector<std::string>& translations) const {
  for (const Group& group : groups_)
    write(group, stretches_of(group, group.place.filled(translations)));
}

std::vector<StyledSegments::Stretch> StyledSegments::stretches_of(const Group& group,
                                                                  const std::string& text) {
  const size_t main = group.styles.back();
  std::vector<Stretch> stretches;
  std::string plain;
  std::vector<bool> seen(group.styles.size() - 1);
  bool is_whole = true;
  size_t at = 0, style = main;
  const auto add = [&](size_t end) {
    plain += text.substr(at, end - at);
    if (end > at) stretches.push_back({style, text.substr(at, end - at)});
  };
  while (const auto tag = next_tag(text, at, group.tag)) {
    add(tag->begin);
    at = tag->end;
    const bool is_known = tag->code < seen.size() && tag->opens != tag->closes;
    const bool fits = is_known && (tag->opens ? style == main && !seen[tag->code]
                                              : style == group.styles[tag->code]);
    is_whole = is_whole && fits;
    if (!fits) continue;
    style = tag->opens ? group.styles[tag->code] : main;
    seen[tag->code] = true;
  }
  add(text.size());
  is_whole = is_whole && style == main && std::find(seen.begin(), seen.end(), false) == seen.end();
  if (!is_whole || stretches.empty()) return {{main, plain}};
  return stretches;
}

void StyledSegments::write(const Group& group, const std::vector<Stretch>& stretches) const {
  const bool has_one_style = group.styles.size() == 1;
  if (has_one_style) {
    set_content(group.texts.front().text, stretches.front().text);
  } else {
    xmlNode* last = group.texts.front().item;
    for (const Stretch& stretch : stretches) {
      xmlNode* const copy = copy_item_(group.texts[stretch.style], stretch.text);
      insert_behind(last, copy);
      drop_repeated_namespaces(copy);
      last = copy;
    }
  }
  for (size_t i = has_one_style ? 1 : 0; i < group.texts.size(); ++i)
    set_content(group.texts[i].text, "");
}

}  // namespace dietmt::service
