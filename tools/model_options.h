// The options that choose a translation model's sizes and position encodings: `dietmt train` builds
// one of them, `dietmt inspect params` counts its parameters.
#pragma once

#include <string>
#include <vector>

#include "common/options.h"
#include "encoders/position/position_encoding.h"
#include "nmt/model/config.h"

namespace dietmt::tools {

struct ModelOptions {
  std::string preset = "tiny";
  nmt::ModelConfig model;
  std::string position = "sinusoidal";
  std::string decoder_position;  // empty: as position
};

/// Adds them as the group "Model".
void bind_model_options(OptionTable& table, ModelOptions& options);

/// After parsing: sizes come from the preset unless an option gives them.
void apply_preset(const OptionTable& table, ModelOptions& options);

/// Part of apply_preset(): the encoder's and the decoder's positions by the names that were given.
void name_positions(ModelOptions& options);

/// For --position help and the like: prints the table of encodings with the parameters they add to
/// this model, and returns true.
bool print_position_help(const ModelOptions& options);

/// All problems of the model, wrong specs of positions among them. The vocabulary is not known yet.
std::vector<std::string> model_problems(const nmt::ModelConfig& model);

}  // namespace dietmt::tools
