#include "nmt/training/validation_scores.h"

#include <spdlog/spdlog.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>

#include "common/error.h"
#include "common/files.h"
#include "common/temporary_directory.h"
#include "data/text/bpe_marks.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace dietmt::nmt {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

std::string with_number(const std::string& name, size_t number) {
  return name + '_' + std::to_string(number);
}

// One word of a shell command.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + '\'';
}

double score_of_command(const std::string& command, const std::vector<fs::path>& files) {
  std::string line = command;
  for (const fs::path& file : files) line += ' ' + quoted(file.string());
  std::string output;
  FILE* const pipe = ::popen(line.c_str(), "r");
  if (pipe != nullptr)
    for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  const int status = pipe == nullptr ? -1 : ::pclose(pipe);
  std::istringstream lines(output);
  std::string last;
  for (std::string next; std::getline(lines, next);)
    if (!next.empty()) last = next;
  char* end = nullptr;
  const double score = std::strtod(last.c_str(), &end);
  if (status == 0 && end != last.c_str() && *end == '\0') return score;
  spdlog::warn("--valid-command: {}, and its last line is '{}'",
               status == 0 ? "no number" : "the command failed", last);
  return std::nan("");
}

Lines in_words(Lines lines, bool remove_bpe) {
  if (remove_bpe)
    for (std::string& line : lines) line = data::without_bpe_marks(line);
  return lines;
}

template <typename Value>
void append(const std::vector<Value>& more, std::vector<Value>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::vector<std::string> names_of_scores(size_t texts, MoreScores more) {
  if (texts == 0) return {};
  std::vector<std::string> metrics = {"bleu", "chrf"};
  if (more.comet) metrics.emplace_back("comet");
  std::vector<std::string> names = metrics;
  for (size_t i = 1; texts > 1 && i <= texts; ++i)
    for (const std::string& name : metrics) names.push_back(with_number(name, i));
  if (more.command) names.emplace_back("command");
  return names;
}

std::map<std::string, double> translation_scores(
    const ValidationOptions& options,
    const std::function<Lines(const ValidationText&)>& translate) {
  metrics::BleuOptions bleu_options;
  bleu_options.tokenizer = metrics::bleu_tokenizer_from_name(options.tokenizer);
  bleu_options.lowercase = options.lowercase;
  metrics::ChrfOptions chrf_options;
  chrf_options.lowercase = options.lowercase;
  const metrics::Bleu bleu(bleu_options);
  const metrics::Chrf chrf(chrf_options);
  std::map<std::string, double> scores;
  const auto measure = [&](const Lines& found, const Lines& references,
                           const std::vector<double>& comet, const auto& name_of) {
    scores[name_of("bleu")] = bleu.corpus_score(found, {references}).score;
    scores[name_of("chrf")] = chrf.corpus_score(found, {references}).score;
    if (options.comet) scores[name_of("comet")] = mean(comet);
  };

  const bool several = options.texts.size() > 1;
  std::optional<TemporaryDirectory> temporary;
  if (options.output.empty() && !options.command.empty()) temporary.emplace();
  const fs::path file = temporary ? fs::path(temporary->path()) / "translations" : options.output;
  std::vector<fs::path> files;
  Lines all_found, all_references;
  std::vector<double> all_comet;
  for (size_t i = 0; i < options.texts.size(); ++i) {
    const ValidationText& text = options.texts[i];
    const Lines found = in_words(translate(text), options.remove_bpe);
    const Lines references = in_words(text.references, options.remove_bpe);
    std::vector<double> comet;
    if (options.comet)
      comet = options.comet(in_words(text.sources, options.remove_bpe), references, found);
    if (several)
      measure(found, references, comet, [&](const char* name) { return with_number(name, i + 1); });
    append(found, all_found);
    append(references, all_references);
    append(comet, all_comet);
    if (file.empty()) continue;
    files.emplace_back(several ? file.string() + '.' + std::to_string(i + 1) : file.string());
    std::string bytes;
    for (const std::string& line : found) bytes += line + '\n';
    try {
      write_file_atomically(files.back(), bytes);
    } catch (const Error& error) {  // no reason to end the run
      spdlog::warn("{}", error.what());
    }
  }
  measure(all_found, all_references, all_comet, [](const char* name) { return std::string(name); });
  if (!options.command.empty()) scores["command"] = score_of_command(options.command, files);
  return scores;
}

}  // namespace dietmt::nmt
