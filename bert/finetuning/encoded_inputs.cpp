#include "bert/finetuning/encoded_inputs.h"

#include <optional>

#include "common/error.h"
#include "common/random.h"
#include "data/text/encoder_input.h"

namespace dietmt::bert {
namespace {

int64_t special_pieces(const InputOptions& options) { return options.pairs ? 3 : 2; }

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

uint64_t content_hash(const EncodedInputs& inputs) {
  uint64_t hash = static_cast<uint64_t>(inputs.size());
  for (const int32_t id : inputs.tokens.tokens) hash = random_key(hash, static_cast<uint32_t>(id));
  for (const auto offset : inputs.tokens.offsets)
    hash = random_key(hash, static_cast<uint64_t>(offset));
  for (const int32_t begin : inputs.second_begins)
    hash = random_key(hash, static_cast<uint32_t>(begin));
  return hash;
}

std::vector<std::string> InputOptions::problems() const {
  const int64_t least = special_pieces(*this) + 1;
  if (max_length >= least) return {};
  return {"--max-length must be at least " + std::to_string(least)};
}

EncodedInputs encode_examples(std::span<const data::Example> examples,
                              const data::BertTokenizer& tokenizer, const InputOptions& options) {
  throw_if_any(options.problems());
  EncodedInputs inputs;
  for (const data::Example& example : examples) {
    const std::vector<int32_t> first = tokenizer.encode(example.first).ids;
    std::vector<int32_t> second;
    std::optional<std::span<const int32_t>> second_text;
    if (options.pairs) {
      second = tokenizer.encode(example.second).ids;
      second_text = second;
    }
    const data::EncoderInput input =
        data::encoder_input(first, second_text, tokenizer.special(), options.max_length);
    if (input.cut > 0) ++inputs.cut;
    inputs.append(input.ids, input.second_begin);
  }
  return inputs;
}

}  // namespace dietmt::bert
