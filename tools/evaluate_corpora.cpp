// Reads what `dietmt evaluate` compares, and chooses sentences.
#include <spdlog/spdlog.h>

#include <map>
#include <numeric>
#include <regex>

#include "common/error.h"
#include "common/text_io.h"
#include "metrics/unicode.h"
#include "tools/evaluate_options.h"

namespace dietmt::tools {
namespace {

using Lines = std::vector<std::string>;

// The lines of a file without whitespace at their ends, as sacreBLEU reads them.
Lines read_sentences(const std::string& path) {
  Lines lines;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    if (invalid_utf8_at(line) != std::string::npos) {
      spdlog::warn("{}: invalid UTF-8 replaced by U+FFFD", reader.where());
      line = replace_invalid_utf8(line);
    }
    lines.emplace_back(metrics::strip_right(line));
  }
  if (lines.empty()) throw DataError(path + " is empty: 0 lines");
  return lines;
}

// The lines of a file that says something about each sentence.
Lines read_labels(const std::string& path, size_t sentences) {
  Lines labels = read_sentences(path);
  if (labels.size() != sentences)
    throw DataError(path + " has " + std::to_string(labels.size()) + " lines, but the texts have " +
                    std::to_string(sentences));
  return labels;
}

// Calls drop(label) for each sentence, and forgets those that it is true of.
template <typename Drop>
void drop_sentences(const Lines& labels, std::vector<size_t>& chosen, const Drop& drop) {
  std::erase_if(chosen, [&](size_t sentence) { return drop(labels[sentence]); });
}

void choose_origin(const EvaluateOptions& o, size_t sentences, std::vector<size_t>& chosen) {
  constexpr std::string_view kNot = "non-";
  const bool others = o.origin.starts_with(kNot);
  const std::string wanted = others ? o.origin.substr(kNot.size()) : o.origin;
  drop_sentences(read_labels(o.origins, sentences), chosen,
                 [&](const std::string& origin) { return (origin == wanted) == others; });
}

void choose_documents(const EvaluateOptions& o, const Lines& documents,
                      std::vector<size_t>& chosen) {
  try {
    const std::regex wanted(o.subset);
    drop_sentences(documents, chosen,
                   [&](const std::string& id) { return !std::regex_search(id, wanted); });
  } catch (const std::regex_error& error) {
    throw ConfigError("--subset " + o.subset + " is not a regular expression: " + error.what());
  }
}

Lines only(const Lines& lines, const std::vector<size_t>& chosen) {
  Lines kept;
  for (const size_t i : chosen) kept.push_back(lines[i]);
  return kept;
}

// Numbers the documents of the sentences, and returns their ids.
Lines number_documents(const Lines& of_sentences, std::vector<size_t>& numbers) {
  Lines ids;
  std::map<std::string, size_t> known;
  for (const std::string& id : of_sentences) {
    const auto [found, is_new] = known.insert({id, ids.size()});
    if (is_new) ids.push_back(id);
    numbers.push_back(found->second);
  }
  return ids;
}

}  // namespace

Corpora read_corpora(const EvaluateOptions& o) {
  Corpora corpora;
  for (const std::string& path : o.references) corpora.references.push_back(read_sentences(path));
  for (const std::string& path : o.hypotheses) corpora.hypotheses.push_back(read_sentences(path));
  std::string counts;
  bool equal = true;
  const auto note = [&](const std::string& path, const Lines& lines) {
    equal = equal && lines.size() == corpora.references[0].size();
    counts += (counts.empty() ? "" : ", ") + path + " " + std::to_string(lines.size());
  };
  for (size_t r = 0; r < o.references.size(); ++r) note(o.references[r], corpora.references[r]);
  for (size_t h = 0; h < o.hypotheses.size(); ++h) note(o.hypotheses[h], corpora.hypotheses[h]);
  if (!equal) throw DataError("the files have different numbers of lines: " + counts);
  return corpora;
}

Lines choose_sentences(EvaluateOptions& o, Corpora& corpora) {
  const size_t sentences = corpora.references[0].size();
  std::vector<size_t> chosen(sentences);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  Lines documents;
  if (!o.documents.empty()) documents = read_labels(o.documents, sentences);
  if (!o.origin.empty()) {
    choose_origin(o, sentences, chosen);
    o.evaluation.chosen += "origlang:" + o.origin + "|";
  }
  if (!o.subset.empty()) {
    choose_documents(o, documents, chosen);
    o.evaluation.chosen += "subset:" + o.subset + "|";
  }
  if (chosen.empty())
    throw DataError("no sentence is left to score: check --origlang and --subset");
  for (Lines& lines : corpora.references) lines = only(lines, chosen);
  for (Lines& lines : corpora.hypotheses) lines = only(lines, chosen);
  if (!o.document_level) return {};
  return number_documents(only(documents, chosen), o.evaluation.documents);
}

}  // namespace dietmt::tools
