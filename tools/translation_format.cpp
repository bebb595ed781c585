#include "tools/translation_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "data/text/bpe_marks.h"
#include "data/text/copy_check.h"
#include "data/text/glossary.h"
#include "nmt/translation/line_alignment.h"
#include "nmt/translation/text_lines.h"

namespace dietmt::tools {
namespace {

std::vector<std::string> missing_terms(const nmt::TranslatedLine& line, const std::string& text) {
  std::vector<std::string> missing;
  for (const data::GlossaryTerm* term : data::missing_terms(line.terms, text))
    missing.push_back(term->target_text());
  return missing;
}

}  // namespace

std::string TranslationFormatter::operator()(const nmt::TranslatedLine& line) const {
  if (form_.json) return json(line);
  std::string text;
  for (const nmt::Hypothesis& found : line.translations) {
    if (!text.empty()) text += '\n';
    if (form_.nbest > 1)
      text += fmt::format("{} ||| {} ||| {:.6f}", line.number - 1, words(line, found), found.score);
    else if (form_.scores)
      text += fmt::format("{:.6f}\t{}", found.score, words(line, found));
    else
      text += words(line, found);
    if (form_.alignment != "none") text += " ||| " + alignment(line, found);
  }
  return text;
}

std::string TranslationFormatter::words(const nmt::TranslatedLine& line,
                                        const nmt::Hypothesis& found) const {
  const std::string text = form_.markup ? nmt::with_markup(line, found, tokenizer_)
                                        : nmt::decode_line(tokenizer_, found.ids);
  return form_.remove_bpe ? data::without_bpe_marks(text) : text;
}

std::string TranslationFormatter::alignment(const nmt::TranslatedLine& line,
                                            const nmt::Hypothesis& found) const {
  if (form_.alignment == "hard") return nmt::pharaoh(nmt::word_pairs(line, found, tokenizer_));
  std::string text;
  for (const std::vector<float>& row : nmt::token_rows(line, found))
    text += fmt::format("{}{:.4f}", text.empty() ? "" : " ", fmt::join(row, ","));
  return text;
}

std::string TranslationFormatter::json(const nmt::TranslatedLine& line) const {
  auto translations = nlohmann::ordered_json::array();
  for (const nmt::Hypothesis& found : line.translations) {
    translations.push_back({{"text", words(line, found)},
                            {"score", found.score},
                            {"token_scores", found.token_scores}});
    if (form_.missing_terms)
      translations.back()["missing_terms"] =
          missing_terms(line, nmt::decode_line(tokenizer_, found.ids));
    if (form_.missing_copies) translations.back()["missing_copies"] = missing_copies(line, found);
    if (form_.alignment != "none") translations.back()["alignment"] = json_alignment(line, found);
  }
  nlohmann::ordered_json object{{"source", line.source}};
  if (form_.pivot) object["pivot"] = line.pivot;
  object["translations"] = translations;
  return object.dump();
}

nlohmann::ordered_json TranslationFormatter::json_alignment(const nmt::TranslatedLine& line,
                                                            const nmt::Hypothesis& found) const {
  if (form_.alignment == "hard") {
    auto pairs = nlohmann::ordered_json::array();
    for (const nmt::WordPair& pair : nmt::word_pairs(line, found, tokenizer_))
      pairs.push_back(nlohmann::ordered_json::array({pair.source, pair.target}));
    return pairs;
  }
  auto target = nlohmann::ordered_json::array();
  for (const int32_t id : found.ids) target.push_back(tokenizer_.piece(id));
  target.push_back(tokenizer_.piece(tokenizer_.end_id()));
  return {{"source_tokens", nmt::source_pieces(line, source_tokenizer_)},
          {"target_tokens", target},
          {"weights", nmt::token_rows(line, found)}};
}

// Markup is in the translation anyway.
std::vector<std::string> TranslationFormatter::missing_copies(const nmt::TranslatedLine& line,
                                                              const nmt::Hypothesis& found) const {
  return data::missing_copies(form_.markup ? line.marked.text : line.source,
                              nmt::decode_line(tokenizer_, found.ids));
}

void TranslationFormatter::warn_of_missing_copies(const nmt::TranslatedLine& line) const {
  for (const std::string& copy : missing_copies(line, line.translations.front()))
    spdlog::warn("{}: \"{}\" is not in the translation", line.where, copy);
}

void warn_of_missing_terms(const nmt::TranslatedLine& line, const data::Tokenizer& tokenizer) {
  if (line.terms.empty()) return;
  const std::string text = nmt::decode_line(tokenizer, line.translations.front().ids);
  for (const std::string& term : missing_terms(line, text))
    spdlog::warn("{}: the glossary's term \"{}\" is not in the translation", line.where, term);
}

}  // namespace dietmt::tools
