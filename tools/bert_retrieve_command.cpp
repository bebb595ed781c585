// dietmt bert retrieve: translations among two sets of sentences, by their vectors.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <iostream>
#include <optional>

#include "bert/embedding/retrieval.h"
#include "common/atomic_file.h"
#include "common/deflater.h"
#include "common/error.h"
#include "common/options.h"
#include "common/text_io.h"
#include "encoders/device/device.h"
#include "metrics/pair_scores.h"
#include "storage/npy.h"
#include "tools/commands.h"
#include "tools/output_problems.h"

namespace dietmt::tools {
namespace {

struct RetrieveOptions {
  std::string source, target, source_ids, target_ids, gold, output;
  int64_t margin = 0;
  std::optional<double> threshold;
  std::string device = "cpu";
  int64_t threads = 0;
};

OptionTable option_table(RetrieveOptions& o) {
  OptionTable table(
      "bert retrieve", "--source FILE.npy --target FILE.npy",
      "Finds translations among two sets of sentences by the vectors that 'bert "
      "embed --pool mean' writes.\nWithout --gold and --threshold each source gets "
      "its best target, and if both sides have equally many sentences, the accuracy "
      "counts sources whose target is the sentence of the same number (Tatoeba). "
      "With one of them, pairs are made, each sentence in one at most, and those from "
      "the threshold on count (BUCC).");
  table.group("Data")
      .add("source", &o.source, "FILE.npy", "vectors of the sources, [sentences, D] in fp32",
           {.required = true})
      .add("target", &o.target, "FILE.npy", "vectors of the targets", {.required = true})
      .add("source-ids", &o.source_ids, "FILE",
           "names of the sources, one a line up to the first tab; default: their numbers, from 1")
      .add("target-ids", &o.target_ids, "FILE", "names of the targets")
      .add("gold", &o.gold, "FILE",
           "the right pairs, names of source and target with a tab between them")
      .add("output", &o.output, "FILE", "tab-separated file of source, target and score to write");
  table.group("Search")
      .add("margin", &o.margin, "K",
           "divide each cosine by the mean of those of the K nearest on both sides (Artetxe and "
           "Schwenk 2019, with K = 4); 0: cosine",
           {.least = 0, .most = 1000})
      .add("threshold", &o.threshold, "X",
           "lowest score of a pair; default: the one with the highest F1 on --gold");
  table.group("Machine")
      .add("device", &o.device, "NAME", "cpu, cuda or cuda:I")
      .add("threads", &o.threads, "N", "threads; 0: one per core", ranges::kThreads);
  table.basics({"source", "target", "gold", "output", "margin"})
      .example("dietmt bert retrieve --source de.npy --target en.npy")
      .example(
          "dietmt bert retrieve --source dev.de.npy --target dev.en.npy --source-ids dev.de "
          "--target-ids dev.en --gold dev.gold --margin 4");
  return table;
}

at::Tensor read_vectors(const std::string& path) {
  storage::NpyRows array = storage::read_npy_rows(path);
  if (array.rows == 0) throw DataError(path + ": has no rows");
  return at::from_blob(array.values.data(), {array.rows, array.width}, at::kFloat).clone();
}

std::vector<std::string> names_of(const std::string& path, const std::string& vectors,
                                  int64_t rows) {
  std::vector<std::string> names;
  if (path.empty()) {
    for (int64_t i = 1; i <= rows; ++i) names.push_back(std::to_string(i));
    return names;
  }
  for (const std::string& line : read_lines(path)) names.push_back(line.substr(0, line.find('\t')));
  if (std::ssize(names) != rows)
    throw DataError(fmt::format("{} has {} lines, {} {} rows", path, names.size(), vectors, rows));
  return names;
}

std::vector<metrics::NamedPair> read_gold(const std::string& path) {
  std::vector<metrics::NamedPair> pairs;
  LineReader lines(path);
  for (std::string line; lines.next(line);) {
    if (line.ends_with('\r')) line.pop_back();
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos)
      throw DataError(lines.where() + ": expected the names of a source and a target, with a tab");
    pairs.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  if (pairs.empty()) throw DataError(path + ": no pairs");
  return pairs;
}

void print_scores(const metrics::PairScores& scores) {
  std::cout << fmt::format("f1\t{:.2f}\nprecision\t{:.2f}\nrecall\t{:.2f}\nthreshold\t{:.6g}\n",
                           100 * scores.f1, 100 * scores.precision, 100 * scores.recall,
                           scores.threshold);
}

void print_accuracy(const std::vector<bert::RetrievedPair>& nearest) {
  int64_t right = 0;
  for (const bert::RetrievedPair& pair : nearest) right += pair.source == pair.target ? 1 : 0;
  std::cout << fmt::format("accuracy\t{:.2f}\n", 100.0 * static_cast<double>(right) /
                                                     static_cast<double>(nearest.size()));
}

void write_pairs(const std::string& output, const std::vector<metrics::ScoredPair>& pairs,
                 std::optional<double> threshold) {
  std::string lines;
  for (const metrics::ScoredPair& pair : pairs)
    if (!threshold || pair.score >= *threshold)
      lines += fmt::format("{}\t{}\t{:.6g}\n", pair.names.first, pair.names.second, pair.score);
  write_text_atomically(output, lines);
}

int run(const RetrieveOptions& o) {
  encoders::set_threads(o.threads);
  const at::Tensor source = read_vectors(o.source), target = read_vectors(o.target);
  if (source.size(1) != target.size(1))
    throw DataError(fmt::format("{} has vectors of {} numbers, {} of {}", o.source, source.size(1),
                                o.target, target.size(1)));
  const std::vector<std::string> source_names = names_of(o.source_ids, o.source, source.size(0));
  const std::vector<std::string> target_names = names_of(o.target_ids, o.target, target.size(0));
  std::vector<metrics::NamedPair> gold;
  if (!o.gold.empty()) gold = read_gold(o.gold);

  const bert::Retrieval found =
      bert::retrieve(source, target, {o.margin, encoders::parse_device(o.device)});
  const bool pairs_up = !gold.empty() || o.threshold;
  std::vector<metrics::ScoredPair> pairs;
  for (const bert::RetrievedPair& pair : pairs_up ? found.mutual : found.nearest)
    pairs.push_back({{source_names[static_cast<size_t>(pair.source)],
                      target_names[static_cast<size_t>(pair.target)]},
                     pair.score});
  std::optional<double> threshold = o.threshold;
  if (!gold.empty()) {
    const metrics::PairScores scores = metrics::pair_scores(pairs, gold, o.threshold);
    print_scores(scores);
    threshold = scores.threshold;
  } else if (!pairs_up && source.size(0) == target.size(0)) {
    print_accuracy(found.nearest);
  }
  if (!o.output.empty()) write_pairs(o.output, pairs, threshold);
  return 0;
}

std::vector<std::string> problems_of(const RetrieveOptions& o) {
  if (o.output.empty()) return {};
  return file_output_problems(o.output, {{"--source", o.source},
                                         {"--target", o.target},
                                         {"--source-ids", o.source_ids},
                                         {"--target-ids", o.target_ids},
                                         {"--gold", o.gold}});
}

}  // namespace

int run_bert_retrieve(const std::vector<std::string>& arguments) {
  RetrieveOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(options));
  return run(options);
}

}  // namespace dietmt::tools
