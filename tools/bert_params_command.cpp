// dietmt bert params: how many parameters an encoder has, and where.
#include <iostream>

#include "bert/model/pretrained.h"
#include "common/error.h"
#include "inspection/parameter_table.h"
#include "tools/bert_model_options.h"
#include "tools/commands.h"

namespace dietmt::tools {

int run_bert_params(const std::vector<std::string>& arguments) {
  BertModelOptions options;
  int64_t vocabulary = 30'522;
  bool next_sentence = false;
  OptionTable table("bert params", "[--init-from DIR | --preset NAME --position SPEC ...]",
                    "Counts the parameters of an encoder with pooler and head for masked tokens, "
                    "or of the model in --init-from, by component. 'positions' is the sum over all "
                    "encodings of positions and segments.");
  table.add("vocab-size", &vocabulary, "N", "pieces")
      .add("next-sentence", &next_sentence, "", "with the head for the next sentence");
  bind_bert_model(table, options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  apply_preset(table, options);
  throw_if_any(bert_problems(options));
  if (!options.init_from.empty()) {
    interchange::ImportOptions import;
    import.position = options.position;
    std::cout << inspection::parameter_table(*bert::load_pretrained(options.init_from, import));
    return 0;
  }
  const encoders::BertHeads heads{.masked_lm = true, .next_sentence = next_sentence};
  std::cout << inspection::parameter_table(*make_bert(options, vocabulary, heads, 1));
  return 0;
}

}  // namespace dietmt::tools
