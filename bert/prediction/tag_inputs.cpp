#include "bert/prediction/tag_inputs.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "data/tasks/piece_windows.h"

namespace dietmt::bert {
namespace {

constexpr int32_t kNoWord = -1;

// The pieces of a sentence and the words that they decide.
struct SentencePieces {
  std::vector<int32_t> ids, words;
};

SentencePieces pieces_of(const data::TaggedSentence& sentence, int32_t first_word,
                         const data::BertTokenizer& tokenizer) {
  SentencePieces pieces;
  for (const std::string& word : sentence.words) {
    const std::vector<int32_t> ids = tokenizer.encode(word).ids;
    pieces.words.push_back(first_word++);
    if (ids.empty()) pieces.ids.push_back(tokenizer.special().unknown);
    pieces.ids.insert(pieces.ids.end(), ids.begin(), ids.end());
    pieces.words.resize(pieces.ids.size(), kNoWord);
  }
  return pieces;
}

void add_window(const SentencePieces& pieces, const data::PieceWindow& window,
                const data::SpecialPieces& special, TagInputs& inputs) {
  std::vector<int32_t> ids = {special.classify};
  inputs.words.push_back(kNoWord);
  for (int64_t i = 0; i < window.pieces; ++i) {
    const auto piece = static_cast<size_t>(window.first_piece + i);
    ids.push_back(pieces.ids[piece]);
    inputs.words.push_back(window.has_most_context[static_cast<size_t>(i)] ? pieces.words[piece]
                                                                           : kNoWord);
  }
  ids.push_back(special.separate);
  inputs.words.push_back(kNoWord);
  inputs.inputs.append(ids, std::ssize(ids));
}

}  // namespace

uint64_t content_hash(const TagInputs& inputs) {
  uint64_t hash = content_hash(inputs.inputs);
  for (const int32_t word : inputs.words) hash = random_key(hash, static_cast<uint32_t>(word));
  for (const int32_t tag : inputs.tags) hash = random_key(hash, static_cast<uint32_t>(tag));
  return hash;
}

TagInputs encode_tags(data::TaggedData data, const data::BertTokenizer& tokenizer,
                      int64_t max_length) {
  throw_if_any(InputOptions{max_length, false}.problems());
  const int64_t room = max_length - 2;
  TagInputs inputs;
  int32_t words = 0;
  for (const data::TaggedSentence& sentence : data.sentences) {
    const SentencePieces pieces = pieces_of(sentence, words, tokenizer);
    words += static_cast<int32_t>(sentence.words.size());
    for (const data::PieceWindow& window :
         data::piece_windows(std::ssize(pieces.ids), room, std::max<int64_t>(1, room / 2)))
      add_window(pieces, window, tokenizer.special(), inputs);
  }
  if (data.labelled) inputs.tags = data::tags_of(data);
  inputs.data = std::move(data);
  return inputs;
}

metrics::TaggedSentences predicted_tags(const TagInputs& inputs, std::span<const int32_t> tokens) {
  std::vector<int32_t> tags(static_cast<size_t>(inputs.data.words()));
  for (size_t t = 0; t < tokens.size(); ++t)
    if (inputs.words[t] != kNoWord) tags[static_cast<size_t>(inputs.words[t])] = tokens[t];
  return data::named_tags(inputs.data, tags);
}

}  // namespace dietmt::bert
