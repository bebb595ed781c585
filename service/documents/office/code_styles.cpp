#include "service/documents/office/code_styles.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "service/documents/html_tags.h"

namespace dietmt::service {
namespace {

// As Word, LibreOffice, pandoc and DocBook's stylesheets name them.
constexpr std::array<std::string_view, 16> kNames = {
    "code",        "code block",      "html code",   "html keyboard", "html preformatted",
    "html sample", "html typewriter", "inline code", "preformatted",  "preformatted text",
    "source code", "program listing", "source text", "teletype",      "user entry",
    "verbatim"};

// Word adds " Char" to the name of a paragraph's style that is used for words.
std::string plain_name(std::string name) {
  constexpr size_t kLongest = 64;
  if (name.size() > kLongest) return "";
  name = html_lower_case(name);
  constexpr std::string_view kSpace = "_20_";  // in the names of OpenDocument
  for (size_t at = name.find(kSpace); at != name.npos; at = name.find(kSpace))
    name.replace(at, kSpace.size(), " ");
  std::ranges::replace(name, '_', ' ');
  constexpr std::string_view kOfWords = " char";
  if (name.ends_with(kOfWords)) name.resize(name.size() - kOfWords.size());
  return name;
}

}  // namespace

void CodeStyles::add(const std::string& id, const std::string& name, const std::string& base,
                     bool is_code) {
  const bool is_known = std::ranges::find(kNames, plain_name(name)) != kNames.end();
  styles_[id] = {base, is_code || is_known};
}

bool CodeStyles::contain(const std::string& id) const {
  constexpr int kDeepest = 20;  // a style may build on itself
  auto style = styles_.find(id);
  for (int depth = 0; depth < kDeepest && style != styles_.end(); ++depth) {
    if (style->second.is_code) return true;
    style = styles_.find(style->second.base);
  }
  return false;
}

}  // namespace dietmt::service
