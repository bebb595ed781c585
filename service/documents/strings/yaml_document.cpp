// YAML: scalars that are strings and no keys. A file with one key on top, which is the source
// language, gets the target language instead, and the plural forms that it needs (the catalogues of
// Ruby on Rails).
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "service/documents/language_marks.h"
#include "service/documents/plural_categories.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/strings/yaml_scalars.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

// Whether a plain scalar with this text would be read as it is, inside [] and {} too.
bool is_safe_plain(const std::string& text) {
  constexpr const char* kIndicators = "-?:,[]{}#&*!|>'\"%@` \t";
  return !is_yaml_constant(text) &&
         std::string_view(kIndicators).find(text[0]) == std::string::npos &&
         text.find_first_of("\r\n\t[]{},") == std::string::npos && text.find(": ") == text.npos &&
         text.find(" #") == text.npos && text.back() != ':' && text.back() != ' ';
}

std::string in_double_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += std::string{'\\', c};
    else if (c == '\n' || c == '\t' || c == '\r')
      quoted += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string in_single_quotes(const std::string& text) {
  if (text.find('\n') != text.npos) return in_double_quotes(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + '\'';
}

// The lines of a block after its first one begin with `line`, a line end and the indentation. In a
// folded block, one line end between lines that do not begin with a space would be read as a space.
std::string in_block(const std::string& text, const std::string& line, bool is_folded) {
  const auto is_indented = [&](size_t at) { return at < text.size() && text[at] == ' '; };
  const std::string line_end = line.substr(0, line.find('\n') + 1);
  bool was_indented = is_indented(0);
  std::string block;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '\n') {
      block += text[at++];
      continue;
    }
    const size_t next = std::min(text.find_first_not_of('\n', at), text.size());
    size_t blank_lines = next - at - 1;
    if (is_folded && !was_indented && !is_indented(next)) ++blank_lines;
    for (; blank_lines > 0; --blank_lines) block += line_end;
    block += line;
    was_indented = is_indented(next);
    at = next;
  }
  return block;
}

class YamlDocument final : public ValuesDocument {
 public:
  enum class Values { kAll, kOfPages };

  YamlDocument(std::string_view bytes, const DocumentOptions& options, Values values)
      : ValuesDocument(bytes, LanguagePair{options.source, options.target}),
        options_(options),
        values_(values),
        categories_(plural_categories(options.target)) {
    file_ = read_yaml(text());
    if (values_ == Values::kAll) rename_language();
    const std::map<size_t, Forms> forms =
        language_key_ ? plural_forms() : std::map<size_t, Forms>();
    for (size_t i = 0; i < file_.scalars.size(); ++i) {
      if (is_wanted(file_.scalars[i])) add(file_.scalars[i]);
      if (const auto found = forms.find(i); found != forms.end()) add_missing(found->second);
    }
    finish();
  }

 private:
  using Forms = std::vector<size_t>;  // the scalars of a mapping whose keys are plural categories

  bool is_wanted(const YamlScalar& one) const {
    return values_ == Values::kAll || one.is_top_key ||
           (one.depth == 1 &&
            (one.key == "title" || one.key == "description" || one.key == "summary"));
  }

  void rename_language() {
    for (const YamlScalar& one : file_.scalars) {
      if (!one.is_top_key || file_.top_keys != 1 || one.text.size() > 8) continue;
      if (!is_same_language(one.text, options_.source)) continue;
      const size_t at = text().find(one.text, one.begin);
      language_key_ = {at, at + one.text.size()};
    }
  }

