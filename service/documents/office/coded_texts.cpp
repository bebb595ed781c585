#include "service/documents/office/coded_texts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/ascii.h"
#include "data/text/word_text.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

constexpr size_t kMostCharacters = 255;  // of a header or a list, in Excel

// The bytes of the code at `at`, where & is: a font in quotes, a size, a colour or a letter.
size_t code_length(std::string_view text, size_t at) {
  constexpr size_t kColour = 8;
  const char c = at + 1 < text.size() ? text[at + 1] : '\0';
  size_t end = at + 2;
  if (c == '"') {
    end = std::min(text.find('"', end), text.size() - 1) + 1;
  } else if (is_ascii_digit(c)) {
    while (end < text.size() && is_ascii_digit(text[end])) ++end;
  } else if (c == 'K') {
    end = at + kColour;
  }
  return std::min(end, text.size()) - at;
}

std::string doubled(const std::string& text, char character) {
  std::string result;
  for (const char c : text) result.append(c == character ? 2 : 1, c);
  return result;
}

}  // namespace

void CodedTexts::add(xmlNode* element) {
  constexpr std::array<std::string_view, 6> kHeaders = {"oddHeader",  "oddFooter",   "evenHeader",
                                                        "evenFooter", "firstHeader", "firstFooter"};
  const std::string_view name = element_name(element);
  if (has_elements(element) && name != "content-validation") return;
  if (is_among(name, kHeaders) && element_name(element->parent) == "headerFooter")
    add_header(element);
  if (name == "formula1" && content_of(element).starts_with('"')) add_choices(element, true);
  if (name == "content-validation" &&
      attribute(element, "condition").find("is-in-list(") != std::string::npos)
    add_choices(reinterpret_cast<xmlNode*>(attribute_node(element, "condition")), false);
}

size_t CodedTexts::fill(const std::vector<Translation>& translations) const {
  size_t refused = 0;
  for (const Text& text : texts_) {
    std::string written;
    bool fits = true;
    for (const Piece& piece : text.pieces) {
      written += piece.fixed;
      if (!piece.place) continue;
      const Translation& translation = translations.at(piece.place->segment);
      if (text.is_header) {
        append(piece, translation, written);
        continue;
      }
      const std::string item = piece.place->before + plain_text(translation) + piece.place->after;
      fits = fits && item.find_first_of(",;") == item.npos;
      written += doubled(item, '"');
    }
    fits = fits && data::characters_of(written).size() <= kMostCharacters;
    if (fits) set_content(text.node, written);
    refused += fits ? 0 : 1;
  }
  return refused;
}

// Left, middle and right are three texts.
void CodedTexts::add_header(xmlNode* element) {
  const std::string header = content_of(element);
  Text text{element, true, {}};
  size_t begin = 0;  // of a piece
  nmt::MarkedText content;
  std::vector<std::string> codes;
  for (size_t at = 0; at <= header.size();) {
    const bool is_end = at == header.size();
    if (!is_end && header[at] != '&') {
      content.text += header[at++];
      continue;
    }
    const std::string code = is_end ? "" : header.substr(at, code_length(header, at));
    const bool is_section = code == "&L" || code == "&C" || code == "&R";
    if (code == "&&") {
      content.text += '&';
    } else if (is_end || is_section || content.text.empty()) {
      add_piece(text, header.substr(begin, at - begin), std::exchange(content, {}),
                std::exchange(codes, {}));
      text.pieces.push_back({code, {}, {}});
      begin = at + code.size();
    } else {
      add_mark("<g" + std::to_string(codes.size()) + "/>", content);
      codes.push_back(code);
    }
    at += is_end ? 1 : code.size();
  }
  keep(std::move(text));
}

// The texts in quotes, in Excel with commas between them.
void CodedTexts::add_choices(xmlNode* node, bool split) {
  const std::string list = content_of(node);
  Text text{node, false, {}};
  std::string item, fixed;
  bool is_quoted = false;
  for (size_t at = 0; at < list.size(); ++at) {
    const char c = list[at];
    const bool is_quote = c == '"';
    if (is_quoted && is_quote && list.compare(at + 1, 1, "\"") == 0) {
      item += list[at++];
    } else if (is_quote || (is_quoted && split && c == ',')) {
      add_piece(text, doubled(item, '"'), {std::exchange(item, {}), {}, {}}, {});
      text.pieces.push_back({std::string(1, c), {}, {}});
      is_quoted = is_quoted != is_quote;
    } else if (is_quoted) {
      item += c;
    } else {
      text.pieces.push_back({std::string(1, c), {}, {}});
    }
  }
  if (!is_quoted) keep(std::move(text));
}

void CodedTexts::add_piece(Text& text, const std::string& raw, nmt::MarkedText content,
                           std::vector<std::string> codes) {
  auto place = segments_.add(std::move(content));
  text.pieces.push_back(place ? Piece{"", std::move(place), std::move(codes)} : Piece{raw, {}, {}});
}

void CodedTexts::keep(Text text) {
  if (std::ranges::any_of(text.pieces, [](const Piece& piece) { return piece.place.has_value(); }))
    texts_.push_back(std::move(text));
}

// A digit after a size would be part of it.
void CodedTexts::append(const Piece& piece, const Translation& translation, std::string& header) {
  header += doubled(piece.place->before, '&');
  std::vector<bool> seen(piece.codes.size());
  const auto add = [&](const std::string& text, bool is_code) {
    if (!is_code && !text.empty() && is_ascii_digit(text.front()) && !header.empty() &&
        is_ascii_digit(header.back()))
      header += ' ';
    header += is_code ? text : doubled(text, '&');
  };
  for (const nmt::MarkedPart& part : translation) {
    const auto mark = static_cast<size_t>(part.mark);
    if (part.mark < 0) {
      add(part.text, false);
    } else if (mark < seen.size() && !seen[mark]) {
      seen[mark] = true;
      add(piece.codes[mark], true);
    }
  }
  for (size_t mark = 0; mark < seen.size(); ++mark)
    if (!seen[mark]) add(piece.codes[mark], true);
  header += doubled(piece.place->after, '&');
}

}  // namespace dietmt::service
