// Masked language modelling (Devlin et al. 2019, 3.1 and A.1; Ke et al. 2021, 4.1, keep its
// numbers): the model predicts a share of the tokens. Of these, 80 % become [MASK], 10 % a random
// piece and 10 % stay, so that the model also sees real pieces at predicted positions.
//
// Whole-word masking (as in Wang et al. 2021) chooses the pieces of a word together, but draws the
// replacement of each piece separately. Special pieces and [UNK] are neither predicted nor drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/random.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

struct MaskingOptions {
  double rate = 0.15;         // of the tokens of an example, including special pieces
  double mask_share = 0.8;    // of the chosen tokens
  double random_share = 0.1;  // the rest stays
  bool whole_words = false;
  std::vector<std::string> problems() const;
};

/// The tokens to predict.
struct MaskedPieces {
  std::vector<int64_t> rows;  // ascending positions in the example
  std::vector<int32_t> ids;   // the original pieces
};

/// Immutable; safe to share between threads.
class Masker {
 public:
  /// Throws ConfigError for wrong options, DataError if all pieces of the tokenizer are special.
  Masker(const BertTokenizer& tokenizer, const MaskingOptions& options);

  /// Masks an example in place, depending only on `tokens` and `key`. Of n tokens it chooses
  /// round(rate n) (to even, as in the code of Devlin et al.), or all maskable ones if these are
  /// fewer, and at least one if there is any. By whole words, a word that would lead beyond that
  /// number is passed over, unless no word would be left. Of text without spaces, where more than
  /// 16 pieces follow each other as one word, each piece counts as a word.
  MaskedPieces mask(std::span<int32_t> tokens, uint64_t key) const;

 private:
  // Rows begin .. end-1, which are chosen together: a word, or one token.
  struct Unit {
    int64_t begin;
    int64_t end;
  };

  bool is_special(int32_t id) const;
  std::vector<Unit> units_of(std::span<const int32_t> tokens) const;
  std::vector<int64_t> choose_rows(std::span<const int32_t> tokens, Random& random) const;
  // The replacement of a chosen token.
  int32_t draw_piece(int32_t id, Random& random) const;

  MaskingOptions options_;
  int32_t mask_id_;
  std::vector<int32_t> special_;      // ascending
  std::vector<int32_t> ordinary_;     // all other pieces
  std::vector<bool> continues_word_;  // [V]; all false without whole words
};

}  // namespace dietmt::data
