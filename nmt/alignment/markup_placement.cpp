#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {
namespace {

using data::TextSpan;

// The parts first .. last - 1 of a text.
struct Run {
  size_t first = 0;
  size_t last = 0;

  bool empty() const { return first >= last; }
};

// An element or a point. The sentence is the root.
struct Node {
  int32_t open = -1;  // marks; -1: none in this sentence
  int32_t close = -1;
  Run source;
  bool from_start = false;  // its start tag is in an earlier sentence, or it is the root
  bool to_end = false;      // its end tag is in a later one
  std::vector<Node> children;

  Run target;                 // an empty one: a point before part target.first
  bool glued_before = false;  // a point next to the part before it
  bool spaced = false;        // a point with white space on the side away from that part

  bool is_point() const { return target.empty(); }
  size_t mark() const { return static_cast<size_t>(std::max(open, close)); }
};

// The nodes of the marks. A tag without a partner reaches to the end of the sentence, or from its
// start, if no pair of tags is around it; otherwise it is a point.
class Tree {
 public:
  Tree(const MarkedText& source, std::span<const TextSpan> parts) : parts_(parts) {
    open_.push_back({});
    for (size_t i = 0; i < source.marks.size(); ++i) add(source.marks[i], static_cast<int32_t>(i));
    while (open_.size() > 1) end_element(-1, parts_.size());
  }

  Node root() && { return std::move(open_.front()); }

 private:
  void add(const InlineMark& mark, int32_t index) {
    const size_t part = part_at(mark.at);
    const bool has_partner = mark.partner >= 0;
    if (mark.kind == InlineMark::Kind::kOpen && (has_partner || pairs_ == 0)) {
      Node& element = open_.emplace_back();
      element.open = index;
      element.source = {part, part};
      element.to_end = !has_partner;
      pairs_ += has_partner ? 1 : 0;
    } else if (mark.kind == InlineMark::Kind::kClose && has_partner) {
      end_element(index, part);
      --pairs_;
    } else if (mark.kind == InlineMark::Kind::kClose && open_.size() == 1 &&
               wraps_ < static_cast<int64_t>(kMaxDepth)) {
      ++wraps_;
      Node element = std::exchange(open_.front(), {});
      element.from_start = true;
      element.close = index;
      element.source = {0, part};
      open_.front().children.push_back(std::move(element));
    } else {
      Node point;
      point.open = index;
      point.source = {part, part};
      open_.back().children.push_back(std::move(point));
    }
  }

  void end_element(int32_t close, size_t part) {
    Node element = std::move(open_.back());
    open_.pop_back();
    element.close = close;
    element.source.last = part;
    open_.back().children.push_back(std::move(element));
  }

  size_t part_at(int32_t byte) const {
    const auto begins_before = [](const TextSpan& part, int32_t at) { return part.begin < at; };
    return static_cast<size_t>(std::lower_bound(parts_.begin(), parts_.end(), byte, begins_before) -
                               parts_.begin());
  }

  std::span<const TextSpan> parts_;
  std::vector<Node> open_;  // the root, then the elements that are open
  int64_t pairs_ = 0;       // of them with a partner
  int64_t wraps_ = 0;       // elements that begin in an earlier sentence
};

bool has_word(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < size;) {
    UChar32 character = 0;
    U8_NEXT(bytes, at, size, character);
    if (character >= 0 && u_isalnum(character)) return true;
  }
  return false;
}

// Gives each node its run of target parts.
class Placement {
 public:
  Placement(const MarkedText& source, std::span<const TextSpan> source_parts,
            const PartAttention& attention)
      : source_(source), source_parts_(source_parts), attention_(attention) {}

