#include "data/text/sentencepiece_bert.h"

#include <unicode/uchar.h>

#include "common/error.h"
#include "common/files.h"
#include "data/text/bert_tokenizer.h"
#include "data/text/sentencepiece_model.h"
#include "data/text/source_tag.h"
#include "data/text/source_text.h"

namespace dietmt::data {
namespace {

// White space to sentencepiece's normalisation, whose rules count some marks without width too.
bool is_ascii_space(char32_t c) {
  return u_isUWhiteSpace(static_cast<UChar32>(c)) || (c >= 0x200B && c <= 0x200F) || c == 0x2581 ||
         c == 0xFEFF || c == 0xFFFD;
}

// The first pieces of the sentencepiece model of XLM-R, which fairseq's dictionary replaces.
constexpr const char* kReplaced[] = {"<unk>", "<s>", "</s>"};
constexpr int32_t kFairseqOffset =
    1;  // from the ids of the other pieces to those of the dictionary

SpecialPieces find_special_pieces(const sentencepiece::SentencePieceProcessor& processor,
                                  const std::filesystem::path& file) {
  SpecialPieces special;
  for (const auto& [name, field] : kSpecialPieces) {
    special.*field = processor.PieceToId(name);
    if (processor.IdToPiece(special.*field) != name) {
      throw DataError(file.string() + ": the sentencepiece model lacks the piece " +
                      std::string(name) + "; one made with --special bert has it");
    }
  }
  return special;
}

SpecialPieces fairseq_special_pieces(const sentencepiece::SentencePieceProcessor& processor,
                                     const std::filesystem::path& file) {
  const int pieces = processor.GetPieceSize();
  for (int id = 0; id < std::ssize(kReplaced); ++id)
    if (id >= pieces || processor.IdToPiece(id) != kReplaced[id])
      throw DataError(file.string() + ": piece " + std::to_string(id) +
                      " of the sentencepiece model is not " + kReplaced[id] + ", as in XLM-R");
  return {.pad = 1,
          .unknown = 3,
          .classify = 0,
          .separate = 2,
          .mask = pieces + kFairseqOffset,
          .separators = 2};
}

}  // namespace

struct SentencePieceBert::Impl {
  SentencePieceModel model;
};

SentencePieceBert::SentencePieceBert(const std::filesystem::path& model_file,
                                     PieceNumbering numbering)
    : impl_(new Impl{SentencePieceModel(model_file)}), numbering_(numbering) {
  const auto& processor = impl_->model.processor();
  special_ = is_fairseq() ? fairseq_special_pieces(processor, model_file)
                          : find_special_pieces(processor, model_file);
}

SentencePieceBert::~SentencePieceBert() = default;

int32_t SentencePieceBert::id_of(int64_t model_id) const {
  if (!is_fairseq()) return static_cast<int32_t>(model_id);
  return model_id < std::ssize(kReplaced) ? special_.unknown
                                          : static_cast<int32_t>(model_id) + kFairseqOffset;
}

int SentencePieceBert::model_id_of(int32_t id) const {
  return is_fairseq() ? id - kFairseqOffset : id;
}

void SentencePieceBert::check(int32_t id) const {
  if (id < 0 || id >= vocabulary_size())
    throw Error("piece id " + std::to_string(id) + " is outside the vocabulary");
}

TextPieces SentencePieceBert::encode(std::string_view text) const {
  const SpecialNames& names = is_fairseq() ? kFairseqSpecialPieces : kSpecialPieces;
  TextPieces pieces;
  for (const TextPart& segment : split_at_special_pieces(text, special_, names)) {
    if (segment.special_id < 0) {
      append_text(text, segment.begin, segment.end, pieces);
    } else {
      pieces.ids.push_back(segment.special_id);
      pieces.begins.push_back(segment.begin);
      pieces.ends.push_back(segment.end);
    }
  }
  return pieces;
}

void SentencePieceBert::append_text(std::string_view text, int32_t begin, int32_t end,
                                    TextPieces& pieces) const {
  const std::vector<SourceCharacter> characters = source_characters(text, begin, end);
  std::string utf8;
  std::vector<size_t> character_at;  // of each byte of `utf8` and of its end
  for (size_t i = 0; i < characters.size(); ++i) {
    append_utf8(characters[i].code, utf8);
    character_at.resize(utf8.size(), i);
  }
  character_at.push_back(characters.size());

  for (size_t at = 0; at < utf8.size();) {
    const std::string_view part =
        first_part(std::string_view(utf8).substr(at), Tokenizer::kLongestPart);
    const sentencepiece::ImmutableSentencePieceText encoded = impl_->model.encode(part);
    for (const auto& piece : encoded.pieces()) {
      size_t first = character_at[at + piece.begin()], last = character_at[at + piece.end()];
      while (first < last && is_ascii_space(characters[first].code)) ++first;
      while (first < last && is_ascii_space(characters[last - 1].code)) --last;
      // sentencepiece gives all bytes of a character that was written out to the last of its
      // pieces.
      const bool has_text = piece.piece() != kWordBegin;
      if (first == last && has_text && first < characters.size()) ++last;
      const int32_t from = first < characters.size() ? characters[first].begin : end;
      pieces.ids.push_back(id_of(piece.id()));
      pieces.begins.push_back(from);
      pieces.ends.push_back(last > first ? characters[last - 1].end : from);
    }
    at += part.size();
  }
}

std::string SentencePieceBert::decode(std::span<const int32_t> ids) const {
  std::vector<int> text_ids;
  text_ids.reserve(ids.size());
  for (const int32_t id : ids) {
    check(id);
    if (!is_special(id, special_)) text_ids.push_back(model_id_of(id));
  }
  return impl_->model.decode(text_ids);
}

int64_t SentencePieceBert::vocabulary_size() const {
  const int64_t pieces = impl_->model.processor().GetPieceSize();
  return is_fairseq() ? pieces + kFairseqOffset + 1 : pieces;
}

std::string SentencePieceBert::piece(int32_t id) const {
  check(id);
  if (is_fairseq())
    for (const auto& [name, field] : kFairseqSpecialPieces)
      if (special_.*field == id) return std::string(name);
  return impl_->model.processor().IdToPiece(model_id_of(id));
}

bool SentencePieceBert::continues_word(int32_t id) const {
  if (id == special_.unknown) return true;
  return !piece(id).starts_with(kWordBegin) && !is_special(id, special_);
}

void SentencePieceBert::save(const std::filesystem::path& directory) const {
  std::filesystem::create_directories(directory);
  write_file_atomically(directory / (is_fairseq() ? kFairseqModelFile : kSentencePieceFile),
                        impl_->model.serialized());
}

}  // namespace dietmt::data
