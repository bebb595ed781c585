#include "service/documents/inline_codes.h"

#include <unordered_map>
#include <utility>

#include "common/interruption.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

bool is_text(const xmlNode* node) {
  return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE;
}

}  // namespace

// Reads the content of an element.
class InlineSegments::Encoder {
 public:
  explicit Encoder(const InlineKindOf& kind_of) : kind_of_(kind_of) {}

  void add_children(xmlNode* element) {
    const Ends ends = ends_of_pairs(element);
    std::unordered_map<const xmlNode*, size_t> open;  // marks, by the end of their pair
    for (xmlNode* child = element->children; child != nullptr; child = child->next) {
      check_interruption();
      if (is_text(child)) {
        text_.text += content_of(child);
      } else if (const auto begin = open.find(child); begin != open.end()) {
        add_end(begin->second, {.node = child});
      } else if (const auto end = ends.find(child); end != ends.end()) {
        open[end->second] = add(">", {.node = child});
      } else if (is_element(child)) {
        const size_t mark = add(">", {.node = child, .is_element = true});
        add_children(child);
        add_end(mark, {.node = child, .is_element = true, .is_end = true});
      } else {
        add("/>", {.node = child});
      }
    }
  }

  nmt::MarkedText text() && { return std::move(text_); }
  std::vector<Node> nodes() && { return std::move(nodes_); }

 private:
  using Ends = std::unordered_map<const xmlNode*, xmlNode*>;

  bool is_element(const xmlNode* node) const {
    return node->type == XML_ELEMENT_NODE && kind_of_(node).kind == InlineKind::kElement;
  }

  // The starts of pairs in one element, with their ends, if they are nested.
  Ends ends_of_pairs(const xmlNode* element) const {
    Ends ends;
    std::vector<std::pair<const xmlNode*, std::string>> open;
    std::unordered_map<std::string, std::vector<size_t>> places;  // in `open`, some already closed
    for (xmlNode* child = element->children; child != nullptr; child = child->next) {
      check_interruption();
      if (child->type != XML_ELEMENT_NODE) continue;
      const InlineNode node = kind_of_(child);
      if (node.kind == InlineKind::kBegin) {
        places[node.pair].push_back(open.size());
        open.emplace_back(child, node.pair);
      }
      if (node.kind != InlineKind::kEnd) continue;
      std::vector<size_t>& of_pair = places[node.pair];
      while (!of_pair.empty() &&
             (of_pair.back() >= open.size() || open[of_pair.back()].second != node.pair))
        of_pair.pop_back();
      if (of_pair.empty()) continue;
      ends[open[of_pair.back()].first] = child;
      open.resize(of_pair.back());
    }
    return ends;
  }

  size_t add(const char* end, Node node) {
    add_mark("<g" + std::to_string(codes_++) + end, text_);
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }

  void add_end(size_t begin, Node node) {
    text_.marks[begin].partner = static_cast<int32_t>(nodes_.size());
    add_mark("</" + text_.marks[begin].parts.front().text.substr(1), text_);
    text_.marks.back().partner = static_cast<int32_t>(begin);
    nodes_.push_back(node);
  }

  const InlineKindOf& kind_of_;
  nmt::MarkedText text_;
  std::vector<Node> nodes_;
  size_t codes_ = 0;  // nodes except the ends of others
};

void InlineSegments::add(xmlNode* element, bool keeps_lines, const InlineKindOf& kind_of) {
  Encoder encoder(kind_of);
  encoder.add_children(element);
  auto place = add_segment(std::move(encoder).text(), segments_);
  if (!place) return;
  if (!keeps_lines) segments_.back() = join_lines(segments_.back());
  filled_.push_back({element, std::move(encoder).nodes(), *std::move(place)});
}

void InlineSegments::fill(const std::vector<Translation>& translations) const {
  for (const Segment& segment : filled_) {
    check_interruption();
    const Translation& translation = translations.at(segment.place.segment);
    for (const Node& node : segment.nodes) xmlUnlinkNode(node.node);
    for (const Node& node : segment.nodes)
      if (node.is_element) discard_content(node.node);
    discard_content(segment.element);
    has_all_marks(translation, segments_[segment.place.segment])
        ? add_in_places(segment, translation)
        : add_after_text(segment, translation);
  }
}

void InlineSegments::add_in_places(const Segment& segment, const Translation& translation) {
  std::vector<xmlNode*> parents = {segment.element};
  std::string text = segment.place.before;
  for (const nmt::MarkedPart& part : translation) {
    if (part.mark < 0) {
      text += part.text;
      continue;
    }
    append_text(parents.back(), std::exchange(text, {}));
    const Node& node = segment.nodes[static_cast<size_t>(part.mark)];
    if (node.is_end) {
      parents.pop_back();
    } else {
      xmlAddChild(parents.back(), node.node);
      if (node.is_element) parents.push_back(node.node);
    }
  }
  append_text(segment.element, text + segment.place.after);
}

void InlineSegments::add_after_text(const Segment& segment, const Translation& translation) {
  append_text(segment.element,
              segment.place.before + plain_text(translation) + segment.place.after);
  for (const Node& node : segment.nodes)
    if (!node.is_end) xmlAddChild(segment.element, node.node);
}

}  // namespace dietmt::service
