#include "nmt/translation/bayes_risk.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "common/process.h"
#include "nmt/translation/line_tokens.h"

namespace dietmt::nmt {
namespace {

// p(j) of a search's hypotheses, relative to each other.
std::vector<double> probabilities(const NBest& hypotheses) {
  double best = hypotheses.front().sum, total = 0.0;
  for (const Hypothesis& one : hypotheses) best = std::max(best, one.sum);
  std::vector<double> shares;
  for (const Hypothesis& one : hypotheses) shares.push_back(std::exp(one.sum - best));
  for (const double share : shares) total += share;
  for (double& share : shares) share /= total;
  return shares;
}

// What rank_by_bayes_risk() reads.
struct Candidates {
  std::vector<std::string> texts;
  std::vector<double> weights;

  Candidates(const NBest& hypotheses, const data::Tokenizer& tokenizer, bool are_samples) {
    for (const Hypothesis& one : hypotheses) texts.push_back(decode_line(tokenizer, one.ids));
    if (!are_samples && !hypotheses.empty()) weights = probabilities(hypotheses);
  }
};

void keep(std::span<const metrics::RankedCandidate> ranking, int64_t nbest, NBest& hypotheses) {
  NBest best;
  for (const auto& one : ranking) {
    if (std::ssize(best) == nbest) break;
    best.push_back(std::move(hypotheses[one.index]));
    best.back().score = one.utility;
  }
  hypotheses = std::move(best);
}

void choose_by_learned_utility(std::span<const TranslationRequest> requests,
                               std::vector<NBest>& found, const data::Tokenizer& tokenizer,
                               const BayesRiskChoice& choice) {
  std::vector<metrics::WeightedCandidates> sentences;
  for (size_t i = 0; i < found.size(); ++i) {
    const Candidates candidates(found[i], tokenizer, choice.samples);
    sentences.push_back(metrics::distinct_candidates(candidates.texts, candidates.weights));
    sentences.back().source = requests[i].text;
  }
  const std::vector<std::vector<double>> utilities = choice.learned(sentences);
  for (size_t i = 0; i < found.size(); ++i)
    keep(metrics::ranked_candidates(sentences[i], utilities[i]), choice.nbest, found[i]);
}

}  // namespace

void choose_by_bayes_risk(std::span<const TranslationRequest> requests, std::vector<NBest>& found,
                          const data::Tokenizer& tokenizer, const BayesRiskChoice& choice) {
  if (choice.learned) return choose_by_learned_utility(requests, found, tokenizer, choice);
  const auto choose = [&](NBest& hypotheses) {
    const Candidates candidates(hypotheses, tokenizer, choice.samples);
    keep(metrics::rank_by_bayes_risk(candidates.texts, candidates.weights, choice.risk),
         choice.nbest, hypotheses);
  };
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (size_t i = next++; i < found.size(); i = next++)
        if (!found[i].empty()) choose(found[i]);
    } catch (...) {
      next = found.size();
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  const int64_t cores = usable_cores();
  const int64_t workers =
      std::min(choice.workers > 0 ? choice.workers : cores, static_cast<int64_t>(found.size()));
  {
    std::vector<std::jthread> threads;
    for (int64_t i = 1; i < workers; ++i) threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dietmt::nmt
