#include "bert/training/pretraining_inputs.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/counting_device/counting_device.h"
#include "training/optimization/loss.h"

namespace dietmt::bert {
namespace {

using at::Tensor;
using training::kIgnoredTarget;

std::vector<int64_t> numbers_of(const Tensor& tensor) {
  const Tensor host = tensor.cpu().contiguous();
  return {host.const_data_ptr<int64_t>(), host.const_data_ptr<int64_t>() + host.numel()};
}

// Nine examples of five tokens, 45 in all; three masked pieces in each of the first three.
data::PretrainingBatch batch_of_nine(bool pairs) {
  data::PretrainingBatch batch;
  for (int32_t example = 0; example < 9; ++example) {
    batch.tokens.append(std::vector<int32_t>{1, 10 + example, 20 + example, 4, 2});
    batch.segments.insert(batch.segments.end(), {0, 0, 0, 1, 1});
    if (pairs) batch.next_sentence.push_back(example % 2);
  }
  for (int32_t row = 0; row < 9; ++row) {
    batch.masked_rows.push_back(row);
    batch.masked_ids.push_back(30 + row);
  }
  return batch;
}

std::vector<int64_t> first(size_t count, std::vector<int64_t> numbers) {
  numbers.resize(count);
  return numbers;
}

void expect_given(const PretrainingInputs& inputs, const data::PretrainingBatch& batch) {
  const auto as_given = [](const auto& given, const Tensor& tensor) {
    EXPECT_EQ(first(given.size(), numbers_of(tensor)),
              std::vector<int64_t>(given.begin(), given.end()));
  };
  as_given(batch.tokens.tokens, inputs.ids);
  as_given(batch.segments, inputs.packing.segments());
  as_given(batch.masked_rows, inputs.masked_rows);
  as_given(batch.masked_ids, inputs.masked_ids);
  if (!batch.next_sentence.empty()) as_given(batch.next_sentence, inputs.next_sentence);
  EXPECT_EQ(inputs.masked, 9);
  EXPECT_EQ(inputs.masked_count.cpu().item<int64_t>(), 9);
  EXPECT_EQ(inputs.tokens, 45);
}

class PretrainingInputsTest : public testing::TestWithParam<bool> {};

TEST_P(PretrainingInputsTest, AreThoseOfTheBatch) {
  const data::PretrainingBatch batch = batch_of_nine(GetParam());
  const PretrainingInputs inputs = pretraining_inputs(batch, {});
  expect_given(inputs, batch);
  EXPECT_EQ(inputs.packing.lengths(), std::vector<int64_t>(9, 5));
  EXPECT_EQ(inputs.ids.numel(), 45);
  EXPECT_EQ(inputs.masked_ids.numel(), 9);
  EXPECT_EQ(inputs.next_sentence.defined(), GetParam());
}

// Padded to 10 examples and 46 tokens; nothing is predicted in the fillers.
TEST_P(PretrainingInputsTest, AreFilledUpToFewSizes) {
  const data::PretrainingBatch batch = batch_of_nine(GetParam());
  PretrainingInputOptions options{.device = counting::counting_device(), .fill_up = 8};
  const PretrainingInputs inputs = pretraining_inputs(batch, options);
  expect_given(inputs, batch);
  EXPECT_EQ(inputs.packing.sentences(), 10);
  EXPECT_EQ(inputs.packing.tokens(), 46);
  EXPECT_EQ(inputs.packing.max_length(), 6);
  EXPECT_EQ(numbers_of(inputs.ids).back(), 0);
  EXPECT_EQ(numbers_of(inputs.packing.segments()).back(), 0);
  if (GetParam()) {
    EXPECT_EQ(numbers_of(inputs.next_sentence).back(), kIgnoredTarget);
  }

  data::PretrainingBatch more_masked = batch_of_nine(GetParam());
  for (int32_t row = 9; row < 33; ++row) {
    more_masked.masked_rows.push_back(row);
    more_masked.masked_ids.push_back(30);
  }
  const PretrainingInputs with_fillers = pretraining_inputs(more_masked, options);
  EXPECT_EQ(with_fillers.masked, 33);
  EXPECT_EQ(with_fillers.masked_ids.numel(), 34);
  EXPECT_EQ(numbers_of(with_fillers.masked_ids).back(), kIgnoredTarget);
  EXPECT_EQ(numbers_of(with_fillers.masked_rows).back(), 0);
}

TEST_P(PretrainingInputsTest, TakeOtherNumbers) {
  const PretrainingInputOptions options{.device = counting::counting_device(), .fill_up = 8};
  data::PretrainingBatch other = batch_of_nine(GetParam());
  for (int32_t& piece : other.tokens.tokens) ++piece;
  const PretrainingInputs recorded = pretraining_inputs(batch_of_nine(GetParam()), options);
  const PretrainingInputs inputs =
      recorded.with_numbers(pretraining_inputs(other, options).numbers);
  EXPECT_EQ(first(45, numbers_of(inputs.ids)),
            std::vector<int64_t>(other.tokens.tokens.begin(), other.tokens.tokens.end()));
  EXPECT_EQ(inputs.masked_count.cpu().item<int64_t>(), 9);
  EXPECT_EQ(inputs.packing.segments().defined(), true);
  EXPECT_FALSE(inputs.packing.has_lengths());
}

INSTANTIATE_TEST_SUITE_P(Pairs, PretrainingInputsTest, testing::Bool());

}  // namespace
}  // namespace dietmt::bert
