#include "data/pretraining/packed_examples.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/error.h"
#include "common/random.h"

namespace dietmt::data {
namespace {

constexpr std::pair<const char*, ExampleMode> kModes[] = {
    {"full-sentences", ExampleMode::kFullSentences},
    {"document", ExampleMode::kDocument},
    {"sentence-pairs", ExampleMode::kSentencePairs},
};
constexpr int64_t kMaxLength = 1 << 20;

// [CLS], [SEP] after each segment, and between two of them as many as the tokenizer has there.
constexpr int64_t special_pieces(int64_t segments, int64_t separators = 1) {
  return 1 + segments + (segments - 1) * (separators - 1);
}

// Fills examples with sentences in order.
class SentencePacker {
 public:
  SentencePacker(int64_t capacity, ExamplePlan& plan) : capacity_(capacity), plan_(plan) {}

  void append(int64_t begin, int64_t length, bool begins_document) {
    const int64_t separator = begins_document ? 1 : 0;
    if (length_ > 0 && length_ + separator + length > capacity_) close();
    for (; length > capacity_; begin += capacity_, length -= capacity_) add(begin, capacity_);
    if (length_ == 0) {
      begin_ = begin;
      length_ = length;
    } else {
      length_ += separator + length;
    }
  }

  // Ends the current example.
  void close() {
    if (length_ > 0) add(begin_, length_);
    length_ = 0;
  }

 private:
  void add(int64_t begin, int64_t length) {
    plan_.segments.push_back({static_cast<uint64_t>(begin), static_cast<uint64_t>(length), 0});
  }

  int64_t capacity_;
  ExamplePlan& plan_;
  int64_t begin_ = 0;   // of the current example
  int64_t length_ = 0;  // with separators; 0: not started
};

ExamplePlan plan_packs(const TextCorpus& corpus, const ExampleOptions& options) {
  ExamplePlan plan;
  SentencePacker packer(options.length - special_pieces(1), plan);
  for (int64_t document = 0; document < corpus.documents(); ++document) {
    const int64_t first = corpus.first_sentence(document);
    for (int64_t s = first; s < corpus.first_sentence(document + 1); ++s) {
      const int64_t begin = corpus.first_token(s);
      packer.append(begin, corpus.first_token(s + 1) - begin, s == first);
    }
    if (options.mode == ExampleMode::kDocument) packer.close();
  }
  packer.close();
  return plan;
}

// The tokens of a segment, with [SEP] at the end of each document inside it.
void append_segment(const TextCorpus& corpus, const TextSegment& segment,
                    std::vector<int32_t>& tokens) {
  auto begin = static_cast<int64_t>(segment.begin);
  auto left = static_cast<int64_t>(segment.length);
  for (int64_t document = corpus.document_of(begin);; ++document) {
    const int64_t document_end = corpus.first_token(corpus.first_sentence(document + 1));
    const int64_t end = std::min(begin + left, document_end);
    corpus.read(begin, end, tokens);
    left -= end - begin;
    begin = end;
    if (left == 0) return;
    tokens.push_back(corpus.tokenizer().special().separate);
    --left;
  }
}

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

// The pairs of next-sentence prediction; packed_examples.h describes how they are drawn.
/// Pairs of at most `length` tokens. Depends only on its arguments. Throws as plan_examples does.
ExamplePlan plan_pairs(const TextCorpus& corpus, int64_t length, double short_share, uint64_t key) {
  require_pairs(corpus, "the corpus");
  ExamplePlan plan;
  plan.segments_per_example = 2;
  plan.special_pieces = special_pieces(2, corpus.tokenizer().special().separators);
  const int64_t capacity = length - plan.special_pieces;
  if (capacity < 2)
    throw ConfigError("--length is " + std::to_string(length) + "; pairs of this tokenizer need " +
                      std::to_string(plan.special_pieces + 2) + " or more");
  PairPlanner planner(corpus, capacity, short_share, key, plan);
  for (int64_t d = 0; d < corpus.documents(); ++d) planner.append_document(d);
  return plan;
}

}  // namespace

ExampleMode parse_example_mode(const std::string& name) {
  for (const auto& [known, mode] : kModes) {
    if (name == known) return mode;
  }
  throw ConfigError("there are no examples of the kind '" + name +
                    "': choose full-sentences, document or sentence-pairs");
}

std::vector<std::string> ExampleOptions::problems() const {
  std::vector<std::string> problems;
  // One token in each segment; two in all for a pair that is cut shorter.
  const int64_t segments = mode == ExampleMode::kSentencePairs ? 2 : 1;
  const int64_t shortest = special_pieces(segments) + segments;
  if (length < shortest || length > kMaxLength) {
    problems.push_back("--length is " + std::to_string(length) + "; it must be from " +
                       std::to_string(shortest) + " to " + std::to_string(kMaxLength) +
                       " for these --examples");
  }
  if (!(short_share >= 0 && short_share <= 1))
    problems.push_back("the share of short pairs must be between 0 and 1");
  return problems;
}

std::span<const TextSegment> ExamplePlan::example(int64_t index) const {
  const auto count = static_cast<size_t>(segments_per_example);
  return std::span(segments).subspan(static_cast<size_t>(index) * count, count);
}

int64_t ExamplePlan::length(int64_t index) const {
  int64_t length = special_pieces;
  for (const TextSegment& segment : example(index)) length += static_cast<int64_t>(segment.length);
  return length;
}

void require_pairs(const TextCorpus& corpus, const std::string& name) {
  if (corpus.documents() < 2)
    throw DataError(name +
                    " has one document, but sentence-pairs takes every second half from another "
                    "one: mark the ends of documents, or train on full-sentences or document");
  if (corpus.sentences() == corpus.documents())
    throw DataError(
        name +
        " has one sentence in each document, but sentence-pairs needs two or more: mark "
        "documents and sentences otherwise, or train on full-sentences or document");
}

ExamplePlan plan_examples(const TextCorpus& corpus, const ExampleOptions& options, uint64_t key) {
  if (corpus.tokens() >= int64_t{1} << 40)
    throw DataError("the corpus has more than 2^40 tokens; split it");
  if (options.mode != ExampleMode::kSentencePairs) return plan_packs(corpus, options);
  return plan_pairs(corpus, options.length, options.short_share, key);
}

void append_example(const TextCorpus& corpus, std::span<const TextSegment> example,
                    std::vector<int32_t>& tokens, std::vector<int32_t>& segments) {
  const SpecialPieces& special = corpus.tokenizer().special();
  tokens.push_back(special.classify);
  for (size_t i = 0; i < example.size(); ++i) {
    append_segment(corpus, example[i], tokens);
    const bool is_last = i + 1 == example.size();
    tokens.insert(tokens.end(), static_cast<size_t>(is_last ? 1 : special.separators),
                  special.separate);
    segments.resize(tokens.size(), static_cast<int32_t>(i));
  }
}

}  // namespace dietmt::data
