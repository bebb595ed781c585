// Markdown, with the YAML or TOML front matter that generators of sites read.
#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/trimmed.h"
#include "service/documents/document_bytes.h"
#include "service/documents/pages/document_parts.h"
#include "service/documents/pages/markdown_body.h"
#include "service/documents/pages/pages_documents.h"
#include "service/documents/pages/toml_front_matter.h"
#include "service/documents/strings/strings_documents.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kYaml = "---", kToml = "+++";

// The end of the front matter, which has such lines before and after it; 0: there is none.
size_t front_matter_end(std::string_view text, std::string_view line) {
  const std::string_view rest =
      text.substr(0, line.size() + 2).substr(std::min(line.size(), text.size()));
  if (!text.starts_with(line) || !(rest.starts_with('\n') || rest == "\r\n")) return 0;
  const std::string begin = "\n" + std::string(line);
  for (size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const size_t end = std::min(text.find('\n', at + 1), text.size());
    if (trimmed(text.substr(at, end - at), " \t\r\n") == line) return at + 1;
  }
  return 0;
}

class MarkdownDocument final : public DocumentParts {
 public:
  MarkdownDocument(std::string_view bytes, const DocumentOptions& options)
      : beginning_(bytes.substr(0, 4)), text_(text_of_bytes(bytes, options.charset)) {
    const std::string_view text = text_;
    const size_t toml = front_matter_end(text, kToml);
    const size_t front = toml > 0 ? toml + kToml.size() : front_matter_end(text, kYaml);
    try {
      if (front > 0)
        add_part(toml > 0 ? open_toml_front_matter(text.substr(0, front))
                          : open_front_matter(text.substr(0, front)));
    } catch (const DataError&) {  // not YAML
      unread_ = text.substr(0, front);
    }
    add_part(open_markdown_body(text.substr(front), options));
  }

  std::string translated(const std::vector<Translation>& translations) override {
    std::string text(unread_);
    for (const std::string& part : translated_parts(translations)) text += part;
    return encoded_like(beginning_, text);
  }

 private:
  std::string beginning_;
  std::string text_;
  std::string_view unread_;  // front matter that stays
};

}  // namespace

std::unique_ptr<Document> open_markdown(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<MarkdownDocument>(bytes, options);
}

}  // namespace dietmt::service
