#include "data/tokenizer.h"

#include <malloc.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <unordered_map>

#include "common/error.h"
#include "common/files.h"
#include "common/random.h"
#include "common/text_io.h"

namespace dietmt::data {

struct Tokenizer::Impl {
  sentencepiece::SentencePieceProcessor processor;
  std::string serialized;
};

Tokenizer::Tokenizer(const std::filesystem::path& model_file) : impl_(std::make_unique<Impl>()) {
  try {
    impl_->serialized = read_file(model_file);
  } catch (const Error& error) {
    throw DataError(error.what());
  }
  const auto status = impl_->processor.LoadFromSerializedProto(impl_->serialized);
  if (!status.ok() || vocabulary_size() == 0)
    throw DataError(model_file.string() + ": not a sentencepiece model");
  if (impl_->processor.unk_id() < 0 || begin_id() < 0 || end_id() < 0) {
    throw DataError(
        model_file.string() +
        ": the sentencepiece model lacks a piece for unknown, begin or end of sentence");
  }
}

Tokenizer::~Tokenizer() = default;

std::vector<int32_t> Tokenizer::encode(std::string_view line) const {
  std::vector<int> ids;
  const auto encode_utf8 = [&](std::string_view text) {
    return impl_->processor.Encode({text.data(), text.size()}, &ids);
  };
  const auto status = invalid_utf8_at(line) == std::string_view::npos
                          ? encode_utf8(line)
                          : encode_utf8(replace_invalid_utf8(line));
  if (!status.ok()) throw Error(std::string("sentencepiece cannot encode: ") + status.message());
  return ids;
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::vector<int> text_ids;
  text_ids.reserve(ids.size());
  for (const int32_t id : ids) {
    if (id < 0 || id >= vocabulary_size())
      throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
    if (!impl_->processor.IsControl(id)) text_ids.push_back(id);
  }
  std::string text;
  const auto status = impl_->processor.Decode(text_ids, &text);
  if (!status.ok()) throw Error(std::string("sentencepiece cannot decode: ") + status.message());
  return text;
}

int64_t Tokenizer::vocabulary_size() const { return impl_->processor.GetPieceSize(); }
int32_t Tokenizer::unknown_id() const { return impl_->processor.unk_id(); }
int32_t Tokenizer::begin_id() const { return impl_->processor.bos_id(); }
int32_t Tokenizer::end_id() const { return impl_->processor.eos_id(); }

std::string Tokenizer::piece(int32_t id) const {
  if (id < 0 || id >= vocabulary_size())
    throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
  return impl_->processor.IdToPiece(id);
}

const std::string& Tokenizer::serialized() const { return impl_->serialized; }

namespace {

// Longer lines make the trainer slow and hardly change the vocabulary.
constexpr size_t kMaxLineBytes = 8192;

// A uniform sample of at most options.sentences lines (Vitter 1985, algorithm R).
std::vector<std::string> sample_lines(const TokenizerOptions& options) {
  std::vector<std::string> sample;
  Random random(random_key(options.seed, 0));
  const auto limit = static_cast<uint64_t>(options.sentences);
  uint64_t seen = 0;
  int64_t too_long = 0;
  for (const std::string& input : options.inputs) {
    LineReader reader(input);
    for (std::string line; reader.next(line);) {
      if (const size_t at = invalid_utf8_at(line); at != std::string::npos)
        throw DataError(reader.where() + ": not UTF-8 at byte " + std::to_string(at + 1));
      if (line.size() > kMaxLineBytes) ++too_long;
      if (line.empty() || line.size() > kMaxLineBytes) continue;
      std::replace(line.begin(), line.end(), '\0', ' ');
      if (sample.size() < limit) {
        sample.push_back(line);
      } else if (const uint64_t place = random.below(seen + 1); place < limit) {
        sample[place] = line;
      }
      ++seen;
    }
  }
  if (too_long > 0) {
    spdlog::warn("tokenizer training leaves out {} lines longer than {} bytes", too_long,
                 kMaxLineBytes);
  }
  return sample;
}

class SampleIterator : public sentencepiece::SentenceIterator {
 public:
  explicit SampleIterator(const std::vector<std::string>& lines) : lines_(lines) {}
  bool done() const override { return position_ == lines_.size(); }
  void Next() override { ++position_; }
  const std::string& value() const override { return lines_[position_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& lines_;
  size_t position_ = 0;
};

// One run of sentencepiece's trainer. The vocabulary may come out smaller than asked for.
sentencepiece::util::Status run_trainer(const std::vector<std::string>& lines,
                                        const TokenizerOptions& options, const std::string& type,
                                        std::string& serialized) {
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", type},
      {"vocab_size", std::to_string(options.vocabulary_size)},
      {"hard_vocab_limit", "false"},
      {"use_all_vocab", type == "char" ? "true" : "false"},
      {"character_coverage", std::to_string(options.character_coverage)},
      {"num_threads", std::to_string(options.threads)},
      {"max_sentence_length", std::to_string(kMaxLineBytes)},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "-1"},
      {"minloglevel", "2"}};
  SampleIterator iterator(lines);
  return sentencepiece::SentencePieceTrainer::Train(settings, &iterator, &serialized);
}

int64_t pieces_in(const std::string& serialized) {
  sentencepiece::SentencePieceProcessor processor;
  return processor.LoadFromSerializedProto(serialized).ok() ? processor.GetPieceSize() : 0;
}

void check(const TokenizerOptions& options) {
  std::vector<std::string> problems;
  if (options.inputs.empty()) problems.push_back("the tokenizer needs input text");
  if (options.type != "bpe" && options.type != "unigram")
    problems.push_back("tokenizer type '" + options.type + "': must be bpe or unigram");
  if (options.vocabulary_size < 4) problems.push_back("the vocabulary size must be at least 4");
  if (options.vocabulary_size > INT32_MAX) problems.push_back("the vocabulary size is too large");
  if (!(options.character_coverage > 0.9 && options.character_coverage <= 1.0))
    problems.push_back("the character coverage must be above 0.9 and at most 1");
  if (options.sentences < 1) problems.push_back("the number of sentences must be at least 1");
  if (options.threads < 1) problems.push_back("the number of threads must be at least 1");
  throw_if_any(problems);
}

}  // namespace

void train_tokenizer(const TokenizerOptions& options, const std::filesystem::path& output) {
  check(options);
  const std::vector<std::string> lines = sample_lines(options);
  if (lines.empty()) throw DataError(options.inputs.front() + ": no text to train a tokenizer on");
  const std::string size_text = "a vocabulary of " + std::to_string(options.vocabulary_size);
  std::string serialized;
  const auto status = run_trainer(lines, options, options.type, serialized);
  if (!status.ok()) {
    // Every character of the text is a piece: with these alone the vocabulary is the smallest.
    std::string characters;
    if (run_trainer(lines, options, "char", characters).ok() &&
        pieces_in(characters) > options.vocabulary_size) {
      throw DataError(size_text + " is too small for this text: its characters alone make " +
                      std::to_string(pieces_in(characters)) +
                      " pieces; raise the size or lower the character coverage");
    }
    throw DataError(std::string("sentencepiece cannot train: ") + status.message());
  }
  if (const int64_t largest = pieces_in(serialized); largest < options.vocabulary_size) {
    throw DataError(size_text + " is too large for this text: the largest possible one is " +
                    std::to_string(largest));
  }
  write_file_atomically(output, serialized);
  // The trainer's hundreds of megabytes go back to the system: training the model comes next.
  ::malloc_trim(0);
}

}  // namespace dietmt::data
