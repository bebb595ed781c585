#include "data/text/subwords.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/trimmed.h"
#include "data/text/numbered_pieces.h"
#include "data/text/piece_list.h"
#include "data/text/sentencepiece_model.h"
#include "data/text/source_tag.h"

namespace dietmt::data {
namespace {

template <typename Pieces>
Pieces encode_with(const SentencePieceModel& model, std::string_view text) {
  Pieces pieces;
  const auto status = model.processor().Encode({text.data(), text.size()}, &pieces);
  if (!status.ok()) throw Error(std::string("sentencepiece cannot encode: ") + status.message());
  return pieces;
}

TextSpan span_of(const sentencepiece::ImmutableSentencePieceText_ImmutableSentencePiece& piece) {
  return {static_cast<int32_t>(piece.begin()), static_cast<int32_t>(piece.end())};
}

// A serialized ModelProto that has only a control piece: `pieces` is field 1 of the model, and
// `piece` and `type` are fields 1 and 3 of a piece. Protocol buffers read a message that follows
// another as more fields of it, so it can be appended to a model.
std::string serialized_separator() {
  constexpr char kTextOfField1 = 0x0a, kNumberOfField3 = 0x18, kControl = 3;
  std::string piece = {kTextOfField1, static_cast<char>(kSeparatorPiece.size())};
  piece += kSeparatorPiece;
  piece += {kNumberOfField3, kControl};
  return std::string{kTextOfField1, static_cast<char>(piece.size())} + piece;
}

bool has_text_separator(const sentencepiece::SentencePieceProcessor& processor) {
  const int id = processor.PieceToId(std::string(kSeparatorPiece));
  return id != processor.unk_id() && !processor.IsControl(id);
}

void require_no_text_separator(const sentencepiece::SentencePieceProcessor& processor,
                               const std::string& where) {
  if (has_text_separator(processor))
    throw DataError(where + ": its piece '" + std::string(kSeparatorPiece) +
                    "' is text, so it cannot separate sentences");
}

class OwnNumbers : public Subwords {
 public:
  OwnNumbers(std::string bytes, const std::string& where) : model_(std::move(bytes), where) {
    require(unknown(), "unknown characters", "--unk_id 0", where);
    require(begin(), "begin of sentence", "--bos_id 1", where);
    require(end(), "end of sentence", "--eos_id 2", where);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    return encode_with<std::vector<int>>(model_, text);
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::vector<int> text_ids;
    text_ids.reserve(ids.size());
    for (const int32_t id : ids) {
      model_.check(id);
      if (!model_.processor().IsControl(id)) text_ids.push_back(id);
    }
    return model_.decode(text_ids);
  }

  SpannedPieces encode_with_spans(std::string_view text) const override {
    SpannedPieces pieces;
    const auto encoded = model_.encode(text);
    for (const auto& piece : encoded.pieces()) {
      pieces.ids.push_back(static_cast<int32_t>(piece.id()));
      pieces.spans.push_back(span_of(piece));
    }
    return pieces;
  }

  SpannedText decode_with_spans(std::span<const int32_t> ids) const override {
    std::vector<std::string> pieces;
    for (const int32_t id : ids) pieces.push_back(piece(id));
    const auto decoded = model_.decode_with_spans(pieces);
    SpannedText spanned{decoded.text(), {}};
    for (const auto& piece : decoded.pieces()) spanned.spans.push_back(span_of(piece));
    return spanned;
  }

  int64_t size() const override { return model_.processor().GetPieceSize(); }
  int32_t unknown() const override { return model_.processor().unk_id(); }
  int32_t begin() const override { return model_.processor().bos_id(); }
  int32_t end() const override { return model_.processor().eos_id(); }
  std::vector<int32_t> source_ending() const override { return {end()}; }
  bool is_tag(int32_t) const override { return false; }

  int32_t separator() const override {
    const int id = model_.processor().PieceToId(std::string(kSeparatorPiece));
    return model_.processor().IsControl(id) ? id : -1;
  }

  std::unique_ptr<const Subwords> with_separator(const std::string& where) const override {
    require_no_text_separator(model_.processor(), where);
    return std::make_unique<OwnNumbers>(serialized() + serialized_separator(), where);
  }

  std::string piece(int32_t id) const override {
    model_.check(id);
    return model_.processor().IdToPiece(id);
  }

  const std::string& serialized() const override { return model_.serialized(); }
  const std::string& sentencepiece() const override { return model_.serialized(); }

