#include "interchange/fairseq/fairseq_files.h"

#include "common/error.h"
#include "common/files.h"
#include "data/text/piece_list.h"
#include "interchange/huggingface/weights.h"
#include "interchange/model_files.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string> kCheckpoints = {"model.pt", "checkpoint_best.pt",
                                               "checkpoint_last.pt"};

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
  if (const fs::path usual = first_file(from, kCheckpoints); !usual.empty()) return usual;
  const fs::path found = only_checkpoint(from, ".pt", "fairseq");
  require_whole(found);
  return found;
}

FairseqVocabularies read_fairseq_vocabularies(const fs::path& directory, const std::string& source,
                                              const std::string& target,
                                              const std::vector<fs::path>& pieces) {
  const fs::path dictionaries[] = {dictionary_of(directory, source),
                                   dictionary_of(directory, target)};
  const Splitter splitters[] = {find_splitter(directory, pieces, 0),
                                find_splitter(directory, pieces, 1)};
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
