#include "nmt/decoding/search_task.h"

namespace dietmt::nmt {

SpecialTokens SpecialTokens::of(const data::Tokenizer& tokenizer) {
  return {tokenizer.unknown_id(), tokenizer.begin_id(), tokenizer.end_id()};
}

int32_t SearchTask::forced_token(int64_t step, const SpecialTokens& special) const {
  if (step + 1 >= max_length) return special.end;
  const auto position = static_cast<size_t>(step);
  return position < prefix.size() ? prefix[position] : -1;
}

}  // namespace dietmt::nmt
