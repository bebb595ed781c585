// Texts inside the syntax of a spreadsheet: the headers of its pages and the choices of a cell.
#pragma once

#include <libxml/tree.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/office/unique_segments.h"

namespace dietmt::service {

class CodedTexts {
 public:
  explicit CodedTexts(UniqueSegments& segments) : segments_(segments) {}

  /// Adds the texts of an element if it holds a header, a footer or a list of choices.
  void add(xmlNode* element);

  bool empty() const { return texts_.empty(); }
  /// Returns how many texts did not fit and stay as they were.
  size_t fill(const std::vector<Translation>& translations) const;

 private:
  // A text that is translated, with codes such as &P as its marks, or one that stays.
  struct Piece {
    std::string fixed;
    std::optional<SegmentPlace> place;
    std::vector<std::string> codes;
  };
  struct Text {
    xmlNode* node = nullptr;  // an element or an attribute
    bool is_header = false;
    std::vector<Piece> pieces;
  };

  void add_header(xmlNode* element);
  void add_choices(xmlNode* node, bool split);
  // Adds a piece; `raw` stays if there is nothing to translate.
  void add_piece(Text& text, const std::string& raw, nmt::MarkedText content,
                 std::vector<std::string> codes);
  void keep(Text text);
  static void append(const Piece& piece, const Translation& translation, std::string& header);

  UniqueSegments& segments_;
  std::vector<Text> texts_;
};

}  // namespace dietmt::service
