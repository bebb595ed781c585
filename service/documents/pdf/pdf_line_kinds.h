// What the lines of a PDF are, by their place and their shape: the format itself does not say.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/pdf/pdf_pages.h"

namespace dietmt::service {

enum class PdfLineKind {
  kText,
  kEdge,  // of a header or footer
  kCode,
  kNote,  // at the foot of a page
};

/// The bytes of a footnote's number or sign, with which a line begins; 0: none. "1." and "2)" are
/// marks of the items of lists.
size_t note_mark(std::string_view line);

class PdfLineKinds {
 public:
  explicit PdfLineKinds(const std::vector<PdfPage>& pages);

  /// One for each line. An edge is a line that a third of the pages, and at least three, have at
  /// their upper or lower edge, alike except for digits. Code has a font of one width where most of
  /// the text has another. A note begins with a number or sign, in a smaller font or without a
  /// space after it.
  std::vector<PdfLineKind> of(const PdfPage& page) const;

 private:
  struct Edge {
    std::string text;  // without digits
    bool is_upper = false;

    auto operator<=>(const Edge&) const = default;
  };

  static std::optional<Edge> edge_of(const PdfPage& page, const PdfLine& line);
  void find_edges(const std::vector<PdfPage>& pages);
  void find_widths_of_code(const std::vector<PdfPage>& pages);
  void find_usual_height(const std::vector<PdfPage>& pages);
  bool is_code(const PdfLine& line, bool is_after_code) const;
  bool is_small(const PdfLine& line) const;
  bool begins_note(const PdfPage& page, const PdfLine& line) const;

  std::set<Edge> edges_;  // repeated
  std::set<long> code_widths_;
  double usual_height_ = 0;
};

}  // namespace dietmt::service
