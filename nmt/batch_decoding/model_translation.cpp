#include "nmt/batch_decoding/model_translation.h"

#include <ATen/Parallel.h>

#include "nmt/batch_decoding/decoder_loader.h"
#include "nmt/translation/translator.h"

namespace dietmt::nmt {

std::vector<std::string> translate_lines(const TranslationModel& model,
                                         const data::Tokenizer& source_tokenizer,
                                         const data::Tokenizer& target_tokenizer,
                                         std::span<const std::string> lines,
                                         const SearchOptions& options) {
  SearchOptions own = options;
  if (own.workers == 0) own.workers = at::get_num_threads();  // what this program may use
  const TranslationModel* const models[] = {&model};
  const Translator translator(make_decoder(models, SpecialTokens::of(target_tokenizer)), own);
  return translate_lines(translator, source_tokenizer, target_tokenizer, lines);
}

}  // namespace dietmt::nmt