 private:
  static void require(int32_t id, const char* meaning, const char* option,
                      const std::string& where) {
    if (id < 0)
      throw DataError(where + ": the sentencepiece model has no piece for " + meaning +
                      "; train it with " + option);
  }

  SentencePieceModel model_;
};

class VocabularyNumbers : public NumberedPieces {
 public:
  VocabularyNumbers(const std::string& model, PieceVocabulary vocabulary, const std::string& where)
      : NumberedPieces(std::move(vocabulary)), model_(model, where) {
    if (has_text_separator(model_.processor())) separator_ = -1;
    serialized_ = data::serialized(kNumbersMagic, vocabulary_, model);
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    if (const std::string_view tag = marked_tag(text); !tag.empty()) {
      ids.push_back(id_of(tag));
      text.remove_prefix(tag.size());
    }
    for (const std::string& piece : encode_with<std::vector<std::string>>(model_, text))
      ids.push_back(id_of_text(piece));
    return ids;
  }

  // A piece that the sentencepiece model of this language lacks stands for itself.
  std::string decode(std::span<const int32_t> ids) const override {
    std::vector<std::string> pieces;
    for (const int32_t id : ids)
      if (!is_special(id)) pieces.push_back(piece(id));
    return with_spaces(model_.decode(pieces));
  }

  SpannedPieces encode_with_spans(std::string_view text) const override {
    SpannedPieces pieces;
    const std::string_view tag = marked_tag(text);
    const auto shift = static_cast<int32_t>(tag.size());
    if (!tag.empty()) {
      pieces.ids.push_back(id_of(tag));
      pieces.spans.push_back({0, shift});
    }
    const auto encoded = model_.encode(text.substr(tag.size()));
    for (const auto& piece : encoded.pieces()) {
      pieces.ids.push_back(id_of_text(piece.piece()));
      const TextSpan span = span_of(piece);
      pieces.spans.push_back({span.begin + shift, span.end + shift});
    }
    return pieces;
  }

  SpannedText decode_with_spans(std::span<const int32_t> ids) const override {
    std::vector<std::string> pieces;
    for (const int32_t id : ids)
      if (!is_special(id)) pieces.push_back(piece(id));
    const auto decoded = model_.decode_with_spans(pieces);
    const std::vector<int32_t> moved = moved_by_spaces(decoded.text());
    SpannedText spanned{with_spaces(decoded.text()), {}};
    size_t next = 0;
    for (const int32_t id : ids) {
      if (is_special(id)) {
        const int32_t at = spanned.spans.empty() ? 0 : spanned.spans.back().end;
        spanned.spans.push_back({at, at});
        continue;
      }
      const TextSpan span = span_of(decoded.pieces(static_cast<int>(next++)));
      spanned.spans.push_back(
          {moved[static_cast<size_t>(span.begin)], moved[static_cast<size_t>(span.end)]});
    }
    return spanned;
  }

  std::unique_ptr<const Subwords> with_separator(const std::string& where) const override {
    require_no_text_separator(model_.processor(), where);
    return std::make_unique<VocabularyNumbers>(sentencepiece(), longer_vocabulary(), where);
  }

  const std::string& sentencepiece() const override { return model_.serialized(); }

 private:
  int32_t id_of_text(std::string_view piece) const {
    const int32_t id = id_of(piece);
    return id < 0 ? unknown() : id;
  }

  /// Also a piece `>>name<<` at the start of `text`.
  std::string_view marked_tag(std::string_view text) const {
    if (!text.starts_with(">>")) return leading_tag(text);
    const size_t end = text.find("<<");
    const std::string_view tag = text.substr(0, end == text.npos ? 0 : end + 2);
    return id_of(tag) < 0 ? std::string_view() : tag;
  }

  static std::string with_spaces(std::string_view text) {
    std::string spaced;
    for (size_t at = 0, mark = 0; at < text.size(); at = mark + kWordBegin.size()) {
      mark = std::min(text.find(kWordBegin, at), text.size());
      spaced += text.substr(at, mark - at);
      if (mark < text.size()) spaced += ' ';
    }
    return std::string(trimmed(spaced, " "));
  }

  // Where with_spaces() moves each byte of `text`, and its end.
  static std::vector<int32_t> moved_by_spaces(std::string_view text) {
    std::vector<int32_t> to;
    const size_t size = with_spaces(text).size();
    int32_t at = 0;
    bool begun = false;
    while (to.size() < text.size()) {
      const std::string_view left = text.substr(to.size());
      const bool is_mark = left.starts_with(kWordBegin);
      begun = begun || !(is_mark || left.front() == ' ');
      to.resize(to.size() + (is_mark ? kWordBegin.size() : 1),
                std::min(at, static_cast<int32_t>(size)));
      if (begun) ++at;
    }
    to.push_back(std::min(at, static_cast<int32_t>(size)));
    return to;
  }

