// Translates text with a model written by `dietmt quantize`.
//
//   dietmt::Translator translator("model");
//   for (const dietmt::Translation& translation : translator.translate({"Good morning."}))
//     std::cout << translation.text() << '\n';
//
// Threads may share a Translator; their sentences share its weights and workers. A translation
// depends only on its line, the model and the options. If the model reads context, it also depends
// on the preceding lines of the same call, back to an empty one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dietmt/error.h"

namespace dietmt {

struct TranslatorOptions {
  /// cpu; with libdietmt-torch.so also cuda, cuda:1, or cuda:0,cuda:1 for a copy of the model on
  /// each.
  std::string device = "cpu";
  /// fp32, bf16, int8 (only on the CPU) or fp16 (only on a GPU); auto: the type that the directory
  /// has, and bf16 on a GPU.
  std::string weights = "auto";
  std::string shortlist = {};  ///< file of `dietmt shortlist`, only on the CPU; empty: none
#define DIETMT_MODEL_OPTION(group, type, name, usual, ...) type name = usual;
#include "nmt/search/search_options.def"  // workers, threads, batch_tokens, max_source_length
};

struct TranslateOptions {
  std::string source_tag = {};  ///< word before each line that has text, such as <2de>
  /// One tag per line instead; an empty one: none.
  std::vector<std::string> source_tags = {};
  /// The languages of the lines, for a model of several: codes (en, pt-BR, eng_Latn) or English
  /// names.
  std::string source_language = {};
  std::string target_language = {};
  /// One language per line instead, with the same rules.
  std::vector<std::string> source_languages = {};
  std::vector<std::string> target_languages = {};

  /// Without a value: that of the model, if its config.json has one (search), or the usual one.
#define DIETMT_CALL_OPTION(group, type, name, ...) std::optional<type> name = {};
#include "nmt/search/search_options.def"  // beam to seed, with their ranges and what they mean

  /// Source and target terms: if a line contains the first, its translation must contain the
  /// second, by the rules of `dietmt translate --glossary`. Needs a beam of 2 or more.
  std::vector<std::pair<std::string, std::string>> glossary = {};

  /// Words and phrases that no translation may contain, by the rules of `dietmt translate --avoid`.
  std::vector<std::string> avoid = {};

  /// none; hard: fills Hypothesis::alignment; soft: fills Hypothesis::attention and
  /// Translation::source_tokens.
  std::string alignment = "none";
  /// Moves tags and placeholders with their words, by the rules of `dietmt translate --markup`.
  /// `tokens` are those of the text without them.
  bool markup = false;
  /// What every translation must contain as its line does: "plain" (placeholders, addresses, paths,
  /// @names, #topics, code, Markdown, BBCode, &Mnemonics), "all" (also tags), "none", or names as
  /// of `dietmt translate --keep`. Not with alignment, nor if a glossary or prefix prevents it.
  std::string keep = "plain";
  /// copies: fills Hypothesis::missing_copies, by the rules of `dietmt translate --check`; or none.
  std::string check = "none";
  /// The language whose rules split each line into sentences, which are translated one by one (en,
  /// pt-BR). Without it, only lines longer than max_source_length are split. `tokens` and scores
  /// are those of all sentences. Not with an alignment.
  std::optional<std::string> split_sentences = {};
  /// auto: lines in capitals or with a capital letter in each word are translated in the usual
  /// case, and the translation gets theirs; `tokens` are those of the usual case. Or keep.
  std::string letter_case = "keep";
  /// Against translations that repeat themselves or are too long, too short or empty: report fills
  /// Translation::problem; retry also translates the line again, more carefully; or off.
  std::string guard = "off";

  /// Called about twice a second on the caller's thread while it waits. If it returns true, the
  /// call throws Cancelled and drops its sentences.
  std::function<bool()> cancelled = {};
};

struct ScoreOptions {
  std::string source_tag = {};           ///< as in TranslateOptions
  std::string source_language = {};      ///< as in TranslateOptions
  std::string target_language = {};      ///< as in TranslateOptions
  std::function<bool()> cancelled = {};  ///< as in TranslateOptions
};

/// Aligned words, separated by white space and counted from 0.
struct WordPair {
  std::int32_t source = 0;
  std::int32_t target = 0;