  // The children of an element whose run is known.
  void place(Node& parent) const {
    std::vector<Node*> elements, points;
    for (Node& child : parent.children)
      (child.source.empty() ? points : elements).push_back(&child);
    // Elements that reach to an end first, then those with the most words.
    std::ranges::stable_sort(elements, [](const Node* a, const Node* b) {
      const auto rank = [](const Node* n) { return std::pair(reaches_end(*n), length(n->source)); };
      return rank(a) > rank(b);
    });
    std::vector<bool> taken(attention_.targets);
    for (Node* element : elements) {
      const bool is_whole = length(element->source) == length(parent.source);
      element->target = is_whole ? parent.target : best_run(*element, parent.target, taken);
      if (element->is_point()) {
        points.push_back(element);
        continue;
      }
      std::fill(taken.begin() + static_cast<std::ptrdiff_t>(element->target.first),
                taken.begin() + static_cast<std::ptrdiff_t>(element->target.last), true);
      place(*element);
    }
    for (Node* point : points) place_point(*point, parent);
  }

 private:
  static bool reaches_end(const Node& node) { return node.from_start || node.to_end; }
  static size_t length(Run run) { return run.last - run.first; }

  // How much more than half of a target part's attention falls on source parts of the run.
  float gain(size_t target, Run source) const {
    const auto row =
        attention_.weights.begin() + static_cast<std::ptrdiff_t>(target * attention_.sources);
    const auto at = [&](size_t s) { return row + static_cast<std::ptrdiff_t>(s); };
    const float all = std::accumulate(row, at(attention_.sources), 0.0F);
    const float inside = std::accumulate(at(source.first), at(source.last), 0.0F);
    return (all > 0.0F ? inside / all : 0.0F) - 0.5F;
  }

  // The run of free parts with the largest sum of gains (Kadane's algorithm); of equal ones the
  // first. None if no part is free.
  Run best_run(const Node& node, Run within, const std::vector<bool>& taken) const {
    Run best, open{within.first, within.first};
    float best_sum = 0.0F, sum = 0.0F;
    for (size_t t = within.first; t < within.last; ++t) {
      const bool must_stop = taken[t];
      const bool restart = (t == open.last && open.empty()) || (sum <= 0.0F && !node.from_start);
      if (must_stop) {
        open = {t + 1, t + 1};
        sum = 0.0F;
        if (node.from_start) break;
        continue;
      }
      if (restart) {
        open = {t, t};
        sum = 0.0F;
      }
      sum += gain(t, node.source);
      open.last = t + 1;
      if (node.to_end && open.last != within.last) continue;
      if (best.empty() || sum > best_sum) {
        best = open;
        best_sum = sum;
      }
    }
    return best;
  }

  void place_point(Node& point, const Node& parent) const {
    const InlineMark& mark = source_.marks[point.mark()];
    const size_t next = point.source.first;
    const bool has_before = next > parent.source.first;
    const bool has_after = next < parent.source.last;
    point.glued_before = has_before && (!has_after || prefers_before(mark, next));
    point.spaced = mark.kind == InlineMark::Kind::kPoint &&
                   (point.glued_before ? mark.spaced_before : mark.spaced_after);
    size_t at = parent.target.first;
    if (point.to_end)
      at = parent.target.last;
    else if (!point.from_start && (has_before || has_after))
      at = point.glued_before ? aligned_with(next - 1, parent.target) + 1
                              : aligned_with(next, parent.target);
    at = std::min(at, parent.target.last);
    // Not inside another child.
    for (const Node& sibling : parent.children)
      if (!sibling.is_point() && at > sibling.target.first && at < sibling.target.last)
        at = point.glued_before ? sibling.target.last : sibling.target.first;
    point.target = {at, at};
  }

  // Whether a point belongs to the part before it rather than to the one after it.
  bool prefers_before(const InlineMark& mark, size_t next) const {
    if (is_word(next) != is_word(next - 1)) return is_word(next - 1);
    return !mark.spaced_before;
  }

  bool is_word(size_t source_part) const {
    const TextSpan part = source_parts_[source_part];
    return has_word(
        std::string_view(source_.text)
            .substr(static_cast<size_t>(part.begin), static_cast<size_t>(part.end - part.begin)));
  }

  // The target part that attends most to a source part.
  size_t aligned_with(size_t source, Run within) const {
    size_t best = within.first;
    for (size_t t = within.first; t < within.last; ++t)
      if (attention_.at(t, source) > attention_.at(best, source)) best = t;
    return best;
  }

