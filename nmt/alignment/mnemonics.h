// Mnemonics of menus and buttons: the sign before the letter that Alt selects, as in _Open (GTK),
// E_xit and &Save (Qt, Windows). A model would read the sign as part of the word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {

struct Mnemonic {
  char sign = 0;            // _ or &; 0: none
  std::string letter = {};  // after it
};

/// The sign that this text, such as "_Open" or "&Save As", shows a reader to use; 0: none.
char mnemonic_sign_in(std::string_view text);

/// Removes the only mnemonic with this sign from a short text.
Mnemonic take_out_mnemonic(std::string& text, char sign);

/// Puts it before the same letter at the start of a word, or else before the first letter. Where
/// keyboards do not type the letters of the text, as in Chinese, it is added as "(_O)". False if
/// the text contains the sign or no letter.
bool put_back_mnemonic(const Mnemonic& mnemonic, std::vector<MarkedPart>& translation);

}  // namespace dietmt::nmt
