// HTML: the text between two tags of blocks is a segment, in which <g0> stands for each tag of an
// inline element.
#include <cstdint>
#include <utility>

#include "nmt/alignment/mark_pairs.h"
#include "nmt/alignment/mark_syntax.h"
#include "service/documents/document_kinds.h"
#include "service/documents/html_charset.h"
#include "service/documents/markup.h"
#include "service/documents/places_document.h"
#include "service/documents/segment_tags.h"

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
  // The inline markup of a segment.
  struct Marks {
    std::string tag;  // the name of its tags before their numbers
    std::vector<nmt::InlineMark> all;

    // An end tag has the number of its start tag.
    std::string tag_of(size_t index) const {
      const nmt::InlineMark& mark = all[index];
      const bool closes = mark.kind == nmt::InlineMark::Kind::kClose;
      const size_t number = closes && mark.partner >= 0 ? static_cast<size_t>(mark.partner) : index;
      return (closes ? "</" : "<") + tag + std::to_string(number) +
             (mark.kind == nmt::InlineMark::Kind::kPoint ? "/>" : ">");
    }

    // The markup that a tag of a translation stands for.
    std::string raw_of(const SegmentTag& found) const {
      if (found.code >= all.size()) return "";
      const nmt::InlineMark& mark = all[found.code];
      const bool is_partner =
          !found.opens && mark.kind == nmt::InlineMark::Kind::kOpen && mark.partner >= 0;
      return (is_partner ? all[static_cast<size_t>(mark.partner)] : mark).parts.front().text;
    }
  };

  // Text and inline markup.
  void add_run(const std::vector<MarkupPart>& run) {
    std::string plain;
    Marks marks;
    for (const MarkupPart& part : run) {
      if (part.is_text)
        plain += resolve_references(part.raw);
      else
        marks.all.push_back({.parts = {{std::string(part.raw), true}},
                             .kind = nmt::syntax_of(part.raw).kind,
                             .at = static_cast<int32_t>(plain.size())});
    }
    // A text without letters keeps its references as they are written.
    if (!has_letter(plain)) {
      for (const MarkupPart& part : run) keep(part.raw);
      return;
    }
    marks.tag = unused_tag_name(plain);
    nmt::find_partners(marks.all);
    std::string text;
    size_t at = 0;
    for (size_t i = 0; i < marks.all.size(); ++i) {
      const auto end = static_cast<size_t>(marks.all[i].at);
      text += plain.substr(at, end - at) + marks.tag_of(i);
      at = end;
    }
    add(text + plain.substr(at));
    if (!run.front().keeps_lines) segments_.back() = join_lines(segments_.back());
    marks_.push_back(std::move(marks));
  }

  std::string replacement(const SegmentPlace& place,
                          const std::vector<std::string>& translations) const override {
    const Marks& marks = marks_.at(place.segment);
    const std::string& text = translations.at(place.segment);
    std::string html;
    size_t at = 0;
    while (const auto tag = next_tag(text, at, marks.tag)) {
      html += escape_markup(text.substr(at, tag->begin - at)) + marks.raw_of(*tag);
      at = tag->end;
    }
    return html + escape_markup(text.substr(at));
  }

  std::vector<Marks> marks_;  // by segment
};

}  // namespace

std::unique_ptr<Document> open_html(const std::string& text) {
  return std::make_unique<HtmlDocument>(text);
}

}  // namespace dietmt::service
