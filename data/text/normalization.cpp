#include "data/text/normalization.h"

#include <fmt/format.h>
#include <sentencepiece_trainer.h>
#include <unicode/caniter.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <map>
#include <unordered_map>

#include "common/error.h"
#include "common/files.h"
#include "common/temporary_directory.h"
#include "data/text/model_pieces.h"
#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

using TrainerSettings = std::unordered_map<std::string, std::string>;

void require(UErrorCode status) {
  if (U_FAILURE(status)) throw Error(std::string("ICU has no NFC: ") + u_errorName(status));
}

const icu::Normalizer2& nfc() {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const form = icu::Normalizer2::getNFCInstance(status);
  require(status);
  return *form;
}

// "1EA5" or "61 302 301"
std::string code_points_of(const icu::UnicodeString& text) {
  std::string codes;
  for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1))
    codes +=
        fmt::format("{}{:X}", codes.empty() ? "" : " ", static_cast<uint32_t>(text.char32At(i)));
  return codes;
}

// In the form of normalization_rule_tsv: what is equivalent to a character, a tab, its NFC.
std::string canonical_rules() {
  UErrorCode status = U_ZERO_ERROR;
  std::map<std::string, std::string> rules;
  for (UChar32 code = 0; code <= UCHAR_MAX_VALUE; ++code) {
    icu::UnicodeString parts;
    if (U_IS_SURROGATE(code) || !nfc().getDecomposition(code, parts)) continue;
    const icu::UnicodeString character(code);
    const std::string normal = code_points_of(nfc().normalize(character, status));
    icu::CanonicalIterator equivalents(character, status);
    require(status);
    for (icu::UnicodeString one = equivalents.next(); !one.isBogus(); one = equivalents.next())
      if (const std::string codes = code_points_of(one); codes != normal) rules[codes] = normal;
  }
  std::string table;
  for (const auto& [codes, normal] : rules) table += codes + '\t' + normal + '\n';
  return table;
}

class OneLine : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return is_done_; }
  void Next() override { is_done_ = true; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::string line_ = "a";
  bool is_done_ = false;
};

// Only the trainer compiles rules.
std::string compiled(TrainerSettings settings) {
  settings.merge(TrainerSettings{{"model_type", "char"},
                                 {"vocab_size", "8"},
                                 {"hard_vocab_limit", "false"},
                                 {"minloglevel", "2"}});
  OneLine line;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &line, &model);
  if (!status.ok())
    throw Error(std::string("sentencepiece cannot compile rules: ") + status.message());
  return model_pieces(model).normalization;
}

std::string compiled_table(const std::string& table) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = std::filesystem::path(directory.path()) / "rules.tsv";
  write_file_atomically(file, table);
  return compiled({{"normalization_rule_tsv", file.string()}});
}

}  // namespace

std::string Normalization::rule() const {
  if (name == "none") return "identity";
  if (name == "nfc") return "nfc";
  return (name == "nfkc" ? "nfkc" : "nmt_nfkc") + std::string(lowercase ? "_cf" : "");
}

std::string compiled_rules(const Normalization& normalization) {
  if (normalization.name == "none") return "";
  if (normalization.name != "nfc")
    return compiled({{"normalization_rule_name", normalization.rule()}});
  static const std::string kRules = compiled_table(canonical_rules());
  return kRules;
}

std::string normalized_text(std::string_view text, const std::string& normalization) {
  if (normalization == "none") return std::string(text);
  return normalization == "nfc" ? in_nfc(text) : in_nfkc(text);
}

}  // namespace dietmt::data
