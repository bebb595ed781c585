#include "metrics/squad.h"

#include <algorithm>
#include <map>

#include "common/error.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

AnswerScore best_score(const std::string& predicted, const QuestionAnswers& question,
                       const AnswerWords& words) {
  if (question.answers.empty())
    throw Error("question " + question.id +
                " has no gold answer; sets with such questions are scored as SQuAD 2.0");
  const std::vector<std::string> predicted_words = words(predicted);
  AnswerScore best;
  for (const std::string& answer : question.answers) {
    const std::vector<std::string> gold_words = words(answer);
    best.exact = std::max(best.exact, predicted_words == gold_words ? 1.0 : 0.0);
    best.f1 = std::max(best.f1, words_f1(predicted_words, gold_words));
  }
  return best;
}

}  // namespace

struct AnswerWords::Rules {
  bool (*is_punctuation)(char32_t);
  std::vector<std::u32string> articles = {};
  std::u32string attached_article = {};  ///< cut out wherever it stands, inside words too
  bool ideographs_are_words = false;
};

namespace {

bool is_ascii_or_unicode_punctuation(char32_t c) {
  return is_ascii_punctuation(c) || is_punctuation(c);
}

// The ideographs of Unicode 1.1: later ones and the extensions are not split.
bool is_squad_ideograph(char32_t c) { return c >= 0x4E00 && c <= 0x9FA5; }

// A space in place of each article, where it is a whole run of word characters.
std::u32string without_articles(const std::u32string& text,
                                const std::vector<std::u32string>& articles) {
  std::u32string out;
  for (size_t start = 0; start < text.size();) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(start);
    const auto end = std::find_if_not(begin, text.end(), is_word_character);
    const std::u32string run(begin, end);
    if (run.empty())
      out += text[start];
    else if (std::find(articles.begin(), articles.end(), run) != articles.end())
      out += U' ';
    else
      out += run;
    start += std::max<size_t>(run.size(), 1);
  }
  return out;
}

void replace_by_space(std::u32string& text, const std::u32string& part) {
  for (size_t at = 0; (at = text.find(part, at)) != std::u32string::npos; ++at)
    text.replace(at, part.size(), 1, U' ');
}

std::u32string with_ideographs_apart(const std::u32string& text) {
  std::u32string out;
  for (const char32_t c : text) {
    if (is_squad_ideograph(c))
      out.append({U' ', c, U' '});
    else
      out += c;
  }
  return out;
}

}  // namespace

AnswerWords AnswerWords::squad() {
  static const Rules rules{.is_punctuation = is_ascii_punctuation,
                           .articles = {U"a", U"an", U"the"}};
  return AnswerWords(rules);
}

AnswerWords AnswerWords::mlqa(const std::string& language) {
  constexpr auto kPunctuation = is_ascii_or_unicode_punctuation;
  // The Vietnamese list holds classifiers and two other words, as MLQA's does. The Arabic article
  // is written together with its noun.
  static const std::map<std::string, Rules> languages{
      {"ar", {.is_punctuation = kPunctuation, .attached_article = U"ال"}},
      {"de",
       {.is_punctuation = kPunctuation,
        .articles = {U"ein", U"eine", U"einen", U"einem", U"eines", U"einer", U"der", U"die",
                     U"das", U"den", U"dem", U"des"}}},
      {"en", {.is_punctuation = kPunctuation, .articles = {U"a", U"an", U"the"}}},
      {"es",
       {.is_punctuation = kPunctuation,
        .articles = {U"un", U"una", U"unos", U"unas", U"el", U"la", U"los", U"las"}}},
      {"hi", {.is_punctuation = kPunctuation}},
      {"vi",
       {.is_punctuation = kPunctuation, .articles = {U"của", U"là", U"cái", U"chiếc", U"những"}}},
      {"zh", {.is_punctuation = kPunctuation, .ideographs_are_words = true}},
  };
  const auto found = languages.find(language);
  if (found == languages.end())
    throw ConfigError("MLQA has no language '" + language +
                      "'; choose one of ar, de, en, es, hi, vi, zh");
  return AnswerWords(found->second);
}

std::vector<std::string> AnswerWords::operator()(std::string_view answer) const {
  std::u32string text = code_points(lowercase(answer));
  std::erase_if(text, rules_->is_punctuation);
  if (!rules_->articles.empty()) text = without_articles(text, rules_->articles);
  if (!rules_->attached_article.empty()) replace_by_space(text, rules_->attached_article);
  if (rules_->ideographs_are_words) text = with_ideographs_apart(text);
  const std::string utf8 = to_utf8(text);
  const std::vector<std::string_view> words = split_words(utf8);
  return {words.begin(), words.end()};
}

double words_f1(const std::vector<std::string>& predicted, const std::vector<std::string>& gold) {
  std::map<std::string, int64_t> unmatched;
  for (const std::string& word : gold) ++unmatched[word];
  double shared = 0.0;
  for (const std::string& word : predicted) {
    const auto found = unmatched.find(word);
    if (found == unmatched.end() || found->second == 0) continue;
    --found->second;
    ++shared;
  }
  if (shared == 0.0) return 0.0;
  const double precision = shared / static_cast<double>(predicted.size());
  const double recall = shared / static_cast<double>(gold.size());
  return 2.0 * precision * recall / (precision + recall);
}

void SpanScoreSum::add(AnswerScore score) {
  sum_.exact += score.exact;
  sum_.f1 += score.f1;
  ++sum_.questions;
}

void SpanScoreSum::add_missing() {
  ++sum_.questions;
  ++sum_.missing;
}

SpanScores SpanScoreSum::mean() const {
  SpanScores mean = sum_;
  if (mean.questions == 0) return mean;
  mean.exact = 100.0 * sum_.exact / static_cast<double>(sum_.questions);
  mean.f1 = 100.0 * sum_.f1 / static_cast<double>(sum_.questions);
  return mean;
}

SpanScores span_scores(const std::vector<QuestionAnswers>& questions,
                       const Predictions& predictions, const AnswerWords& words) {
  if (questions.empty()) throw Error("there are no questions to score answers on");
  SpanScoreSum sum;
  for (const QuestionAnswers& question : questions) {
    const auto predicted = predictions.find(question.id);
    if (predicted == predictions.end())
      sum.add_missing();
    else
      sum.add(best_score(predicted->second, question, words));
  }
  return sum.mean();
}

}  // namespace dietmt::metrics
