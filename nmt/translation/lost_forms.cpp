#include "nmt/translation/lost_forms.h"

#include <cstdint>
#include <map>
#include <vector>

#include "data/text/word_text.h"
#include "nmt/alignment/kept_kinds.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

bool is_in_word(char32_t c) { return is_word_character(c) && is_written_together(c); }

bool is_between_words(char32_t c) { return !is_in_word(c); }

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(first_run(text, is_between_words).size());
    if (text.empty()) return words;
    words.push_back(first_run(text, is_in_word));
    text.remove_prefix(words.back().size());
  }
}

struct Form {
  std::string_view word = {};
  int64_t missing = 0;  // how often the source has more of it than the translation
  bool is_only = true;
};

// By their NFKC.
std::map<std::string, Form> forms_in(std::string_view source) {
  std::map<std::string, Form> forms;
  for (const std::string_view word : words_in(source)) {
    Form& form = forms[data::in_nfkc(word)];
    form.is_only = form.missing == 0 || (form.is_only && form.word == word);
    form.word = word;
    ++form.missing;
  }
  return forms;
}

}  // namespace

std::string with_forms_of(std::string_view source, std::string translation) {
  if (kept_in(source, Kept::kSymbols).empty()) return translation;
  std::map<std::string, Form> forms = forms_in(source);
  std::erase_if(forms, [](const auto& entry) {
    const auto& [normalized, form] = entry;
    return !form.is_only || form.word == normalized || !has_letter(normalized) ||
           kept_in(form.word, Kept::kSymbols).empty();
  });
  const std::vector<std::string_view> words = words_in(translation);
  for (const std::string_view word : words)
    if (const auto form = forms.find(std::string(word)); form != forms.end())
      --form->second.missing;
  std::string restored;
  size_t end = 0;  // of the last word
  for (const std::string_view word : words) {
    const auto begin = static_cast<size_t>(word.data() - translation.data());
    restored += translation.substr(end, begin - end);
    const auto form = forms.find(std::string(word));
    restored += form != forms.end() && form->second.missing == 0 ? form->second.word : word;
    end = begin + word.size();
  }
  return restored + translation.substr(end);
}

}  // namespace dietmt::nmt