  // The forms of messages, by the last of them.
  std::map<size_t, Forms> plural_forms() const {
    std::map<size_t, Forms> by_mapping, by_last;
    for (size_t i = 0; i < file_.scalars.size(); ++i)
      if (file_.scalars[i].mapping > 0 && !file_.others.contains(file_.scalars[i].mapping))
        by_mapping[file_.scalars[i].mapping].push_back(i);
    for (auto& [mapping, forms] : by_mapping) {
      const auto is_simple = [&](size_t i) { return !is_block(file_.scalars[i].style); };
      const auto is_other = [&](size_t i) { return file_.scalars[i].key == "other"; };
      if (forms.size() > 1 && std::ranges::all_of(forms, is_simple) &&
          std::ranges::any_of(forms, is_other))
        by_last[forms.back()] = std::move(forms);
    }
    return by_last;
  }

  // On new lines as the last form has them, or after a comma inside {}.
  void add_missing(const Forms& scalars) {
    std::vector<PluralForm> forms;
    for (const size_t i : scalars) {
      const YamlScalar& one = file_.scalars[i];
      const size_t category = text().find(one.key, one.key_begin);
      forms.push_back({one.key, one.key_begin, category, one.begin, one.end, one.end});
    }
    size_t at = forms.back().end;
    std::string gap = ", ";
    if (!file_.flows.contains(file_.scalars[scalars.back()].mapping)) {
      const size_t line = text().find_last_of("\r\n", forms.back().begin);
      if (line == std::string::npos) return;  // the only line
      const size_t line_end = line - (line > 0 && text()[line - 1] == '\r' ? 1 : 0);
      gap = text().substr(line_end, forms.back().begin - line_end);
      at = std::min(text().find_first_of("\r\n", at), text().size());
    }
    add_missing_forms(forms, categories_, gap, at, [&](size_t form) {
      YamlScalar copy = file_.scalars[scalars[form]];
      copy.begin = copy.end = at;
      add(copy);
    });
  }

  void add(YamlScalar& one) {
    if (one.is_top_key) {
      if (language_key_ && language_key_->first >= one.begin && language_key_->first < one.end)
        replace(language_key_->first, language_key_->second, options_.target);
      return;
    }
    Encode encode = in_double_quotes;
    if (is_block(one.style)) return add_block(one);
    if (one.style == YamlStyle::kSingleQuotes) {
      encode = in_single_quotes;
    } else if (one.style == YamlStyle::kPlain) {
      encode = [](const std::string& text) {
        return is_safe_plain(text) ? text : in_double_quotes(text);
      };
    }
    add_value(one.begin, one.end, {.text = one.text, .marks = {}}, std::move(encode));
  }

  // From its first line with text to its last one.
  void add_block(const YamlScalar& one) {
    const size_t header_end = text().find('\n', one.begin);
    const size_t first = text().find_first_not_of(" \r\n", header_end);
    const size_t end = text().find_last_not_of(" \t\r\n", one.end - 1) + 1;
    const size_t spaces = one.text.find_first_not_of(" \n");
    if (header_end == std::string::npos || first >= end || spaces == std::string::npos) return;
    const size_t line = text().rfind('\n', first) + 1;
    const size_t value = one.text.find_last_of('\n', spaces) + 1;  // npos + 1 is 0
    const size_t column = first - line - (spaces - value);
    const std::string line_end = text()[header_end - 1] == '\r' ? "\r\n" : "\n";
    const size_t value_end = one.text.find_last_not_of(" \t\r\n") + 1;
    add_value(
        line + column, end, {.text = one.text.substr(value, value_end - value), .marks = {}},
        [line = line_end + std::string(column, ' '), is_folded = one.style == YamlStyle::kFolded](
            const std::string& text) { return in_block(text, line, is_folded); });
  }

  DocumentOptions options_;
  Values values_;
  std::vector<std::string> categories_;  // of plural forms in the target language
  YamlFile file_;
  std::optional<std::pair<size_t, size_t>> language_key_;
};

}  // namespace

std::unique_ptr<Document> open_yaml(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<YamlDocument>(bytes, options, YamlDocument::Values::kAll);
}

std::unique_ptr<Document> open_front_matter(std::string_view bytes) {
  return std::make_unique<YamlDocument>(bytes, DocumentOptions(), YamlDocument::Values::kOfPages);
}

}  // namespace dietmt::service
