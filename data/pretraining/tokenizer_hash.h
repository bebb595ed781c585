// Tells one tokenizer from another.
#pragma once

#include <cstdint>

#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

/// Of the files that the tokenizer saves (names and bytes): they hold all that its ids depend on.
/// Writes them to a temporary directory. Throws Error.
uint64_t hash_of(const BertTokenizer& tokenizer);

}  // namespace dietmt::data
