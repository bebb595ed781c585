#include "service/documents/inline_messages.h"

#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "common/interruption.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

// An element in a message. Tags are placeholders, and no text has this one.
constexpr std::string_view kElementBegin = "<dietmt-";
constexpr std::string_view kElementEnd = "/>";

struct FreeNode {
  void operator()(xmlNode* node) const { xmlFreeNode(node); }
};
using OwnNode = std::unique_ptr<xmlNode, FreeNode>;

// A message between its elements.
struct Piece {
  std::string text;
  OwnNode element;  // after it
};

}  // namespace

bool InlineMessages::reads(const xmlNode* element) const {
  std::vector<nmt::MarkedText> segments;
  const auto text = text_of(element);
  return text && MessageSentences::read(text->message, forms_, segments);
}

bool InlineMessages::add(xmlNode* element) {
  auto text = text_of(element);
  if (!text) return false;
  auto message = MessageSentences::read(text->message, forms_, segments_);
  if (!message) return false;
  filled_.push_back({element, std::move(text->nodes), *std::move(message)});
  return true;
}

size_t InlineMessages::fill(const std::vector<Translation>& translations) const {
  size_t refused = 0;
  for (const Filled& one : filled_) {
    check_interruption();
    if (one.message.size() == 0) continue;
    if (const auto message = one.message.with(translations, segments_))
      write(*message, one);
    else
      refused += one.message.size();
  }
  return refused;
}

// nullopt if an element has text, which would need a place in a sentence.
std::optional<InlineMessages::Text> InlineMessages::text_of(const xmlNode* element) {
  Text text;
  for (xmlNode* child = element->children; child != nullptr; child = child->next) {
    const std::string content = content_of(child);
    if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) {
      if (content.find(kElementBegin) != content.npos) return std::nullopt;
      text.message += content;
    } else {
      if (child->type == XML_ELEMENT_NODE && !content.empty()) return std::nullopt;
      text.message.append(kElementBegin)
          .append(std::to_string(text.nodes.size()))
          .append(kElementEnd);
      text.nodes.push_back(child);
    }
  }
  if (choices_in(text.message) != Choices::kComplete) return std::nullopt;
  return text;
}

void InlineMessages::write(const std::string& message, const Filled& filled) {
  std::vector<Piece> pieces;
  std::string_view rest = message;
  for (size_t at = rest.find(kElementBegin); at != rest.npos; at = rest.find(kElementBegin)) {
    const size_t end = rest.find(kElementEnd, at);
    const std::string_view digits =
        rest.substr(at + kElementBegin.size(), end - at - kElementBegin.size());
    size_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    pieces.push_back(
        {std::string(rest.substr(0, at)), OwnNode(copied(filled.nodes.at(number), Copy::kWhole))});
    rest.remove_prefix(end + kElementEnd.size());
  }
  discard_content(filled.element);
  for (Piece& piece : pieces) {
    append_text(filled.element, piece.text);
    drop_repeated_namespaces(xmlAddChild(filled.element, piece.element.release()));
  }
  append_text(filled.element, std::string(rest));
}

}  // namespace dietmt::service
