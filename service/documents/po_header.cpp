#include "service/documents/po_header.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>

#include "common/error.h"
#include "service/documents/language_marks.h"

namespace dietmt::service {
namespace {

// A part of a line of the header, such as the value of a field.
struct Value {
  size_t line = 0;
  size_t begin = 0;
  size_t size = 0;
};

class Header {
 public:
  Header(const PoMessage& message, const std::string& target, std::vector<std::string>& lines)
      : field_(message.fields.at("msgstr")), target_(target), lines_(lines) {}

  // The value after `name` up to one of these characters or the end of the field.
  template <typename Use>
  void find(std::string_view name, const char* end, Use use) const {
    for (size_t line = field_.first_line; line <= field_.last_line; ++line) {
      const size_t found = lines_[line].find(name);
      if (found == std::string::npos) continue;
      const size_t begin =
          std::min(lines_[line].find_first_not_of(' ', found + name.size()), lines_[line].size());
      use({line, begin,
           std::min(lines_[line].find_first_of(end, begin), lines_[line].size()) - begin});
    }
  }

  // The catalogue was read in the charset that it declares, and is written as UTF-8.
  void declare_utf8() {
    find("charset=", "\\\"; \t", [&](const Value& value) {
      std::string charset = text_of(value);
      std::ranges::transform(charset, charset.begin(),
                             [](unsigned char c) { return std::toupper(c); });
      if (charset != "UTF-8" && charset != "UTF8") set(value, "UTF-8");
    });
  }

  void set_language() {
    find("\"Language:", "\\\"", [&](const Value& value) {
      const std::string code = text_of(value);
      if (code.empty()) {
        set(value, (lines_[value.line][value.begin - 1] == ' ' ? "" : " ") + target_);
        is_completed_ = true;
      } else if (!is_same_language(code, target_)) {
        fail(value, "the language of the catalogue is '" + code +
                        "', but the request translates to '" + target_ + "'");
      }
    });
  }

  // The number of plural forms.
  size_t set_plural_forms() {
    size_t count = 0;
    find("nplurals=", "\\\"", [&](const Value& value) {
      const std::string rule = text_of(value);
      if (rule.starts_with("INTEGER")) {
        const PluralForms forms = plural_forms(target_);
        set(value, std::to_string(forms.count) + "; plural=" + forms.rule + ";");
        count = forms.count;
        is_completed_ = true;
      } else {
        std::from_chars(rule.data(), rule.data() + rule.size(), count);
      }
    });
    return count;
  }

  bool is_completed() const { return is_completed_; }

 private:
  std::string text_of(const Value& value) const {
    return lines_[value.line].substr(value.begin, value.size);
  }

  void set(const Value& value, const std::string& text) {
    lines_[value.line].replace(value.begin, value.size, text);
  }

  [[noreturn]] static void fail(const Value& value, const std::string& problem) {
    throw DataError("line " + std::to_string(value.line + 1) + ": " + problem);
  }

  const PoField& field_;
  const std::string& target_;
  std::vector<std::string>& lines_;
  bool is_completed_ = false;
};

}  // namespace

PoHeader complete_po_header(const PoMessage& header, const std::string& target,
                            std::vector<std::string>& lines) {
  if (!header.has("msgstr")) return {};
  Header found(header, target, lines);
  found.declare_utf8();
  found.set_language();
  const size_t forms = found.set_plural_forms();
  if (found.is_completed())
    for (const size_t line : header.flag_lines) lines[line].clear();
  constexpr size_t kMostForms = 6;
  return {forms <= kMostForms ? forms : 0};
}

}  // namespace dietmt::service
