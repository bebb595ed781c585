#include "inspection/position_report.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "common/json_fields.h"
#include "encoders/bert/bert.h"
#include "encoders/ops/scopes.h"
#include "encoders/position/scheme/position_scheme.h"
#include "encoders/weights/safetensors.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "tests/common/scratch.h"

namespace dietmt::inspection {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kLength = 6, kHeads = 2, kWidth = 8;

SiteReport cross_report(const std::string& spec) {
  const encoders::SeededDraws draws(1);
  const encoders::PositionScheme position(spec, {.site = encoders::AttentionSite::kCross,
                                                 .layers = 3,
                                                 .heads = kHeads,
                                                 .head_width = kWidth / kHeads,
                                                 .model_width = kWidth,
                                                 .max_positions = 20});
  return cross_attention_report(position, kHeads, kWidth, kWidth / kHeads, kLength);
}

class PositionFiles : public ScratchTest {};

TEST(Readers, AreNamedAsInSpecs) {
  EXPECT_EQ((Readers{2, 2, 3, false}.layers()), "2");
  EXPECT_EQ((Readers{0, 5, 3, false}.layers()), "0-5");
  EXPECT_EQ((Readers{0, 5, 3, false}.heads()), "3");
  EXPECT_EQ((Readers{0, 5, 0, true}.heads()), "all");
}

TEST(CrossReport, HasATermForEachLayerAndHead) {
  const SiteReport report = cross_report("diet-abs(rank=2)");
  EXPECT_EQ(report.name, "cross");
  ASSERT_EQ(report.terms.size(), 6U);
  EXPECT_EQ(report.terms[3].readers.layers(), "1");
  EXPECT_EQ(report.terms[3].readers.heads(), "1");
  EXPECT_EQ(report.terms[3].rank, 2);
  EXPECT_EQ(report.terms[3].scores.sizes(), (std::vector<int64_t>{kLength, kLength}));
}

TEST(CrossReport, LayersAndHeadsThatShareATableShareATerm) {
  const SiteReport report = cross_report("diet-abs(rank=2,share=all)");
  ASSERT_EQ(report.terms.size(), 1U);
  EXPECT_EQ(report.terms[0].readers.layers(), "0-2");
  EXPECT_EQ(report.terms[0].readers.heads(), "all");
}

TEST(CrossReport, IsEmptyWithoutPositions) { EXPECT_THAT(cross_report("none").terms, IsEmpty()); }

PositionReport small_report() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  SiteReport site;
  site.name = "decoder";
  site.notes = {"A note."};
  site.terms.push_back(
      {{0, 1, 0, true}, at::tensor({0.5, kNone, 1.0 / 3, 2.0}, at::kDouble).view({2, 2}), 2});
  site.segments.push_back({{1, 1, 0, false}, at::tensor({0.5, -1.0}, at::kDouble).view({1, 2})});
  site.tables.push_back(
      {{0, 0, 1, false}, "relative keys", -1, {at::ones({1, 1}, at::kDouble), 0.25}});
  site.attention.push_back({at::ones({1, 1}, at::kDouble), {0.1, 0.2, 0.3, 0.4}});
  return {"model", 2, 10, {site}};
}

TEST(PositionReport, IsWrittenAsTables) {
  EXPECT_EQ(position_text(small_report()),
            "attention\tlayers\thead\trank of position scores\tpattern\n"
            "decoder\t0-1\tall\t2\tbroad\n"
            "\n"
            "attention\tlayers\thead\tsegments of query and key\tE_S\n"
            "decoder\t1\t0\t0,0\t0.5000\n"
            "decoder\t1\t0\t0,1\t-1.0000\n"
            "\n"
            "attention\tlayers\thead\ttable\tshare above 0.95\n"
            "decoder\t0\t1\trelative keys\t0.2500\n"
            "\n"
            "attention\thead\tAIV\tOPR\tSD\tDB\tinner AIV\tpattern\n"
            "decoder\t0\t0.1000\t0.2000\t0.3000\t0.4000\t0.0000\tbroad\n");
  EXPECT_EQ(position_text({"model", 2, 10, {SiteReport()}}), "");
}

TEST(PositionReport, IsWrittenAsJson) {
  const ordered_json json = position_json(small_report());
  EXPECT_EQ(json.at("length"), 2);
  const ordered_json& site = json.at("sites").at(0);
  EXPECT_EQ(site.at("notes"), ordered_json({"A note."}));
  const ordered_json& term = site.at("position_scores").at(0);
  EXPECT_EQ(term.at("layers"), ordered_json({0, 1}));
  EXPECT_EQ(term.at("head"), "all");
  EXPECT_EQ(term.at("scores").dump(), "[[0.5,null],[0.333333,2.0]]");
  EXPECT_EQ(site.at("segment_scores").at(0).at("scores").dump(), "[[0.5,-1.0]]");
  EXPECT_EQ(site.at("relative_tables").at(0).at("first_offset"), -1);
  EXPECT_EQ(site.at("identical_words").at(0).at("opr"), 0.2);
}

