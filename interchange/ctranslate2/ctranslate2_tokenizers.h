// The vocabularies of a CTranslate2 model, with the sentencepiece models of its package.
#pragma once

#include <string>
#include <vector>

#include "interchange/ctranslate2/ctranslate2_reader.h"
#include "interchange/ctranslate2/package_files.h"
#include "interchange/imported_vocabulary.h"

namespace dietmt::interchange {

/// What config.json says about sentences; in old files, variables of the model.
struct CTranslate2Sentences {
  std::string begin = "<s>";  // what the decoder starts from
  std::string end = "</s>";
  std::string unknown = "<unk>";
  bool ends_source = false;
  double norm_epsilon = 0.0;  // 0: that of CTranslate2
};

/// `folder`: that of model.bin in the package, "" or "model/". Throws CheckpointError naming the
/// file and its field.
CTranslate2Sentences read_sentences(PackageFiles& files, const std::string& folder,
                                    const CTranslate2Model& model);

struct CTranslate2Vocabularies {
  ImportedVocabulary source, target;
  bool is_shared = false;
  // Those of the source's pieces, or the target_prefix in the metadata.json of an Argos package,
  // the piece that every translation begins with.
  nmt::ModelLanguages languages = {};
};

/// Text is split by source.spm and target.spm, or by sentencepiece.model or sentencepiece.bpe.model
/// for both sides; `pieces` (one file or two) go first. Without any, words of the text are the
/// pieces. Throws CheckpointError or DataError naming the file.
CTranslate2Vocabularies read_vocabularies(PackageFiles& files, const std::string& folder,
                                          const CTranslate2Sentences& sentences,
                                          const std::vector<std::filesystem::path>& pieces);

}  // namespace dietmt::interchange
