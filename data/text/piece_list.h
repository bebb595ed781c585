// Vocabularies of other toolkits: lists of the pieces into which their text is cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::data {

/// The place of a piece in a list; -1 if it is not there.
int32_t piece_id(const std::vector<std::string>& pieces, const std::string& piece);

/// The lines of a list, without their ends and a byte-order mark. Throws DataError with the line of
/// `file` that is not UTF-8.
std::vector<std::string> list_lines(std::string_view text, const std::string& file);

/// The pieces of Marian's vocab.yml ("PIECE: ID" in each line, PIECE as YAML quotes it) by id;
/// empty for an id without a piece. Throws DataError with the line of `file`.
std::vector<std::string> marian_pieces(std::string_view text, const std::string& file);

/// The pieces of lines of PIECE or, if the first line is so, of PIECE and COUNT. Throws DataError
/// with the line of `file`.
std::vector<std::string> pieces_of_lines(std::string_view text, const std::string& file);

/// The vocabulary of a list: Marian's if the name of `file` ends in .yml or .yaml, else lines of
/// PIECE (OpenNMT, JoeyNMT, Marian's .txt) or of PIECE and COUNT (fairseq's dict.txt, OpenNMT-py,
/// subword-nmt). The special pieces are <unk>, <s> and </s>. A list without any gets <s>, <pad>,
/// </s> and <unk> as its first, like fairseq's; others get missing ones as their last. Throws
/// DataError with the line.
PieceVocabulary listed_vocabulary(std::string_view text, const std::string& file);

}  // namespace dietmt::data
