#include "nmt/translation/line_sentences.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "common/trimmed.h"
#include "nmt/translation/sentence_plan.h"

namespace dietmt::nmt {
namespace {

// Sentences of a line need different sampling keys.
constexpr int64_t kSentenceKey = int64_t{1} << 40;

PlannedText plan_line(const LineCoder& coder, const std::string& line,
                      const std::string& language) {
  PlannedText planned;
  const std::string text(trimmed(line, " \t"));  // translations have no white space around them
  MarkedText marked = coder.options().markup ? take_out_markup(text, coder.finder(KeptKinds::all()))
                                             : MarkedText{.text = text, .marks = {}};
  plan_sentences(std::move(marked), {{text}}, {.language = language}, planned);
  return planned;
}

// Adds what belongs to one translation of a sentence, except the text.
void add(LineResult& line, const LineResult& sentence) {
  const auto add_all = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  const auto before = static_cast<double>(line.token_scores.size());
  const auto tokens = static_cast<double>(sentence.token_scores.size());
  if (tokens > 0) line.score = (line.score * before + sentence.score * tokens) / (before + tokens);
  add_all(line.token_scores, sentence.token_scores);
  add_all(line.pieces, sentence.pieces);
  add_all(line.missing_terms, sentence.missing_terms);
  add_all(line.missing_copies, sentence.missing_copies);
}

}  // namespace

bool LineSentences::was_cut() const {
  return std::ranges::any_of(sentences,
                             [](const Sentence& one) { return one.request.cut_tokens > 0; });
}

std::string LineSentences::case_name() const {
  const LineCase first = sentences.front().request.text_case;
  const bool are_alike = std::ranges::all_of(
      sentences, [&](const Sentence& one) { return one.request.text_case == first; });
  return are_alike ? nmt::case_name(first) : "";
}

GuardOutcome LineSentences::guard() const {
  GuardOutcome outcome;
  for (const Sentence& one : sentences) {
    if (one.guard.sign == Degeneration::kNone) continue;
    if (!one.guard.replaced) return one.guard;
    outcome = one.guard;
  }
  return outcome;
}

std::string LineSentences::pivot() const {
  std::string text;
  for (const Sentence& one : sentences) {
    if (one.request.pivots.empty()) continue;
    text += join(one.before) + one.request.pivots.back();
  }
  return text;
}

void LineSentences::take_requests(std::vector<TranslationRequest>& requests) {
  for (Sentence& one : sentences)
    if (one.request.has_text) requests.push_back(std::move(one.request.request));
}

void LineSentences::finish(const LineCoder& coder, std::span<const NBest> found,
                           std::span<const GuardOutcome> outcomes, size_t& next) {
  for (Sentence& one : sentences) {
    if (!one.request.has_text) {
      one.translations = coder.finish(one.request, NBest());
      continue;
    }
    one.guard = outcomes[next];
    one.translations = coder.finish(one.request, found[next++]);
  }
}

void LineSentences::add_pairs(std::vector<TranslatedPair>& pairs) {
  for (Sentence& one : sentences) pairs.push_back({&one.request, &one.translations});
}

std::vector<LineResult> LineSentences::take_joined() {
  if (sentences.size() == 1 && sentences.front().before.empty() && after.empty())
    return std::move(sentences.front().translations);
  size_t count = 1;
  for (const Sentence& one : sentences) count = std::max(count, one.translations.size());
  std::vector<LineResult> lines(count);
  for (size_t n = 0; n < count; ++n) {
    for (const Sentence& one : sentences) {
      const LineResult& found = one.translations[std::min(n, one.translations.size() - 1)];
      append_sentence(one.before, parts_of(found), lines[n].parts);
      add(lines[n], found);
    }
    lines[n].parts.insert(lines[n].parts.end(), after.begin(), after.end());
    lines[n].text = join(lines[n].parts);
  }
  return lines;
}

LineSentences prepare_sentences(LineCoder& coder, std::string line, LineExtras extras,
                                const std::optional<std::string>& language) {
  LineSentences made;
  const bool is_long = !language && coder.options().alignment == AlignmentKind::kNone &&
                       coder.is_too_long(line, extras);
  if (language || is_long) {
    PlannedText planned = plan_line(coder, line, language.value_or(""));
    if (planned.sentences.size() > 1) {
      if (is_long && !extras.where.empty())
        spdlog::warn(
            "{}: longer than the model can read, so its {} sentences are translated one "
            "by one",
            extras.where, planned.sentences.size());
      for (PlannedSentence& one : planned.sentences) {
        made.sentences.push_back({.before = std::move(one.before),
                                  .request = coder.prepare(std::move(one.marked), extras)});
        extras.index += kSentenceKey;
        extras.prefix.clear();
      }
      made.after = std::move(planned.after);
      return made;
    }
  }
  made.sentences.push_back({.request = coder.prepare(std::move(line), std::move(extras))});
  return made;
}

}  // namespace dietmt::nmt
