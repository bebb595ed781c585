#include "tools/distill_choice.h"

#include <utility>

#include "common/error.h"
#include "common/random.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "nmt/translation/line_tokens.h"

namespace dietmt::tools {
namespace {

std::unique_ptr<const metrics::Metric> metric_of(const DistillOptions& o) {
  if (o.metric == "chrf") return std::make_unique<metrics::Chrf>(metrics::ChrfOptions{});
  metrics::BleuOptions bleu;
  bleu.tokenizer = metrics::bleu_tokenizer_from_name(o.tokenizer);
  bleu.effective_order = true;
  return std::make_unique<metrics::Bleu>(bleu);
}

}  // namespace

DistillChoice::DistillChoice(const DistillOptions& o) : metric_(metric_of(o)) {
  if (o.reference.empty()) return;
  reference_ = std::make_unique<LineReader>(nmt::open_text(o.reference));
  const int64_t sources = nmt::count_lines(o.source), references = nmt::count_lines(o.reference);
  if (sources != references) {
    throw DataError(o.source + " has " + std::to_string(sources) + " lines, " + o.reference +
                    " has " + std::to_string(references));
  }
}

void DistillChoice::skip(int64_t lines) {
  if (reference_) nmt::skip_lines(*reference_, lines);
}

std::string DistillChoice::operator()(std::span<const std::string> translations) {
  std::string reference;
  if (reference_) {
    reference_->next(reference);
    nmt::clean_line(reference, *reference_);
  }
  if (translations.empty()) return "";
  const std::string* best = &translations.front();
  if (!reference_) return *best;
  double highest = closeness(*best, reference);
  for (const std::string& text : translations.subspan(1)) {
    const double score = closeness(text, reference);
    if (score <= highest) continue;
    highest = score;
    best = &text;
  }
  return *best;
}

double DistillChoice::closeness(const std::string& text, const std::string& reference) const {
  return metric_->sentence_score(text, std::span(&reference, 1)).score;
}

StudentPairs::StudentPairs(const DistillOptions& o)
    : swapped_(o.back_translate),
      rates_(data::AugmentationRates::parse(o.augment)),
      seed_(static_cast<uint64_t>(o.search.seed)) {}

StudentPairs::Pair StudentPairs::operator()(const std::string& line, const std::string& translation,
                                            int64_t number) const {
  Pair pair{line, translation};
  if (swapped_) std::swap(pair.source, pair.target);
  if (pair.source.empty() || pair.target.empty()) return pair;
  Random random(random_key(seed_, static_cast<uint64_t>(number)));
  const data::PairChange change = data::drawn_change(rates_, random);
  if (change.source) pair.source = change.source(pair.source);
  if (change.target) pair.target = change.target(pair.target);
  return pair;
}

}  // namespace dietmt::tools
