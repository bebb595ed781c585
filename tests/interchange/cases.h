// The stored cases of make_cases.py, and what a model must compute for them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"
#include "encoders/weights/safetensors.h"
#include "nmt/network/model_directory.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "tests/interchange/outputs.h"

namespace dietmt::interchange {

inline std::filesystem::path case_directory(const std::string& name) {
  return std::filesystem::path(DIETMT_EXCHANGE_CASES) / name;
}

inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::istringstream text(read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// Checks the logits and translations (beam 4, at most 20 tokens) of a case.
inline void expect_outputs(const nmt::LoadedModel& model, const std::filesystem::path& directory) {
  auto expected = encoders::load_safetensors(directory / "expected.safetensors");
  const at::Tensor logits = logits_of(*model.model, expected);
  ASSERT_EQ(logits.sizes(), expected.at("logits").sizes());
  EXPECT_TRUE(at::allclose(logits, expected.at("logits"), 1e-4, 1e-4));
  nmt::SearchOptions options;
  options.beam = 4;
  options.max_length_factor = 0;
  options.max_length_offset = 20;
  options.threads = 1;
  EXPECT_EQ(nmt::translate_lines(*model.model, *model.source_tokenizer, *model.target_tokenizer,
                                 lines_of(directory / "source.txt"), options),
            lines_of(directory / "expected.txt"));
}

/// The message of the exception that `call` throws.
template <typename Exception>
std::string failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "succeeded";
}

}  // namespace dietmt::interchange
