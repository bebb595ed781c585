#include "nmt/training/guided_alignment.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>

#include "common/error.h"
#include "common/random.h"
#include "common/text_io.h"
#include "data/shortlist/aligner.h"
#include "data/text/source_tag.h"
#include "encoders/device/device.h"

namespace dietmt::nmt {
namespace {

class StatisticalGuide : public AlignmentGuide {
 public:
  StatisticalGuide(data::SentencePairs pairs, int64_t threads)
      : pairs_(std::move(pairs)),
        aligner_(data::train_aligner(pairs_, {.prior = data::kSparsePrior, .threads = threads},
                                     [](const data::AlignerIteration& iteration) {
                                       spdlog::info(
                                           "word aligner: iteration {}, log-likelihood {:.4g}",
                                           iteration.number, iteration.log_likelihood);
                                     })) {}

  std::vector<TokenLink> links(int64_t pair) const override {
    std::vector<TokenLink> found;
    const std::vector<int32_t> sources = aligner_.links(pairs_.at(pair));
    for (size_t t = 0; t < sources.size(); ++t)
      if (sources[t] >= 0) found.push_back({sources[t], static_cast<int32_t>(t)});
    return found;
  }

 private:
  data::SentencePairs pairs_;
  data::WordAligner aligner_;
};

// The tokens of each word, without end of sentence.
class Words {
 public:
  Words(std::span<const int32_t> ids, const data::Tokenizer& tokenizer) {
    const auto tokens = static_cast<int32_t>(ids.size()) - 1;
    for (int32_t i = 0; i < tokens; ++i) {
      const bool begins =
          tokenizer.piece(ids[static_cast<size_t>(i)]).starts_with(data::kWordBegin);
      if (begins || i == 0) starts_.push_back(i);
    }
    starts_.push_back(tokens);
  }

  int32_t count() const { return static_cast<int32_t>(starts_.size()) - 1; }
  int32_t first(int32_t word) const { return starts_[static_cast<size_t>(word)]; }
  int32_t last(int32_t word) const { return starts_[static_cast<size_t>(word) + 1]; }

