// Guided alignment by a file of links between words.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "common/error.h"
#include "common/random.h"
#include "common/text_io.h"
#include "data/corpus/corpus_encoding.h"
#include "data/corpus/parallel_reader.h"
#include "nmt/alignment/text_alignment.h"
#include "nmt/alignment/word_alignment.h"
#include "nmt/training/guided_alignment.h"

namespace dietmt::nmt {
namespace {

struct TokenRange {
  int32_t begin = 0;
  int32_t end = 0;
};

// The tokens of each word; none for a word that the tokenizer's normalisation removes.
std::vector<TokenRange> tokens_of_words(const std::string& line, const data::Tokenizer& tokenizer) {
  std::vector<TokenRange> tokens(words_of(line).size());
  if (tokens.empty()) return tokens;
  const std::vector<int32_t> words = words_of_pieces(line, tokenizer.encode_with_spans(line).spans);
  for (int32_t t = 0; t < std::ssize(words); ++t) {
    TokenRange& word = tokens[static_cast<size_t>(words[static_cast<size_t>(t)])];
    if (word.end == 0) word.begin = t;
    word.end = t + 1;
  }
  return tokens;
}

// The pair "3-7" at the beginning of `text`, which loses it and the spaces after it.
WordPair take_link(std::string_view& text, const std::string& where) {
  const std::string word(text.substr(0, text.find(' ')));
  WordPair link;
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

const TokenRange& tokens_at(const std::vector<TokenRange>& words, int32_t word, const char* side,
                            const std::string& where) {
  if (word < std::ssize(words)) return words[static_cast<size_t>(word)];
  throw DataError(where + ": " + side + " word " + std::to_string(word) + " of a sentence of " +
                  std::to_string(words.size()) + " words, which are counted from 0");
}

// Pairs of lines, and their lines of links.
struct LinkedText {
  data::TextPairs text;
  std::vector<std::string> links;
  int64_t first_line = 0;  // of the file of links
};

// Links of pairs, one pair after another.
struct Links {
  std::vector<WordPair> words;
  std::vector<TokenRange> sources, targets;  // the tokens of the words
  std::vector<size_t> ends;                  // of each pair in them

  void append(const Links& more) {
    for (const size_t end : more.ends) ends.push_back(sources.size() + end);
    std::ranges::copy(more.words, std::back_inserter(words));
    std::ranges::copy(more.sources, std::back_inserter(sources));
    std::ranges::copy(more.targets, std::back_inserter(targets));
  }
};

class LinkedTextReader {
 public:
  LinkedTextReader(const std::string& file, const std::vector<data::CorpusFiles>& corpora,
                   int64_t pairs)
      : file_(file), corpora_(corpora), pairs_(pairs), links_(file) {}

  // Throws DataError if there are not as many lines of links as pairs.
  std::optional<LinkedText> next() {
    while (!text_ || !(chunk_ = text_->next())) {
      if (corpus_ == corpora_.size()) {
        require_end();
        return std::nullopt;
      }
      text_.emplace(corpora_[corpus_++]);
    }
    LinkedText linked{std::move(*chunk_), {}, lines_ + 1};
    linked.links.resize(linked.text.sources.size());
    for (std::string& line : linked.links) {
      if (!links_.next(line)) refuse_lines();
      ++lines_;
    }
    return linked;
  }

 private:
  void require_end() {
    std::string line;
    const int64_t pairs = lines_;
    while (links_.next(line)) ++lines_;
    if (lines_ != pairs) refuse_lines();
  }

  [[noreturn]] void refuse_lines() const {
    throw DataError(file_ + ": " + std::to_string(lines_) +
                    " lines of alignments for a training text of " + std::to_string(pairs_) +
                    " pairs");
  }

  const std::string& file_;
  const std::vector<data::CorpusFiles>& corpora_;
  int64_t pairs_;
  LineReader links_;
  size_t corpus_ = 0;  // the next one
  int64_t lines_ = 0;
  std::optional<data::ParallelReader> text_;
  std::optional<data::TextPairs> chunk_;
};

class FileGuide : public AlignmentGuide {
 public:
  explicit FileGuide(Links links) : links_(std::move(links)) {
    for (const size_t end : links_.ends) hash_ = random_key(hash_, end);
    for (const WordPair& link : links_.words)
      hash_ = random_key(random_key(hash_, static_cast<uint64_t>(link.source)),
                         static_cast<uint64_t>(link.target));
    links_.words = {};
  }

  std::vector<TokenLink> links(int64_t pair) const override {
    std::vector<TokenLink> found;
    const size_t end = links_.ends.at(static_cast<size_t>(pair));
    for (size_t i = pair == 0 ? 0 : links_.ends[static_cast<size_t>(pair) - 1]; i < end; ++i)
      for (int32_t t = links_.targets[i].begin; t < links_.targets[i].end; ++t)
        for (int32_t s = links_.sources[i].begin; s < links_.sources[i].end; ++s)
          found.push_back({s, t});
    return found;
  }

  uint64_t content_hash() const override { return hash_; }

 private:
  Links links_;
  uint64_t hash_ = 0;
};

Links links_of(const LinkedText& linked, const std::string& file, const data::Tokenizer& source,
               const data::Tokenizer& target) {
  Links links;
  for (size_t pair = 0; pair < linked.links.size(); ++pair) {
    const std::string where =
        file + ":" + std::to_string(linked.first_line + static_cast<int64_t>(pair));
    const auto sources = tokens_of_words(linked.text.sources[pair], source);
    const auto targets = tokens_of_words(linked.text.targets[pair], target);
    std::string_view line = linked.links[pair];
    if (line.ends_with('\r')) line.remove_suffix(1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    while (!line.empty()) {
      const WordPair link = take_link(line, where);
      links.sources.push_back(tokens_at(sources, link.source, "source", where));
      links.targets.push_back(tokens_at(targets, link.target, "target", where));
      links.words.push_back(link);
    }
    links.ends.push_back(links.words.size());
  }
  return links;
}

}  // namespace

std::shared_ptr<const AlignmentGuide> read_alignment_guide(
    const std::string& file, const std::vector<data::CorpusFiles>& corpora,
    const data::ParallelCorpus& text, const data::Tokenizer& source, const data::Tokenizer& target,
    int64_t threads) {
  const data::CorpusReport& report = text.report();
  if (report.kept != report.lines)
    throw DataError(file + ": the training text loses " +
                    std::to_string(report.lines - report.kept) + " of its " +
                    std::to_string(report.lines) +
                    " pairs of lines, so lines of alignments would not belong to them: leave "
                    "these pairs out of the text first");
  std::vector<data::CorpusFiles> texts = corpora;
  for (data::CorpusFiles& files : texts) files.weights.clear();  // which may be a pipe
  Links all;
  LinkedTextReader reader(file, texts, text.size());
  data::work_in_order(
      threads, [&] { return reader.next(); },
      [&](const LinkedText& linked) { return links_of(linked, file, source, target); },
      [&](const Links& links) { all.append(links); });
  return std::make_shared<FileGuide>(std::move(all));
}

}  // namespace dietmt::nmt
