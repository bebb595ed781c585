// A page that compares translations of one text by several systems, as compare-mt (Neubig et al.
// 2019) and MT-Telescope (Rei et al. 2021) do: scores with intervals and significance, scores by
// length and origin, words by frequency, the distribution of sentence scores, and the n-grams and
// sentences in which each system differs most from the first. Time is linear in the text, apart
// from sorting.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "metrics/comparison/numbered_texts.h"
#include "metrics/evaluation.h"
#include "metrics/metric.h"

namespace dietmt::metrics {

struct MetricResults {
  std::shared_ptr<const ScoreRule> rule;
  std::vector<CorpusStatistics> statistics = {};  // by system
  std::vector<SystemScore> scores = {};           // by system
};

struct ComparedSystems {
  using Lines = std::vector<std::string>;

  std::vector<std::string> names;  // of the systems; the others are compared with the first
  const Lines& reference;
  const std::vector<Lines>& hypotheses;
  const Lines& sources;        // may be empty
  bool splits_sources = true;  // whether `words` finds the words of the sources, too
  WordSplitter words;

  const std::vector<MetricResults>& metrics;
  MetricResults by_sentence;         // compares sentences: higher is better; needs no `scores`
  Lines origins = {};                // of each sentence; may be empty
  Lines training_files = {};         // texts whose words are counted; empty: the reference's are
  std::vector<size_t> numbers = {};  // of the sentences in their files, from 1
  Lines notes = {};                  // sentences for the top of the page
};

std::string systems_page(const std::string& title, const ComparedSystems& systems);

}  // namespace dietmt::metrics