 private:
  std::vector<int32_t> starts_;  // and the end
};

struct WordLink {
  int32_t source = 0;
  int32_t target = 0;
};

// The pair "3-7" at the beginning of `text`, which loses it and the spaces after it.
WordLink take_link(std::string_view& text, const std::string& where) {
  const std::string word(text.substr(0, text.find(' ')));
  WordLink link;
  const char* const end = word.data() + word.size();
  const auto source = std::from_chars(word.data(), end, link.source);
  const bool has_dash = source.ec == std::errc() && source.ptr != end && *source.ptr == '-';
  const auto target = has_dash ? std::from_chars(source.ptr + 1, end, link.target) : source;
  if (!has_dash || target.ec != std::errc() || target.ptr != end || link.source < 0 ||
      link.target < 0)
    throw DataError(where + ": '" + word + "' is no pair of words such as 3-7");
  text.remove_prefix(word.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return link;
}

class FileGuide : public AlignmentGuide {
 public:
  FileGuide(const std::string& file, const data::ParallelCorpus& text,
            const data::Tokenizer& source, const data::Tokenizer& target)
      : text_(text), source_(source), target_(target) {
    if (text.report().kept != text.report().lines)
      throw DataError(file + ": the training text loses " +
                      std::to_string(text.report().lines - text.report().kept) + " of its " +
                      std::to_string(text.report().lines) +
                      " pairs of lines, so lines of alignments would not belong to them: leave "
                      "these pairs out of the text first");
    LineReader reader(file);
    std::string line;
    while (reader.next(line)) add(line, reader.where());
    if (std::ssize(ends_) != text.size())
      throw DataError(file + ": " + std::to_string(ends_.size()) +
                      " lines of alignments for a training text of " + std::to_string(text.size()) +
                      " pairs");
  }

  std::vector<TokenLink> links(int64_t pair) const override {
    const Words source(text_.source(pair), source_), target(text_.target(pair), target_);
    std::vector<TokenLink> found;
    const size_t end = ends_[static_cast<size_t>(pair)];
    for (size_t i = pair == 0 ? 0 : ends_[static_cast<size_t>(pair) - 1]; i < end; ++i)
      for (int32_t t = target.first(links_[i].target); t < target.last(links_[i].target); ++t)
        for (int32_t s = source.first(links_[i].source); s < source.last(links_[i].source); ++s)
          found.push_back({s, t});
    return found;
  }

  uint64_t content_hash() const override {
    uint64_t hash = 0;
    for (const size_t end : ends_) hash = random_key(hash, end);
    for (const WordLink& link : links_)
      hash = random_key(random_key(hash, static_cast<uint64_t>(link.source)),
                        static_cast<uint64_t>(link.target));
    return hash;
  }

 private:
  void add(std::string_view line, const std::string& where) {
    const auto pair = static_cast<int64_t>(ends_.size());
    if (pair < text_.size()) {
      const Words source(text_.source(pair), source_), target(text_.target(pair), target_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      while (!line.empty()) {
        links_.push_back(take_link(line, where));
        require(links_.back().source, source.count(), "source", where);
        require(links_.back().target, target.count(), "target", where);
      }
    }
    ends_.push_back(links_.size());
  }

  static void require(int32_t word, int32_t words, const char* side, const std::string& where) {
    if (word < words) return;
    throw DataError(where + ": " + side + " word " + std::to_string(word) + " of a sentence of " +
                    std::to_string(words) + " words, which are counted from 0");
  }

  const data::ParallelCorpus& text_;
  const data::Tokenizer& source_;
  const data::Tokenizer& target_;
  std::vector<WordLink> links_;  // of all lines
  std::vector<size_t> ends_;     // of each line in links_
};

}  // namespace

std::shared_ptr<const AlignmentGuide> statistical_guide(const data::ParallelCorpus& text,
                                                        const data::Tokenizer& source,
                                                        const data::Tokenizer& target,
                                                        int64_t threads) {
  return std::make_shared<StatisticalGuide>(data::sentence_pairs(text, source, target), threads);
}

std::shared_ptr<const AlignmentGuide> read_alignment_guide(const std::string& file,
                                                           const data::ParallelCorpus& text,
                                                           const data::Tokenizer& source,
                                                           const data::Tokenizer& target) {
  return std::make_shared<FileGuide>(file, text, source, target);
}

AlignmentTargets alignment_targets(std::span<const int64_t> targets,
                                   std::span<const int64_t> sources,
                                   std::span<const std::vector<TokenLink>> links,
                                   at::Device device) {
  std::vector<int64_t> places;
  std::vector<float> weights;
  int64_t begin = 0;  // of the sentence among all weights
  for (size_t b = 0; b < links.size(); ++b) {
    std::vector<float> counts(static_cast<size_t>(targets[b]));
    for (const TokenLink& link : links[b])
      if (link.source < 0 || link.source >= sources[b] || link.target < 0 ||
          link.target >= targets[b])
        throw DataError("an alignment links token " + std::to_string(link.source) + " to token " +
                        std::to_string(link.target) + " in a pair of " +
                        std::to_string(sources[b]) + " and " + std::to_string(targets[b]) +
                        " tokens");
    for (const TokenLink& link : links[b]) counts[static_cast<size_t>(link.target)] += 1.0F;
    for (const TokenLink& link : links[b]) {
      places.push_back(begin + link.target * sources[b] + link.source);
      weights.push_back(1.0F / counts[static_cast<size_t>(link.target)]);
    }
    begin += targets[b] * sources[b];
  }
  const int64_t count = std::ssize(places);
  const at::Tensor host = encoders::staging_tensor(count + (count + 1) / 2, device);
  std::ranges::copy(places, host.mutable_data_ptr<int64_t>());
  std::ranges::copy(weights, reinterpret_cast<float*>(host.mutable_data_ptr<int64_t>() + count));
  const at::Tensor all = host.to(device, /*non_blocking=*/true);
  return {all.narrow(0, 0, count),
          all.narrow(0, count, (count + 1) / 2).view(at::kFloat).narrow(0, 0, count)};
}

at::Tensor alignment_loss(at::TensorList attention, const AlignmentTargets& targets) {
  constexpr double kSmallest = 1e-9;  // of a probability, before its logarithm
  std::vector<at::Tensor> flat;
  for (const at::Tensor& sentence : attention) flat.push_back(sentence.reshape(-1));
  const at::Tensor chosen = at::cat(flat).index_select(0, targets.places);
  return -(chosen.clamp_min(kSmallest).log() * targets.weights).sum();
}

}  // namespace dietmt::nmt
