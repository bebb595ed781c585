// The options that choose a translation model's sizes and position encodings: `dietmt train` builds
// the model, `dietmt inspect params` counts its parameters.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/options.h"
#include "nmt/model/config.h"
#include "nmt/model/model_files.h"

namespace dietmt::tools {

struct ModelOptions {
  std::string preset = "tiny";
  nmt::ModelConfig model;
  std::string position = "sinusoidal";
  std::string decoder_position;  // empty: as position
  bool marian = false;           // a model that Marian has
};

/// Adds them as the group "Model".
void bind_model_options(OptionTable& table, ModelOptions& options);

/// After parsing: takes each size from the preset unless an option gives it.
void apply_preset(const OptionTable& table, ModelOptions& options);

/// For --init-from: takes sizes, positions and dropout from `model` unless an option gives them.
/// Returns a sentence for each option that contradicts what must stay.
std::vector<std::string> keep_sizes(const OptionTable& table, const nmt::ModelFiles& model,
                                    ModelOptions& options);

/// For --position help and the like: prints the table of encodings with the parameters they add to
/// this model, and returns true.
bool print_position_help(const ModelOptions& options);

/// All problems of the model, including wrong position specs.
std::vector<std::string> model_problems(const nmt::ModelConfig& model);

/// The dropout probability `name` as an option.
void add_dropout(OptionTable& table, const std::string& name, OptionTable::Field field,
                 const std::string& help);

void add_precision(OptionTable& table, std::string& precision);
void add_attention_backend(OptionTable& table, std::string& backend);

int64_t parameter_count(const torch::nn::Module& model);

}  // namespace dietmt::tools
