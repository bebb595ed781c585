#include "nmt/alignment/markup_tree.h"

#include <algorithm>
#include <utility>

namespace dietmt::nmt {
namespace {

using data::TextSpan;

class TreeBuilder {
 public:
  TreeBuilder(const MarkedText& source, std::span<const TextSpan> parts) : parts_(parts) {
    open_.push_back({});
    for (size_t i = 0; i < source.marks.size(); ++i) add(source.marks[i], static_cast<int32_t>(i));
    while (open_.size() > 1) end_element(-1, static_cast<int32_t>(source.text.size()));
  }

  MarkupNode root() && {
    open_.front().node.source = {0, parts_.size()};
    return std::move(open_.front().node);
  }

 private:
  struct OpenElement {
    MarkupNode node;
    int32_t at = 0;   // byte of its start tag
    size_t free = 0;  // first part that no earlier element has
  };

  void add(const InlineMark& mark, int32_t index) {
    const size_t part = part_at(mark.at);
    const bool has_partner = mark.partner >= 0;
    if (mark.kind == InlineMark::Kind::kOpen && (has_partner || pairs_ == 0)) {
      const size_t free = open_.back().free;
      OpenElement& element = open_.emplace_back();
      element.free = free;
      element.node.open = index;
      element.node.to_end = !has_partner;
      element.at = mark.at;
      pairs_ += has_partner ? 1 : 0;
    } else if (mark.kind == InlineMark::Kind::kClose && has_partner) {
      end_element(index, mark.at);
      --pairs_;
    } else if (mark.kind == InlineMark::Kind::kClose && open_.size() == 1 &&
               wraps_ < static_cast<int64_t>(kMaxDepth)) {
      ++wraps_;
      MarkupNode element = std::exchange(open_.front().node, {});
      element.from_start = true;
      element.close = index;
      element.source = {0, part};
      open_.front().free = part;
      open_.front().node.children.push_back(std::move(element));
    } else {
      MarkupNode point;
      point.open = index;
      point.source = {part, part};
      open_.back().node.children.push_back(std::move(point));
    }
  }

  void end_element(int32_t close, int32_t at) {
    OpenElement element = std::move(open_.back());
    open_.pop_back();
    OpenElement& parent = open_.back();
    const size_t last = part_at(at);
    const size_t first = element.at < at ? part_around(element.at) : last;
    element.node.close = close;
    element.node.source = {std::min(std::max(first, parent.free), last), last};
    if (!element.node.source.empty()) parent.free = last;
    parent.node.children.push_back(std::move(element.node));
  }

  // The first part that begins at or after a byte.
  size_t part_at(int32_t byte) const {
    const auto begins_before = [](const TextSpan& part, int32_t at) { return part.begin < at; };
    return static_cast<size_t>(std::lower_bound(parts_.begin(), parts_.end(), byte, begins_before) -
                               parts_.begin());
  }

  // The part that contains this byte, or the next one.
  size_t part_around(int32_t byte) const {
    const size_t next = part_at(byte);
    return next > 0 && parts_[next - 1].end > byte ? next - 1 : next;
  }

  std::span<const TextSpan> parts_;
  std::vector<OpenElement> open_;  // the root, then the open elements
  int64_t pairs_ = 0;              // open elements with a partner
  int64_t wraps_ = 0;              // elements that begin in an earlier sentence
};

}  // namespace

MarkupNode markup_tree(const MarkedText& source, std::span<const TextSpan> parts) {
  return TreeBuilder(source, parts).root();
}

}  // namespace dietmt::nmt
