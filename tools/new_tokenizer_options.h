// The options of a tokenizer that is trained, alike in all commands that train one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/options.h"
#include "data/text/tokenizer_training.h"

namespace dietmt::tools {

/// How text can be normalized.
OptionRule normalization_rule();

/// Adds them to the current group. `type`: the name of the option for TokenizerOptions::type.
void bind_new_tokenizer(OptionTable& table, data::TokenizerOptions& o, const char* type);

/// Their names, where `type` is "tokenizer-type".
std::vector<std::string> new_tokenizer_options();

/// What to warn of if a tokenizer is there already: --vocab-size differs from its `pieces`, or
/// options of its training were given. `tokenizer`: its file, or what else to call it.
std::vector<std::string> ignored_by_tokenizer(const OptionTable& table, int64_t vocabulary_size,
                                              const std::string& tokenizer, int64_t pieces);
std::vector<std::string> ignored_without_training(const OptionTable& table);

}  // namespace dietmt::tools
