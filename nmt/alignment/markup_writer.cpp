#include <algorithm>
#include <utility>

#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/markup_tree.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

using data::TextSpan;
using Neighbour = InlineMark::Neighbour;

// The children of a node by place: first the points that belong to the part before, then other
// points, then the element that begins with the part. Without parts they stay in source order.
std::vector<const MarkupNode*> in_order(const MarkupNode& parent) {
  std::vector<const MarkupNode*> children;
  for (const MarkupNode& child : parent.children) children.push_back(&child);
  const auto rank = [](const MarkupNode* one) {
    return std::pair(one->target.first, one->is_point() ? (one->glued_before ? 0 : 1) : 2);
  };
  if (!parent.target.empty()) std::ranges::stable_sort(children, std::ranges::less(), rank);
  return children;
}

class Writer {
 public:
  Writer(std::span<const InlineMark> marks, std::string_view target,
         std::span<const TextSpan> parts)
      : marks_(marks), target_(target), parts_(parts) {}

  std::vector<MarkedPart> write(const MarkupNode& root) {
    add_text(between(0));
    write_inside(root, {0, parts_.size()});
    if (!parts_.empty()) add_text(between(parts_.size()));
    return std::move(written_);
  }

 private:
  using Children = std::span<const MarkupNode* const>;

  void write_inside(const MarkupNode& parent, Run run) {
    const std::vector<const MarkupNode*> children = in_order(parent);
    size_t next = 0;
    for (size_t t = run.first;;) {
      const size_t first = next;
      while (next < children.size() && children[next]->is_point() &&
             children[next]->target.first <= t)
        ++next;
      write_gap(t, run, Children(children).subspan(first, next - first));
      if (t == run.last) return;
      if (next == children.size() || children[next]->target.first != t) {
        add_text(part(t++));
        continue;
      }
      const MarkupNode& child = *children[next++];
      add_mark(child.open);
      write_inside(child, child.target);
      add_mark(child.close);
      t = child.target.last;
    }
  }

  // Writes the points before part t and the white space there, if it is inside the run.
  void write_gap(size_t t, Run run, Children points) {
    const bool is_inside = t != run.first && t != run.last;
    const std::string_view space = is_inside ? between(t) : "";
    if (points.empty()) {
      if (!ends_with_space()) add_text(space);
      return;
    }
    const bool ends_here = t == run.last && t < parts_.size() && !between(t).empty();
    const char32_t next = t < parts_.size() && !ends_here ? first_character(part(t)) : 0;
    const bool spaced_before = wants_space(last_character(last_text_), *points.front());
    const bool spaced_after = wants_space(*points.back(), next);
    const bool keeps_before = !closes_up(next) && (spaced_before || !points.front()->glued_before);
    const bool is_space =
        !spaced_before && is_space_reference(parts_of(*points.front()).front().text);
    if (!space.empty() && keeps_before)
      add_text(is_space ? "" : space);
    else if (spaced_before)
      add_text(" ");
    write_points(points);
    if (!space.empty() && !keeps_before)
      add_text(spaced_after || !ends_with_space() ? space : "");
    else if (spaced_after)
      add_text(" ");
  }

  const std::vector<MarkedPart>& parts_of(const MarkupNode& point) const {
    return marks_[point.mark()].parts;
  }

  // A space written as a reference replaces that of the translation.
  bool ends_with_space() const { return is_space(last_character(last_text_)); }

  void write_points(Children points) {
    for (size_t i = 0; i < points.size(); ++i) {
      const bool is_apart = i > 0 && is_text(*points[i - 1]) && is_text(*points[i]);
      if (is_apart && !follows_directly(*points[i])) add_text(" ");
      write_empty(*points[i]);
    }
  }

  // True unless it is an empty element.
  bool is_text(const MarkupNode& point) const {
    return marks_[point.mark()].kind == InlineMark::Kind::kPoint;
  }

  // ", {0}" goes to the end of a word.
  bool follows_directly(const MarkupNode& point) const {
    const MarkedPart& first = parts_of(point).front();
    return !first.is_markup && ends_phrase(first_character(first.text));
  }

  // Whether a point needs a space after the character before it: where it had one, and after a word
  // instead of its punctuation.
  bool wants_space(char32_t last, const MarkupNode& point) const {
    const InlineMark& mark = marks_[point.mark()];
    if (!is_text(point) || last == 0 || is_space(last) || is_bracket(last)) return false;
    if (follows_directly(point)) return false;
    if (mark.before == Neighbour::kPunctuation) return is_word_character(last);
    return mark.before == Neighbour::kSpace;
  }

  bool wants_space(const MarkupNode& point, char32_t next) const {
    const InlineMark& mark = marks_[point.mark()];
    if (!is_text(point) || next == 0 || closes_up(next)) return false;
    if (mark.after == Neighbour::kPunctuation) return is_word_character(next);
    return mark.after == Neighbour::kSpace;
  }

  static bool is_bracket(char32_t c) { return c == '(' || c == '[' || c == U'\u201E'; }

  // Punctuation that directly follows text.
  static bool closes_up(char32_t c) { return ends_phrase(c) || closes(c); }

  void write_empty(const MarkupNode& node) {
    add_mark(node.open);
    for (const MarkupNode& child : node.children) write_empty(child);
    add_mark(node.close);
  }

  std::string_view part(size_t t) const { return slice(parts_[t].begin, parts_[t].end); }

  // The text before part t.
  std::string_view between(size_t t) const {
    const int32_t begin = t == 0 ? 0 : parts_[t - 1].end;
    return slice(begin,
                 t == parts_.size() ? static_cast<int32_t>(target_.size()) : parts_[t].begin);
  }

  std::string_view slice(int32_t begin, int32_t end) const {
    return target_.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  }

  void add_text(std::string_view text) {
    if (text.empty()) return;
    if (written_.empty() || written_.back().is_markup) written_.emplace_back();
    written_.back().text += text;
    constexpr size_t kMostBytes = 4;  // per character
    last_text_ = text.substr(text.size() - std::min(text.size(), kMostBytes));
  }

  void add_mark(int32_t mark) {
    if (mark < 0) return;
    const InlineMark& added = marks_[static_cast<size_t>(mark)];
    written_.insert(written_.end(), added.parts.begin(), added.parts.end());
    if (added.kind != InlineMark::Kind::kPoint) return;
    const std::string& last = added.parts.back().text;
    last_text_ = is_space_reference(last) ? " " : last;
  }

  std::span<const InlineMark> marks_;
  std::string_view target_;
  std::span<const TextSpan> parts_;
  std::vector<MarkedPart> written_;
  std::string last_text_;  // the end of what was written, without tags
};

}  // namespace

std::vector<MarkedPart> written_markup(const MarkupNode& root, std::span<const InlineMark> marks,
                                       std::string_view target,
                                       std::span<const TextSpan> target_parts) {
  return Writer(marks, target, target_parts).write(root);
}

}  // namespace dietmt::nmt
