#include "data/pretraining/packed_examples.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "data/pretraining/sentence_pairs.h"

namespace dietmt::data {
namespace {

constexpr std::pair<const char*, ExampleMode> kModes[] = {
    {"full-sentences", ExampleMode::kFullSentences},
    {"document", ExampleMode::kDocument},
    {"sentence-pairs", ExampleMode::kSentencePairs},
};
constexpr int64_t kMaxLength = 1 << 20;

// [CLS], and [SEP] after each segment.
constexpr int64_t special_pieces(int64_t segments) { return 1 + segments; }

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
  int64_t length = special_pieces(segments_per_example);
  for (const TextSegment& segment : example(index)) length += static_cast<int64_t>(segment.length);
  return length;
}

ExamplePlan plan_examples(const TextCorpus& corpus, const ExampleOptions& options, uint64_t key) {
  if (corpus.tokens() >= int64_t{1} << 40)
    throw DataError("the corpus has more than 2^40 tokens; split it");
  if (options.mode != ExampleMode::kSentencePairs) return plan_packs(corpus, options);
  return plan_pairs(corpus, options.length - special_pieces(2), options.short_share, key);
}

void append_example(const TextCorpus& corpus, std::span<const TextSegment> example,
                    std::vector<int32_t>& tokens, std::vector<int32_t>& segments) {
  tokens.push_back(corpus.tokenizer().special().classify);
  for (size_t i = 0; i < example.size(); ++i) {
    append_segment(corpus, example[i], tokens);
    tokens.push_back(corpus.tokenizer().special().separate);
    segments.resize(tokens.size(), static_cast<int32_t>(i));
  }
}

}  // namespace dietmt::data
