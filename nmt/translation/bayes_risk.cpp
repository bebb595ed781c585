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

NBest chosen(NBest hypotheses, const data::Tokenizer& tokenizer, const BayesRiskChoice& choice) {
  std::vector<std::string> texts;
  for (const Hypothesis& one : hypotheses) texts.push_back(decode_line(tokenizer, one.ids));
  std::vector<double> weights;
  if (!choice.samples) weights = probabilities(hypotheses);
  NBest best;
  for (const auto& one : metrics::rank_by_bayes_risk(texts, weights, choice.risk)) {
    if (std::ssize(best) == choice.nbest) break;
    best.push_back(std::move(hypotheses[one.index]));
    best.back().score = one.utility;
  }
  return best;
}

}  // namespace

void choose_by_bayes_risk(std::vector<NBest>& found, const data::Tokenizer& tokenizer,
                          const BayesRiskChoice& choice) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (size_t i = next++; i < found.size(); i = next++)
        if (!found[i].empty()) found[i] = chosen(std::move(found[i]), tokenizer, choice);
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
