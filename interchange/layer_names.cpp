#include "interchange/layer_names.h"

namespace dietmt::interchange {
namespace {

std::string replaced(const std::string& pattern, const std::string& word) {
  const size_t at = pattern.find('*');
  return at == std::string::npos ? pattern : std::string(pattern).replace(at, 1, word);
}

class Table {
 public:
  explicit Table(const LayerNames& names) : names_(names) {}

  void encoder_layer(int64_t layer) {
    begin("encoder.layer", names_.encoder_layer, layer);
    self_attention();
    feed_forward();
  }

  void decoder_layer(int64_t layer) {
    begin("decoder.layer", names_.decoder_layer, layer);
    self_attention();
    linear("cross_attention.query_", {names_.cross_query});
    linear("cross_attention.memory_", names_.cross_memory);
    linear("cross_attention.output_", {names_.cross_output});
    norm("cross_residual.norm.", names_.cross_norm);
    feed_forward();
  }

  void final_norms() {
    ours_ = theirs_ = "";
    norm("encoder.final_norm.", names_.final_norms[0]);
    norm("decoder.final_norm.", names_.final_norms[1]);
  }

  std::vector<Correspondence> take() { return std::move(rows_); }

 private:
  void begin(const std::string& ours, const std::string& theirs, int64_t layer) {
    ours_ = ours + std::to_string(layer) + ".";
    theirs_ = replaced(theirs, std::to_string(layer + names_.first_layer));
  }

  void self_attention() {
    linear("self_attention.input_", names_.self_input);
    linear("self_attention.output_", {names_.self_output});
    norm("self_residual.norm.", names_.self_norm);
  }

  void feed_forward() {
    linear("feed_forward.inner_", names_.feed_forward_inner);
    linear("feed_forward.outer_", {names_.feed_forward_outer});
    norm("feed_forward_residual.norm.", names_.feed_forward_norm);
  }

  void linear(const std::string& ours, const std::vector<std::string>& theirs) {
    add(ours + "weight", theirs, names_.weight);
    add(ours + "bias", theirs, names_.bias);
  }

  void norm(const std::string& ours, const std::string& theirs) {
    add(ours + "weight", {theirs}, names_.scale);
    add(ours + "bias", {theirs}, names_.shift);
  }

  void add(const std::string& ours, const std::vector<std::string>& theirs,
           const std::string& word) {
    Correspondence row{ours_ + ours, {}};
    for (const std::string& pattern : theirs)
      row.theirs.push_back(theirs_ + replaced(pattern, word));
    rows_.push_back(std::move(row));
  }

  const LayerNames& names_;
  std::string ours_, theirs_;  // in front of the names of the layer
  std::vector<Correspondence> rows_;
};

}  // namespace

std::vector<Correspondence> correspondences(const nmt::ModelConfig& config,
                                            const LayerNames& names) {
  Table table(names);
  for (int64_t l = 0; l < config.encoder_layers; ++l) table.encoder_layer(l);
  for (int64_t l = 0; l < config.decoder_layers; ++l) table.decoder_layer(l);
  if (config.norm == "pre") table.final_norms();
  return table.take();
}

}  // namespace dietmt::interchange