// A softmax over many positions in double produces them.
TEST(PositionReport, SubnormalNumbersAreWritten) {
  PositionReport report = small_report();
  report.sites[0].terms[0].scores = at::full({2, 2}, 1e-310, at::kDouble);
  const ordered_json json = position_json(report);
  EXPECT_EQ(json["sites"][0]["position_scores"][0]["scores"][0][0], 1e-310);
}

TEST(PositionReport, HasThePartsOfScoresAndWhatTheInputAdds) {
  PositionReport report = small_report();
  SiteReport& site = report.sites[0];
  site.head_width = 4;
  site.first_scores.maps = at::ones({4, 1, 2, 2}, at::kDouble);
  site.first_scores.shares = at::tensor({0.4, 0.3, 0.2, 0.1}, at::kDouble).view({4, 1});
  site.first_scores.rank = {2};
  site.first_scores.rank_without_terms = {1};
  site.input.products = at::eye(2, at::kDouble);
  site.input.projected = at::ones({2, 2, 2}, at::kDouble);
  site.frequencies.push_back(
      {"x.frequencies", at::ones({2}, at::kDouble), at::tensor({1.0, 0.5}, at::kDouble)});
  site.framed_attention = site.attention;
  EXPECT_THAT(position_text(report),
              HasSubstr("decoder\t0\t0.4000\t0.3000\t0.2000\t0.1000\t2\t1\t4\n"));
  EXPECT_THAT(position_text(report), HasSubstr("attention with [CLS] and [SEP]\thead\tAIV"));
  const ordered_json json = position_json(report)["sites"][0];
  EXPECT_EQ(json["first_scores"]["heads"][0]["shares"]["position-word"], 0.2);
  EXPECT_EQ(json["input_positions"]["projected"].dump(), "[[2.0,2.0],[2.0,2.0]]");
  EXPECT_EQ(json["frequencies"][0]["start"].dump(), "[1.0,0.5]");
  EXPECT_EQ(json["framed_words"][0]["pattern"], "broad");
  const std::string page = position_page(report);
  EXPECT_THAT(page, HasSubstr("Learned frequencies"));
  EXPECT_THAT(page, HasSubstr("40.0 % of the variance"));
  EXPECT_THAT(page, HasSubstr("between [CLS] and [SEP]"));
}

// RoBERTa's tokenizer is not needed: its special pieces are known, and its positions begin at row 2
// of the table in the file.
TEST_F(PositionFiles, RobertaIsReadWithoutItsTokenizer) {
  encoders::BertConfig config = encoders::BertConfig::preset("tiny");
  config.vocabulary = 40;
  config.max_positions = 20;
  config.segments = 1;
  const encoders::Bert model(config, 5);
  interchange::export_huggingface(scratch(), model, nullptr);
  nlohmann::json description = read_json(scratch() / "config.json");
  description["model_type"] = "roberta";
  description["max_position_embeddings"] = 22;
  description["pad_token_id"] = 1;
  write("config.json", description.dump());
  write("merges.txt", "");
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  for (auto [name, tensor] : encoders::load_safetensors(scratch() / "model.safetensors")) {
    if (name.find("position_embeddings") != std::string::npos)
      tensor = at::cat({at::ones({2, config.width}), tensor});
    tensors.emplace_back("roberta" + name.substr(name.find('.')), tensor);
  }
  encoders::save_safetensors(scratch() / "model.safetensors", tensors, {});
  const PositionReport report = position_report(scratch(), {.length = 20, .words = 100});
  EXPECT_EQ(report.words, 35);  // all but the special ones
  ASSERT_EQ(report.sites.size(), 1U);
  const at::Tensor table =
      model.named_parameters()["encoder.encoder.position.learned.table"].detach();
  EXPECT_TRUE(at::allclose(report.sites[0].input.products.to(at::kFloat), table.matmul(table.t()),
                           1e-4, 1e-6));
}

// Scores from GPT-2's formulas, one sentence of one word at a time.
at::Tensor gpt2_probe(const std::map<std::string, at::Tensor>& tensors, int64_t word,
                      int64_t length, int64_t heads) {
  const at::Tensor x =
      tensors.at("wte.weight")[word] + tensors.at("wpe.weight").slice(0, 0, length);
  const at::Tensor centred = x - x.mean(-1, true);
  const at::Tensor normed =
      centred / (centred.square().mean(-1, true) + 1e-5).sqrt() * tensors.at("h.0.ln_1.weight") +
      tensors.at("h.0.ln_1.bias");
  const std::vector<at::Tensor> qkv = (at::matmul(normed, tensors.at("h.0.attn.c_attn.weight")) +
                                       tensors.at("h.0.attn.c_attn.bias"))
                                          .chunk(3, -1);
  const auto by_head = [&](const at::Tensor& rows) {
    return rows.view({length, heads, -1}).transpose(0, 1);
  };
  const at::Tensor q = by_head(qkv[0]), k = by_head(qkv[1]);
  const at::Tensor scores = at::matmul(q, k.transpose(1, 2)) / std::sqrt(double(q.size(2)));
  const at::Tensor later = at::ones({length, length}, at::kBool).triu(1);
  return at::softmax(scores.masked_fill(later, -INFINITY), -1);
}

