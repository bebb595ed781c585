// Pieces that byte pair encoding makes of words or bytes by its list of merges.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::data {

struct MosesLanguage;
enum class MosesSteps;

/// What the symbols of the merges are.
enum class MergedText {
  kWords,  // subword-nmt: characters of words between white space; a piece ends with @@ if its
           // word goes on, and in merges the end of a word is </w>
  kBytes,  // GPT-2: bytes of byte_word_ends(), written in its alphabet
  kSpacedBytes,  // bytes of texts that each get a space before them
};

/// What merged_pieces() of subwords.h reads. `merges`: Merges's lines.
std::string merge_rules(MergedText text, std::string_view merges);

/// Rules for symbols of the words that Moses' tokenizer makes; its detokenizer makes text of them.
std::string merge_rules(const MosesLanguage& language, MosesSteps steps, std::string_view merges);

}  // namespace dietmt::data
