#include "metrics/sentence_choice.h"

#include <spdlog/spdlog.h>
#include <unicode/regex.h>
#include <unicode/unistr.h>

#include <map>
#include <numeric>
#include <string_view>

#include "common/error.h"
#include "common/text_io.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {

using Lines = std::vector<std::string>;

constexpr int32_t kPatternSteps = 1000;  // ICU's, of a millisecond or so, for a document

Lines read_sentences(const std::string& path) {
  Lines lines;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    if (invalid_utf8_at(line) != std::string::npos) {
      spdlog::warn("{}: invalid UTF-8 replaced by U+FFFD", reader.where());
      line = replace_invalid_utf8(line);
    }
    lines.emplace_back(strip_right(line));
  }
  if (lines.empty()) throw DataError(path + " is empty: 0 lines");
  return lines;
}

Lines read_labels(const std::string& path, size_t sentences) {
  Lines labels = read_sentences(path);
  if (labels.size() != sentences)
    throw DataError(path + " has " + std::to_string(labels.size()) + " lines, but the texts have " +
                    std::to_string(sentences));
  return labels;
}

SentenceChoice::SentenceChoice(size_t sentences) : chosen_(sentences) {
  std::iota(chosen_.begin(), chosen_.end(), size_t{0});
}

template <typename Drop>
void SentenceChoice::drop_if(const Lines& labels, const Drop& drop) {
  std::erase_if(chosen_, [&](size_t sentence) { return drop(labels[sentence]); });
}

void SentenceChoice::keep_origin(const Lines& origins, const std::string& origin) {
  constexpr std::string_view kNot = "non-";
  const bool others = origin.starts_with(kNot);
  const std::string wanted = others ? origin.substr(kNot.size()) : origin;
  drop_if(origins, [&](const std::string& given) { return (given == wanted) == others; });
}

void SentenceChoice::keep_documents(const Lines& documents, const std::string& pattern) {
  UErrorCode status = U_ZERO_ERROR;
  icu::RegexMatcher wanted(icu::UnicodeString::fromUTF8(pattern), 0, status);
  if (U_FAILURE(status))
    throw ConfigError("--subset " + pattern +
                      " is not a regular expression: " + u_errorName(status));
  wanted.setTimeLimit(kPatternSteps, status);
  drop_if(documents, [&](const std::string& id) {
    const icu::UnicodeString text = icu::UnicodeString::fromUTF8(id);
    wanted.reset(text);
    const bool is_found = wanted.find(status);
    if (U_FAILURE(status))
      throw ConfigError("--subset " + pattern + " cannot be searched for in an id of " +
                        std::to_string(id.size()) + " bytes: " + u_errorName(status));
    return !is_found;
  });
}

Lines SentenceChoice::of(const Lines& lines) const {
  Lines kept;
  for (const size_t i : chosen_) kept.push_back(lines[i]);
  return kept;
}

NumberedDocuments number_documents(const Lines& of_sentences) {
  NumberedDocuments documents;
  std::map<std::string, size_t> known;
  for (const std::string& id : of_sentences) {
    const auto [found, is_new] = known.insert({id, documents.ids.size()});
    if (is_new) documents.ids.push_back(id);
    documents.of_sentences.push_back(found->second);
  }
  return documents;
}

}  // namespace dietmt::metrics