  bool operator==(const WordPair&) const = default;
};

struct Hypothesis {
  std::string text;
  double score = 0.0;  ///< sum of token_scores, normalized by length, with the coverage penalty
  std::vector<std::string> tokens;               ///< pieces, with end of sentence
  std::vector<float> token_scores;               ///< log-probability of each token
  std::vector<std::string> missing_terms = {};   ///< target terms of the glossary that it lacks
  std::vector<std::string> missing_copies = {};  ///< numbers, addresses and names that it lacks
  std::vector<WordPair> alignment = {};          ///< one for each word of the translation
  /// From each token to each of Translation::source_tokens; a row sums to 1, without a source tag.
  std::vector<std::vector<float>> attention = {};

  bool operator==(const Hypothesis&) const = default;
};

struct Translation {
  std::vector<Hypothesis> hypotheses;  ///< best first; one empty one for a line without text
  bool truncated = false;  ///< the line or a sentence of it was longer than max_source_length
  std::string restored_case = {};  ///< by letter_case: "capitals", "title" or "words"; empty: none
  std::string problem = {};        ///< what `guard` found, such as "repeats itself"; empty: nothing
  bool replaced = false;           ///< by a second translation without a problem
  /// Why the translation does not start with all of its prefix; empty: it does, or has none.
  std::string prefix_problem = {};
  std::vector<std::string> source_tokens = {};  ///< with end of sentence; of soft alignment

  const std::string& text() const { return hypotheses.front().text; }
  bool operator==(const Translation&) const = default;
};

/// Sets `line`, and `prefix` if the translation must start with one. Returns false at the end.
using LineSource = std::function<bool(std::string& line, std::string& prefix)>;

class TranslationStream;

class DIETMT_API Translator {
 public:
  /// `model`: a directory, or an ensemble: several with the same vocabulary, separated by commas.
  /// Throws UsageError and ModelError.
  explicit Translator(const std::string& model, const TranslatorOptions& options = {});
  /// For a variable of the environment that may be missing: UsageError if `model` is null.
  explicit Translator(const char* model, const TranslatorOptions& options = {});
  ~Translator();
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  /// Translates `lines`, in order. `prefixes`: forced beginnings of the translations, one per line,
  /// or none. Throws UsageError, InputError, also for a line with a line break inside unless
  /// sentences are split, and Cancelled.
  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     const TranslateOptions& options = {},
                                     const std::vector<std::string>& prefixes = {}) const;

  /// Translates any number of lines while they are read. `line_by_line`: translate each line as it
  /// arrives, for dialogue.
  TranslationStream stream(LineSource lines, const TranslateOptions& options = {},
                           bool line_by_line = false) const;

  /// log p(target | source) of given translations: `score` is the sum of `token_scores`. Targets
  /// are cut at the longest translation that the model can generate. Throws UsageError (also with a
  /// shortlist, which makes probabilities relative) and InputError.
  std::vector<Hypothesis> score(const std::vector<std::string>& sources,
                                const std::vector<std::string>& targets,
                                const ScoreOptions& options = {}) const;

  /// Reads the model again. Running calls finish with the old weights, which stay if reading fails.
  void reload();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads lines in windows of up to 8192, at first 256, and translates one while the caller reads
/// the next. For one thread at a time. It may outlive the Translator; it keeps the weights.
class DIETMT_API TranslationStream {
 public:
  ~TranslationStream();
  TranslationStream(TranslationStream&&) noexcept;
  TranslationStream& operator=(TranslationStream&&) noexcept;

  /// The translation of the next line; nullopt at the end. Throws what Translator::translate() and
  /// the source of lines throw.
  std::optional<Translation> next();

 private:
  friend class Translator;
  class Impl;
  explicit TranslationStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dietmt
