#include "bert/finetuning/encoded_inputs.h"

#include "common/error.h"

namespace dietmt::bert {
namespace {

using data::SpecialPieces;

int64_t special_pieces(const InputOptions& options) { return options.pairs ? 3 : 2; }

// Shortens both to `room` pieces together; false if they fit.
bool cut_to(int64_t room, std::vector<int32_t>& first, std::vector<int32_t>& second) {
  bool cut = false;
  while (std::ssize(first) + std::ssize(second) > room) {
    (first.size() > second.size() ? first : second).pop_back();
    cut = true;
  }
  return cut;
}

void append_text(std::vector<int32_t>& ids, const std::vector<int32_t>& text,
                 const SpecialPieces& special) {
  ids.insert(ids.end(), text.begin(), text.end());
  ids.push_back(special.separate);
}

}  // namespace

std::span<const int32_t> EncodedInputs::input(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  const auto begin = static_cast<size_t>(tokens.offsets[at]);
  return std::span(tokens.tokens)
      .subspan(begin, static_cast<size_t>(tokens.offsets[at + 1]) - begin);
}

void EncodedInputs::append(std::span<const int32_t> ids, int64_t second_begin) {
  tokens.append(ids);
  second_begins.push_back(static_cast<int32_t>(second_begin));
}

std::vector<std::string> InputOptions::problems() const {
  const int64_t least = special_pieces(*this) + 1;
  if (max_length >= least) return {};
  return {"--max-length must be at least " + std::to_string(least)};
}

EncodedInputs encode_examples(std::span<const data::Example> examples,
                              const data::BertTokenizer& tokenizer, const InputOptions& options) {
  throw_if_any(options.problems());
  const SpecialPieces& special = tokenizer.special();
  EncodedInputs inputs;
  std::vector<int32_t> ids;
  for (const data::Example& example : examples) {
    std::vector<int32_t> first = tokenizer.encode(example.first).ids;
    std::vector<int32_t> second;
    if (options.pairs) second = tokenizer.encode(example.second).ids;
    if (cut_to(options.max_length - special_pieces(options), first, second)) ++inputs.cut;
    ids = {special.classify};
    append_text(ids, first, special);
    const int64_t second_begin = std::ssize(ids);
    if (options.pairs) append_text(ids, second, special);
    inputs.append(ids, second_begin);
  }
  return inputs;
}

}  // namespace dietmt::bert
