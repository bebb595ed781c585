#include "nmt/alignment/markup_placement.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

class Placement {
 public:
  Placement(std::span<const InlineMark> marks, const Segments& source, const Segments& target,
            const PartAttention& attention)
      : marks_(marks), source_(source), target_(target), attention_(attention) {
    for (size_t t = 0; t < attention.targets; ++t) {
      sums_.push_back(0.0F);
      for (size_t s = 0; s < attention.sources; ++s)
        sums_.push_back(sums_.back() + attention.at(t, s));
    }
  }

  // Places the children of an element whose run is known.
  void place(MarkupNode& parent) {
    std::vector<MarkupNode*> elements, points;
    for (MarkupNode& child : parent.children)
      (child.source.empty() ? points : elements).push_back(&child);
    // Elements that reach to an end first, then those with the most words.
    std::ranges::stable_sort(elements, [](const MarkupNode* a, const MarkupNode* b) {
      const auto rank = [](const MarkupNode* n) {
        return std::pair(n->from_start || n->to_end, n->source.length());
      };
      return rank(a) > rank(b);
    });
    Owners owners(attention_.targets);
    const Frame frame{source_.inside_punctuation(parent.source),
                      target_.inside_punctuation(parent.target)};
    for (MarkupNode* element : elements) {
      const bool is_whole = element->source.length() == parent.source.length();
      element->target =
          is_whole ? parent.target : best_run(*element, frame.run_of(*element, parent), owners);
      if (element->is_point()) {
        points.push_back(element);
        continue;
      }
      std::fill(owners.begin() + static_cast<std::ptrdiff_t>(element->target.first),
                owners.begin() + static_cast<std::ptrdiff_t>(element->target.last), element);
      place(*element);
    }
    aligned_.clear();
    for (MarkupNode* point : points) place_point(*point, parent, frame, owners);
  }

 private:
  using Owners = std::vector<const MarkupNode*>;  // of target parts; null: no child's

  // The punctuation around an element's text, without that of a phrase inside.
  struct Frame {
    Run source;
    Run target;

    // What comes before the final punctuation in the source stays before it.
    size_t end_for(const MarkupNode& child, const MarkupNode& parent) const {
      const bool is_inside =
          source.last < parent.source.last && child.source.last <= source.last && !child.to_end;
      return is_inside ? target.last : parent.target.last;
    }

    // The translation may have initial punctuation even if the source does not.
    size_t begin_for(const MarkupNode& child, const MarkupNode& parent) const {
      const bool is_inside = child.source.first >= source.first && !child.from_start;
      return is_inside ? target.first : parent.target.first;
    }

    // An element gets the final punctuation rather than nothing.
    Run run_of(const MarkupNode& element, const MarkupNode& parent) const {
      const Run run{parent.target.first, end_for(element, parent)};
      return run.empty() ? parent.target : run;
    }
  };

  // Attention of a target part to the source parts of the run, minus one half.
  float gain(size_t target, Run source) const {
    const auto sum = [&](size_t s) { return sums_[target * (attention_.sources + 1) + s]; };
    const float all = sum(attention_.sources);
    const float inside = sum(source.last) - sum(source.first);
    return (all > 0.0F ? inside / all : 0.0F) - 0.5F;
  }