  const MarkedText& source_;
  std::span<const TextSpan> source_parts_;
  const PartAttention& attention_;
};

// Writes the target's parts, the white space between them and the marks.
class Writer {
 public:
  Writer(const MarkedText& source, std::string_view target, std::span<const TextSpan> parts)
      : marks_(source.marks), target_(target), parts_(parts) {}

  std::vector<MarkedPart> write(const Node& root) {
    add_text(between(0));
    write_inside(root, {0, parts_.size()});
    add_text(between(parts_.size()));
    return std::move(written_);
  }

 private:
  void write_inside(const Node& parent, Run run) {
    size_t t = run.first;
    while (true) {
      write_points(parent, t, true);
      if (t != run.first && t != run.last) add_text(between(t));
      write_points(parent, t, false);
      if (t == run.last) return;
      const auto child = std::ranges::find_if(parent.children, [&](const Node& one) {
        return !one.is_point() && one.target.first == t;
      });
      if (child == parent.children.end()) {
        add_text(part(t++));
        continue;
      }
      add_mark(child->open);
      write_inside(*child, child->target);
      add_mark(child->close);
      t = child->target.last;
    }
  }

  void write_points(const Node& parent, size_t at, bool glued_before) {
    for (const Node& child : parent.children)
      if (child.is_point() && child.target.first == at && child.glued_before == glued_before)
        write_point(child, at);
  }

  // A point and, if the element is empty, what is inside it.
  void write_point(const Node& point, size_t at) {
    const bool is_first = written_.empty();
    const InlineMark& mark = marks_[point.mark()];
    const bool is_joined = !point.glued_before && at > 0 && between(at).empty() &&
                           mark.kind == InlineMark::Kind::kPoint && mark.spaced_before;
    if (!is_first && (is_joined || (point.glued_before && point.spaced))) add_text(" ");
    write_empty(point);
    if (!point.glued_before && point.spaced && at < parts_.size()) add_text(" ");
  }

  void write_empty(const Node& node) {
    add_mark(node.open);
    for (const Node& child : node.children) write_empty(child);
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
  }

  void add_mark(int32_t mark) {
    if (mark >= 0) written_.push_back({marks_[static_cast<size_t>(mark)].raw, true});
  }

  const std::vector<InlineMark>& marks_;
  std::string_view target_;
  std::span<const TextSpan> parts_;
  std::vector<MarkedPart> written_;
};

std::vector<MarkedPart> placed(const MarkedText& source, std::span<const TextSpan> source_parts,
                               std::string_view target, std::span<const TextSpan> target_parts,
                               const PartAttention& attention) {
  Node root = Tree(source, source_parts).root();
  root.source = {0, source_parts.size()};
  root.target = {0, target_parts.size()};
  Placement(source, source_parts, attention).place(root);
  return Writer(source, target, target_parts).write(root);
}

}  // namespace

std::vector<MarkedPart> place_markup(const MarkedText& source,
                                     std::span<const TextSpan> source_tokens,
                                     const TokenizedText& target,
                                     std::span<const float> attention) {
  const std::vector<TextSpan> source_parts = segments_of(source.text);
  const std::vector<TextSpan> target_parts = segments_of(target.text);
  return placed(
      source, source_parts, target.text, target_parts,
      part_attention({source.text, source_tokens}, source_parts, target, target_parts, attention));
}

std::vector<MarkedPart> place_markup(const MarkedText& source, std::string_view target) {
  const std::vector<TextSpan> source_parts = segments_of(source.text);
  const std::vector<TextSpan> target_parts = segments_of(target);
  PartAttention diagonal{target_parts.size(), source_parts.size(), {}};
  diagonal.weights.resize(diagonal.targets * diagonal.sources);
  for (size_t t = 0; t < diagonal.targets && diagonal.sources > 0; ++t)
    diagonal.weights[t * diagonal.sources + t * diagonal.sources / diagonal.targets] = 1.0F;
  return placed(source, source_parts, target, target_parts, diagonal);
}

}  // namespace dietmt::nmt
