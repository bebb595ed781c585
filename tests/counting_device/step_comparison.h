// A training step on the counting device beside the same on the CPU, in fp32.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/encoders/position/encoding_list.h"
#include "training/loop/trainer.h"

namespace dietmt::counting {

constexpr double kTolerance = 1e-4;  // relative

/// Of the next batch of both tasks, whose models have the same parameters.
void expect_same_losses_and_gradients(training::TrainingTask& on_device,
                                      training::TrainingTask& on_cpu);

std::string name_of_encoding(const testing::TestParamInfo<encoders::Encoding>& info);

}  // namespace dietmt::counting
