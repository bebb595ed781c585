#include "service/documents/office/styled_segments.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "data/text/word_text.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// The first text of the style with the most bytes.
size_t main_text(const std::vector<StyledText>& texts) {
  std::map<std::string, size_t> bytes;
  for (const StyledText& one : texts) bytes[one.style] += content_of(one.text).size();
  const auto most = std::max_element(
      bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto first = std::find_if(texts.begin(), texts.end(),
                                  [&](const StyledText& one) { return one.style == most->first; });
  return static_cast<size_t>(first - texts.begin());
}

// xmlAddNextSibling() would merge two text nodes.
void insert_behind(xmlNode* place, xmlNode* added) {
  xmlNode* const next = place->next;
  added->parent = place->parent;
  added->prev = place;
  added->next = next;
  place->next = added;
  (next != nullptr ? next->prev : added->parent->last) = added;
}

}  // namespace

// Writes a segment and its marks.
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
      if (style != main_) {
        open_ = text_.marks.size();
        add((group_.texts[index].is_raised ? "<sup g" : "<g") + std::to_string(codes_++) + ">",
            index, {});
      }
    }
    const size_t in_word = waiting_.empty() ? 0 : continued_word(content);
    text_.text += content.substr(0, in_word);
    if (in_word > 0 && in_word == content.size()) return;
    add_waiting_marks();
    text_.text += content.substr(in_word);
  }

  void add_mark(const Mark& mark) { waiting_.push_back(mark); }

  nmt::MarkedText finished() {
    add_waiting_marks();
    close();
    return std::move(text_);
  }

 private:
  void add(std::string tag, size_t style, Mark mark) {
    service::add_mark(std::move(tag), text_);
    group_.styles.push_back(style);
    group_.nodes.push_back(std::move(mark));
  }

  void close() {
    if (open_style_ == main_) return;
    text_.marks[open_].partner = static_cast<int32_t>(text_.marks.size());
    add("</" + text_.marks[open_].parts.front().text.substr(1), group_.main, {});
    text_.marks.back().partner = static_cast<int32_t>(open_);
  }

  void add_waiting_marks() {
    for (Mark& mark : std::exchange(waiting_, {}))
      add("<g" + std::to_string(codes_++) + "/>", group_.main, std::move(mark));
  }

  // How many bytes continue the last word; marks inside it wait for its end.
  size_t continued_word(const std::string& content) const {
    constexpr size_t kMostBytes = 4;  // per character
    const std::string& text = text_.text;
    if (!text_.marks.empty() && text_.marks.back().at == std::ssize(text)) return 0;
    const std::u32string before =
        data::characters_of(text.substr(text.size() - std::min(text.size(), kMostBytes)));
    if (before.empty() || !data::joins_word(before.back())) return 0;
    std::u32string word = data::characters_of(content);
    word.erase(std::ranges::find_if_not(word, data::joins_word), word.end());
    return data::utf8_of(word).size();
  }

  Group& group_;
  const std::string main_;
  std::string open_style_;
  size_t open_ = 0;   // the mark where it begins, if it is not the main one
  size_t codes_ = 0;  // marks except the ends of others
  nmt::MarkedText text_;
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
  group.main = main_text(group.texts);
  Encoder encoder(group);
  auto mark = marks.begin();
  for (size_t i = 0; i < group.texts.size(); ++i) {
    for (; mark != marks.end() && mark->before == i; ++mark) encoder.add_mark(*mark);
    encoder.add_text(i, content_of(group.texts[i].text));
  }
  auto place = segments_.add(encoder.finished());
  if (!place) return;
  group.place = *std::move(place);
  groups_.push_back(std::move(group));
}

void StyledSegments::fill(const std::vector<Translation>& translations) const {
  for (const Group& group : groups_)
    write(group, in_order_of_ranges(pieces_of(group, translations.at(group.place.segment))));
}

std::vector<StyledSegments::Piece> StyledSegments::pieces_of(const Group& group,
                                                             const Translation& translation) const {
  std::vector<Piece> pieces;
  size_t style = group.main;
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    const bool goes_on =
        !pieces.empty() && pieces.back().mark.node == nullptr && pieces.back().style == style;
    if (!goes_on) pieces.push_back({.style = style});
    pieces.back().text += text;
  };
  add(group.place.before);
  if (has_all_marks(translation, segments_.at(group.place.segment))) {
    for (const nmt::MarkedPart& part : translation) {
      const auto mark = static_cast<size_t>(part.mark);
      if (part.mark < 0)
        add(part.text);
      else if (group.nodes[mark].node != nullptr)
        pieces.push_back({.mark = group.nodes[mark]});
      else
        style = group.styles[mark];
    }
    add(group.place.after);
  } else {
    add(plain_text(translation) + group.place.after);
    for (const Mark& mark : group.nodes)
      if (mark.node != nullptr) pieces.push_back({.mark = mark});
  }
  return pieces;
}

void StyledSegments::write(const Group& group, std::vector<Piece> pieces) const {
  const bool stays = group.nodes.empty();
  const StyledText& main = group.texts[group.main];
  xmlNode* last = group.texts.front().item;
  for (const Piece& piece : pieces) {
    if (stays) break;
    xmlNode* const node = piece.mark.node != nullptr
                              ? piece.mark.node
                              : copy_item_(group.texts[piece.style], piece.text);
    if (piece.mark.node != nullptr) xmlUnlinkNode(node);
    insert_behind(last, node);
    if (piece.mark.node == nullptr) drop_repeated_namespaces(node);
    last = node;
  }
  std::set<xmlNode*> empty;
  for (const StyledText& one : group.texts) {
    set_content(one.text, "");
    if (one.goes_when_empty && !(stays && one.item == main.item)) empty.insert(one.item);
  }
  if (stays && !pieces.empty()) set_content(main.text, pieces.front().text);
  for (xmlNode* const item : empty) discard(item);
}

// If the end of a range comes before its start, they are swapped.
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
