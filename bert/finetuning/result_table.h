// The tables that `dietmt bert finetune` prints: tab-separated, scores in percent.
#pragma once

#include <string>
#include <vector>

#include "bert/finetuning/protocol.h"
#include "data/tasks/task_table.h"

namespace dietmt::bert {

/// One line a learning rate: median, and every seed's score, of the metric that chooses. The best
/// rate has a star.
std::string rate_table(const std::string& task, const ProtocolSummary& summary);

struct TaskMedians {
  data::Task task;
  data::Scores medians;  // at the best learning rate
};

/// Header and row of each table: that of Ke et al. 2021, the first metric of each task of GLUE
/// (otherwise it is called the main metric), and that of Wang et al. 2021 with their metrics, where
/// they have the tasks. A task with several metrics or sets has them all in its column
/// ("84.93/84.91"), one in several languages their mean. Several tasks of GLUE have their average:
/// of all scores in the row, MNLI's two apart as in Ke et al., but for WNLI, which the papers leave
/// out.
std::string paper_rows(const std::vector<TaskMedians>& tasks);

}  // namespace dietmt::bert
