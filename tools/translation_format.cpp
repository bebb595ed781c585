#include "tools/translation_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/text/bpe_marks.h"

namespace dietmt::tools {
namespace {

using nlohmann::ordered_json;
using nmt::AlignmentKind;

std::string alignment_text(const nmt::LineResult& found, AlignmentKind kind) {
  if (kind == AlignmentKind::kHard) return nmt::pharaoh(found.alignment);
  std::string text;
  for (const std::vector<float>& row : found.attention)
    text += fmt::format("{}{:.4f}", text.empty() ? "" : " ", fmt::join(row, ","));
  return text;
}

ordered_json alignment_json(const nmt::TranslatedLine& line, const nmt::LineResult& found,
                            AlignmentKind kind) {
  if (kind == AlignmentKind::kHard) {
    auto pairs = ordered_json::array();
    for (const nmt::WordPair& pair : found.alignment)
      pairs.push_back(ordered_json::array({pair.source, pair.target}));
    return pairs;
  }
  return {{"source_tokens", line.sentences.sentences.front().request.pieces},
          {"target_tokens", found.pieces},
          {"weights", found.attention}};
}

std::string json(const nmt::TranslatedLine& line, const TranslationForm& form,
                 std::span<const double> qualities) {
  auto translations = ordered_json::array();
  for (const nmt::LineResult& found : line.translations) {
    ordered_json one{{"text", translation_text(found, form)},
                     {"score", found.score},
                     {"token_scores", found.token_scores}};
    if (!qualities.empty()) one["quality"] = qualities[translations.size()];
    if (form.missing_terms) one["missing_terms"] = found.missing_terms;
    if (form.missing_copies) one["missing_copies"] = found.missing_copies;
    if (form.alignment != AlignmentKind::kNone)
      one["alignment"] = alignment_json(line, found, form.alignment);
    translations.push_back(std::move(one));
  }
  ordered_json object{{"source", line.source}};
  if (form.pivot) object["pivot"] = line.sentences.pivot();
  object["translations"] = translations;
  const nmt::GuardOutcome guard = line.sentences.guard();
  if (guard.sign != nmt::Degeneration::kNone)
    object["guard"] = {{"problem", nmt::description(guard.sign)}, {"replaced", guard.replaced}};
  const std::string letters = line.sentences.case_name();
  if (!letters.empty()) object["case"] = letters;
  return object.dump();
}

// Tabs of the translation would be columns.
std::string tsv(const nmt::TranslatedLine& line, const TranslationForm& form) {
  const nmt::LineResult& best = line.translations.front();
  std::string text = translation_text(best, form);
  std::ranges::replace(text, '\t', ' ');
  std::string row = line.row + '\t' + text;
  if (form.scores) row += fmt::format("\t{:.6f}", best.score);
  if (form.alignment != AlignmentKind::kNone) row += '\t' + alignment_text(best, form.alignment);
  return row;
}

}  // namespace

std::string translation_text(const nmt::LineResult& found, const TranslationForm& form) {
  return form.remove_bpe ? data::without_bpe_marks(found.text) : found.text;
}

std::string added_columns(const TranslationForm& form) {
  return std::string("\ttranslation") + (form.scores ? "\tscore" : "") +
         (form.alignment != AlignmentKind::kNone ? "\talignment" : "");
}

std::string formatted(const nmt::TranslatedLine& line, const TranslationForm& form,
                      std::span<const double> qualities) {
  if (form.json) return json(line, form, qualities);
  if (form.tsv) return tsv(line, form);
  std::string text;
  for (const nmt::LineResult& found : line.translations) {
    if (!text.empty()) text += '\n';
    if (form.nbest > 1)
      text += fmt::format("{} ||| {} ||| {:.6f}", line.number - 1, translation_text(found, form),
                          found.score);
    else if (form.scores)
      text += fmt::format("{:.6f}\t{}", found.score, translation_text(found, form));
    else
      text += translation_text(found, form);
    if (form.alignment != AlignmentKind::kNone)
      text += " ||| " + alignment_text(found, form.alignment);
  }
  return text;
}

void warn_of_problems(const nmt::TranslatedLine& line) {
  const nmt::GuardOutcome guard = line.sentences.guard();
  if (guard.sign != nmt::Degeneration::kNone)
    spdlog::warn("{}: {}", line.where, nmt::guard_warning(guard));
  const nmt::LineResult& best = line.translations.front();
  for (const std::string& term : best.missing_terms)
    spdlog::warn("{}: the glossary's term \"{}\" is not in the translation", line.where, term);
  for (const std::string& copy : best.missing_copies)
    spdlog::warn("{}: \"{}\" is not in the translation", line.where, copy);
}

}  // namespace dietmt::tools
