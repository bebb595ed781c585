// The pieces of a sentencepiece model with their scores and kinds, and how the model chooses among
// them. The library keeps these to itself; its file format (sentencepiece_model.proto) has them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

enum class SubwordModel {
  kUnigram,  // the likeliest segmentation (Kudo 2018)
  kBpe,      // merges in a fixed order (Sennrich et al. 2016)
  kOther,
};

struct ModelPiece {
  std::string text;
  double score = 0;    // log-probability of a unigram model; of BPE, higher is merged earlier
  bool normal = true;  // found in text: not special, defined by the user, a byte or unused
};

struct ModelPieces {
  SubwordModel model = SubwordModel::kUnigram;
  std::vector<ModelPiece> pieces;  // by the model's own ids
  std::string normalization;       // precompiled rules, in the format of the library
};

/// `model`: the bytes of a sentencepiece model. Throws DataError if they are not.
ModelPieces model_pieces(std::string_view model);

/// The bytes of `model` with only the pieces that are `kept`, by its ids, and `added` normal pieces
/// after them.
std::string changed_model(std::string_view model, const std::vector<bool>& kept,
                          std::span<const ModelPiece> added = {});

/// The bytes of `model` with normalization by these compiled rules; `name`: of the rules.
std::string with_normalization(std::string_view model, const std::string& name,
                               const std::string& rules);

}  // namespace dietmt::data
