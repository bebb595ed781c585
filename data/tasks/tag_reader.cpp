#include "data/tasks/tag_reader.h"

#include <algorithm>

#include "common/error.h"
#include "common/text_io.h"
#include "common/trimmed.h"
#include "data/tasks/label_list.h"
#include "data/tasks/record_reader.h"

namespace dietmt::data {
namespace {

constexpr std::string_view kBlanks = " \t\v\f";

// The part of a word up to its first colon that may name a language: "en:", "zh-yue:".
std::string_view language_prefix(std::string_view word) {
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos || colon < 2) return {};
  const auto names = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  return std::ranges::all_of(word.substr(0, colon), names) ? word.substr(0, colon + 1)
                                                           : std::string_view();
}

// Turns the lines of one file into sentences.
class SentenceBuilder {
 public:
  SentenceBuilder(const RecordReader& reader, const std::vector<std::string>& labels, LabelUse use)
      : reader_(reader), labels_(labels), use_(use) {}

  void add(const std::vector<std::string>& fields, int64_t line) {
    if (fields.size() == 1 && trimmed(fields[0], kBlanks).empty()) {
      inside_ = false;
      return;
    }
    if (fields.size() > 2)
      throw DataError(reader_.where() + ": " + std::to_string(fields.size()) +
                      " columns, expected a word and its tag");
    if (!inside_) data_.sentences.emplace_back().line = line;
    inside_ = true;
    data_.sentences.back().words.push_back(word_of(fields[0]));
    if (use_ != LabelUse::kIgnored) add_tag(fields);
  }

  TaggedData finish(const std::string& path) {
    if (data_.sentences.empty()) throw DataError(path + ": no words");
    const std::vector<int32_t> places = labels_.sort();
    for (TaggedSentence& sentence : data_.sentences) {
      for (int32_t& tag : sentence.tags) tag = places[static_cast<size_t>(tag)];
      for (std::string& word : sentence.words) word.erase(0, prefix_.size());
    }
    data_.labels = labels_.names();
    return std::move(data_);
  }

 private:
  std::string word_of(const std::string& field) {
    std::string word(trimmed(field, kBlanks));
    if (invalid_utf8_at(word) != std::string::npos) {
      word = replace_invalid_utf8(word);
      if (data_.not_utf8.rows++ == 0) data_.not_utf8.first_where = reader_.where();
    }
    if (words_++ == 0) prefix_ = language_prefix(word);
    if (!word.starts_with(prefix_)) prefix_.clear();  // not of all words
    return word;
  }

  void add_tag(const std::vector<std::string>& fields) {
    const bool has_tag = fields.size() == 2;
    if (words_ == 1) data_.labelled = has_tag;
    if (has_tag != data_.labelled || (!has_tag && use_ == LabelUse::kRequired))
      throw DataError(reader_.where() + (has_tag ? ": a tag, although the words before have none"
                                                 : ": no tag; expected a word, a tab and its tag"));
    if (!has_tag) return;
    const std::string text(trimmed(fields[1], kBlanks));
    const int32_t tag = labels_.index_of(text);
    if (tag < 0) throw DataError(reader_.where() + ": " + labels_.problem(text, "the second one"));
    data_.sentences.back().tags.push_back(tag);
  }

  const RecordReader& reader_;
  LabelList labels_;
  const LabelUse use_;
  TaggedData data_;
  std::string prefix_;  // of all words so far
  int64_t words_ = 0;
  bool inside_ = false;  // a sentence
};

}  // namespace

TaggedData read_tagged(const std::string& path, const std::vector<std::string>& labels,
                       LabelUse use) {
  RecordReader reader(path, RecordFormat::kTsv);
  SentenceBuilder builder(reader, labels, use);
  std::vector<std::string> fields;
  for (int64_t line = 1; reader.next(fields); ++line) builder.add(fields, line);
  return builder.finish(path);
}

int64_t TaggedData::words() const {
  int64_t count = 0;
  for (const TaggedSentence& sentence : sentences) count += std::ssize(sentence.words);
  return count;
}

std::string TaggedData::summary() const {
  std::string text =
      std::to_string(sentences.size()) + " sentences of " + std::to_string(words()) + " words";
  if (labelled) text += ", " + std::to_string(labels.size()) + " tags";
  if (not_utf8.rows > 0)
    text += "; " + std::to_string(not_utf8.rows) +
            " words with bytes that are not UTF-8, replaced by U+FFFD, first " +
            not_utf8.first_where;
  return text;
}

metrics::TaggedSentences named_tags(const TaggedData& data, std::span<const int32_t> tags) {
  metrics::TaggedSentences named;
  size_t word = 0;
  for (const TaggedSentence& sentence : data.sentences) {
    std::vector<std::string>& names = named.emplace_back();
    for (size_t w = 0; w < sentence.words.size(); ++w)
      names.push_back(data.labels[static_cast<size_t>(tags[word++])]);
  }
  return named;
}

std::vector<int32_t> tags_of(const TaggedData& data) {
  std::vector<int32_t> tags;
  for (const TaggedSentence& sentence : data.sentences)
    tags.insert(tags.end(), sentence.tags.begin(), sentence.tags.end());
  return tags;
}

}  // namespace dietmt::data
