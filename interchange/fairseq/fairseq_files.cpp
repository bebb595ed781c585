#include "interchange/fairseq/fairseq_files.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "data/text/merged_pieces.h"
#include "data/text/piece_list.h"
#include "interchange/huggingface/weights.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCheckpoints[] = {"model.pt", "checkpoint_best.pt", "checkpoint_last.pt"};
constexpr const char* kSentencepiece[] = {"sentencepiece.bpe.model", "sentencepiece.model",
                                          "spm.model"};
constexpr const char* kCodes[] = {"bpecodes", "bpe.codes", "codes", "code"};

fs::path first_of(const fs::path& directory, std::span<const char* const> names) {
  for (const char* name : names)
    if (fs::exists(directory / name)) return directory / name;
  return {};
}

std::vector<fs::path> checkpoints_in(const fs::path& directory) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".pt") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

void require_whole(const fs::path& checkpoint) {
  if (checkpoint.filename().string().find("-shard") != std::string::npos)
    throw CheckpointError(checkpoint.string() +
                          ": is a part of a sharded checkpoint (FSDP); train or save the model "
                          "with whole checkpoints (--ddp-backend c10d)");
}

fs::path dictionary_of(const fs::path& directory, const std::string& language) {
  const std::string name = "dict." + language + ".txt";
  if (!is_file_name(name) || language.empty())
    throw CheckpointError(directory.string() + ": the checkpoint names the language '" + language +
                          "', which is no part of a file's name");
  if (!fs::exists(directory / name))
    throw CheckpointError(directory.string() + ": has no " + name + ", the pieces of the language");
  return directory / name;
}

data::PieceVocabulary read_dictionary(const fs::path& path) {
  data::PieceVocabulary numbered;
  numbered.pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  numbered.begin = numbered.end = 2;
  numbered.unknown = 3;
  const std::vector<std::string> listed = data::pieces_of_lines(read_file(path), path.string());
  numbered.pieces.insert(numbered.pieces.end(), listed.begin(), listed.end());
  hide_special_pieces(numbered);
  return numbered;
}

// `side`: 0 for the source, 1 for the target.
Splitter splitter_of(const fs::path& directory, const std::vector<fs::path>& pieces, size_t side) {
  const fs::path file = pieces.empty() ? first_of(directory, kSentencepiece)
                                       : pieces[std::min(side, pieces.size() - 1)];
  if (!file.empty()) return {read_file(file), file.string()};
  const fs::path codes = first_of(directory, kCodes);
  if (codes.empty()) return {};
  spdlog::info(
      "{} cuts words: prepare texts as those of the training, by Moses' tokenizer if there "
      "was one",
      codes.string());
  return {data::merge_rules(data::MergedText::kWords, read_file(codes)), codes.string(),
          /*are_merges=*/true};
}

ImportedVocabulary vocabulary(data::PieceVocabulary numbered, const fs::path& dictionary,
                              const Splitter& splitter) {
  return imported_vocabulary(
      std::move(numbered),
      {splitter.bytes, splitter.bytes.empty() ? dictionary.string() : splitter.where,
       splitter.are_merges});
}

}  // namespace

fs::path fairseq_checkpoint(const fs::path& from) {
  if (!fs::is_directory(from)) {
    require_whole(from);
    return from;
  }
  if (const fs::path usual = first_of(from, kCheckpoints); !usual.empty()) return usual;
  const std::vector<fs::path> found = checkpoints_in(from);
  if (found.empty()) throw CheckpointError(from.string() + ": has no checkpoint of fairseq (.pt)");
  require_whole(found.front());
  if (found.size() > 1)
    throw CheckpointError(from.string() + ": has " + std::to_string(found.size()) +
                          " checkpoints; give one: --from " + found.front().string());
  return found.front();
}

FairseqVocabularies read_fairseq_vocabularies(const fs::path& directory, const std::string& source,
                                              const std::string& target,
                                              const std::vector<fs::path>& pieces) {
  const fs::path dictionaries[] = {dictionary_of(directory, source),
                                   dictionary_of(directory, target)};
  const Splitter splitters[] = {splitter_of(directory, pieces, 0),
                                splitter_of(directory, pieces, 1)};
  const data::PieceVocabulary first = read_dictionary(dictionaries[0]);
  const data::PieceVocabulary second = read_dictionary(dictionaries[1]);
  FairseqVocabularies both;
  both.is_shared = first.pieces == second.pieces;
  both.source = vocabulary(first, dictionaries[0], splitters[0]);
  both.target = both.is_shared && splitters[0].bytes == splitters[1].bytes
                    ? both.source
                    : vocabulary(second, dictionaries[1], splitters[1]);
  return both;
}

}  // namespace dietmt::interchange
