// Plain text.
#include <algorithm>

#include "common/trimmed.h"
#include "service/documents/document_kinds.h"
#include "service/documents/places_document.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

// Removes the next line from `text` and returns it with its end.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n') + 1);
  const std::string_view taken = line.empty() ? text : line;
  text.remove_prefix(taken.size());
  return taken;
}

class TxtDocument final : public PlacesDocument {
 public:
  explicit TxtDocument(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (!add({.text = std::string(line), .marks = {}})) keep(line);
    }
  }

 private:
  std::string replacement(size_t /*segment*/, const Translation& translation) const override {
    std::string line = plain_text(translation);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  }
};

// Lines up to a blank one are a text, whose translation is one line.
class ParagraphsDocument final : public ValuesDocument {
 public:
  explicit ParagraphsDocument(std::string_view bytes) : ValuesDocument(bytes) {
    std::string_view left = text();
    size_t begin = 0, end = 0;  // of the paragraph
    const auto add_paragraph = [&] {
      if (end > begin)
        add_value(begin, end, join_lines({.text = text().substr(begin, end - begin), .marks = {}}),
                  [](const std::string& paragraph) { return paragraph; });
      begin = text().size() - left.size();
    };
    while (!left.empty()) {
      const std::string_view content = trimmed(take_line(left), " \t\r\n");
      if (content.empty())
        add_paragraph();
      else
        end = static_cast<size_t>(content.data() - text().data()) + content.size();
    }
    add_paragraph();
    finish();
  }
};

}  // namespace

std::unique_ptr<Document> open_txt(const std::string& text, const DocumentOptions& options) {
  if (options.paragraphs) return std::make_unique<ParagraphsDocument>(text);
  return std::make_unique<TxtDocument>(text);
}

}  // namespace dietmt::service
