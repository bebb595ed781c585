// Lines in capitals and headlines with a capital letter in each word, which many models have hardly
// seen: they are translated in the usual case, and the translation gets theirs.
#pragma once

#include <string>
#include <string_view>

#include "data/text/tokenizer.h"

namespace dietmt::nmt {

enum class LineCase {
  kUsual,
  kCapitals,  // NO SMOKING IN THIS ROOM
  kTitle,     // How To Train Your Dog
  kWords,     // This is VERY important (nmt/translation/word_case.h)
};

/// The case of a text: kCapitals if it has no small letters and two capital ones or more, kTitle if
/// it has four words or more and those of four letters or more, at least three, all begin with a
/// capital letter.
LineCase case_of(std::string_view text);

/// The text with each word in small letters, with a capital letter or as it is, whichever has the
/// fewest pieces, so that names and acronyms that the model knows stay; so do words of a headline
/// with several capital letters. All bytes keep their positions.
std::string in_usual_case(std::string_view text, const data::Tokenizer& tokenizer);

/// A translation in usual case, in that of its source; kWords changes nothing.
std::string in_case(std::string_view text, LineCase wanted);

/// "capitals", "title" or "words"; "" for kUsual.
const char* case_name(LineCase found);

}  // namespace dietmt::nmt
