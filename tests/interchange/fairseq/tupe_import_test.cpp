// Checkpoints in the form of TUPE's authors, and what they compute (make_tupe_cases.py).
#include "interchange/fairseq/tupe_import.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "common/error.h"
#include "common/json_fields.h"
#include "tests/common/scratch.h"
#include "tests/interchange/bert_outputs.h"

namespace dietmt::interchange {
namespace {

using testing::HasSubstr;

std::filesystem::path tupe_case(const std::string& name) {
  return std::filesystem::path(DIETMT_TUPE_CASES) / name;
}

class TupeModels : public testing::TestWithParam<const char*> {};

TEST_P(TupeModels, ComputeWhatThePaperSays) {
  const std::string name = GetParam();
  const nlohmann::json expected = read_json(tupe_case(name + ".json"));
  const auto numbers = [&](const char* key) {
    return at::tensor(expected.at(key).get<std::vector<double>>(), at::kDouble);
  };
  const at::Tensor ids = at::tensor(expected.at("ids").get<std::vector<int64_t>>(), at::kLong);
  const at::Tensor lengths =
      at::tensor(expected.at("lengths").get<std::vector<int64_t>>(), at::kLong);
  const auto model = import_tupe(tupe_case(name + ".pt"));
  const NamedOutputs outputs = outputs_of(
      *model, {{"pieces", ids}, {"segments", at::zeros_like(ids)}, {"lengths", lengths}});
  for (const char* key : {"hidden", "masked_lm"}) {
    const at::Tensor found = outputs.at(key).to(at::kDouble).flatten();
    EXPECT_LE((found - numbers(key)).abs().max().item<double>(), 2e-5) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, TupeModels, testing::Values("tupe_r", "tupe_a"),
                         [](const auto& test) { return std::string(test.param); });

TEST(TupeConfigs, AreThoseOfTheCheckpoints) {
  const encoders::BertConfig relative = import_tupe(tupe_case("tupe_r.pt"))->config();
  EXPECT_EQ(relative.position, "tupe-r(projection-bias=true)");
  EXPECT_EQ(relative.max_positions, 40);
  EXPECT_EQ(relative.vocabulary, 13);
  EXPECT_EQ(relative.segment_encoding, "none");
  EXPECT_EQ(import_tupe(tupe_case("tupe_a.pt"))->config().position, "tupe-a(projection-bias=true)");
}

class DamagedTupe : public ScratchTest {
 protected:
  /// The failure of tupe_a with other bytes of the same length.
  std::string failure_with(const std::string& from, const std::string& to) const {
    std::string bytes = read_file(tupe_case("tupe_a.pt"));
    const size_t at = bytes.find(from);
    if (at == bytes.npos || from.size() != to.size()) return "no such bytes";
    bytes.replace(at, from.size(), to);
    const auto file = write("other.pt", bytes);
    try {
      import_tupe(file);
    } catch (const Error& error) {
      return error.what();
    }
    return "no failure";
  }
};

TEST_F(DamagedTupe, NamesTheFileAndTheFault) {
  EXPECT_THAT(failure_with("bert_base", "roberta_b"),
              HasSubstr("other.pt: has the architecture 'roberta_b'; known: bert"));
  EXPECT_THAT(failure_with("embedding_normalize", "embedding_normalizE"),
              HasSubstr("embedding_normalize is false"));
  EXPECT_THAT(failure_with("pos_ln.weight", "pos_ln.weighT"),
              HasSubstr("decoder.sentence_encoder.pos_ln.weight"));
  EXPECT_THAT(failure_with("encoder_layers", "encoder_layerS"), HasSubstr("encoder_layers"));
}

}  // namespace
}  // namespace dietmt::interchange
