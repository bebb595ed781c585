// HTML: the text between two block tags is a segment, whose marks are the tags of inline elements.
#include <utility>

#include "service/documents/document_kinds.h"
#include "service/documents/html_charset.h"
#include "service/documents/markup.h"
#include "service/documents/places_document.h"

namespace dietmt::service {
namespace {

class HtmlDocument final : public PlacesDocument {
 public:
  explicit HtmlDocument(std::string_view html) {
    std::vector<MarkupPart> run;
    for (const MarkupPart& part : split_markup(html)) {
      if (part.is_text || part.is_inline) {
        run.push_back(part);
      } else {
        add_run(std::exchange(run, {}));
        keep(declaring_utf8(part.raw));
      }
    }
    add_run(run);
  }

 private:
  // Adds text and inline markup. Text without letters keeps its references as written.
  void add_run(const std::vector<MarkupPart>& run) {
    nmt::MarkedText text;
    for (const MarkupPart& part : run) {
      if (part.is_text)
        text.text += resolve_references(part.raw);
      else
        add_mark(std::string(part.raw), text);
    }
    if (!add(std::move(text))) {
      for (const MarkupPart& part : run) keep(part.raw);
    } else if (!run.front().keeps_lines) {
      segments_.back() = join_lines(segments_.back());
    }
  }

  std::string replacement(size_t segment, const Translation& translation) const override {
    const std::vector<nmt::InlineMark>& marks = segments_[segment].marks;
    std::string html;
    for (const nmt::MarkedPart& part : translation)
      html += part.mark < 0 ? escape_markup(part.text)
                            : marks.at(static_cast<size_t>(part.mark)).parts.front().text;
    return html;
  }
};

}  // namespace

std::unique_ptr<Document> open_html(const std::string& text) {
  return std::make_unique<HtmlDocument>(text);
}

}  // namespace dietmt::service
