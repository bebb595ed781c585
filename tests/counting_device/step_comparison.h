// Compares a training step on the counting device with the same step on the CPU, in fp32.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/encoders/position/encoding_list.h"
#include "training/loop/trainer.h"

namespace dietmt::counting {

constexpr double kTolerance = 1e-4;  // relative

/// Compares the next batch of both tasks, whose models have the same parameters.
void expect_same_losses_and_gradients(training::TrainingTask& on_device,
                                      training::TrainingTask& on_cpu);

std::string name_of_encoding(const testing::TestParamInfo<encoders::Encoding>& info);

}  // namespace dietmt::counting
