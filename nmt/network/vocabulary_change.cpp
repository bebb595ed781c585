#include "nmt/network/vocabulary_change.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/text_io.h"
#include "data/text/extended_pieces.h"
#include "data/text/language_codes.h"
#include "data/text/text_column.h"
#include "data/text/trimmed_pieces.h"

namespace dietmt::nmt {
namespace {

using data::Tokenizer;
using TokenizerPointer = std::shared_ptr<const Tokenizer>;

// A tokenizer and the text that changes it.
struct Side {
  TokenizerPointer tokenizer;
  std::vector<std::string> files;
};

// Tokenizers whose pieces have the same ids.
using Vocabulary = std::vector<Side>;

struct ChangedVocabulary {
  std::vector<TokenizerPointer> tokenizers;  // of its sides
  RowSources sources;
};

void require_same_pieces(const Tokenizer& a, const Tokenizer& b) {
  bool same = a.vocabulary_size() == b.vocabulary_size();
  for (int32_t id = 0; same && id < a.vocabulary_size(); ++id) same = a.piece(id) == b.piece(id);
  if (!same || data::SentencepieceParts(a).vocabulary() == std::nullopt)
    throw DataError(a.file() + " and " + b.file() +
                    ": the model has one table of embeddings for two tokenizers, so they cannot be "
                    "changed");
}

std::vector<Vocabulary> vocabularies_of(const ModelFiles& files, const VocabularyText& text) {
  const Tokenizers& tokenizers = files.tokenizers;
  if (tokenizers.source == tokenizers.target) {
    std::vector<std::string> both = text.source;
    both.insert(both.end(), text.target.begin(), text.target.end());
    return {{{tokenizers.source, std::move(both)}}};
  }
  const Side source{tokenizers.source, text.source}, target{tokenizers.target, text.target};
  if (files.config.tied_embeddings != "all") return {{source}, {target}};
  require_same_pieces(*source.tokenizer, *target.tokenizer);
  return {{source, target}};
}

bool has_text(const Vocabulary& vocabulary) {
  return std::ranges::any_of(vocabulary, [](const Side& side) { return !side.files.empty(); });
}

template <typename Take>
void read_all(const std::vector<std::string>& files, const Take& take) {
  for (const std::string& file : files) {
    data::TextReader reader(file);
    for (std::string line; reader.next(line);) {
      if (line.ends_with('\r')) line.pop_back();
      take(invalid_utf8_at(line) == std::string::npos ? line : replace_invalid_utf8(line));
    }
  }
}

ChangedVocabulary extended(const Vocabulary& vocabulary, int64_t pieces) {
  ChangedVocabulary changed;
  std::vector<std::unique_ptr<data::PieceLearner>> learners;
  std::vector<std::vector<data::NewPiece>> learned;
  std::vector<std::string> texts;
  for (const Side& side : vocabulary) {
    learners.push_back(std::make_unique<data::PieceLearner>(side.tokenizer));
    read_all(side.files, [&](const std::string& line) { learners.back()->add(line); });
    learned.push_back(learners.back()->learn(pieces));
  }
  const Tokenizer& first = *vocabulary.front().tokenizer;
  for (int32_t id = 0; id < first.vocabulary_size(); ++id) changed.sources.rows.push_back({id});
  std::set<std::string> known;
  std::set<int32_t> text_rows;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    for (const data::NewPiece& piece : learned[i]) {
      if (!known.insert(piece.text).second) continue;
      texts.push_back(piece.text);
      changed.sources.rows.push_back(piece.parts);
    }
    for (const int32_t id : learners[i]->text_ids()) text_rows.insert(id);
  }
  changed.sources.text.assign(text_rows.begin(), text_rows.end());
  for (size_t i = 0; i < vocabulary.size(); ++i)
    changed.tokenizers.push_back(learners[i]->with(texts, learned[i]));
  return changed;
}

// What is wanted of the languages.
struct WantedLanguages {
  std::set<int32_t> scripts;  // empty: all
  std::vector<std::string> tags;
  std::set<std::string> unwanted_tags;
};

ChangedVocabulary trimmed(const Vocabulary& vocabulary, const WantedLanguages& languages) {
  std::vector<std::unique_ptr<data::PieceTrimmer>> trimmers;
  std::vector<bool> kept(static_cast<size_t>(vocabulary.front().tokenizer->vocabulary_size()));
  for (const Side& side : vocabulary) {
    trimmers.push_back(std::make_unique<data::PieceTrimmer>(side.tokenizer));
    data::PieceTrimmer& trimmer = *trimmers.back();
    trimmer.drop_tags(languages.unwanted_tags);
    if (!languages.scripts.empty()) trimmer.drop_other_scripts(languages.scripts);
    if (!has_text(vocabulary)) trimmer.use_scripts(languages.scripts);
    for (const std::string& tag : languages.tags) trimmer.use(tag);
    read_all(side.files, [&](const std::string& line) { trimmer.use(line); });
    const std::vector<bool> own = trimmer.kept();
    for (size_t id = 0; id < kept.size(); ++id) kept[id] = kept[id] || own[id];
  }
  ChangedVocabulary changed;
  for (size_t id = 0; id < kept.size(); ++id)
    if (kept[id]) changed.sources.rows.push_back({static_cast<int32_t>(id)});
  for (const auto& trimmer : trimmers) changed.tokenizers.push_back(trimmer->only(kept));
  return changed;
}

WantedLanguages take_languages(const std::vector<std::string>& wanted, ModelLanguages& languages) {
  WantedLanguages found;
  std::map<std::string, std::string> kept;
  for (const std::string& language : wanted) {
    std::string code = data::canonical_code(language);
    if (!languages.empty()) {
      code = data::closest_code(language, languages.codes());
      if (!languages.pieces.contains(code))
        throw DataError("the model does not have the language '" + language + "'");
      kept.emplace(code, languages.pieces.at(code));
    }
    found.scripts.merge(data::scripts_of(code));
  }
  if (kept.empty()) kept = languages.pieces;
  for (const auto& [code, piece] : languages.pieces)
    if (!kept.contains(code)) found.unwanted_tags.insert(piece);
  languages.pieces = std::move(kept);
  for (const auto& [code, piece] : languages.pieces) found.tags.push_back(piece);
  found.tags.insert(found.tags.end(), {languages.always.source, languages.always.target});
  return found;
}

void require_rows(const at::Tensor& table, const std::string& name, const Tokenizer& tokenizer,
                  const ModelFiles& files) {
  if (table.size(0) == tokenizer.vocabulary_size()) return;
  throw CheckpointError(files.weights().string() + ": " + name + " has " +
                        std::to_string(table.size(0)) + " rows, but " + tokenizer.file() + " has " +
                        std::to_string(tokenizer.vocabulary_size()) + " pieces");
}

// `change` returns what becomes of a vocabulary, or nothing if it stays.
template <typename Change>
ChangedModel changed(const ModelFiles& files, const VocabularyText& text, const Change& change) {
  files.require_full_weights();
  ChangedModel made{files.config, read_weights(files), files.tokenizers};
  const bool is_one_table = files.config.tied_embeddings == "all";
  const auto change_table = [&](const char* name, const Tokenizer& old, const RowSources& sources) {
    const auto found = made.weights.find(name);
    if (found == made.weights.end()) return;
    require_rows(found->second, name, old, files);
    found->second = changed_rows(found->second, sources);
  };
  std::vector<Vocabulary> vocabularies = vocabularies_of(files, text);
  for (size_t i = 0; i < vocabularies.size(); ++i) {
    const bool has_source = i == 0, has_target = i + 1 == vocabularies.size();
    const std::optional<ChangedVocabulary> found = change(vocabularies[i]);
    if (!found) continue;
    if (has_source) {
      made.tokenizers.source = found->tokenizers.front();
      change_table("source_embedding", *files.tokenizers.source, found->sources);
      made.config.source_vocabulary = made.tokenizers.source->vocabulary_size();
    }
    if (!has_target) continue;
    made.tokenizers.target = found->tokenizers.back();
    if (!is_one_table) change_table("target_embedding", *files.tokenizers.target, found->sources);
    change_table("output_weight", *files.tokenizers.target, found->sources);
    change_table("output_bias", *files.tokenizers.target, found->sources);
    made.config.target_vocabulary = made.tokenizers.target->vocabulary_size();
  }
  return made;
}

}  // namespace

