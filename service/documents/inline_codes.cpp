#include "service/documents/inline_codes.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "service/documents/segment_tags.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

bool is_text(const xmlNode* node) {
  return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE;
}

// The text of a segment without its codes.
std::string plain_text(const xmlNode* element, const InlineKindOf& kind_of) {
  std::string text;
  for (const xmlNode* child = element->children; child != nullptr; child = child->next) {
    if (is_text(child))
      text += content_of(child);
    else if (child->type == XML_ELEMENT_NODE && kind_of(child).kind == InlineKind::kElement)
      text += plain_text(child, kind_of);
  }
  return text;
}

void free_children(xmlNode* parent) {
  while (parent->children != nullptr) {
    xmlNode* const child = parent->children;
    xmlUnlinkNode(child);
    xmlFreeNode(child);
  }
}

}  // namespace

// Writes the content of an element with tags for its codes.
class InlineSegments::Encoder {
 public:
  Encoder(std::string tag, const InlineKindOf& kind_of) : tag_(std::move(tag)), kind_of_(kind_of) {}

  void add_children(xmlNode* element) {
    const std::map<const xmlNode*, xmlNode*> ends = ends_of_pairs(element);
    std::map<const xmlNode*, size_t> open;  // codes, by the ends of their pairs
    for (xmlNode* child = element->children; child != nullptr; child = child->next) {
      if (is_text(child)) {
        text_ += content_of(child);
      } else if (const auto close = open.find(child); close != open.end()) {
        write("</", close->second, ">");
      } else if (const auto end = ends.find(child); end != ends.end()) {
        open[end->second] = codes_.size();
        add({.open = child, .close = end->second}, ">");
      } else if (is_element(child)) {
        const size_t code = codes_.size();
        add({.open = child, .is_element = true}, ">");
        add_children(child);
        write("</", code, ">");
      } else {
        add({.open = child}, "/>");
      }
    }
  }

  std::string text() && { return std::move(text_); }
  std::vector<Code> codes() && { return std::move(codes_); }

 private:
  bool is_element(const xmlNode* node) const {
    return node->type == XML_ELEMENT_NODE && kind_of_(node).kind == InlineKind::kElement;
  }

  // The beginnings of pairs in one element, with their ends, if they are nested.
  std::map<const xmlNode*, xmlNode*> ends_of_pairs(const xmlNode* element) const {
    std::map<const xmlNode*, xmlNode*> ends;
    std::vector<std::pair<const xmlNode*, std::string>> open;
    std::unordered_map<std::string, std::vector<size_t>> places;  // in `open`, some closed since
    for (xmlNode* child = element->children; child != nullptr; child = child->next) {
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

  void add(Code code, const char* end) {
    write("<", codes_.size(), end);
    codes_.push_back(code);
  }

  void write(const char* begin, size_t code, const char* end) {
    text_ += begin + tag_ + std::to_string(code) + end;
  }

  const std::string tag_;
  const InlineKindOf& kind_of_;
  std::string text_;
  std::vector<Code> codes_;
};

// Puts a translation and the codes into their element again.
class InlineSegments::Rebuilder {
 public:
  Rebuilder(const Segment& segment, std::string_view text) : segment_(segment), text_(text) {
    size_t at = 0;
    while (const auto tag = next_tag(text, at, segment.tag)) {
      tags_.push_back(*tag);
      at = tag->end;
    }
  }

  void rebuild() {
    const bool is_whole = has_each_code_once();
    for (const Code& code : segment_.codes) {
      xmlUnlinkNode(code.open);
      if (code.close != nullptr) xmlUnlinkNode(code.close);
    }
    for (const Code& code : segment_.codes)
      if (code.is_element) free_children(code.open);
    free_children(segment_.element);
    is_whole ? add_in_places() : add_after_text();
  }

 private:
  bool has_each_code_once() const {
    std::vector<size_t> open;
    std::vector<bool> seen(segment_.codes.size());
    for (const SegmentTag& tag : tags_) {
      if (tag.code >= seen.size()) return false;
      const bool is_point = segment_.codes[tag.code].is_point();
      if (is_point != (tag.opens && tag.closes)) return false;
      if (tag.opens && seen[tag.code]) return false;
      seen[tag.code] = true;
      if (is_point) continue;
      if (tag.opens) {
        open.push_back(tag.code);
      } else {
        if (open.empty() || open.back() != tag.code) return false;
        open.pop_back();
      }
    }
    return open.empty() && std::ranges::find(seen, false) == seen.end();
  }

  void add_in_places() const {
    std::vector<xmlNode*> parents = {segment_.element};
    size_t at = 0;
    for (const SegmentTag& tag : tags_) {
      add_text(parents.back(), text_.substr(at, tag.begin - at));
      at = tag.end;
      const Code& code = segment_.codes[tag.code];
      if (tag.opens) xmlAddChild(parents.back(), code.open);
      if (code.is_element && tag.opens) parents.push_back(code.open);
      if (code.is_element && tag.closes) parents.pop_back();
      if (code.close != nullptr && tag.closes) xmlAddChild(parents.back(), code.close);
    }
    add_text(parents.back(), text_.substr(at));
  }

  void add_after_text() const {
    std::string plain;
    size_t at = 0;
    for (const SegmentTag& tag : tags_) {
      plain += text_.substr(at, tag.begin - at);
      at = tag.end;
    }
    add_text(segment_.element, plain + std::string(text_.substr(at)));
    for (const Code& code : segment_.codes) {
      xmlAddChild(segment_.element, code.open);
      if (code.close != nullptr) xmlAddChild(segment_.element, code.close);
    }
  }

  static void add_text(xmlNode* parent, std::string_view text) {
    if (text.empty()) return;
    const std::string terminated(text);
    xmlAddChild(parent,
                xmlNewDocText(parent->doc, reinterpret_cast<const xmlChar*>(terminated.c_str())));
  }

  const Segment& segment_;
  std::string_view text_;
  std::vector<SegmentTag> tags_;
};

void InlineSegments::add(xmlNode* element, bool keeps_lines, const InlineKindOf& kind_of) {
  const std::string plain = plain_text(element, kind_of);
  if (!has_letter(plain)) return;
  std::string tag = unused_tag_name(plain);
  Encoder encoder(tag, kind_of);
  encoder.add_children(element);
  auto codes = std::move(encoder).codes();
  auto place = add_segment(std::move(encoder).text(), segments_);
  if (!keeps_lines) segments_.back() = join_lines(segments_.back());
  filled_.push_back({element, std::move(tag), std::move(codes), *std::move(place)});
}

void InlineSegments::fill(const std::vector<std::string>& translations) const {
  for (const Segment& segment : filled_) {
    const std::string text = segment.place.filled(translations);
    Rebuilder(segment, text).rebuild();
  }
}

}  // namespace dietmt::service
