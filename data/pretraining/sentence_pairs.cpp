#include "data/pretraining/sentence_pairs.h"

#include "common/error.h"
#include "common/random.h"

namespace dietmt::data {
namespace {

constexpr double kRandomShare = 0.5;

// A run of tokens.
struct Side {
  int64_t begin;
  int64_t length;
};

class PairPlanner {
 public:
  PairPlanner(const TextCorpus& corpus, int64_t capacity, double short_share, uint64_t key,
              ExamplePlan& plan)
      : corpus_(corpus),
        capacity_(capacity),
        short_share_(short_share),
        random_(key),
        plan_(plan) {}

  void append_document(int64_t document) {
    const int64_t end = corpus_.first_sentence(document + 1);
    for (int64_t first = corpus_.first_sentence(document); first < end;) {
      const int64_t target = draw_target();
      const int64_t behind = collect(first, end, target);
      const int64_t middle = draw_middle(first, behind);
      const Side a = side(first, middle);
      if (behind == middle || random_.uniform() < kRandomShare) {
        append(a, random_side(document, target - a.length), true);
        first = middle;
      } else {
        append(a, side(middle, behind), false);
        first = behind;
      }
    }
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_.below(static_cast<uint64_t>(n))); }

  // The number of tokens that the sentences of a pair should reach.
  int64_t draw_target() {
    return random_.uniform() < short_share_ ? 2 + below(capacity_ - 1) : capacity_;
  }

  // The end of the fewest sentences from `first` on that have `tokens` tokens, at least one
  // sentence and none from `end` on.
  int64_t collect(int64_t first, int64_t end, int64_t tokens) const {
    const int64_t enough = corpus_.first_token(first) + tokens;
    int64_t behind = first + 1;
    while (behind < end && corpus_.first_token(behind) < enough) ++behind;
    return behind;
  }

  // Where A ends: each side gets a sentence if there are two.
  int64_t draw_middle(int64_t first, int64_t behind) {
    const int64_t sentences = behind - first;
    return sentences < 2 ? behind : first + 1 + below(sentences - 1);
  }

  Side side(int64_t first, int64_t behind) const {
    const int64_t begin = corpus_.first_token(first);
    return {begin, corpus_.first_token(behind) - begin};
  }

  // About `tokens` tokens from a random sentence of a random other document.
  Side random_side(int64_t document, int64_t tokens) {
    int64_t other = below(corpus_.documents() - 1);
    if (other >= document) ++other;
    const int64_t end = corpus_.first_sentence(other + 1);
    const int64_t first = end - 1 - below(end - corpus_.first_sentence(other));
    return side(first, collect(first, end, tokens));
  }

  void append(Side a, Side b, bool random) {
    while (a.length + b.length > capacity_) {
      Side& longer = a.length > b.length ? a : b;
      if (below(2) == 0) ++longer.begin;
      --longer.length;
    }
    const auto segment = [](const Side& side, bool is_random) {
      return TextSegment{static_cast<uint64_t>(side.begin), static_cast<uint64_t>(side.length),
                         is_random};
    };
    plan_.segments.push_back(segment(a, false));
    plan_.segments.push_back(segment(b, random));
  }

  const TextCorpus& corpus_;
  int64_t capacity_;
  double short_share_;
  Random random_;
  ExamplePlan& plan_;
};

void check(const TextCorpus& corpus) {
  if (corpus.documents() < 2) {
    throw DataError(
        "sentence-pairs takes every second half from another document, and the corpus has one "
        "document: mark the ends of documents, or train on full-sentences or document");
  }
  if (corpus.sentences() == corpus.documents()) {
    throw DataError(
        "sentence-pairs needs documents of two sentences or more, and each of the corpus has one: "
        "mark documents and sentences otherwise, or train on full-sentences or document");
  }
}

}  // namespace

ExamplePlan plan_pairs(const TextCorpus& corpus, int64_t capacity, double short_share,
                       uint64_t key) {
  check(corpus);
  ExamplePlan plan;
  plan.segments_per_example = 2;
  PairPlanner planner(corpus, capacity, short_share, key, plan);
  for (int64_t d = 0; d < corpus.documents(); ++d) planner.append_document(d);
  return plan;
}

}  // namespace dietmt::data