at::Tensor changed_rows(const at::Tensor& table, const RowSources& sources) {
  const auto mean_of = [&](const std::vector<int32_t>& rows) {
    return table.index_select(0, at::tensor(rows, at::kInt))
        .to(at::kDouble)
        .mean(0)
        .to(table.dtype());
  };
  std::vector<int32_t> first;
  for (const std::vector<int32_t>& rows : sources.rows) first.push_back(rows.empty() ? 0 : rows[0]);
  at::Tensor changed = table.index_select(0, at::tensor(first, at::kInt));
  at::Tensor usual;
  for (size_t row = 0; row < sources.rows.size(); ++row) {
    const std::vector<int32_t>& parts = sources.rows[row];
    if (parts.size() == 1) continue;
    if (parts.empty() && !usual.defined()) usual = mean_of(sources.text);
    changed[static_cast<int64_t>(row)].copy_(parts.empty() ? usual : mean_of(parts));
  }
  return changed;
}

ChangedModel extend_vocabulary(const ModelFiles& files, const VocabularyText& text,
                               int64_t pieces) {
  return changed(files, text, [&](const Vocabulary& vocabulary) {
    return has_text(vocabulary) ? std::optional(extended(vocabulary, pieces)) : std::nullopt;
  });
}

ChangedModel trim_vocabulary(const ModelFiles& files, const VocabularyText& text,
                             const std::vector<std::string>& languages) {
  ModelLanguages left = files.config.languages;
  const WantedLanguages wanted = take_languages(languages, left);
  ChangedModel made = changed(files, text, [&](const Vocabulary& vocabulary) {
    const bool changes = has_text(vocabulary) || !languages.empty();
    return changes ? std::optional(trimmed(vocabulary, wanted)) : std::nullopt;
  });
  made.config.languages = std::move(left);
  return made;
}

}  // namespace dietmt::nmt