  SentencePieceModel model_;
};

PieceVocabulary parse_vocabulary(const std::string& line, const std::string& where) {
  try {
    const nlohmann::json json = nlohmann::json::parse(line);
    return {json.at("pieces").get<std::vector<std::string>>(),
            json.at("unknown").get<int32_t>(),
            json.at("begin").get<int32_t>(),
            json.at("end").get<int32_t>(),
            json.value("ends_source", true),
            json.value("tags", std::vector<int32_t>()),
            json.value("source_language", -1)};
  } catch (const nlohmann::json::exception& error) {
    throw DataError(where + ": " + json_problem(error));
  }
}

// The second line of serialized().
std::string vocabulary_line(const std::string& bytes) {
  const size_t begin = bytes.find('\n') + 1;
  return bytes.substr(begin, bytes.find('\n', begin) - begin);
}

std::unique_ptr<const Subwords> subwords_of(std::string bytes, const std::string& where) {
  for (const std::string_view magic : {kNumbersMagic, kWordsMagic, kMergesMagic}) {
    if (!bytes.starts_with(magic)) continue;
    const std::string line = vocabulary_line(bytes);
    PieceVocabulary vocabulary = parse_vocabulary(line, where);
    if (magic == kWordsMagic) return listed_words(std::move(vocabulary), where);
    std::string rest = bytes.substr(std::min(magic.size() + line.size() + 1, bytes.size()));
    if (magic == kMergesMagic) return merged_pieces(std::move(vocabulary), rest, where);
    return numbered_subwords(rest, vocabulary, where);
  }
  return own_subwords(std::move(bytes), where);
}

}  // namespace

std::unique_ptr<const Subwords> own_subwords(std::string model, const std::string& where) {
  return std::make_unique<OwnNumbers>(std::move(model), where);
}

PieceVocabulary stored_vocabulary(const std::string& bytes) {
  return parse_vocabulary(vocabulary_line(bytes), "the vocabulary");
}

std::unique_ptr<const Subwords> numbered_subwords(const std::string& model,
                                                  const PieceVocabulary& vocabulary,
                                                  const std::string& where) {
  try {
    return std::make_unique<VocabularyNumbers>(model, vocabulary, where);
  } catch (const DataError& error) {
    const std::string what = error.what();
    throw DataError(what.starts_with(where) ? what : where + ": " + what);
  }
}

std::string serialized(std::string_view magic, const PieceVocabulary& vocabulary,
                       std::string_view rest) {
  nlohmann::json json = {{"pieces", vocabulary.pieces},
                         {"unknown", vocabulary.unknown},
                         {"begin", vocabulary.begin},
                         {"end", vocabulary.end}};
  if (!vocabulary.ends_source) json["ends_source"] = false;
  if (!vocabulary.tags.empty()) json["tags"] = vocabulary.tags;
  if (vocabulary.source_language >= 0) json["source_language"] = vocabulary.source_language;
  return (std::string(magic) + json.dump() + '\n').append(rest);
}

PieceVocabulary sentencepiece_vocabulary(const std::filesystem::path& model_file) {
  const SentencePieceModel model(model_file);
  const auto& processor = model.processor();
  PieceVocabulary vocabulary{{}, processor.unk_id(), processor.bos_id(), processor.eos_id()};
  for (int id = 0; id < processor.GetPieceSize(); ++id)
    vocabulary.pieces.push_back(processor.IdToPiece(id));
  return vocabulary;
}

std::unique_ptr<const Subwords> load_subwords(const std::filesystem::path& file) {
  return subwords_of(read_model_file(file), file.string());
}

std::unique_ptr<const Subwords> load_subwords_or_list(const std::filesystem::path& file) {
  std::string bytes = read_model_file(file);
  const bool is_list = !bytes.empty() && !bytes.starts_with('\n') &&  // as sentencepiece models do
                       !bytes.starts_with(kNumbersMagic) && !bytes.starts_with(kWordsMagic) &&
                       !bytes.starts_with(kMergesMagic) && bytes.find('\0') == bytes.npos;
  if (is_list) return listed_words(listed_vocabulary(bytes, file.string()), file.string());
  return subwords_of(std::move(bytes), file.string());
}

}  // namespace dietmt::data
