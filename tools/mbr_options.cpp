#include "tools/mbr_options.h"

namespace dietmt::tools {

void bind_mbr(OptionTable& table, MbrOptions& o) {
  table
      .add("mbr", &o.utility, "",
           "choose the candidate most like the others (minimum Bayes risk): the one with the "
           "highest expected chrF, BLEU or COMET, which becomes its score",
           {.choices = {"none", "chrf", "bleu", "comet"}})
      .add("comet-model", &o.comet_model, "DIR",
           "COMET or MetricX model of --mbr comet, written by 'dietmt import'; one that reads no "
           "references, "
           "such as COMETKiwi, scores each candidate by itself");
}

std::vector<std::string> mbr_problems(const MbrOptions& o) {
  const bool is_comet = o.utility == "comet";
  if (is_comet && o.comet_model.empty()) return {"--mbr comet needs --comet-model DIR"};
  if (!is_comet && !o.comet_model.empty()) return {"--comet-model needs --mbr comet"};
  return {};
}

}  // namespace dietmt::tools
