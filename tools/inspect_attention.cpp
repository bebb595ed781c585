#include "tools/inspect_attention.h"

#include <iostream>

#include "common/error.h"
#include "common/options.h"
#include "inspection/sentence_analysis.h"

namespace dietmt::tools {

int inspect_attention(const std::vector<std::string>& arguments) {
  service::AnalysisRequest request;
  OptionTable table("inspect attention", "--model DIR --text SENTENCE",
                    "Prints the attention of all layers and heads in one sentence and its "
                    "translation, and what positions add to the scores, as JSON: the answer of a "
                    "server's /v1/analyze.");
  table.add("model", &request.model, "DIR", "a model directory or the output of dietmt train")
      .add("text", &request.text, "SENTENCE", "the sentence")
      .add("translation", &request.translation, "SENTENCE",
           "its translation; without it, the model's own");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems;
  if (request.model.empty()) problems.push_back("--model is missing");
  if (request.text.empty()) problems.push_back("--text is missing");
  throw_if_any(problems);
  std::cout << service::analysis_json(
                   inspection::analyse_sentence(nmt::load_model(request.model), request))
            << '\n';
  return 0;
}

}  // namespace dietmt::tools