class Gpt2Files : public PositionFiles {
 protected:
  Gpt2Files() {
    at::manual_seed(3);
    const auto add = [&](const std::string& name, at::IntArrayRef sizes, double shift = 0) {
      tensors_[name] = at::randn(sizes) * 0.3 + shift;
    };
    add("wte.weight", {4, 12});
    add("wpe.weight", {10, 12});
    add("h.0.ln_1.weight", {12}, 1);
    add("h.0.ln_1.bias", {12});
    add("h.0.attn.c_attn.weight", {12, 36});
    add("h.0.attn.c_attn.bias", {36});
    add("h.0.mlp.c_fc.weight", {12, 48});
  }

  void save(const std::string& prefix = "", const std::string& type = "gpt2") {
    write("config.json", nlohmann::json{{"model_type", type},
                                        {"n_embd", 12},
                                        {"n_head", 3},
                                        {"n_layer", 2},
                                        {"n_positions", 10},
                                        {"vocab_size", 4},
                                        {"eos_token_id", 3}}
                             .dump());
    std::vector<std::pair<std::string, at::Tensor>> named;
    for (const auto& [name, tensor] : tensors_) named.emplace_back(prefix + name, tensor);
    encoders::save_safetensors(scratch() / "model.safetensors", named, {});
  }

  std::string problem() {
    try {
      position_report(scratch(), {.length = 5, .words = 3});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::map<std::string, at::Tensor> tensors_;
};

TEST_F(Gpt2Files, PositionsAreThoseOfTheFirstLayer) {
  for (const std::string prefix : {"", "transformer."}) {
    save(prefix);
    const PositionReport report = position_report(scratch(), {.length = 5, .words = 3});
    EXPECT_EQ(report.words, 3);  // all but the end of text
    ASSERT_EQ(report.sites.size(), 1U);
    const SiteReport& site = report.sites[0];
    EXPECT_EQ(site.name, "decoder");
    const at::Tensor positions = tensors_.at("wpe.weight").slice(0, 0, 5);
    EXPECT_TRUE(at::allclose(site.input.products.to(at::kFloat), positions.matmul(positions.t()),
                             1e-4, 1e-6));
    at::Tensor mean = at::zeros({3, 5, 5});
    for (int64_t word = 0; word < 3; ++word) mean += gpt2_probe(tensors_, word, 5, 3) / 3;
    ASSERT_EQ(site.attention.size(), 3U);
    for (size_t h = 0; h < 3; ++h)
      EXPECT_TRUE(at::allclose(site.attention[h].probabilities.to(at::kFloat),
                               mean[static_cast<int64_t>(h)], 1e-4, 1e-5))
          << h;
  }
}

TEST_F(Gpt2Files, MistakesNameTheFileAndWhatIsPossible) {
  save("", "opt");
  EXPECT_THAT(problem(),
              HasSubstr("config.json: model_type is 'opt'; inspect positions reads bert, "
                        "roberta, xlm-roberta and gpt2"));
  tensors_["wpe.weight"] = at::zeros({9, 12});
  save();
  EXPECT_THAT(problem(),
              HasSubstr("tensor wpe.weight has the shape [9, 12], but config.json says [10, 12]"));
  tensors_.erase("wpe.weight");
  save();
  EXPECT_THAT(problem(), HasSubstr("wpe.weight"));
  write("config.json", R"({"model_type": "gpt2", "n_embd": 12, "n_head": 5})");
  EXPECT_THAT(problem(), HasSubstr("n_embd is 12, no multiple of n_head, 5"));
  save();
  EXPECT_THROW(position_report(scratch(), {.length = 11, .words = 3}), Error);
}

TEST(CheckpointReports, HaveALineForEachUpdate) {
  const std::vector<CheckpointReport> reports = {{100, small_report()}, {200, small_report()}};
  EXPECT_EQ(checkpoints_text(reports),
            "update\tattention\tAIV\tinner AIV\tOPR\tSD\tDB\tmean rank\tpatterns\n"
            "100\tdecoder\t0.1000\t0.0000\t0.2000\t0.3000\t0.4000\t2.0\tbroad 1\n"
            "200\tdecoder\t0.1000\t0.0000\t0.2000\t0.3000\t0.4000\t2.0\tbroad 1\n");
  EXPECT_EQ(checkpoints_json(reports)["checkpoints"][1]["update"], 200);
  EXPECT_THAT(checkpoints_page("run", reports), HasSubstr("decoder · update 200"));
}

TEST(PositionReport, ThePageNamesModelAndSites) {
  const std::string page = position_page(small_report());
  EXPECT_THAT(page, HasSubstr("<html"));
  EXPECT_THAT(page, HasSubstr("Decoder self-attention"));
  EXPECT_THAT(page, HasSubstr("A note."));
  EXPECT_THAT(page, HasSubstr("Scores of segments"));
}

}  // namespace
}  // namespace dietmt::inspection
