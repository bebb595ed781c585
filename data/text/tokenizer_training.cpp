#include "data/text/tokenizer_training.h"

#include <fmt/ranges.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "common/memory_use.h"
#include "common/random.h"
#include "common/text_io.h"
#include "data/text/model_pieces.h"
#include "data/text/source_tag.h"
#include "data/text/text_column.h"
#include "data/text/tokenizer.h"

namespace dietmt::data {
namespace {

std::string marked(const std::string& tag) { return std::string(kWordBegin) + tag; }

// Longer lines make the trainer slow and hardly change the vocabulary.
constexpr size_t kLongestLine = 8192;
constexpr int64_t kMostTrainerThreads = 128;  // of sentencepiece

// A file of training text.
struct Input {
  std::string file;
  std::string normalization;  // of its lines before training; "none" if the trainer normalizes
};

// The trainer has one normalization, and not NFC.
bool prepares(const TokenizerOptions& options, const std::optional<SecondLanguage>& second) {
  return second || options.normalization == "nfc";
}

std::vector<Input> inputs_of(const TokenizerOptions& options,
                             const std::optional<SecondLanguage>& second) {
  std::vector<Input> inputs;
  for (const std::string& file : options.inputs)
    inputs.push_back({file, prepares(options, second) ? options.normalization : "none"});
  if (!second) return inputs;
  for (const std::string& file : second->inputs) inputs.push_back({file, second->normalization});
  return inputs;
}

// A uniform sample of at most options.sentences lines (Vitter 1985, algorithm R).
std::vector<std::string> sample_lines(const TokenizerOptions& options,
                                      const std::vector<Input>& inputs) {
  std::vector<std::string> sample;
  Random random(random_key(options.seed, 0));
  const auto limit = static_cast<uint64_t>(options.sentences);
  uint64_t seen = 0;
  int64_t too_long = 0;
  for (const auto& [input, normalization] : inputs) {
    TextReader reader(input);
    Utf8Lines utf8(options.invalid_utf8);
    for (std::string line; reader.next(line);) {
      if (!utf8.admit(reader, line)) continue;
      const bool is_long = line.size() > kLongestLine;
      if (is_long) ++too_long;
      if (line.empty() || is_long) continue;
      std::replace(line.begin(), line.end(), '\0', ' ');
      line = normalized_text(line, normalization);
      if (sample.size() < limit) {
        sample.push_back(line);
      } else if (const uint64_t place = random.below(seen + 1); place < limit) {
        sample[place] = line;
      }
      ++seen;
    }
    utf8.report(input);
  }
  if (too_long > 0) {
    spdlog::warn("tokenizer training leaves out {} lines longer than {} bytes", too_long,
                 kLongestLine);
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

using TrainerSettings = std::unordered_map<std::string, std::string>;

TrainerSettings special_settings(SpecialSet special) {
  if (special == SpecialSet::kTranslation)
    return {{"unk_id", "0"}, {"bos_id", "1"}, {"eos_id", "2"}, {"pad_id", "-1"}};
  // A control piece without an id takes the first free one.
  return {{"pad_id", "0"},        {"pad_piece", "[PAD]"}, {"unk_id", "1"},
          {"unk_piece", "[UNK]"}, {"bos_id", "2"},        {"bos_piece", "[CLS]"},
          {"eos_id", "3"},        {"eos_piece", "[SEP]"}, {"control_symbols", "[MASK]"}};
}

// A list of sentencepiece: elements with quotation marks may have commas.
std::string quoted_list(const std::vector<std::string>& pieces) {
  std::string list;
  for (const std::string& piece : std::set(pieces.begin(), pieces.end())) {
    list += list.empty() ? "\"" : ",\"";
    for (const char c : piece) list += c == '"' ? "\"\"" : std::string(1, c);
    list += '"';
  }
  return list;
}

// As text has it in a sentencepiece model: with marks in place of spaces.
std::string with_marks(const std::string& text) {
  std::string marked_text;
  for (const char c : text) marked_text += c == ' ' ? std::string(kWordBegin) : std::string(1, c);
  return marked_text;
}

// Tags with the mark of a word's start, which would otherwise be a separate piece before them.
std::vector<std::string> fixed_pieces(const TokenizerOptions& options) {
  std::vector<std::string> pieces;
  for (const std::string& tag : options.tags) pieces.push_back(marked(tag));
  for (const std::string& symbol : options.symbols) pieces.push_back(with_marks(symbol));
  return pieces;
}

std::pair<std::string, std::string> name_and_value(const std::string& setting) {
  const size_t at = setting.find('=');
  if (at == std::string::npos || at == 0)
    throw ConfigError("--sentencepiece " + setting + ": must be NAME=VALUE");
  return {setting.substr(0, at), setting.substr(at + 1)};
}

// Runs the trainer of sentencepiece. The vocabulary may be smaller than requested.
sentencepiece::util::Status run_trainer(const std::vector<std::string>& lines,
                                        const TokenizerOptions& options, const std::string& type,
                                        std::string& serialized) {
  TrainerSettings settings = {
      {"model_type", type},
      {"vocab_size", std::to_string(options.vocabulary_size)},
      {"hard_vocab_limit", "false"},
      {"use_all_vocab", type == "char" ? "true" : "false"},
      {"character_coverage", std::to_string(options.character_coverage)},
      {"num_threads", std::to_string(std::min(options.threads, kMostTrainerThreads))},
      {"max_sentence_length", std::to_string(kLongestLine)},
      {"normalization_rule_name", Normalization{options.normalization, options.lowercase}.rule()},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"split_digits", options.split_digits ? "true" : "false"},
      {"minloglevel", "2"}};
  settings.merge(special_settings(options.special));
  const std::vector<std::string> fixed = fixed_pieces(options);
  if (!fixed.empty()) settings["user_defined_symbols"] = quoted_list(fixed);
  if (options.separator) settings["control_symbols"] = std::string(kSeparatorPiece);
  for (const std::string& setting : options.settings) {
    if (!settings.insert(name_and_value(setting)).second)
      throw ConfigError("--sentencepiece " + setting + ": dietmt sets this itself");
  }
  SampleIterator iterator(lines);
  return sentencepiece::SentencePieceTrainer::Train(settings, &iterator, &serialized);
}

int64_t pieces_in(const std::string& serialized) {
  sentencepiece::SentencePieceProcessor processor;
  return processor.LoadFromSerializedProto(serialized).ok() ? processor.GetPieceSize() : 0;
}

void check_tags(const std::string& serialized, const std::vector<std::string>& tags) {
  sentencepiece::SentencePieceProcessor processor;
  if (!processor.LoadFromSerializedProto(serialized).ok()) return;
  for (const std::string& tag : tags) {
    if (processor.EncodeAsPieces(tag) != std::vector{marked(tag)})
      throw DataError("the tag '" + tag +
                      "' is not a word after normalisation; choose another tag");
  }
}

void check(const TokenizerOptions& options) {
  std::vector<std::string> problems;
  if (options.inputs.empty()) problems.push_back("the tokenizer needs input text");
  if (options.type != "bpe" && options.type != "unigram")
    problems.push_back("tokenizer type '" + options.type + "': must be bpe or unigram");
  const int64_t smallest = options.special == SpecialSet::kBert ? 6 : 4;
  if (options.vocabulary_size < smallest)
    problems.push_back("--vocab-size must be at least " + std::to_string(smallest));
  if (options.vocabulary_size > INT32_MAX) problems.push_back("--vocab-size is too large");
  if (!(options.character_coverage > 0.9 && options.character_coverage <= 1.0))
    problems.push_back("the character coverage must be above 0.9 and at most 1");
  if (options.lowercase && (options.normalization == "none" || options.normalization == "nfc"))
    problems.push_back("--lowercase needs --normalization nmt-nfkc or nfkc");
  for (const std::string& symbol : options.symbols)
    if (symbol.empty()) problems.push_back("--user-symbols: a symbol is empty");
  if (options.sentences < 1) problems.push_back("the number of sentences must be at least 1");
  if (options.threads < 1) problems.push_back("the number of threads must be at least 1");
  for (const std::string& tag : options.tags)
    if (const std::string problem = source_tag_problem(tag); !problem.empty())
      problems.push_back(problem);
  throw_if_any(problems);
}

}  // namespace

SpecialSet special_set_from_name(const std::string& name) {
  if (name == "translation") return SpecialSet::kTranslation;
  if (name == "bert") return SpecialSet::kBert;
  throw ConfigError("special pieces '" + name + "': must be translation or bert");
}

void train_tokenizer(const TokenizerOptions& given, const std::filesystem::path& output,
                     const std::optional<SecondLanguage>& second) {
  check(given);
  TokenizerOptions options = given;
  if (prepares(given, second)) options.normalization = "none";
  const std::vector<std::string> lines = sample_lines(options, inputs_of(given, second));
  if (lines.empty()) throw DataError(options.inputs.front() + ": no text to train a tokenizer on");
  const std::string size_text = "--vocab-size " + std::to_string(options.vocabulary_size);
  std::string serialized;
  const auto status = run_trainer(lines, options, options.type, serialized);
  if (!status.ok()) {
    // Every character of the text is a piece; the smallest vocabulary has only these.
    std::string characters;
    if (run_trainer(lines, options, "char", characters).ok() &&
        pieces_in(characters) > options.vocabulary_size) {
      throw ConfigError(size_text + " is too small for this text: its characters need " +
                        std::to_string(pieces_in(characters)) +
                        " pieces; give a larger one, or leave the rarest characters without a "
                        "piece: --character-coverage 0.9995");
    }
    const std::string problem = std::string("sentencepiece cannot train: ") + status.message();
    if (options.settings.empty()) throw DataError(problem);
    throw ConfigError(problem + "; --sentencepiece gives it " +
                      fmt::format("{}", fmt::join(options.settings, ", ")));
  }
  if (const int64_t largest = pieces_in(serialized); largest < options.vocabulary_size) {
    if (options.may_shrink)
      spdlog::info("the text has too few words for {} pieces: the vocabulary has {}",
                   options.vocabulary_size, largest);
    else
      throw ConfigError(size_text + " is too large for this text: the largest possible one is " +
                        std::to_string(largest));
  }
  const auto model_with = [&](const std::string& normalization) {
    const Normalization rules{.name = normalization};
    return with_normalization(serialized, rules.rule(), compiled_rules(rules));
  };
  const std::string model = prepares(given, second) ? model_with(given.normalization) : serialized;
  check_tags(model, options.tags);
  write_file_atomically(output, model);
  if (second) write_file_atomically(second->output, model_with(second->normalization));
  // Returns hundreds of megabytes to the system before the model is trained.
  return_free_memory();
}

}  // namespace dietmt::data
