// BPE-dropout (Provilkov et al. 2020).
#include "data/text/merged_word.h"
#include "data/text/run_sampler.h"
#include "data/text/source_tag.h"

namespace dietmt::data {
namespace {

class BpeDropout : public RunSampler {
 public:
  BpeDropout(const Tokenizer& tokenizer, const ModelPieces& model, double p)
      : RunSampler(tokenizer, model), p_(p) {}

 private:
  // Words begin with U+2581.
  bool segment(std::string_view run, Random& random, std::vector<int32_t>& ids) const override {
    while (!run.empty()) {
      const std::string_view text = run.substr(0, run.find(kWordBegin, 1));
      run.remove_prefix(text.size());
      MergedWord word(text, spelling());
      const auto leaves_out = [&] { return random.uniform() < p_; };
      while (!word.step(leaves_out).empty()) {
      }
      if (!word.append_to(ids)) return false;
    }
    return true;
  }

  double p_;
};

}  // namespace

std::shared_ptr<const SubwordSampler> bpe_dropout(const Tokenizer& tokenizer, double p) {
  const ModelPieces model = require_model(tokenizer, SubwordModel::kBpe, "--bpe-dropout");
  return std::make_shared<BpeDropout>(tokenizer, model, p);
}

}  // namespace dietmt::data
