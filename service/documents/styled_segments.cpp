#include "service/documents/styled_segments.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "data/text/word_text.h"
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

// Writes a segment and its tags.
class StyledSegments::Encoder {
 public:
  explicit Encoder(Group& group)
      : group_(group), main_(group.texts[group.main].style), open_style_(main_) {}

  void add_text(size_t index, const std::string& content) {
    const std::string& style = group_.texts[index].style;
    if (style != open_style_ && !is_blank(content)) {
      close();
      add_waiting_marks();
      open_style_ = style;
      if (style != main_) open({.style = index});
    }
    const size_t in_word = waiting_.empty() ? 0 : continued_word(content);
    text_ += content.substr(0, in_word);
    if (in_word > 0 && in_word == content.size()) return;
    add_waiting_marks();
    text_ += content.substr(in_word);
  }

  void add_mark(const Mark& mark) { waiting_.push_back(mark); }

  std::string finished() {
    add_waiting_marks();
    close();
    return std::move(text_);
  }

 private:
  void open(Code style) {
    open_code_ = group_.codes.size();
    group_.codes.push_back(std::move(style));
    text_ += "<" + group_.tag + std::to_string(open_code_) + ">";
  }

  void close() {
    if (open_style_ != main_) text_ += "</" + group_.tag + std::to_string(open_code_) + ">";
  }

  void add_waiting_marks() {
    for (Mark& mark : waiting_) {
      text_ += "<" + group_.tag + std::to_string(group_.codes.size()) + "/>";
      group_.codes.push_back({.mark = std::move(mark)});
    }
    waiting_.clear();
  }

  // The bytes that go on with the last word: marks inside of it wait for its end.
  size_t continued_word(const std::string& content) const {
    constexpr size_t kMostBytes = 4;  // of a character
    const std::u32string before =
        data::characters_of(text_.substr(text_.size() - std::min(text_.size(), kMostBytes)));
    if (before.empty() || !data::joins_word(before.back())) return 0;
    std::u32string word = data::characters_of(content);
    word.erase(std::ranges::find_if_not(word, data::joins_word), word.end());
    return data::utf8_of(word).size();
  }

  Group& group_;
  const std::string main_;
  std::string open_style_;
  size_t open_code_ = 0;
  std::string text_;
  std::vector<Mark> waiting_;
};

void StyledSegments::add(StyledText text) {
  if (!open_.empty() && open_.back().item->parent != text.item->parent) end_segment();
  open_.push_back(std::move(text));
}

void StyledSegments::add_mark(xmlNode* node, const std::string& range) {
  if (!open_.empty() && open_.back().item->parent != node->parent) end_segment();
  if (!open_.empty()) open_marks_.push_back({node, range, open_.size(), open_marks_.size()});
}

void StyledSegments::end_segment() {
  if (open_.empty()) return;
  Group group;
  group.texts = std::exchange(open_, {});
  const std::vector<Mark> marks = std::exchange(open_marks_, {});
  std::string plain;
  for (const StyledText& one : group.texts) plain += content_of(one.text);
  if (!has_letter(plain)) return;
  group.tag = unused_tag_name(plain);
  group.main = main_text(group.texts);
  Encoder encoder(group);
  auto mark = marks.begin();
  for (size_t i = 0; i < group.texts.size(); ++i) {
    for (; mark != marks.end() && mark->before == i; ++mark) encoder.add_mark(*mark);
    encoder.add_text(i, content_of(group.texts[i].text));
  }
  group.place = *add_segment(encoder.finished(), segments_);
  groups_.push_back(std::move(group));
}

void StyledSegments::fill(const std::vector<std::string>& translations) const {
  for (const Group& group : groups_)
    write(group, pieces_of(group, group.place.filled(translations)));
}

StyledSegments::Pieces StyledSegments::pieces_of(const Group& group, const std::string& text) {
  Pieces pieces;
  std::string plain;
  std::vector<bool> seen(group.codes.size());
  std::vector<size_t> open;  // the code of the style, if it is not the main one
  size_t at = 0;
  const auto add = [&](size_t end) {
    plain += text.substr(at, end - at);
    const size_t style = open.empty() ? group.main : group.codes[open.back()].style;
    if (end > at) pieces.all.push_back({style, text.substr(at, end - at)});
  };
  while (const auto tag = next_tag(text, at, group.tag)) {
    add(tag->begin);
    at = tag->end;
    const bool is_known = tag->code < seen.size();
    const bool is_mark = is_known && group.codes[tag->code].mark.node != nullptr;
    bool fits = is_known && is_mark == (tag->opens && tag->closes);
    if (fits && tag->opens) fits = !seen[tag->code] && (is_mark || open.empty());
    if (fits && !tag->opens) fits = !open.empty() && open.back() == tag->code;
    pieces.has_all_tags = pieces.has_all_tags && fits;
    if (!fits) continue;
    seen[tag->code] = true;
    if (is_mark)
      pieces.all.push_back({.mark = group.codes[tag->code].mark});
    else if (tag->opens)
      open.push_back(tag->code);
    else
      open.pop_back();
  }
  add(text.size());
  pieces.has_all_tags = pieces.has_all_tags && open.empty() &&
                        std::ranges::find(seen, false) == seen.end() && !pieces.all.empty();
  if (pieces.has_all_tags) return pieces;
  pieces.all = {{group.main, plain}};
  for (const Code& code : group.codes)
    if (code.mark.node != nullptr) pieces.all.push_back({.mark = code.mark});
  return pieces;
}

void StyledSegments::write(const Group& group, const Pieces& pieces) const {
  const bool stays = group.codes.empty();
  const StyledText& main = group.texts[group.main];
  if (!stays) {
    xmlNode* last = group.texts.front().item;
    for (const Piece& piece : in_order_of_ranges(pieces.all)) {
      xmlNode* const node = piece.mark.node != nullptr
                                ? piece.mark.node
                                : copy_item_(group.texts[piece.style], piece.text);
      if (piece.mark.node != nullptr) xmlUnlinkNode(node);
      insert_behind(last, node);
      if (piece.mark.node == nullptr) drop_repeated_namespaces(node);
      last = node;
    }
  }
  std::set<xmlNode*> empty;
  for (const StyledText& one : group.texts) {
    set_content(one.text, "");
    const bool keeps = stays && one.item == main.item;
    if (one.goes_when_empty && pieces.has_all_tags && !keeps) empty.insert(one.item);
  }
  if (stays) set_content(main.text, pieces.all.front().text);
  for (xmlNode* const item : empty) {
    xmlUnlinkNode(item);
    xmlFreeNode(item);
  }
}

// The end of a range may have come before its beginning: they change places.
std::vector<StyledSegments::Piece> StyledSegments::in_order_of_ranges(std::vector<Piece> pieces) {
  std::map<std::string, size_t> first;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Mark& mark = pieces[i].mark;
    if (mark.node == nullptr || mark.range.empty()) continue;
    const auto [other, is_first] = first.emplace(mark.range, i);
    if (is_first) continue;
    Mark& earlier = pieces[other->second].mark;
    if (earlier.order > mark.order) std::swap(earlier, pieces[i].mark);
  }
  return pieces;
}

}  // namespace dietmt::service