  // The run of free parts with the largest sum of gains (Kadane's algorithm); the first of equal
  // ones. Empty if no part is free.
  Run best_run(const MarkupNode& node, Run within, const Owners& owners) const {
    Run best, open{within.first, within.first};
    float best_sum = 0.0F, sum = 0.0F;
    for (size_t t = within.first; t < within.last; ++t) {
      const bool must_stop = owners[t] != nullptr;
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

  // The gap before a target part, and whether a point there belongs to the part before it.
  struct Gap {
    size_t at = 0;
    bool glued_before = false;
  };

  void place_point(MarkupNode& point, const MarkupNode& parent, const Frame& frame,
                   const Owners& owners) {
    const auto [found, glued_before] = gap_of(point, parent);
    const bool is_in_front = marks_[point.mark()].place == InlineMark::Place::kStart;
    const size_t first = is_in_front ? parent.target.first : frame.begin_for(point, parent);
    const size_t inside = std::max(std::min(found, frame.end_for(point, parent)), first);
    size_t at = outside_of_word(inside, glued_before, point, parent);
    const bool is_between = at > parent.target.first && at < parent.target.last;
    if (is_between && owners[at] != nullptr && owners[at] == owners[at - 1]) {
      const Run sibling = owners[at]->target;  // a point is not inside another child
      at = glued_before ? sibling.last : sibling.first;
    }
    point.target = {at, at};
    point.glued_before = glued_before;
  }

  // A point with a space next to it splits no word: "Setup-Datei {0}" rather than "Setup-{0}Datei".
  size_t outside_of_word(size_t at, bool glued_before, const MarkupNode& point,
                         const MarkupNode& parent) const {
    const InlineMark& mark = marks_[point.mark()];
    const bool has_space =
        mark.before == InlineMark::Neighbour::kSpace || mark.after == InlineMark::Neighbour::kSpace;
    if (!has_space) return at;
    while (at > parent.target.first && at < parent.target.last && target_.divides_word(at))
      at = glued_before ? at + 1 : at - 1;
    return at;
  }

  Gap gap_of(const MarkupNode& point, const MarkupNode& parent) {
    const InlineMark& mark = marks_[point.mark()];
    const size_t next = point.source.first;
    const Run within = parent.target;
    const bool has_before = next > parent.source.first;
    const bool has_after = next < parent.source.last;
    if (point.to_end) return {within.last, has_before};
    if (point.from_start || mark.place == InlineMark::Place::kStart || !(has_before || has_after))
      return {within.first, false};
    if (mark.place == InlineMark::Place::kEnd)
      return {has_after ? before_last_punctuation(within) : within.last, has_before};
    if (const auto inside = inside_of_brackets(mark, point, parent)) return *inside;
    if (has_before && (!has_after || prefers_before(mark, next))) {
      const bool touches = mark.before != InlineMark::Neighbour::kSpace;
      return {aligned_with(next - 1, within, touches) + 1, true};
    }
    return {aligned_with(next, within, mark.after != InlineMark::Neighbour::kSpace), false};
  }

  // The gap next to the same bracket, if the point was next to one and the target has it.
  std::optional<Gap> inside_of_brackets(const InlineMark& mark, const MarkupNode& point,
                                        const MarkupNode& parent) {
    const size_t next = point.source.first;
    const auto same_as = [&](size_t s) -> std::optional<size_t> {
      const size_t t = aligned_with(s, parent.target, true);
      const bool is_same = t < parent.target.last && target_.at(t) == source_.at(s);
      return is_same ? std::optional(t) : std::nullopt;
    };
    if (mark.before == InlineMark::Neighbour::kPunctuation && next > parent.source.first &&
        is_bracket(source_.at(next - 1), "([")) {
      if (const auto opening = same_as(next - 1)) return Gap{*opening + 1, true};
    }
    if (mark.after == InlineMark::Neighbour::kPunctuation && next < parent.source.last &&
        is_bracket(source_.at(next), ")]")) {
      if (const auto closing = same_as(next)) return Gap{*closing, false};
    }
    return std::nullopt;
  }

  static bool is_bracket(std::string_view part, std::string_view brackets) {
    return part.size() == 1 && brackets.find(part.front()) != std::string_view::npos;
  }

  size_t before_last_punctuation(Run within) const {
    size_t at = within.last;
    while (at > within.first && ends_phrase(first_character(target_.at(at - 1)))) --at;
    return at == within.first ? within.last : at;
  }

  // Whether a point belongs to the part before it rather than to the one after it.
  bool prefers_before(const InlineMark& mark, size_t next) const {
    if (mark.kind != InlineMark::Kind::kPoint) return true;
    if (is_word(next) != is_word(next - 1)) return is_word(next - 1);
    return mark.before != InlineMark::Neighbour::kSpace;
  }

  bool is_word(size_t source_part) const { return source_.are_words[source_part]; }

  // Cached, since many points may be next to one part. `touches`: without a space between them.
  size_t aligned_with(size_t source, Run within, bool touches) {
    const bool wants_same = touches || !is_word(source);
    const auto [found, is_new] = aligned_.try_emplace(2 * source + (wants_same ? 1 : 0));
    if (is_new) found->second = best_aligned(source, within, wants_same);
    return found->second;
  }

  // The target part that attends most to a source part, the first of equal ones. A word prefers
  // words to punctuation of the same token; punctuation, and a part that touches a point, prefer
  // identical text, if there is any.
  size_t best_aligned(size_t source, Run within, bool wants_same) const {
    const bool is_punctuation = !is_word(source);
    size_t best = within.first;
    bool is_same = false;
    for (size_t t = within.first; t < within.last; ++t) {
      const bool equal = wants_same && target_.at(t) == source_.at(source);
      if (is_same && !equal) continue;
      const float weight = attention_.at(t, source), most = attention_.at(best, source);
      const bool is_better = weight > most || (weight == most && !is_punctuation && t != best &&
                                               !target_.are_words[best] && target_.are_words[t]);
      if ((equal && !is_same) || is_better) best = t;
      is_same = is_same || equal;
    }
    return best;
  }

  std::span<const InlineMark> marks_;
  const Segments& source_;
  const Segments& target_;
  const PartAttention& attention_;
  std::vector<float> sums_;  // of attention, before each source part: [targets, sources + 1]
  // Source part to target part of an element. Key: 2 * source part + whether identical text is
  // wanted.
  std::unordered_map<size_t, size_t> aligned_;
};

}  // namespace

void place_nodes(MarkupNode& root, std::span<const InlineMark> marks, const Segments& source,
                 const Segments& target, const PartAttention& attention) {
  Placement(marks, source, target, attention).place(root);
}

}  // namespace dietmt::nmt
